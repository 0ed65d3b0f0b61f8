"""25 circles in a grid, and small ones in the gaps between four of them."""

import numpy as np

N = 32


def construct_packing():
    """Return centers and radii."""
    shrink = 1 - 1e-9
    steps = (np.arange(5) + 0.5) / 5
    gaps = np.arange(1, 5) / 5
    grid = np.array([(x, y) for x in steps for y in steps])
    between = np.array([(x, y) for x in gaps for y in gaps])[: N - 25]
    radii = np.concatenate([np.full(25, 0.1), np.full(N - 25, 0.1 * (2**0.5 - 1))])
    return np.concatenate([grid, between]), radii * shrink
