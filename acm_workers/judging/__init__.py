"""Plain functions that have candidates scored and compared, and read the answers."""
