"""A model server without models: it implements real dialects and hides a quality in its texts."""
