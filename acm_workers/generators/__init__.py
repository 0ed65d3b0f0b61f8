"""Plain functions that have candidate texts written."""
