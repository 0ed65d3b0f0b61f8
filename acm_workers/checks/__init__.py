"""Checks of candidates: plain functions of a text and the requirements of a config."""
