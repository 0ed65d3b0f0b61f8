"""Scores 32 circles in the unit square by the sum of their radii."""

import numpy as np

N = 32


def evaluate(submission):
    """Return the sum of the radii; reject circles that overlap or leave the square."""
    centers, radii = (np.asarray(part, dtype=float) for part in submission.result)
    if centers.shape != (N, 2) or radii.shape != (N,):
        submission.reject(f"shapes must be ({N}, 2) and ({N},), not {centers.shape}, {radii.shape}")
    if (radii <= 0).any():
        submission.reject("every radius must be positive")
    outside = np.minimum(centers, 1 - centers).min(axis=1) < radii
    if outside.any():
        submission.reject(f"circle {int(outside.argmax())} leaves the square")
    distances = np.linalg.norm(centers[:, None] - centers[None], axis=2)
    overlaps = distances < radii[:, None] + radii[None]
    np.fill_diagonal(overlaps, False)
    if overlaps.any():
        first, second = (int(index) for index in np.argwhere(overlaps)[0])
        submission.reject(f"circles {first} and {second} overlap")
    return {
        "value": float(radii.sum()),
        "metrics": {"smallest radius": float(radii.min())},
        "message": f"{N} circles",
    }
