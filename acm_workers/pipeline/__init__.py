"""What comes next for a document or run, and the canvas that does it."""
