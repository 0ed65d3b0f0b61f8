"""HTTP requests to providers: connections, deadlines, and what failures mean."""
