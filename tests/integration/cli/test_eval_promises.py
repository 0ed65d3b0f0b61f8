"""What llm-doc-eval's plan promised: each row of the table in the docs holds, in its sense."""

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from acm_api.cli.eval import app
from acm_api.config import loading
from acm_api.files import evaluation_tables
from acm_workers.errors import RequestError
from acm_workers.judging import answer_schema
from schemas.config.judging import Criterion
from tests.support import configs, simulator
from tests.support.project import Outcome, Project
from tests.support.schema_subset import problem
from tests.support.simulator import Simulator

_GUIDE = Path(__file__).resolve().parents[3] / "ops/docs/migration.md"
_SECRET = "sk-promised-0123456789"  # noqa: S105  of a test
_TEXT = "The moon is a rock, and nobody has told it so."
_AT_ONCE = 2


class _Evaluated(NamedTuple):
    project: Project
    provider: Simulator
    end: Outcome

    @property
    def database(self) -> Path:
        return self.project.folder / "r.sqlite"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Evaluated]:
    """Evaluate three documents by a judge whose first answers are no JSON."""
    with simulator.running(latency_s=0.01) as provider:
        judge = "sim-think@C4.comma"
        place = configs.provider(provider.url, judge, key_env="ALPHA_KEY")
        values = {
            "providers": {"alpha": place},
            "models": {"one": {"provider": "alpha", "model": judge}},
        }
        project = Project(tmp_path_factory.mktemp("promises"), {}, {})
        project.write("config.yaml", yaml.safe_dump(values))
        for name in ("ada", "bob", "eve"):
            project.write(f"docs/{name}.md", f"# {name}\n\n{_TEXT}\n")
        end = project.acm(
            "eval", "run-both", "--docs", "docs", "--db", "r.sqlite", "--config", "config.yaml",
            "--max-concurrent", str(_AT_ONCE), "--base-delay", "0.01",
            env={"ALPHA_KEY": _SECRET, "ACM_LOG_LEVEL": "info"},
        )  # fmt: skip
        yield _Evaluated(project, provider, end)


def _loader(found: _Evaluated) -> None:
    folder = found.project.folder
    entry = {"type": "fpf", "engine": "external", "provider": "openai", "model": "m"}
    place = configs.provider(found.provider.url, "j1")
    values = configs.base({"alpha": place}, runs=[entry], fpf={"path": "nowhere"}, playofs={})
    file = found.project.write("loaded.yaml", yaml.safe_dump(values))
    with pytest.raises(RequestError) as caught:
        loading.load(file, {})
    told = [str(one) for one in (caught.value, *caught.value.more)]

    assert any("unknown key playofs; did you mean playoffs?" in one for one in told)
    assert any(str(folder / "nowhere") in one for one in told)


def _schemas(found: _Evaluated) -> None:
    for criteria in (
        (Criterion(name="factuality", min=1, max=5),),
        (Criterion(name="Is it true?", description="Supported", weight=2.0), Criterion(name="x")),
    ):
        schema = answer_schema.scores(criteria)

        assert [*schema["properties"]][: len(criteria)] == [*answer_schema.by_slug(criteria)]
        assert problem(schema) is None


def _judge_backend(found: _Evaluated) -> None:
    repairs = found.project.number("select count(*) from calls where stage = 'repair'")
    scored = {(one.doc_id, one.trial) for one in evaluation_tables.scores(found.database)}

    assert found.end.code == 0, found.end.err
    assert repairs == len(scored) + len(evaluation_tables.verdicts(found.database)) > 0
    assert _help("run-single") >= {"--grounding", "--no-grounding"}


def _evaluator(found: _Evaluated) -> None:
    names, rows = evaluation_tables.rows(found.database, "pairwise_results")
    verdicts = [dict(zip(names, row, strict=True)) for row in rows]

    assert found.provider.stats()["in_flight_max"] <= _AT_ONCE
    assert names == [
        "id", "doc_id_1", "doc_id_2", "model", "trial", "winner_doc_id", "reason", "timestamp"
    ]  # fmt: skip
    for one in verdicts:
        assert one["winner_doc_id"] in {one["doc_id_1"], one["doc_id_2"], evaluation_tables.TIE}
        assert one["timestamp"].endswith("Z")
        assert datetime.fromisoformat(one["timestamp"])
    names, _ = evaluation_tables.rows(found.database, "single_doc_results")
    assert names == ["id", "doc_id", "model", "trial", "criterion", "score", "reason", "timestamp"]


def _commands(found: _Evaluated) -> None:
    named = {str(one.name or one.callback.__name__) for one in app.registered_commands}  # type: ignore[union-attr]
    assert {one.replace("_", "-") for one in named} == {
        "run-single", "run-pairwise", "run-both", "summary", "export"
    }  # fmt: skip
    flags = {"--docs", "--db", "--config", "--criteria", "--export-dir", "--no-export"}
    assert _help("run-both") >= flags | {"--max-concurrent", "--attempts", "--base-delay"}

    end = found.project.acm(
        "eval", "export", "--db", "r.sqlite", "--table", "single_doc_results", "--out", "s.csv"
    )

    assert end.code == 0, end.err
    with (found.project.folder / "s.csv").open() as file:
        assert len(list(csv.reader(file))) == 1 + len(evaluation_tables.scores(found.database))


def _config(found: _Evaluated) -> None:
    text = "models: {a: {provider: opnai, model: x}, b: 3}\nllm_apy: {}\nretries: {attempts: 0}\n"
    found.project.write("wrong.yaml", text)

    end = found.project.acm("eval", "run-single", "--docs", "docs", "--config", "wrong.yaml")

    assert end.code == 2
    for part in ("did you mean openai?", "models.b must have", "did you mean llm_api?"):
        assert part in end.err


def _logging(found: _Evaluated) -> None:
    lines = (found.project.folder / ".acm/acm.log").read_text("utf-8")
    entries: list[dict[str, Any]] = [json.loads(line) for line in lines.splitlines()]

    assert _TEXT not in lines
    assert _SECRET not in lines
    assert any({"provider", "model", "input_tokens", "cost_usd"} <= one.keys() for one in entries)


def _help(command: str) -> set[str]:
    from typer.main import get_command

    made: Any = get_command(app)
    options = made.commands[command].params
    return {name for option in options for name in (*option.opts, *option.secondary_opts)}


_ROWS: dict[str, Callable[[_Evaluated], None]] = {
    "fpf_loader.py": _loader,
    "schemas.py": _schemas,
    "judge_backend.py": _judge_backend,
    "evaluator.py": _evaluator,
    "cli.py": _commands,
    "config.yaml": _config,
    "logging": _logging,
}


def test_the_table_of_the_docs_has_a_row_for_each_deliverable() -> None:
    table = _GUIDE.read_text("utf-8").partition("| deliverable | in ACM |")[2]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")]

    assert [row.partition(":")[0].partition(" checked")[0].partition(" without")[0].strip("`")
            for row in rows] == [*_ROWS]  # fmt: skip


@pytest.mark.parametrize("deliverable", _ROWS)
def test_a_deliverable_of_llm_doc_eval_is_there_in_its_sense(
    evaluated: _Evaluated, deliverable: str
) -> None:
    _ROWS[deliverable](evaluated)
