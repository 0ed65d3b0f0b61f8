"""Geometry of the charts, computed by pure functions and drawn by the templates."""
