"""Code submissions: plain functions that run code, score it, and decide what its author is told."""
