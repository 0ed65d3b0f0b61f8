"""Several prompts in one config: how they are written, repeated, refused and told apart."""

from pathlib import Path

import pytest

from acm_api.config import loading
from acm_api.files import inputs
from acm_workers.errors import RequestError
from acm_workers.pipeline import plan, units
from acm_workers.pipeline.snapshot import RecordContext
from schemas.units import Document
from tests.support.judging_records import START

BASE = """\
input_folder: inputs
output_folder: outputs
instructions_file: %s
providers:
  alpha: {dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1"}
runs:
  - {type: fpf, provider: alpha, model: m1}
  - {type: fpf, provider: alpha, model: m2, iterations: 2}
judges:
  - {provider: alpha, model: j1, iterations: 1}
"""
LIST = """
  - instructions.md
  - {name: brief, text: "Write one sentence."}
  - more/long.md"""


def load(folder: Path, prompts: str, runs: str | None = None) -> loading.LoadedConfig:
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "more").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "more" / "long.md").write_text("Write ten pages.")
    text = BASE % prompts
    if runs is not None:
        start, end = text.index("runs:"), text.index("judges:")
        text = text[:start] + runs + text[end:]
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", {})


def test_each_entry_is_repeated_for_each_prompt_and_judges_see_the_first(tmp_path: Path) -> None:
    loaded = load(tmp_path, LIST)

    assert loaded.instructions == "Summarise."
    assert [(one.model, one.prompt, one.instructions) for one in loaded.config.runs] == [
        ("m1", "instructions", None),
        ("m1", "brief", "Write one sentence."),
        ("m1", "long", "Write ten pages."),
        ("m2", "instructions", None),
        ("m2", "brief", "Write one sentence."),
        ("m2", "long", "Write ten pages."),
    ]
    assert loaded.origins["runs.4.model"] == "config.yaml:11"
    assert loaded.origins["runs.4.iterations"] == "config.yaml:11"
    assert loaded.origins["runs.4.instructions"].endswith("config.yaml:5)")


def test_each_prompt_has_candidates_of_its_own_and_its_price(tmp_path: Path) -> None:
    one, three = load(tmp_path, "instructions.md"), load(tmp_path, LIST)
    document = Document(id="D", run_id="R", path="a.md", key="k", created_at=START)
    ids = iter(f"A{number}" for number in range(99))

    written = units.candidates(document, three.config, RecordContext(START, lambda: next(ids)))
    single, several = (
        plan.expected(plan.plan(of.config, of.instructions, None, ["A text."], START))
        for of in (one, three)
    )

    assert len(written) == 3 * 3
    assert len({units.sample_number(unit, three.config) for unit in written}) == 2
    assert several.calls > 2 * single.calls


def test_one_prompt_leaves_the_identity_of_a_config_as_it_was(tmp_path: Path) -> None:
    plain = load(tmp_path, "instructions.md").config
    listed = load(tmp_path, "[instructions.md]").config
    several = load(tmp_path, LIST).config

    assert "prompt" not in plain.identity()["runs"][0]
    assert "instructions" not in plain.identity()["runs"][0]
    assert plain.identity() == listed.identity() != several.identity()


def test_names_of_prompts_change_nothing_but_names(tmp_path: Path) -> None:
    one = load(tmp_path, "[instructions.md, {name: a, text: Do it.}]").config
    other = load(tmp_path, "[instructions.md, {name: b, text: Do it.}]").config

    assert one.identity() == other.identity()


def test_equal_prompts_of_two_names_have_answers_of_their_own(tmp_path: Path) -> None:
    config = load(tmp_path, "[instructions.md, {text: Do it.}, {name: again, text: Do it.}]").config
    document = Document(id="D", run_id="R", path="a.md", key="k", created_at=START)
    ids = iter(f"A{number}" for number in range(99))

    first = units.candidates(document, config, RecordContext(START, lambda: next(ids)))[:3]

    assert [one.prompt for one in config.runs[:3]] == ["instructions", "prompt 2", "again"]
    assert len({units.sample_number(unit, config) for unit in first[1:]}) == 2


def test_an_entry_may_have_instructions_of_its_own_and_given_texts_have_none(
    tmp_path: Path,
) -> None:
    runs = """\
runs:
  - {type: fpf, provider: alpha, model: m1, instructions_file: more/long.md, prompt: mine}
  - {type: files, folder: inputs}
  - {type: fpf, provider: alpha, model: m2}
"""
    found = load(tmp_path, LIST, runs).config.runs

    assert [(one.model, one.prompt) for one in found] == [
        ("m1", "mine"), ("inputs", None), ("m2", "instructions"), ("m2", "brief"), ("m2", "long"),
    ]  # fmt: skip
    assert found[0].instructions == "Write ten pages."


@pytest.mark.parametrize(
    ("prompts", "message", "where"),
    [
        ("[]", "begins with a file", "config.yaml:3 (instructions_file)"),
        ("[{text: Do it.}]", "begins with a file", "config.yaml:3 (instructions_file.0)"),
        ("[instructions.md, 7]", "a prompt is a file, or a mapping", "config.yaml:3"),
        ("[instructions.md, {file: a.md, text: Do it.}]", "a prompt is a file", "config.yaml:3"),
        ("[instructions.md, {text: ' '}]", "are not empty texts", "config.yaml:3"),
        ("[instructions.md, none.md]", "none.md", "config.yaml:3 (instructions_file.1)"),
        ("[instructions.md, {name: instructions, text: Do it.}]", "two prompts are called", ":3"),
    ],
)
def test_what_is_no_prompt_is_refused_where_it_stands(
    tmp_path: Path, prompts: str, message: str, where: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, prompts)

    told = [(str(one), one.where or "") for one in (caught.value, *caught.value.more)]
    assert any(message in text and where in place for text, place in told), told


def test_a_fault_of_an_entry_is_told_once_and_where_it_stands(tmp_path: Path) -> None:
    runs = """\
runs:
  - {type: fpf, provider: alpha, model: m1}
  - {type: fpf, provider: nobody, model: m}
"""

    with pytest.raises(RequestError) as caught:
        load(tmp_path, LIST, runs)

    assert (caught.value.where or "").endswith("config.yaml:11 (runs.1.provider)")
    assert caught.value.more == ()


def test_a_prompt_in_the_input_folder_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "inputs" / "bees.md").write_text("Bees fly.")
    (tmp_path / "inputs" / "long.md").write_text("\ufeffWrite ten pages.\r\n")
    loaded = load(tmp_path, "[instructions.md, inputs/long.md]")

    assert [one.path for one in inputs.of_config(loaded.config)] == ["bees.md"]

    (tmp_path / "inputs" / "bees.md").unlink()
    with pytest.raises(RequestError, match="holds prompts alone"):
        inputs.of_config(loaded.config)
