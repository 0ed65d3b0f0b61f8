"""Files and stores of a run contain no keys, and texts only where they belong."""

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support import configs, quoting_server, simulator
from tests.support.project import Outcome, Project

DIALECTS = {"alpha": "openai_chat", "beta": "openai", "gamma": "anthropic", "delta": "google"}
KEYS = {f"{name.upper()}_KEY": f"Zw4{name}+plain/Qx17-==" for name in (*DIALECTS, "local", "rest")}
MARKS = {"instructions": "quillfeather", "first": "oxbowmarsh", "second": "tallowgate"}
"""A word of its own for each text, in each of its sentences."""

_TEXT_COLUMNS = {
    ("runs", "instructions"),
    ("runs", "guidelines"),
    ("documents", "text"),
    ("artifacts", "text"),
    ("calls", "answer"),
    ("calls", "summary"),
    ("calls", "so_far"),
    ("calls", "queries"),
    ("calls", "sources"),
    ("eval_results", "reasoning"),
    ("eval_results", "raw_response"),
    ("pairwise_comparisons", "reasoning"),
    ("pairwise_comparisons", "raw_response"),
}
_WRITTEN = ("inputs", "outputs", "winners", "reports", "instructions.md")


class Left(NamedTuple):
    """Files and logs of two runs.

    Attributes:
        seen: The failing models that were asked.
        cells: Everything in the store: table, column and value.
    """

    project: Project
    ends: list[Outcome]
    seen: list[str]
    cells: list[tuple[str, str, Any]]


def _text(mark: str) -> str:
    line = f"The {mark} is older than the {mark} beside it, and nobody mends a {mark} in winter."
    return f"# On the {mark}\n\n" + "\n\n".join([f"{line} {line}"] * 6) + "\n"


def _models(provider: str, manners: tuple[str, ...]) -> list[str]:
    """Return failing models; every other provider's quote the prompt first."""
    what: Any = "prompt" if provider in ("alpha", "gamma") else "request"
    return [quoting_server.model(manner, what) for manner in manners]


def _config(local: str, failing: str, *, stopping: bool) -> dict[str, Any]:
    there = {
        name: configs.provider(failing, dialect=dialect, key_env=f"{name.upper()}_KEY")
        for name, dialect in {**DIALECTS, "rest": "openai_chat"}.items()
    }
    there["local"] = configs.provider(local, "m1", "m2", "j1", key_env="LOCAL_KEY")
    judges = [configs.judge(provider="local")]
    if stopping:
        writers = configs.runs(local=["m1"], rest=_models("rest", quoting_server.STOPPING))
    else:
        failing_ones = {name: _models(name, quoting_server.PASSING) for name in DIALECTS}
        writers = configs.runs(local=["m1", "m2"], **failing_ones)
        judges += [configs.judge(names[0], name, name=name) for name, names in failing_ones.items()]
    return configs.base(
        there,
        runs=writers,
        judges=judges,
        pairwise={"strategy": "round_robin", "position_swap": "none"},
        retries={"give_up_after": None},
    )


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    texts = {"first.md": _text(MARKS["first"]), "deep/second.md": _text(MARKS["second"])}
    environment = {**KEYS, "ACM_LOG_LEVEL": "debug"}
    with simulator.running(latency_s=0) as provider, quoting_server.running() as other:
        project = Project(
            tmp_path_factory.mktemp("project"),
            _config(provider.url, other.url, stopping=False),
            texts,
        )
        project.write("instructions.md", _text(MARKS["instructions"]))
        ends = [project.acm("run", "--json", env=environment)]
        project.configure(_config(provider.url, other.url, stopping=True))
        ends.append(project.acm("run", env=environment))
        ends.append(project.acm("show", env=environment))
        yield Left(project, ends, other.seen, _cells(project.folder / ".acm" / "acm.db"))


def _cells(store: Path) -> list[tuple[str, str, Any]]:
    found = []
    with closing(sqlite3.connect(store)) as connection:
        tables = connection.execute("select name from sqlite_master where type = 'table'")
        for (table,) in tables.fetchall():
            rows = connection.execute(f"select * from {table}")  # noqa: S608
            names = [column[0] for column in rows.description]
            found += [
                (table, name, value)
                for row in rows.fetchall()
                for name, value in zip(names, row, strict=True)
                if value is not None
            ]
    return found


def _left_files(project: Project) -> Iterator[Path]:
    for path in project.folder.rglob("*"):
        if not path.is_dir():
            yield path


def test_the_runs_met_every_failure_and_kept_their_errors(left: Left) -> None:
    errors = {value for _, column, value in left.cells if column == "error"}

    assert [end.code for end in left.ends] == [0, 4, 0], left.ends[0].err
    seen = {name.split("-")[1] for name in left.seen}
    assert seen >= set(quoting_server.PASSING)
    assert seen & set(quoting_server.STOPPING)
    assert any("HTTP 400" in error for error in errors)
    assert any("not an answer of the API" in error for error in errors)
    assert (left.project.folder / ".acm" / "acm.log").stat().st_size > 10_000


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_no_key_is_in_any_file_or_column_or_on_the_terminal(left: Left, key: str) -> None:
    for path in _left_files(left.project):
        assert key.encode() not in path.read_bytes(), path
    for table, column, value in left.cells:
        packed = (table, column) == ("calls", "answer")
        assert key not in (zlib.decompress(value).decode() if packed else str(value))
    for end in left.ends:
        assert key not in end.out + end.err


@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
def test_texts_are_only_where_texts_belong(left: Left, mark: str) -> None:
    sentence = f"nobody mends a {mark}"

    log = (left.project.folder / ".acm" / "acm.log").read_text("utf-8")
    assert [line for line in log.splitlines() if sentence in line] == []
    for table, column, value in left.cells:
        if (table, column) not in _TEXT_COLUMNS:
            assert sentence not in str(value), (table, column, value)
    for end in left.ends:
        assert sentence not in end.out + end.err
    for path in left.project.folder.rglob("*.failed.json"):
        assert sentence not in path.read_text("utf-8"), path


def test_texts_are_where_they_belong(left: Left) -> None:
    holding = {(table, column) for table, column, value in left.cells if "mends" in str(value)}

    assert {("documents", "text"), ("runs", "instructions"), ("artifacts", "text")} <= holding
