"""Everything that does the work; the API stands on it and it knows nothing of the API."""
