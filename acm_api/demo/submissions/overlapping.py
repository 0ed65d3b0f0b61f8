"""Circles that are too large: they overlap."""

import numpy as np


def construct_packing():
    """Return centers and radii."""
    steps = (np.arange(5) + 0.5) / 5
    grid = np.array([(x, y) for x in steps for y in steps] + [(0.5, 0.5)])
    return grid, np.full(26, 0.099)
