"""Frozen records of the values that cross layer boundaries, without imports from ACM."""
