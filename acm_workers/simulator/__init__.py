"""A model server without models: it speaks real dialects and hides a quality in its texts."""
