"""The HTTP server of `acm api`."""
