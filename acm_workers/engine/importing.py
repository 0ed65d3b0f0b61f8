"""Creates complete runs from results of older programs, ranked by the current functions."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection

from acm_workers.pipeline.next_step import outcome
from acm_workers.pipeline.snapshot import DocumentSnapshot, RecordContext
from acm_workers.store import (
    artifacts,
    comparisons,
    documents,
    evaluations,
    events,
    ratings,
    runs,
)
from schemas import lanes
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge, Pairwise
from schemas.config.provider import KNOWN, Provider
from schemas.config.ranking import EloOptions, Playoffs, RankingOptions
from schemas.config.variant import Variant
from schemas.imported import ImportedResults, ImportedRun, ImportedScore
from schemas.ranking import Rating
from schemas.run import Run
from schemas.units import Artifact, Comparison, Document, Evaluation

_START = 1000.0
"""Rating before the first game in ACM 1 and llm-doc-eval."""

_NOWHERE = "http://127.0.0.1:9/v1"
_TOLERANCE = 0.01
_NO_TEXT = "The text of this candidate was not imported."
_INSTRUCTIONS = "Imported results; the instructions are not known."
_MOST_JUDGES_ITERATIONS = 100


def add(connection: Connection, results: ImportedResults, context: RecordContext) -> ImportedRun:
    """Add a run with the results of an older program; a repeated import changes nothing."""
    key = hashlib.sha256(results.model_dump_json(exclude={"texts", "title"}).encode()).hexdigest()
    names = sorted(_candidates(results))
    earlier = runs.of_key(connection, key)
    if earlier is not None:
        return _imported_run(earlier.id, results, names, new=False)
    began = min(_times(results), default=context.now)
    config = config_of(results)
    run = Run(
        id=context.new_id(),
        key=key,
        title=results.title[:300],
        state="done",
        config=config,
        instructions=_INSTRUCTIONS,
        guidelines=None,
        created_at=began,
        finished_at=max(_times(results), default=began),
    )
    runs.add(connection, run)
    document = Document(
        id=context.new_id(), run_id=run.id, path=_path(results.title), key=key, created_at=began
    )
    documents.add(connection, [document], {document.id: ""})
    found = _artifacts(document, names, results.texts, context)
    by_name = {artifact.file or "": artifact for artifact in found}
    scored = _evaluations(document, by_name, results, config, context)
    compared = _comparisons(document, by_name, results, config, context)
    artifacts.insert_done(connection, found)
    evaluations.plan(connection, scored, None)
    comparisons.plan(connection, compared, None)
    rated = _finish(connection, DocumentSnapshot(document, found, scored, compared), run)
    events.add(
        connection,
        run.id,
        "imported",
        context.now,
        data={"kept": results.kept, "rows": results.rows},
    )
    stored = {
        by_name[name].id: points for name, points in results.ratings.items() if name in by_name
    }
    titles = {artifact.id: artifact.file or "" for artifact in found}
    different = [
        titles[one.artifact_id]
        for one in rated
        if one.artifact_id in stored and abs(stored[one.artifact_id] - one.points) > _TOLERANCE
    ]
    return _imported_run(run.id, results, names, new=True, different=tuple(different))


def _path(title: str) -> str:
    """Convert a title to the name of a document, which is a prefix of file names."""
    return re.sub(r"[^\w .@+=-]+", "-", title).strip(" .-")[:150] or "imported"


def _imported_run(
    run_id: str,
    results: ImportedResults,
    names: list[str],
    *,
    new: bool,
    different: tuple[str, ...] = (),
) -> ImportedRun:
    return ImportedRun(
        run_id=run_id,
        title=results.title,
        new=new,
        candidates=len(names),
        scores=len(results.scores),
        verdicts=len(results.verdicts),
        kept=len(results.kept),
        different=different,
    )


def config_of(results: ImportedResults) -> Config:
    """Return the config that corresponds to the settings of an older program (a pure function)."""
    trials = Counter(dict.fromkeys((score.judge for score in results.scores), 1))
    for score in results.scores:
        trials[score.judge] = max(trials[score.judge], score.trial)
    comparing = dict.fromkeys(verdict.judge for verdict in results.verdicts)
    providers = {
        _provider(judge): KNOWN.get(
            _provider(judge), Provider(dialect="openai_chat", base_url=_NOWHERE)
        )
        for judge in (*trials, *comparing)
    }
    judges = tuple(
        _judge(name, min(number, _MOST_JUDGES_ITERATIONS)) for name, number in trials.items()
    )
    values = [score.score for score in results.scores]
    lowest, highest = int(min([*values, 1])), int(-(-max([*values, 5]) // 1))
    criteria = dict.fromkeys(score.criterion for score in results.scores)
    return Config(
        input_folder="imported",
        output_folder="outputs",
        winners_folder="winners",
        reports_folder="reports",
        instructions_file="none",
        providers=providers,
        runs=(Variant(type="files", provider="files", model="imported"),),
        judges=judges,
        criteria=tuple(
            Criterion(name=name[:64], min=lowest, max=highest) for name in criteria or ("overall",)
        ),
        pairwise=Pairwise(
            enabled=bool(comparing),
            strategy="round_robin",
            position_swap="none",
            judges=tuple(_judge(name, 1) for name in comparing),
        ),
        playoffs=Playoffs(enabled=False),
        ranking=RankingOptions(
            method="elo" if comparing else "score", elo=EloOptions(initial=_initial(results))
        ),
    )


def _initial(results: ImportedResults) -> float:
    """Return the rating before the first game, which equals the mean of the final ratings."""
    if not results.ratings:
        return _START
    return round(sum(results.ratings.values()) / len(results.ratings))


def _provider(judge: str) -> str:
    provider, colon, _ = judge.partition(":")
    return provider if colon and provider else "unknown"


def _judge(name: str, iterations: int) -> Judge:
    _, colon, model = name.partition(":")
    return Judge(
        name=name, provider=_provider(name), model=model if colon else name, iterations=iterations
    )


def _candidates(results: ImportedResults) -> set[str]:
    scored = {score.document for score in results.scores}
    compared = {one for verdict in results.verdicts for one in (verdict.a, verdict.b)}
    return scored | compared | results.ratings.keys() | results.texts.keys()


def _times(results: ImportedResults) -> list[datetime]:
    found = [*(one.at for one in results.scores), *(one.at for one in results.verdicts)]
    return [at for at in found if at is not None]


def _artifacts(
    document: Document, names: list[str], texts: Mapping[str, str], context: RecordContext
) -> list[Artifact]:
    return [
        Artifact(
            id=context.new_id(),
            run_id=document.run_id,
            document_id=document.id,
            generator="files",
            variant=1,
            iteration=number,
            number=number,
            provider="files",
            model=name[:200],
            lane=lanes.generate("files"),
            state="done",
            text=texts.get(name) or _NO_TEXT,
            file=name,
            created_at=document.created_at,
            finished_at=document.created_at,
        )
        for number, name in enumerate(names, start=1)
    ]


def _evaluations(
    document: Document,
    by_name: Mapping[str, Artifact],
    results: ImportedResults,
    config: Config,
    context: RecordContext,
) -> list[Evaluation]:
    """Return an evaluation for each trial; a repeated score starts a new trial."""
    weights = {criterion.name: criterion.weight for criterion in config.criteria}
    trials: dict[tuple[str, str, int], dict[str, ImportedScore]] = {}
    last: dict[tuple[str, str], int] = defaultdict(int)
    moved: dict[tuple[str, str, int], int] = {}
    for score in results.scores:
        own = (score.document, score.judge, score.trial)
        trial = moved.get(own, score.trial)
        cells = trials.setdefault((score.document, score.judge, trial), {})
        if score.criterion in cells:
            trial = moved[own] = last[score.document, score.judge] + 1
            cells = trials.setdefault((score.document, score.judge, trial), {})
        cells[score.criterion] = score
        last[score.document, score.judge] = max(last[score.document, score.judge], trial)
    found = []
    for (name, judge, trial), cells in trials.items():
        total = sum(weights[criterion[:64]] for criterion in cells)
        ended = next((one.at for one in cells.values() if one.at is not None), None)
        found.append(
            Evaluation(
                id=context.new_id(),
                run_id=document.run_id,
                document_id=document.id,
                artifact_id=by_name[name].id,
                judge=judge,
                provider=_provider(judge),
                model=_judge(judge, 1).model,
                lane=lanes.judge(_provider(judge)),
                iteration=trial,
                state="done",
                scores={criterion[:64]: one.score for criterion, one in cells.items()},
                reasons={criterion[:64]: one.reason for criterion, one in cells.items()},
                overall=sum(weights[one.criterion[:64]] * one.score for one in cells.values())
                / total,
                created_at=document.created_at,
                finished_at=ended or document.created_at,
            )
        )
    return found


def _comparisons(
    document: Document,
    by_name: Mapping[str, Artifact],
    results: ImportedResults,
    config: Config,
    context: RecordContext,
) -> list[Comparison]:
    """Return the comparisons in their original order, which ratings depend on.

    Each row is a separate game: repeated comparisons of one pair by one judge get consecutive
    numbers, and times that do not increase with the rows are adjusted.
    """
    played = Counter[tuple[str, frozenset[str]]]()
    ids = sorted(context.new_id() for _ in results.verdicts)
    at = document.created_at
    found = []
    for unit_id, verdict in zip(ids, results.verdicts, strict=True):
        pair = (verdict.judge, frozenset({verdict.a, verdict.b}))
        played[pair] += 1
        at = max(at + timedelta(microseconds=1), verdict.at or at)
        found.append(
            Comparison(
                id=unit_id,
                run_id=document.run_id,
                document_id=document.id,
                a_id=by_name[verdict.a].id,
                b_id=by_name[verdict.b].id,
                judge=verdict.judge,
                provider=_provider(verdict.judge),
                model=_judge(verdict.judge, 1).model,
                lane=lanes.judge(_provider(verdict.judge)),
                iteration=played[pair],
                state="done",
                winner=verdict.winner,
                confidence=verdict.confidence,
                reason=verdict.reason,
                raw=verdict.raw,
                created_at=document.created_at,
                finished_at=at,
            )
        )
    return found


def _finish(connection: Connection, view: DocumentSnapshot, run: Run) -> list[Rating]:
    """Rank the candidates of the imported document, and end the document."""
    result = outcome(view, run.config)
    ended = run.finished_at or run.created_at
    finished = view.document.model_copy(
        update={
            "state": result.state,
            "reason": f"Imported. {result.reason}",
            "winner_id": result.winner_id,
            "finished_at": ended,
        }
    )
    documents.finish(connection, finished, result.standings, result.fusions)
    ratings.replace(connection, finished, result.ratings, ended)
    return result.ratings
