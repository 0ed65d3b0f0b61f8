"""Requests to language models: HTTP transport, dialects, prices and token estimates."""
