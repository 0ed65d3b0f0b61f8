"""Keys of a config that options of the command line set."""

from pathlib import Path

import pytest

from acm_api.config import assignments, loading
from acm_api.config.loading import LoadedConfig
from acm_workers.errors import RequestError

CONFIG = """\
input_folder: inputs
output_folder: out/texts
instructions_file: instructions.md
providers:
  alpha:
    dialect: openai_chat
    base_url: "http://localhost:8077/v1"
    prices: {m-5.6-x: {input: 1, output: 2}}
runs:
  - {type: fpf, provider: alpha, model: m1, iterations: 2}
judges:
  - {provider: alpha, model: j1}
"""


def load(folder: Path, *texts: str) -> LoadedConfig:
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(CONFIG)
    given = [assignments.parse(text) for text in texts]
    return loading.load(folder / "config.yaml", {}, given=given)


def refusal(folder: Path, *texts: str) -> tuple[str, str | None]:
    with pytest.raises(RequestError) as caught:
        load(folder, *texts)
    assert caught.value.more == ()
    return str(caught.value), caught.value.where


def test_a_given_value_replaces_that_of_the_file_and_is_named_as_its_origin(tmp_path: Path) -> None:
    loaded = load(tmp_path, "runs.0.iterations=3", "pairwise.strategy=swiss", "seed=7")

    assert loaded.config.runs[0].iterations == 3
    assert loaded.config.pairwise.strategy == "swiss"
    assert loaded.config.seed == 7
    assert loaded.origins["runs.0.iterations"] == "--set runs.0.iterations"
    assert loaded.origins["pairwise.strategy"] == "--set pairwise.strategy"
    assert loaded.origins["pairwise.enabled"] == "default"
    assert loaded.origins["runs.0.model"] == "config.yaml:10"


def test_a_value_is_yaml_and_the_last_one_of_a_key_counts(tmp_path: Path) -> None:
    texts = ("criteria=[accuracy, {name: tone, weight: 0.5}]", "skip=auto", "skip=never")

    loaded = load(tmp_path, *texts)

    assert [one.name for one in loaded.config.criteria] == ["accuracy", "tone"]
    assert loaded.config.criteria[1].weight == 0.5
    assert loaded.config.skip == "never"


def test_null_takes_a_key_out(tmp_path: Path) -> None:
    loaded = load(tmp_path, "guidelines_file=missing.md", "guidelines_file=null")

    assert loaded.guidelines is None


def test_names_of_models_may_have_dots(tmp_path: Path) -> None:
    loaded = load(tmp_path, "providers.alpha.prices.m-5.6-x.input=4")

    assert loaded.config.providers["alpha"].prices["m-5.6-x"].input == 4


def test_a_key_of_the_first_version_can_be_given(tmp_path: Path) -> None:
    loaded = load(tmp_path, "eval.mode=single")

    assert not loaded.config.pairwise.enabled
    assert loaded.origins["pairwise.enabled"] == "--set eval.mode"


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("pairwize.top_n=3", "unknown key pairwize; did you mean pairwise?", "pairwize.top_n"),
        ("pairwise.topn=3", "unknown key topn in pairwise; did you mean top_n?", "pairwise.topn"),
        ("runs.0.modle=x", "unknown key modle in runs.0; did you mean model?", "runs.0.modle"),
        ("eval.mod=x", "unknown key mod in eval; did you mean mode?", "eval.mod"),
        ("seed=soon", 'seed must be a whole number, not "soon"', "seed"),
        ("runs.4.model=x", "runs is a list and has no entry 4 (its entries: 0 to 0)",
         "runs.4.model"),
        ("runs.first.model=x", "runs is a list and has no entry first (its entries: 0 to 0)",
         "runs.first.model"),
        ("output_folder.name=x", "output_folder is a single value and has no name",
         "output_folder.name"),
        ("seed=", "seed has no value; null takes the key out", "seed"),
        ("seed=[1", "not valid YAML: did not find expected ',' or ']'", "seed"),
        ("providers.alpha.api_key=sk-123", "unknown key api_key in providers.alpha; keys come from"
         " the environment, named by key_env", "providers.alpha.api_key"),
    ],
)  # fmt: skip
def test_a_value_that_cannot_be_is_refused_by_its_option(
    tmp_path: Path, text: str, message: str, where: str
) -> None:
    assert refusal(tmp_path, text) == (message, f"--set {where}")


@pytest.mark.parametrize("text", ["seed", "=3", ".=3", "a..b=3", ""])
def test_what_is_no_assignment_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(RequestError, match="--set needs KEY=VALUE, such as"):
        assignments.parse(text)
