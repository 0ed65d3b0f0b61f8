"""Games drawn from known strengths."""

import math
import random

from acm_workers.ranking.games import Game


def drawn(ids: list[str], number: int, seed: int, spread: float = 1.0) -> list[Game]:
    """Return games between anybody, drawn from strengths that fall with the place."""
    draw = random.Random(seed)
    found = []
    for _ in range(number):
        a, b = draw.sample(range(len(ids)), 2)
        chance = 1 / (1 + math.exp((a - b) * spread))
        score = 0.5 if draw.random() < 0.2 else float(draw.random() < chance)
        found.append(Game(ids[a], ids[b], score))
    return found
