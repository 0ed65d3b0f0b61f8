"""A loopback server through which foreign generators reach models."""
