"""Code submissions: plain functions that run and score code, and decide notices to authors."""
