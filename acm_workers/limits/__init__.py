"""Limits of providers: whose turn it is, and who must wait for what."""
