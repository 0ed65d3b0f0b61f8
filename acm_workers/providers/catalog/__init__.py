"""Capabilities and prices of models, as dated data."""
