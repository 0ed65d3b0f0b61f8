"""How often adaptive rounds find the best candidate, with judges that err as judges do."""

import random

from acm_workers.ranking import rounds
from ops.benchmarks import simulated
from schemas.config.judging import Pairwise


def test_the_best_of_ten_is_mostly_found_by_thirty_comparisons() -> None:
    found = 0
    for seed in range(10):
        case = simulated.case(10, random.Random(seed))
        judges = simulated.panel(3)
        answer = simulated.judging(case, 2.0, random.Random(-seed))
        limited = Pairwise(max_comparisons=30, iterations=3)
        played = simulated.play(case, judges, limited, answer, rounds.next_round)
        found += simulated.likeliest(case, played.comparisons, judges) == case.best

    assert found >= 6
