from pathlib import Path

import pytest

from acm_api.config import source
from acm_workers.errors import RequestError


def located(tmp_path: Path, text: str | bytes) -> source.YamlFile:
    file = tmp_path / "config.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return source.read_yaml(file)


def refusal(tmp_path: Path, text: str | bytes) -> tuple[str, str]:
    with pytest.raises(RequestError) as caught:
        located(tmp_path, text)
    assert "\n" not in str(caught.value)
    return str(caught.value), str(caught.value.where).replace(str(tmp_path) + "/", "")


def test_every_value_knows_its_line(tmp_path: Path) -> None:
    lines = "a: 1\n\nlist:\n  - x: 2\n    y: [3,\n        4]\n"

    found = located(tmp_path, lines)

    assert found.data == {"a": 1, "list": [{"x": 2, "y": [3, 4]}]}
    assert found.lines[("a",)] == 1
    assert found.lines[("list",)] == 3
    assert found.lines["list", 0, "y"] == 5
    assert found.lines["list", 0, "y", 1] == 6


def test_merged_keys_count_less_than_own_ones(tmp_path: Path) -> None:
    text = "base: &b {model: m1, weight: 1}\nuse:\n  <<: *b\n  model: m2\n"

    found = located(tmp_path, text)

    assert found.data["use"] == {"model": "m2", "weight": 1}
    assert found.lines["use", "model"] == 4
    assert found.lines["use", "weight"] == 1


def test_numbers_and_dates_are_read_as_people_mean_them(tmp_path: Path) -> None:
    found = located(tmp_path, 'a: 1e-3\nb: 2024-05-01\nc: "1e3"\nd: none\ne: null\n')

    assert found.data == {"a": 0.001, "b": "2024-05-01", "c": "1e3", "d": "none", "e": None}


def test_byte_order_mark_is_left_out(tmp_path: Path) -> None:
    found = located(tmp_path, b"\xef\xbb\xbfa: 1\n")

    assert found.data == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("a: 1\nb: 2\na: 3\n", "key a is given twice; it is on line 1 already", "3 (a)"),
        ("a:\n\tb: 1\n", "not valid YAML: a tab indents this line; YAML needs spaces", "2"),
        ("a: [1, 2\nb: 3\n", "not valid YAML: did not find expected ',' or ']'", "2"),
        ("a: 1\n---\nb: 2\n", "not valid YAML: but found another document", "2"),
        ("a: .inf\n", "not valid YAML: numbers must be finite", "1"),
        ("a: !!int x\n", "not valid YAML: 'x' cannot be read", "1"),
        ("? [a, b]\n: 1\n", "not valid YAML: a key must be one word", "1"),
        ("a: &a [*a]\n", "not valid YAML: nested too deeply or too large for a config", "1"),
        ("a: {<<: 5}\n", "not valid YAML: << must name a mapping", "1"),
        (
            "a: !!binary aGk=\n",
            "not valid YAML: tag:yaml.org,2002:binary is not accepted here",
            "1",
        ),
    ],
)
def test_bad_yaml_is_refused_with_its_line(
    tmp_path: Path, text: str, message: str, where: str
) -> None:
    assert refusal(tmp_path, text) == (message, f"config.yaml:{where}")


def test_objects_are_never_made_from_tags(tmp_path: Path) -> None:
    message, where = refusal(tmp_path, "a: !!python/object/apply:os.getcwd []\nb: !own x\n")

    assert "could not determine a constructor for the tag '!own'" in message
    assert where == "config.yaml:2"


def test_a_small_file_cannot_grow_without_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]

    message, _ = refusal(tmp_path, "\n".join(lines))

    assert message == "not valid YAML: nested too deeply or too large for a config"


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"", "is empty"),
        (b" \n\n", "is empty"),
        (b"# only a comment\n", "is empty"),
        (b"a: \xff\n", "is not UTF-8 text (byte 4); save it as UTF-8"),
        (b"a: 1\0\n", "holds NUL bytes, so it is not a text file"),
    ],
)
def test_a_file_without_yaml_is_refused(tmp_path: Path, data: bytes, end: str) -> None:
    message, where = refusal(tmp_path, data)

    assert message == f"{tmp_path}/config.yaml {end}"
    assert where == "config.yaml"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        source.read_yaml(tmp_path / "nothing.yaml")

    assert str(caught.value) == f"{tmp_path}/nothing.yaml does not exist"


def test_a_folder_is_no_config(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="is a folder, not a file"):
        source.read_yaml(tmp_path)
