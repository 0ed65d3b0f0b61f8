"""HTTP requests to providers: connections, deadlines and the classification of failures."""
