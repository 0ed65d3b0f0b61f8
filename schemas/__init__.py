"""Frozen records of values that cross a boundary; they import nothing of ACM."""
