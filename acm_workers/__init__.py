"""The engine of ACM, on which the API is built; it never imports the API."""
