"""The config of `acm eval`."""

from pathlib import Path
from typing import Any

import pytest

from acm_api import doc_evaluation
from acm_api.config import evaluating
from acm_api.config.evaluating import EvaluationOptions
from acm_workers.errors import RequestError
from schemas.config.config import Config
from tests.unit.pipeline.test_plan import AT

CONFIG = """\
providers:
  alpha: {dialect: openai_chat, base_url: "http://127.0.0.1:1/v1"}
models:
  a: {provider: alpha, model: j1}
"""


def load(folder: Path, mode: Any, text: str = CONFIG, **more: Any) -> Config:
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "e.yaml").write_text(text)
    options = EvaluationOptions(mode, folder / "docs", folder / "e.yaml", **more)
    return evaluating.load(options, {}, AT).config


def test_every_pair_is_compared_once_in_the_order_of_names(tmp_path: Path) -> None:
    config = load(tmp_path, "pairwise")

    assert (config.pairwise.strategy, config.pairwise.position_swap) == ("round_robin", "none")
    assert (config.scoring_judges, len(config.comparing_judges)) == ((), 1)
    assert config.ranking.elo.initial == 1000


def test_single_scores_on_four_criteria_from_one_to_five(tmp_path: Path) -> None:
    config = load(tmp_path, "single")

    assert config.comparing_judges == ()
    assert [(one.name, one.min, one.max) for one in config.criteria] == [
        ("factuality", 1, 5), ("relevance", 1, 5), ("completeness", 1, 5), ("style_clarity", 1, 5)
    ]  # fmt: skip
    assert config.judges[0].iterations == 1


def test_both_scores_and_compares(tmp_path: Path) -> None:
    config = load(tmp_path, "both", CONFIG + "single_doc_eval: {trial_count: 4}\n")

    assert config.judges[0].iterations == 4
    assert len(config.comparing_judges) == 1


def test_options_come_before_the_file(tmp_path: Path) -> None:
    text = CONFIG + "judge_defaults: {enable_grounding: true}\nretries: {attempts: 9}\n"
    more: dict[str, Any] = {"max_concurrent": 3, "attempts": 2, "base_delay_s": 0.5}

    config = load(tmp_path, "both", text, grounding=False, **more)

    assert config.providers["alpha"].max_in_flight == 3
    assert (config.retries.attempts, config.retries.base_delay_seconds) == (2, 0.5)
    assert config.judges[0].require.grounding == "none"


def test_grounding_has_judges_search(tmp_path: Path) -> None:
    config = load(tmp_path, "pairwise", grounding=True)

    assert config.comparing_judges[0].require.grounding == "searched"


def test_a_file_of_criteria_may_have_its_own_scale(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("criteria: [wit, {name: depth, min: 0, max: 3}]")

    found = load(tmp_path, "single", criteria=file).criteria

    assert [(one.min, one.max) for one in found] == [(1, 5), (0, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [("models: {a: {provider: x, model: y}}\n", "unknown provider x"),
     ("modls: {}\n", "unknown key modls; did you mean models?"),
     ("[]\n", "a config must be a mapping of keys")],
)  # fmt: skip
def test_a_wrong_config_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, "single", text)

    told = [str(caught.value), *(str(one) for one in caught.value.more)]
    assert any(one.startswith(message) for one in told)


def test_documents_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for path in ("a/x.md", "b/x.md", "y.md"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("text")

    found = doc_evaluation.documents(tmp_path)

    assert list(found)[-1] == "y.md"
    assert {name[:2] for name in list(found)[:2]} == {"x-"}
    assert sorted(file.relative_to(tmp_path).as_posix() for file in found.values()) == [
        "a/x.md", "b/x.md", "y.md"
    ]  # fmt: skip


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="holds no documents"):
        doc_evaluation.documents(tmp_path)
    with pytest.raises(RequestError, match="is no folder"):
        doc_evaluation.documents(tmp_path / "no")
