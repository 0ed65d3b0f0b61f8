"""A loopback server through which external generators reach models."""
