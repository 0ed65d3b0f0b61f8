"""The store: one module per noun, with functions that take connections and return records."""
