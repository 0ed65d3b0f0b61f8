"""Hypothesis settings for properties whose examples are slow."""

from hypothesis import settings

few = settings(max_examples=max(10, settings().max_examples // 4))
"""A quarter of the examples of the loaded profile, and at least ten."""
