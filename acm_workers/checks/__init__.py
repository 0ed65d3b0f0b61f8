"""Checks of candidates: plain functions of a text and what a config demands of it."""
