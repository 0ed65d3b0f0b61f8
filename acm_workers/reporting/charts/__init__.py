"""Geometry of the charts: pure functions; the templates only place what is computed here."""
