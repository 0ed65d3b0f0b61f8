"""The section ``checks`` of a config."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from acm_api.config import loading
from acm_workers.errors import RequestError
from acm_workers.processes import sandbox
from tests.support import configs

FUNCTION = "def check(text):\n    return True\n"


def load(folder: Path, *checks: dict[str, Any], **changes: Any) -> loading.LoadedConfig:
    values = configs.small("http://127.0.0.1:1/v1", checks=list(checks), **changes)
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Write.")
    (folder / "config.yaml").write_text(yaml.safe_dump(values, sort_keys=False))
    return loading.load(folder / "config.yaml", {}, keys="workers")


def test_checks_take_lists_schemas_and_functions_from_files(tmp_path: Path) -> None:
    (tmp_path / "allowed.txt").write_text("# ours\nexample.org\n\nhttps://a.test/* # all\n")
    (tmp_path / "s.json").write_text(json.dumps({"type": "object"}))
    (tmp_path / "mine.py").write_text(FUNCTION)

    loaded = load(
        tmp_path,
        {"type": "links", "allowed_file": "allowed.txt"},
        {"type": "json_schema", "schema_file": "s.json", "gate": False, "weight": 0.5},
        {"type": "function", "source_file": "mine.py", "name": "mine", "gate": False},
    )

    links, schema, function = loaded.config.checks
    assert links.allowed == ("example.org", "https://a.test/*")
    assert schema.json_schema == {"type": "object"}
    assert function.source == FUNCTION.strip()
    assert (links.name, function.name) == ("links", "mine")
    assert loaded.notes[-1] == (
        "checks of every candidate, for 0 USD: links (gate), json_schema (weight 0.5),"
        " mine (shown only)"
    )


def test_a_changed_function_is_another_config(tmp_path: Path) -> None:
    def identity(source: str) -> object:
        (tmp_path / "mine.py").write_text(source)
        return load(tmp_path, {"type": "function", "source_file": "mine.py"}).config.identity()

    assert identity(FUNCTION) == identity(FUNCTION)
    assert identity(FUNCTION) != identity(FUNCTION.replace("True", "False"))
    assert "checks" not in load(tmp_path).config.identity()


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"type": "length"}, "type length needs min or max"),
        ({"type": "length", "min": 3, "max": 2}, "min must not be above max"),
        ({"type": "headings"}, "type headings needs required or levels or min or max"),
        ({"type": "headings", "min": 1, "unit": "characters"}, "unit is for type length"),
        ({"type": "regex"}, "type regex needs must_match or must_not_match"),
        ({"type": "regex", "must_match": ["(?=a)"]}, "(?=a) is no pattern: look-around"),
        ({"type": "links"}, "type links needs allowed, or allowed_file"),
        ({"type": "links", "allowed_file": "none.txt"}, "none.txt does not exist"),
        ({"type": "json_schema"}, "type json_schema needs schema, or schema_file"),
        ({"type": "json_schema", "schema": {"type": "x"}}, '"x" is not valid'),
        ({"type": "json_schema", "schema_file": "none.json"}, "none.json does not exist"),
        ({"type": "function"}, "type function needs source_file"),
        ({"type": "function", "source": "def other(text): pass"},
         "the file defines no function check(text); it has other: name one with function"),
        ({"type": "function", "source": "x = 1"}, "the file defines no function check(text)"),
        ({"type": "function", "source": "def check(:"}, "the function is no Python in line 1: "),
        ({"type": "function", "source": "\0"}, "the function is no Python"),
        ({"type": "lenght"}, "did you mean length?"),
        ({"type": "length", "max": 3, "pattern": "x"}, "unknown key pattern in checks.0"),
        ({"type": "function", "timeout_seconds": 99, "source": FUNCTION}, "at most 60, not 99"),
    ],
)  # fmt: skip
def test_a_wrong_check_is_refused(tmp_path: Path, check: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, check)

    assert message in str(caught.value)
    assert "checks.0" in str(caught.value.where)


def test_faults_of_several_checks_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load(
            tmp_path,
            {"type": "length", "max": 1},
            {"type": "length", "max": 2},
            {"type": "regex", "must_not_match": ["("], "weight": 0.2},
            pairwise={"enabled": False},
            judges=[configs.judge(weight=0)],
        )

    told = [str(one) for one in (caught.value, *caught.value.more)]
    assert any("another check is called length" in one for one in told)
    assert any("( is no pattern: unclosed group" in one for one in told)
    assert any("weight has a share in judges' scores, and no judge scores" in one for one in told)


def test_no_link_at_all_may_be_allowed(tmp_path: Path) -> None:
    assert load(tmp_path, {"type": "links", "allowed": []}).config.checks[0].allowed == ()


def test_a_function_needs_the_sandbox_that_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "strongest", lambda: "rlimits")
    check = {"type": "function", "source": FUNCTION}
    load(tmp_path, check)  # workers have their own

    with pytest.raises(RequestError) as caught:
        loading.load(tmp_path / "config.yaml", {}, keys="later")

    assert "isolation by unshare is needed, and this machine has only rlimits" in str(caught.value)
    load(tmp_path, check | {"isolation": "rlimits"})
    assert loading.load(tmp_path / "config.yaml", {}, keys="later").config.checks


def test_a_run_made_from_texts_cannot_do_without_a_sandbox_nor_read_files() -> None:
    values = configs.small("http://127.0.0.1:1/v1")
    values = {name: value for name, value in values.items() if "_f" not in name}
    check = {"type": "function", "source": FUNCTION, "isolation": "rlimits"}

    with pytest.raises(RequestError, match="isolation: rlimits is only for a config file"):
        loading.load_values(values | {"checks": [check]}, "Write.", environ={}, keys="workers")
    check = {"type": "function", "source_file": "/etc/passwd"}
    with pytest.raises(RequestError) as caught:
        loading.load_values(values | {"checks": [check]}, "Write.", environ={}, keys="workers")
    assert "root:" not in str(caught.value)
