"""Prints the explanation of a winner."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from acm_api.cli.view.formatting import console, count
from acm_api.cli.view.output import printable
from schemas.explained import (
    DirectComparisons,
    ExplainedCandidate,
    Explanation,
    HypotheticalChange,
    MissingJudgements,
    NamedFusion,
)
from schemas.units import Remark

_MOST_CRITERIA = 3
_LONGEST_REMARK = 240
"""Maximum length of a remark, in characters."""


def print_explanation(found: Explanation) -> None:
    """Print an explanation, a line for each fact."""
    out = console()
    for heading, line in lines(found):
        out.print(Text(f"{heading:<14}", style="dim") + Text(printable(line)), soft_wrap=True)


def lines(found: Explanation) -> Iterator[tuple[str, str]]:
    """Yield the lines of an explanation: heading and sentence; equal headings are left empty."""
    yield "document", f"{found.path} ({found.state}), {count(found.candidates, 'candidate')}"
    winner, other = found.winner, found.runner_up
    yield "winner", "none" if winner is None else _name_and_file(winner)
    if found.reason:
        yield "why", found.reason
    if winner is None and other is not None:
        yield "ranked first", _name_and_file(other)
    if winner is not None and other is not None:
        yield "runner-up", f"{_name_and_file(other)}, rank {other.rank}"
        yield "ranked by", found.method
        yield from _measures(found, winner, other)
        yield from zip(_headings("judges say"), _remarks(winner, other), strict=False)
        yield from zip(_headings("would change"), map(_change, found.what_if), strict=False)
    yield from zip(_headings("playoffs"), map(_fusion, found.fusions), strict=False)
    if found.missing is not None:
        yield from zip(_headings("missing"), _missing(found.missing), strict=False)
    yield from zip(_headings("note"), found.notes, strict=False)


def _headings(first: str) -> Iterator[str]:
    yield first
    while True:
        yield ""


def _name_and_file(one: ExplainedCandidate) -> str:
    return one.name if one.file is None else f"{one.name}  {one.file}"


def _measures(
    found: Explanation, winner: ExplainedCandidate, other: ExplainedCandidate
) -> Iterator[tuple[str, str]]:
    """Yield scores, comparisons and probabilities of the winner and the runner-up."""
    if winner.overall is not None and other.overall is not None:
        yield "score", f"{winner.overall:.2f} against {other.overall:.2f}{_criteria(winner, other)}"
        yield from _judges(winner, other)
        if winner.filled or other.filled:
            rest = f"{winner.filled} and {other.filled} evaluations of the two have filled scores"
            yield "", f"{rest} (missing_score)"
    if winner.wins + winner.losses + winner.ties:
        direct = found.direct
        yield "comparisons", f"{_games(winner)}; runner-up {_games(other)}"
        if direct.wins + direct.losses + direct.ties:
            yield "", f"between the two {_games(direct)}"
        else:
            yield "", "the two were never compared with each other"
    if winner.p_best is not None:
        rest = "" if other.p_best is None else f"; the runner-up {other.p_best:.2f}"
        yield "sure", f"the best one with a probability of {winner.p_best:.2f}{rest}"
    if winner.strength is not None and other.strength is not None:
        yield "strength", f"{_strength(winner)}; runner-up {_strength(other)}"


def _criteria(winner: ExplainedCandidate, other: ExplainedCandidate) -> str:
    """Return the criteria with the largest differences between winner and runner-up."""
    differences = {
        name: score - other.criteria[name]
        for name, score in winner.criteria.items()
        if name in other.criteria
    }
    largest = sorted(differences, key=lambda name: -abs(differences[name]))[:_MOST_CRITERIA]
    parts = [f"{name} {differences[name]:+.2f}" for name in largest]
    return f" ({', '.join(parts)})" if parts else ""


def _judges(winner: ExplainedCandidate, other: ExplainedCandidate) -> Iterator[tuple[str, str]]:
    shared = [name for name in winner.by_judge if name in other.by_judge]
    if len(shared) > 1:
        scores = [
            f"{name} {winner.by_judge[name]:.2f}/{other.by_judge[name]:.2f}" for name in shared
        ]
        yield "", f"by judge {', '.join(scores)}"


def _remarks(winner: ExplainedCandidate, other: ExplainedCandidate) -> Iterator[str]:
    """Yield the judges' remarks on winner and runner-up, the most confident first."""
    for one, most in ((winner, 2), (other, 1)):
        for said in surest(one.remarks)[:most]:
            yield f"{one.name}: {remark(said)}"


def surest(remarks: Sequence[Remark]) -> list[Remark]:
    """Return remarks as text, the most confident first."""
    told = [one for one in remarks if one.summary]
    return sorted(
        told, key=lambda one: -1.0 if one.confidence is None else one.confidence, reverse=True
    )


def remark(said: Remark) -> str:
    """Return a judge's remark as one line."""
    score = "" if said.overall is None else f", {said.overall:.2f}"
    sure = "" if said.confidence is None else f", confidence {said.confidence:.2f}"
    words = " ".join((said.summary or "").split())
    cut = words if len(words) <= _LONGEST_REMARK else f"{words[: _LONGEST_REMARK - 1]}…"
    return f"{said.judge}{score}{sure}: {cut}"


def _games(one: ExplainedCandidate | DirectComparisons) -> str:
    return f"{one.wins} won, {one.losses} lost, {one.ties} tied"


def _strength(one: ExplainedCandidate) -> str:
    strength = one.strength
    if strength is None:
        return "unknown"
    return f"{strength.points:.0f} ({strength.low:.0f} to {strength.high:.0f})"


def _change(one: HypotheticalChange) -> str:
    if one.score_needed is not None:
        return f"{one.name} would need a score higher by more than {one.score_needed:.2f}"
    if not one.tried:
        return f"no pairs were compared, so verdicts cannot make {one.name} the winner"
    if one.wins_needed is None:
        return f"{one.name} would not win even if it won {one.tried} more against the winner"
    times = "comparison" if one.wins_needed == 1 else f"{one.wins_needed} comparisons"
    return f"{one.name} would win if it won its next {times} against the winner"


def _fusion(one: NamedFusion) -> str:
    made_from = f"; made from {', '.join(one.parents)}" if len(one.parents) > 2 else ""
    sentence = (
        f"{one.name} is better than its best parent, {one.parent}, with a probability of"
        f" {one.better:.2f} ({one.needed:g} is needed to win){made_from}"
    )
    if one.lift is None:
        return sentence
    interval = ""
    if one.lift_low is not None and one.lift_high is not None:
        interval = f" ({one.lift_low:+.2f} to {one.lift_high:+.2f})"
    return f"{sentence}; score {one.lift:+.2f}{interval}"


def _missing(found: MissingJudgements) -> Iterator[str]:
    counts = [
        *([count(found.evaluations, "evaluation")] if found.evaluations else []),
        *([count(found.comparisons, "comparison")] if found.comparisons else []),
    ]
    weight = {
        None: "",
        True: "; it could change the winner",
        False: "; it could not change the winner",
    }
    yield f"{' and '.join(counts)} without a result{weight[found.could_change]}"
    yield from found.reasons
