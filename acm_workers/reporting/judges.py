"""Remarks on the judges."""

from collections.abc import Iterator, Sequence

from acm_workers.ranking import panel
from acm_workers.ranking.agreement import Alpha, Proportion
from acm_workers.ranking.panel import JudgeStatistics, Panel
from acm_workers.reporting import formatting
from schemas.config.config import Config
from schemas.config.judging import PositionSwap
from schemas.units import Artifact, Comparison, Evaluation

_SOLID, _TENTATIVE = 0.8, 0.667
_STRICT = 1.0
"""Minimum severity for a remark, in points."""

_EFFECT: dict[PositionSwap, str] = {
    "both": "Every pair was shown in both orders, so this causes ties and favours no candidate",
    "random": "Each candidate was shown first about as often as second, so this favours none",
    "none": "Candidates were always shown in one order, so this favours some of them",
}


def describe(
    artifacts: Sequence[Artifact],
    evaluations: Sequence[Evaluation],
    comparisons: Sequence[Comparison],
    config: Config,
) -> tuple[Panel, tuple[str, ...]]:
    """Return the judges' statistics and remarks on them."""
    found = panel.describe(artifacts, evaluations, comparisons, config)
    return found, tuple(findings(found, config))


def findings(found: Panel, config: Config) -> Iterator[str]:
    """Yield remarks on biased, strict or uninformative judges, and on their agreement."""
    for judge in found.judges:
        yield from _judge_findings(judge, config)
    for what, alpha in (
        ("scores", found.agreement.overall),
        ("pairs", found.agreement.verdicts),
    ):
        if alpha.value is not None and alpha.value < _TENTATIVE:
            yield (
                f"Judges agree little on {what}: Krippendorff's alpha is "
                f"{formatting.number(alpha.value)} (1 is perfect, 0 is chance)."
            )


def warnings(found: Panel, config: Config) -> Iterator[str]:
    """Yield the biases of judges that make a result doubtful."""
    if config.pairwise.position_swap == "none":
        for judge in found.judges:
            bias = judge.verdicts.first
            if judge.counts and bias is not None and bias.excludes_half:
                yield (
                    f"Judge {judge.name} is biased by position, and candidates were always shown "
                    "in one order."
                )


def _judge_findings(judge: JudgeStatistics, config: Config) -> Iterator[str]:
    verdicts, scores = judge.verdicts, judge.scores
    name = f"Judge {judge.name}"
    if not judge.counts:
        yield f"{name} has a weight of 0: it is shown, but does not count."
    if verdicts.first is not None and verdicts.first.excludes_half:
        side = "first" if verdicts.first.value > 0.5 else "second"
        yield (
            f"{name} is biased by position: it prefers the text shown {side}. The text shown first "
            f"won {share_of(verdicts.first)} decided comparisons "
            f"({interval(verdicts.first)}); half would be fair. "
            f"{_EFFECT[config.pairwise.position_swap]}."
        )
    if verdicts.ties is not None and verdicts.ties.hits == verdicts.ties.of:
        yield f"{name} called every comparison a tie: its verdicts are not informative."
    if scores.given > 1 and scores.spread == 0:
        yield f"{name} gave every candidate the same score: its scores are not informative."
    if scores.severity is not None and abs(scores.severity) >= _STRICT:
        way = "stricter" if scores.severity < 0 else "more generous"
        yield (
            f"{name} is {way} than the others by"
            f" {formatting.number(abs(scores.severity))} points on "
            f"average; as it scores all candidates, this changes no order."
        )


def position(first: Proportion | None) -> str:
    """Describe the position bias of a judge."""
    if first is None:
        return ""
    if not first.excludes_half:
        return "no clear bias"
    return "biased to the first" if first.value > 0.5 else "biased to the second"


def strength(alpha: Alpha) -> str:
    """Describe the reliability of an agreement by Krippendorff's thresholds."""
    if alpha.value is None:
        return "all values are equal" if alpha.units else "nothing was judged by two judges"
    if alpha.value >= _SOLID:
        return "solid"
    return "tentative" if alpha.value >= _TENTATIVE else "weak"


def share_of(share: Proportion) -> str:
    """Format a proportion with the number of trials."""
    return f"{formatting.percent(share.value)} of {share.of:,}"


def interval(share: Proportion) -> str:
    """Format the interval of a proportion."""
    return f"95 %: {formatting.percent(share.low)} to {formatting.percent(share.high)}"
