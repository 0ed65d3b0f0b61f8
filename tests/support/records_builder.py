"""Builds made-up runs unit by unit."""

import random
from datetime import UTC, datetime, timedelta

from acm_workers.pipeline.next_step import outcome
from acm_workers.pipeline.snapshot import DocumentSnapshot
from acm_workers.ranking import scores
from schemas.calls import Call, Usage
from schemas.config.config import Config
from schemas.config.judging import Criterion, Judge
from schemas.config.provider import Provider
from schemas.config.variant import Variant
from schemas.ranking import Fusion, Rating, Standing
from schemas.run import Run, RunRecords
from schemas.units import Artifact, Comparison, Document, Evaluation

T0 = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
JUDGES = ("alpha:j1", "beta:j2")
CRITERIA = (
    Criterion(name="accuracy", weight=0.30, description="Facts are right; nothing is invented"),
    Criterion(name="completeness", weight=0.25, description="Covers everything that was asked for"),
    Criterion(name="clarity", weight=0.20, description="Well written and easy to understand"),
    Criterion(name="relevance", weight=0.15, description="Stays on the subject"),
    Criterion(name="formatting", weight=0.10, description="Sound structure, headings and lists"),
)
"""As the default criteria were when the expectations of tests were computed."""


def at(seconds: float) -> datetime:
    """Return a time of the run."""
    return T0 + timedelta(seconds=seconds)


def config() -> Config:
    """Return a config of two providers, two variants and two judges."""
    return Config(
        input_folder="inputs",
        output_folder="outputs",
        winners_folder="winners",
        reports_folder="reports",
        instructions_file="instructions.md",
        providers={
            "alpha": Provider(
                dialect="openai_chat",
                base_url="https://user:hunter2@models.example/v1?key=abc",
                key_env="ALPHA_KEY",
            ),
            "beta": Provider(dialect="openai", base_url="https://beta.example/v1"),
        },
        runs=(
            Variant(type="fpf", provider="alpha", model="small-1", iterations=2),
            Variant(type="fpf", provider="beta", model="large-2", iterations=2),
        ),
        judges=tuple(
            Judge(name=name, provider=name[:-3], model=name[-2:], iterations=2) for name in JUDGES
        ),
        criteria=CRITERIA,
    )


class RecordsBuilder:
    """Builds a run unit by unit, with a call for each."""

    def __init__(self, seed: int = 1, run_id: str = "RUN1") -> None:
        self.run_id = run_id
        self.config = config()
        self.random = random.Random(seed)
        self.clock = 0.0
        self.numbers = iter(range(seed * 10_000_000 - 9_999_999, 10**12))
        self.documents: list[Document] = []
        self.texts: dict[str, str] = {}
        self.artifacts: list[Artifact] = []
        self.evaluations: list[Evaluation] = []
        self.comparisons: list[Comparison] = []
        self.calls: list[Call] = []
        self.standings: dict[str, tuple[Standing, ...]] = {}
        self.ratings: dict[str, tuple[Rating, ...]] = {}
        self.fusions: dict[str, tuple[Fusion, ...]] = {}

    def id(self, kind: str) -> str:
        """Return a new id, as long as those of a store."""
        return f"{kind}{next(self.numbers):025d}"

    def document(self, path: str) -> Document:
        """Add a document."""
        document = Document(
            id=self.id("D"),
            run_id=self.run_id,
            path=path,
            key="k" + path,
            created_at=at(self.clock),
        )
        self.documents.append(document)
        self.texts[document.id] = f"The source of {path}.\n\nIt has two paragraphs.\n"
        return document

    def artifact(self, document: Document, text: str | None, number: int, **kept: object) -> str:
        """Add a candidate of the variant that follows from ``number``; no text means it failed."""
        variant = (number - 1) // 2 % 2
        entry = self.config.runs[variant]
        start, end = self.tick(8)
        fields = {
            "id": self.id("A"),
            "run_id": self.run_id,
            "document_id": document.id,
            "generator": "fpf",
            "variant": variant + 1,
            "iteration": (number - 1) % 2 + 1,
            "number": number,
            "provider": entry.provider,
            "model": entry.model,
            "lane": f"generate.{entry.provider}",
            "state": "failed" if text is None else "done",
            "text": text,
            "file": None if text is None else f"{document.path[:-3]}.fpf.{number}.md",
            "error_kind": "out_of_attempts" if text is None else None,
            "error": "no answer within 4 attempts <b>503</b>" if text is None else None,
            "created_at": start,
            "finished_at": end,
        }
        artifact = Artifact.model_validate(fields | kept)
        self.artifacts.append(artifact)
        self.call(artifact, "artifact", start, end)
        return artifact.id

    def evaluate(self, artifact_id: str, quality: float, failed: bool = False) -> None:
        """Add each judge's evaluations; with ``failed`` the very last one has no result."""
        artifact = next(one for one in reversed(self.artifacts) if one.id == artifact_id)
        for judge in self.config.judges:
            for iteration in range(1, judge.iterations + 1):
                last = judge is self.config.judges[-1] and iteration == judge.iterations
                self.evaluation(artifact, judge, iteration, quality, failed=failed and last)

    def evaluation(
        self, artifact: Artifact, judge: Judge, iteration: int, quality: float, *, failed: bool
    ) -> None:
        """Add one evaluation."""
        start, end = self.tick(3)
        given = {
            criterion.name: float(min(10, max(1, round(self.random.gauss(quality, 0.8)))))
            for criterion in CRITERIA
        }
        unit = Evaluation(
            id=self.id("E"), run_id=self.run_id, document_id=artifact.document_id,
            artifact_id=artifact.id, judge=judge.name, provider=judge.provider, model=judge.model,
            lane=f"judge.{judge.provider}", iteration=iteration,
            state="failed" if failed else "done",
            scores={} if failed else given,
            reasons={} if failed else {name: f"Fair <i>{name}</i> for a text." for name in given},
            overall=None if failed else scores.overall(given, CRITERIA),
            error_kind="unreadable_answer" if failed else None,
            error="clarity: 11 is above 10" if failed else None,
            raw='{"clarity": 11} <script>' if failed else None,
            created_at=start, finished_at=end,
        )  # fmt: skip
        self.evaluations.append(unit)
        self.call(unit, "evaluation", start, end)

    def compare(self, document: Document, pair: tuple[str, str], edge: float) -> None:
        """Add each judge's comparison of ``pair``; ``edge`` is how much better the first is."""
        for judge in self.config.judges:
            a, b, lead = (*pair, edge) if self.random.random() < 0.5 else (*pair[::-1], -edge)
            start, end = self.tick(3)
            luck = lead + self.random.gauss(0.2, 0.6)
            unit = Comparison(
                id=self.id("C"), run_id=self.run_id, document_id=document.id, a_id=a, b_id=b,
                judge=judge.name, provider=judge.provider, model=judge.model, iteration=1,
                lane=f"judge.{judge.provider}",
                state="done", winner="tie" if abs(luck) < 0.15 else "a" if luck > 0 else "b",
                confidence=round(min(1.0, 0.5 + abs(luck) / 2), 2),
                reason="Clearer, and <script>alert(4)</script> it stays on the subject.",
                created_at=start, finished_at=end,
            )  # fmt: skip
            self.comparisons.append(unit)
            self.call(unit, "comparison", start, end)

    def call(
        self,
        unit: Artifact | Evaluation | Comparison,
        kind: str,
        start: datetime,
        end: datetime,
        **kept: object,
    ) -> None:
        """Add a call for ``unit``; the models of beta have no known price."""
        fields = {
            "id": self.id("K"), "run_id": self.run_id, "document_id": unit.document_id,
            "unit_id": unit.id, "unit_kind": kind, "stage": "main", "attempt": 1,
            "provider": unit.provider, "model": unit.model, "digest": "d", "iteration": 1,
            "state": "failed" if unit.error_kind == "out_of_attempts" else "done",
            "usage": Usage(input_tokens=1200, output_tokens=400),
            "cost_usd": 0.0031 if unit.provider == "alpha" else None,
            "started_at": start, "ended_at": end, "owner": "w1",
        }  # fmt: skip
        if fields["state"] == "failed":
            fields |= {"usage": Usage(), "error_kind": "provider_unavailable", "status": 503,
                       "cost_usd": None, "error": "HTTP 503: <u>overloaded</u>"}  # fmt: skip
        self.calls.append(Call.model_validate(fields | kept))

    def tick(self, seconds: float) -> tuple[datetime, datetime]:
        """Let time pass; return when something started and ended."""
        start = self.clock
        self.clock += seconds / 4
        return at(start), at(start + seconds)

    def rank(self, document: Document, state: str = "done", reason: str | None = None) -> None:
        """Rate and rank the document as a run does, and end it."""
        there = document.id
        view = DocumentSnapshot(
            document,
            [one for one in self.artifacts if one.document_id == there],
            [one for one in self.evaluations if one.document_id == there],
            [one for one in self.comparisons if one.document_id == there],
        )
        found = outcome(view, self.config)
        self.standings[document.id] = tuple(found.standings)
        self.ratings[document.id] = tuple(found.ratings)
        self.fusions[document.id] = tuple(found.fusions)
        self.documents[self.documents.index(document)] = document.model_copy(
            update={"stage": "finished", "state": state, "reason": reason or found.reason,
                    "winner_id": found.winner_id, "finished_at": at(self.clock)}
        )  # fmt: skip

    def material(self, **kept: object) -> RunRecords:
        """Return everything as one run."""
        run = {
            "id": self.run_id, "key": "k", "title": "weekly <notes>", "state": "partial",
            "config": self.config, "instructions": "Write it <b>better</b>.", "guidelines": None,
            "created_at": T0, "finished_at": at(self.clock + 10),
        }  # fmt: skip
        return RunRecords(
            run=Run.model_validate(run | kept),
            documents=tuple(self.documents),
            texts=self.texts,
            artifacts=tuple(self.artifacts),
            evaluations=tuple(self.evaluations),
            comparisons=tuple(self.comparisons),
            standings=self.standings,
            ratings=self.ratings,
            fusions=self.fusions,
            calls=tuple(self.calls),
        )
