"""A program with two mistakes: the first hides the second."""

import numpy as np


def construct_packing():
    """Return centers and radii."""
    side = int(26**0.5)
    step = 1 / (side - 5)
    centers = [((x + 0.5) * step, (y + 0.5) * step) for x in range(side) for y in range(side)]
    centers.append((step, step))
    radii = [step / 2] * (side * side) + [step / 2 * (2**0.5 - 1)]
    return np.array(center), np.array(radii) * (1 - 1e-9)
