"""Runs in which judges compare the winners of two other runs with each other."""

import hashlib
import json
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection

import prompts
from acm_workers.engine import run_differences
from acm_workers.engine.run_differences import WinnerPair
from acm_workers.errors import Conflict, NotFound
from acm_workers.pipeline import plan
from acm_workers.pipeline.snapshot import RecordContext
from acm_workers.store import artifacts, documents, events, runs
from acm_workers.store.connection.database import Database
from schemas.config.config import Config
from schemas.config.variant import Variant
from schemas.plan import ExpectedTotals
from schemas.run import Run
from schemas.units import Artifact, Document


class CrossJudging(NamedTuple):
    """The comparisons for judges, and their cost.

    Attributes:
        pairs: Pairs of two different texts.
        config: Config of the run for these comparisons.
        expected: Expected calls and cost, without stored answers.
    """

    a: Run
    b: Run
    pairs: list[WinnerPair]
    config: Config
    expected: ExpectedTotals


def prepare(
    database: Database, a: Run, b: Run, number: int, at: datetime, budget_usd: float | None = None
) -> CrossJudging:
    """Return the estimated amounts of comparing the winners of ``documents``; nothing is written.

    Raises:
        Conflict: There are no documents or no judges to compare.
    """
    with database.read() as connection:
        old, new = (run_differences.read(connection, run) for run in (a, b))
        # Nobody has to be asked where both runs chose the same text.
        different = [
            one
            for one in run_differences.ordered(old, new)
            if one.a.winner_text != one.b.winner_text
        ]
        pairs = different[:number]
        if not pairs:
            raise Conflict("these runs have no document with two different winners to compare")
        sources = [documents.text(connection, one.b.snapshot.document.id) for one in pairs]
    config = _config(a, budget_usd)
    if not config.comparing_judges:
        raise Conflict(f"run {a.id} has no judges that could compare the winners")
    sizes = [(source, 2, 0) for source in sources]
    planned = plan.plan_judging(config, _instructions(a, b), _guidelines(a, b), sizes, at)
    return CrossJudging(a, b, pairs, config, plan.expected(planned))


def earlier(connection: Connection, what: CrossJudging) -> Run | None:
    """Return the existing run that compares these winners; None if there is none."""
    found = runs.of_key(connection, _key(what))
    if found is None or found.state not in ("running", "paused", "done"):
        return None
    return found


def begin_in(connection: Connection, what: CrossJudging, making: RecordContext) -> Run:
    """Add the run that compares the winners within an open transaction."""
    a, b, scope = what.a, what.b, runs.tenant_of(connection, what.a.id)
    run = Run(
        id=making.new_id(),
        key=_key(what),
        title=f"{a.title[:140]} against {b.title[:140]}",
        state="running",
        config=what.config,
        instructions=_instructions(a, b),
        guidelines=_guidelines(a, b),
        expected=what.expected,
        rejudged_from=a.id,
        crossed_with=b.id,
        created_at=making.now,
    )
    runs.add(connection, run, scope)
    for one in what.pairs:
        text = documents.text(connection, one.b.snapshot.document.id)
        document = Document(
            id=making.new_id(),
            run_id=run.id,
            path=one.b.path,
            key=hashlib.sha256(f"{run.key} {one.b.path}".encode("utf-8", "replace")).hexdigest(),
            stage="generate",
            created_at=making.now,
        )
        documents.add(connection, [document], {document.id: text}, scope)
        artifacts.insert_done(connection, _copies(connection, one, document, making))
    events.add(connection, run.id, "run_started", making.now, data={"store": None})
    return run


def _config(a: Run, budget_usd: float | None) -> Config:
    """Return the config of a run that only compares, with the judges of run ``a``."""
    config = a.config
    judges = config.comparing_judges or config.scoring_judges
    pairwise = config.pairwise.model_copy(
        update={
            "enabled": True,
            "strategy": "round_robin",
            "position_swap": "both",
            "top_n": None,
            "max_comparisons": None,
            "judges": judges,
        }
    )
    return config.model_copy(
        update={
            "runs": tuple(
                Variant(type="files", provider="files", model=name) for name in ("A", "B")
            ),
            "judges": (),
            "pairwise": pairwise,
            "playoffs": config.playoffs.model_copy(update={"enabled": False}),
            "budget_usd": budget_usd,
            "report": False,
        }
    )


def _instructions(a: Run, b: Run) -> str:
    """Return the instructions for judges; none if they differ between the runs, to favour neither.

    Prompts of ``runs`` are ignored, since judges saw the instructions of the run for all
    candidates.
    """
    same = a.instructions == b.instructions
    return a.instructions if same else prompts.render("given_texts.md.j2")


def _guidelines(a: Run, b: Run) -> str | None:
    return a.guidelines if a.guidelines == b.guidelines else None


def _key(what: CrossJudging) -> str:
    winners = [[one.a.winner_text, one.b.winner_text] for one in what.pairs]
    paths = [one.b.path for one in what.pairs]
    identity = ["crossed", what.a.id, what.b.id, what.config.identity(), paths, winners]
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()


def _copies(
    connection: Connection, one: WinnerPair, document: Document, making: RecordContext
) -> list[Artifact]:
    """Return copies of both winners, with the winner of the first run as variant 1."""
    found = []
    for variant, side in enumerate((one.a, one.b), start=1):
        winner = artifacts.get(connection, side.snapshot.document.winner_id or "")
        if winner is None:
            raise NotFound(f"the winner of {side.path} was deleted")
        found.append(
            Artifact(
                id=making.new_id(),
                run_id=document.run_id,
                document_id=document.id,
                generator="files",
                variant=variant,
                iteration=1,
                number=variant,
                provider=winner.provider,
                model=winner.model,
                lane=winner.lane,
                state="done",
                text=winner.text,
                file=winner.file,
                taken_from=winner.id,
                created_at=making.now,
                finished_at=making.now,
            )
        )
    return found
