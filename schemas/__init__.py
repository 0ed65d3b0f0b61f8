"""Frozen records of whatever crosses a boundary; they import nothing of ACM."""
