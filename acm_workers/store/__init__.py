"""The store: one module per noun; functions take connections and return records."""
