"""llm-doc-eval's commands and its Python contract, over the simulated provider."""

import asyncio
import os
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api import llm_doc_eval
from acm_api.files import evaluation_tables
from tests.support import configs, simulator
from tests.support.project import Project

TEXTS = {f"{name}.md": f"# {name}\n\n" + "The moon is a rock.\n" * number
         for number, name in enumerate(("ada", "bob", "eve"), start=1)}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with simulator.running() as provider:
        values: dict[str, Any] = {
            "providers": {"alpha": configs.provider(provider.url, "j1", "j2")},
            "models": {
                "one": {"provider": "alpha", "model": "j1"},
                "two": {"provider": "alpha", "model": "j2"},
            },
            "single_doc_eval": {"trial_count": 2},
        }
        made = Project(tmp_path_factory.mktemp("eval"), {}, {})
        made.write("config.yaml", yaml.safe_dump(values))
        for name, text in TEXTS.items():
            made.write(f"docs/{name}", text)
        yield made


def test_run_both_fills_the_tables_and_exports_them(project: Project) -> None:
    outcome = project.acm(
        "eval", "run-both", "--docs", "docs", "--db", "out/r.sqlite", "--config", "config.yaml"
    )

    assert outcome.code == 0, outcome.err
    database = project.folder / "out/r.sqlite"
    scores, verdicts = evaluation_tables.scores(database), evaluation_tables.verdicts(database)
    assert len(scores) == 3 * 2 * 2 * 4  # documents, judges, trials, criteria
    assert {score.score for score in scores} <= {1, 2, 3, 4, 5}
    assert len(verdicts) == 3 * 2
    assert all(one.doc_id_1 < one.doc_id_2 for one in verdicts)
    assert {one.model for one in verdicts} == {"alpha:j1", "alpha:j2"}
    names = sorted(file.name.partition("_20")[0] for file in (project.folder / "out").iterdir())
    names.remove("r.sqlite")
    assert names == ["elo_summary", "pairwise_results", "single_doc_results"]


def test_the_same_evaluation_on_a_clean_database_gives_the_same_ranking(project: Project) -> None:
    for name in ("x", "y"):
        outcome = project.acm(
            "eval", "run-pairwise", "--docs", "docs", "--db", f"{name}.sqlite",
            "--config", "config.yaml", "--no-export", "--max-concurrent", "2",
        )  # fmt: skip
        assert outcome.code == 0, outcome.err

    first, second = (
        evaluation_tables.ratings(evaluation_tables.verdicts(project.folder / f"{name}.sqlite"))
        for name in ("x", "y")
    )
    assert first == second


def test_programs_of_llm_doc_eval_run_unchanged(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project.folder)

    best = asyncio.run(_pick_best([f"docs/{name}" for name in TEXTS], "final"))

    assert best is not None
    assert os.listdir("final") == [Path(best).name]
    assert set(llm_doc_eval.DOC_PATHS) == set(TEXTS)


async def _pick_best(candidate_paths: list[str], final_dir: str) -> str | None:
    """Copy the best file to a folder: the program that llm-doc-eval's documents show."""
    database = str(Path("picked.sqlite").absolute())
    folder = os.path.join("temp_llm_eval", str(uuid.uuid4()))
    os.makedirs(folder, exist_ok=True)
    try:
        for path in candidate_paths:
            shutil.copy2(path, os.path.join(folder, os.path.basename(path)))
        await llm_doc_eval.run_pairwise_evaluation(folder_path=folder, db_path=database)
        best = llm_doc_eval.get_best_report_by_elo(
            db_path=database, doc_paths=llm_doc_eval.DOC_PATHS
        )
        if best:
            os.makedirs(final_dir, exist_ok=True)
            shutil.copy2(best, os.path.join(final_dir, os.path.basename(best)))
        return best
    finally:
        shutil.rmtree(folder, ignore_errors=True)
