"""Which of several wanted answers to one and the same request a unit stands for; pure."""

from schemas.config.config import Config
from schemas.units import Artifact, Comparison, Evaluation

_STRIDE = 1000
"""Above the number of iterations that any entry may ask for."""


def sample(unit: Artifact | Evaluation | Comparison, config: Config) -> int:
    """Return the sample number of a unit, from 1.

    Two variants or judges that are alike but for their names send identical requests; their
    samples are numbered on, so that each gets an answer of its own instead of a stored copy.
    """
    if isinstance(unit, Artifact):
        entries = (config.playoffs.models or ()) if unit.combined else config.runs
        looks = [entry.model_dump(exclude={"iterations"}) for entry in entries]
        place = unit.variant - 1
    else:
        judges = config.comparing_judges
        if isinstance(unit, Evaluation):
            # A combined text is in no request of the first round: one list serves both.
            judges = (*config.judges, *(config.playoffs.judges or ()))
        looks = [judge.model_dump(exclude={"name", "iterations", "weight"}) for judge in judges]
        place = [judge.name for judge in judges].index(unit.judge)
    twins = looks[:place].count(looks[place]) if looks else 0
    return unit.iteration + _STRIDE * twins
