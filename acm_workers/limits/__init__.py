"""Limits of providers: requests and tokens per minute, and requests in flight."""
