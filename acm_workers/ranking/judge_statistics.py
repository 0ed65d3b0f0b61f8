"""Statistics of one judge: its scores, its verdicts, and any preference for its own family."""

import re
import statistics
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from acm_workers.ranking.agreement import Proportion, proportion
from acm_workers.ranking.judgements import JudgementTables
from schemas.units import Comparison, Evaluation

LEAST_FOR_LENGTH = 4
"""Minimum number of candidates of a document for a rank correlation."""


_SWAPPED = {"a": "b", "b": "a", "tie": "tie"}


_FAMILIES = {
    "gpt": {"gpt", "chatgpt"},
    "claude": {"claude"},
    "gemini": {"gemini", "gemma"},
    "llama": {"llama"},
    "mistral": {"mistral", "mixtral", "ministral", "magistral", "codestral"},
    "qwen": {"qwen", "qwq"},
    "deepseek": {"deepseek"},
    "grok": {"grok"},
}


_BY_WORD = {word: family for family, words in _FAMILIES.items() for word in words}


_REASONING_GPT = re.compile(r"o\d")


def model_family(model: str) -> str:
    """Return the family of a model by its name, regardless of its provider.

    The family is the first word of the name that is a well-known family, such as ``claude`` in
    ``anthropic/claude-4``; otherwise the first word of the last part, such as ``small`` in
    ``maker/small-2``.
    """
    name = model.lower()
    last = name.rsplit("/", 1)[-1]
    if _REASONING_GPT.match(last):
        return "gpt"
    words: list[str] = re.findall(r"[a-z]+", name)
    known = next((_BY_WORD[word] for word in words if word in _BY_WORD), None)
    if known is not None:
        return known
    return next(iter(re.findall(r"[a-z]+", last)), last)


class ScoreStatistics(NamedTuple):
    """Statistics of the scores of one judge.

    Attributes:
        given: Number of evaluations with a result.
        filled: Number of these evaluations in which ``missing_score`` replaces a score.
        spread: Sample standard deviation of its overall scores; absent below two.
        histogram: Number of overall scores by the nearest whole number, ascending.
        severity: Mean difference in points to the mean of the other judges that count, on
            candidates that both scored; a negative value is stricter. Absent without such
            candidates.
        shared: Number of those candidates.
        noise: Standard deviation of its overall scores of one candidate over iterations, pooled
            over candidates; absent if it scored no candidate twice.
        repeated: Number of candidates that it scored more than once.
        length: Spearman's correlation of score and length of the text, within documents; absent
            without a document of four candidates with different scores and lengths.
        measured: Number of candidates that ``length`` is computed from.
    """

    given: int
    filled: int
    mean: float | None
    spread: float | None
    histogram: tuple[tuple[int, int], ...]
    severity: float | None
    shared: int
    noise: float | None
    repeated: int
    length: float | None
    measured: int


class VerdictStatistics(NamedTuple):
    """Statistics of the verdicts of one judge, before any correction.

    Attributes:
        given: Number of comparisons with a verdict.
        ties: Number of these comparisons without a winner; absent without any verdict.
        first: Number of verdicts with a winner that the candidate shown first won.
        swapped: Pairs with the same verdict in both orders, out of pairs compared in both orders.
        repeated: Pairs with the same verdict in every iteration, out of pairs compared repeatedly
            in the same order.
        longer: Number of verdicts with a winner that the longer text won.
    """

    given: int
    ties: Proportion | None
    first: Proportion | None
    swapped: Proportion | None
    repeated: Proportion | None
    longer: Proportion | None


class FamilyStatistics(NamedTuple):
    """One judge's treatment of models of its own family, compared with judges of other families.

    If the judge's family writes better texts, all judges prefer them. Only the excess over the
    other judges shows a preference for the own family.

    Attributes:
        family: See ``model_family``.
        own: Candidates of the family that it judged.
        others: Candidates of other families in the same documents that it judged.
        difference: Lead of its own family in its scores, in standard deviations of its scores of a
            document; absent without scores.
        theirs: Mean of the same difference over the judges of other families that count.
        wins: Wins of its own family, out of its decided comparisons with other families.
        their_wins: The same wins in comparisons by judges of other families that count.
    """

    family: str
    own: int
    others: int
    difference: float | None
    theirs: float | None
    wins: Proportion | None
    their_wins: Proportion | None


def score_statistics(name: str, known: JudgementTables) -> ScoreStatistics:
    """Return statistics of the scores of judge ``name``."""
    own = [one for one in known.evaluations if one.judge == name]
    overall = [one.overall for one in own if one.overall is not None]
    differences = list(_differences(name, known))
    noise, repeated = _noise(own)
    length, measured = _length(name, known)
    return ScoreStatistics(
        given=len(overall),
        filled=sum(bool(one.filled) for one in own),
        mean=statistics.fmean(overall) if overall else None,
        spread=statistics.stdev(overall) if len(overall) > 1 else None,
        histogram=tuple(sorted(Counter(round(score) for score in overall).items())),
        severity=statistics.fmean(differences) if differences else None,
        shared=len(differences),
        noise=noise,
        repeated=repeated,
        length=length,
        measured=measured,
    )


def verdict_statistics(name: str, known: JudgementTables) -> VerdictStatistics:
    """Return statistics of the verdicts of judge ``name``."""
    own = [one for one in known.comparisons if one.judge == name]
    decided = [one for one in own if one.winner != "tie"]
    return VerdictStatistics(
        given=len(own),
        ties=proportion(len(own) - len(decided), len(own)),
        first=proportion(sum(one.winner == "a" for one in decided), len(decided)),
        swapped=_proportion_of(_swapped(own)),
        repeated=_proportion_of(_repeated(own)),
        longer=_proportion_of(_longer(decided, known)),
    )


def family_statistics(
    name: str, models: Mapping[str, str], known: JudgementTables
) -> FamilyStatistics | None:
    """Return statistics of a judge's preference for its family; None without several families.

    Args:
        models: Model by judge.
    """
    family = model_family(models[name])
    ours = {one.id for one in known.artifacts.values() if model_family(one.model) == family}
    seen = {candidate for candidate, by_judge in known.scores.items() if name in by_judge}
    seen |= {
        side for one in known.comparisons if one.judge == name for side in (one.a_id, one.b_id)
    }
    mixed = _in_mixed_documents(seen, ours, known)
    if not mixed:
        return None
    outside = {
        judge
        for table in (known.counting.scores, known.counting.verdicts)
        for by_judge in table.values()
        for judge in by_judge
        if model_family(models[judge]) != family
    }
    theirs = [_family_difference(judge, ours, known) for judge in sorted(outside)]
    known_theirs = [one for one in theirs if one is not None]
    return FamilyStatistics(
        family,
        len(mixed & ours),
        len(mixed - ours),
        _family_difference(name, ours, known),
        statistics.fmean(known_theirs) if known_theirs else None,
        _family_wins(lambda judge: judge == name, ours, known),
        _family_wins(lambda judge: judge in outside, ours, known),
    )


def _differences(name: str, known: JudgementTables) -> Iterable[float]:
    for candidate, by_judge in known.scores.items():
        counting = known.counting.scores.get(candidate, {})
        others = [score for judge, score in counting.items() if judge != name]
        if name in by_judge and others:
            yield by_judge[name] - statistics.fmean(others)


def _noise(own: Sequence[Evaluation]) -> tuple[float | None, int]:
    by_candidate: dict[str, list[float]] = {}
    for one in own:
        if one.overall is not None:
            by_candidate.setdefault(one.artifact_id, []).append(one.overall)
    repeated = [found for found in by_candidate.values() if len(found) > 1]
    if not repeated:
        return None, 0
    freedom = sum(len(found) - 1 for found in repeated)
    squares = sum(statistics.variance(found) * (len(found) - 1) for found in repeated)
    return sqrt(squares / freedom), len(repeated)


def _length(name: str, known: JudgementTables) -> tuple[float | None, int]:
    """Return the correlation of ranks within documents, and the number of candidates.

    Ranks are centred within each document, so that differences between documents have no
    effect; with one document it is Spearman's coefficient.
    """
    by_document: dict[str, list[tuple[float, float]]] = {}
    for candidate, by_judge in known.same_scale(known.scores).items():
        artifact = known.artifacts[candidate]
        if name in by_judge and artifact.text is not None:
            there = by_document.setdefault(artifact.document_id, [])
            there.append((len(artifact.text), by_judge[name]))
    products, lengths, given, measured = 0.0, 0.0, 0.0, 0
    for found in by_document.values():
        if len(found) < LEAST_FOR_LENGTH:
            continue
        ours, theirs = (_centred_ranks(side) for side in zip(*found, strict=True))
        products += sum(a * b for a, b in zip(ours, theirs, strict=True))
        lengths += sum(a * a for a in ours)
        given += sum(b * b for b in theirs)
        measured += len(found)
    if not lengths or not given:
        return None, measured
    return products / sqrt(lengths * given), measured


def _centred_ranks(values: Sequence[float]) -> list[float]:
    """Return ranks around 0; equal values get the mean of their ranks."""
    ascending = sorted(values)
    middle = (len(values) - 1) / 2
    return [
        (bisect_left(ascending, value) + bisect_right(ascending, value) - 1) / 2 - middle
        for value in values
    ]


def _proportion_of(hits: Iterable[bool]) -> Proportion | None:
    every = list(hits)
    return proportion(sum(every), len(every))


def _swapped(own: Sequence[Comparison]) -> Iterable[bool]:
    """Yield for each pair asked in both orders in one iteration whether both verdicts agree."""
    given = {(one.a_id, one.b_id, one.iteration): one.winner for one in own}
    for (a, b, iteration), winner in given.items():
        other = given.get((b, a, iteration))
        if a < b and winner is not None and other is not None:
            yield _SWAPPED[winner] == other


def _repeated(own: Sequence[Comparison]) -> Iterable[bool]:
    by_order: dict[tuple[str, str], list[str | None]] = {}
    for one in own:
        by_order.setdefault((one.a_id, one.b_id), []).append(one.winner)
    return (len(set(found)) == 1 for found in by_order.values() if len(found) > 1)


def _longer(decided: Iterable[Comparison], known: JudgementTables) -> Iterable[bool]:
    lengths = {one.id: len(one.text) for one in known.artifacts.values() if one.text is not None}
    for one in decided:
        a, b = lengths.get(one.a_id), lengths.get(one.b_id)
        if a is not None and b is not None and a != b:
            yield (one.winner == "a") == (a > b)


def _in_mixed_documents(seen: Iterable[str], ours: set[str], known: JudgementTables) -> set[str]:
    """Return the candidates of documents with candidates of its family and of others."""
    by_document: dict[str, set[str]] = {}
    for one in seen:
        if one in known.artifacts:
            by_document.setdefault(known.artifacts[one].document_id, set()).add(one)
    mixed = [found for found in by_document.values() if found & ours and found - ours]
    return set().union(*mixed)


def _family_difference(judge: str, ours: set[str], known: JudgementTables) -> float | None:
    """Return how much better the family is scored than others of the same document."""
    by_document: dict[str, list[tuple[bool, float]]] = {}
    for candidate, by_judge in known.same_scale(known.scores).items():
        if judge in by_judge:
            there = by_document.setdefault(known.artifacts[candidate].document_id, [])
            there.append((candidate in ours, by_judge[judge]))
    found = [each for scored in by_document.values() for each in _standardised(scored)]
    return statistics.fmean(found) if found else None


def _standardised(scored: Sequence[tuple[bool, float]]) -> Iterable[float]:
    """Yield the distance of each family member to the others' mean, in standard deviations."""
    others = [score for own, score in scored if not own]
    spread = statistics.stdev(score for _, score in scored) if len(scored) > 1 else 0.0
    if not others or not spread:
        return
    middle = statistics.fmean(others)
    yield from ((score - middle) / spread for own, score in scored if own)


def _family_wins(
    asked: Callable[[str], bool], ours: set[str], known: JudgementTables
) -> Proportion | None:
    met = [
        (one.a_id if one.winner == "a" else one.b_id) in ours
        for one in known.comparisons
        if asked(one.judge) and one.winner != "tie" and (one.a_id in ours) != (one.b_id in ours)
    ]
    return proportion(sum(met), len(met))
