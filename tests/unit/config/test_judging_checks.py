"""Judges and criteria of the playoffs, criteria files, and contradictory values."""

from pathlib import Path

import pytest

from acm_api.config import loading
from acm_workers.errors import RequestError

BASE = """\
input_folder: inputs
output_folder: outputs
instructions_file: instructions.md
providers:
  alpha: {dialect: openai_chat, base_url: "http://127.0.0.1:8077/v1"}
  far: {dialect: openai, base_url: "https://models.example/v1", key_env: FAR_KEY}
runs:
  - {type: fpf, provider: alpha, model: m1, iterations: 4}
judges:
  - {provider: alpha, model: j1, iterations: 3}
"""
PLAYOFFS = """\
playoffs:
  judges:
    - {provider: alpha, model: j2}
    - {name: kind, provider: alpha, model: j3, iterations: 5}
  criteria: [clarity, {name: coherence, min_score: 1, max_score: 5, weight: 0.5}]
"""


def load(folder: Path, text: str, **environ: str) -> loading.LoadedConfig:
    (folder / "inputs").mkdir(exist_ok=True)
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(text)
    return loading.load(folder / "config.yaml", environ)


def refusal(folder: Path, text: str) -> tuple[str, str]:
    with pytest.raises(RequestError) as caught:
        load(folder, text)
    assert "\n" not in str(caught.value)
    place = str(caught.value.where).removeprefix(f"{folder}/")
    return str(caught.value).replace(f"{folder}/", ""), place


def test_playoffs_may_have_judges_and_criteria_of_their_own(tmp_path: Path) -> None:
    loaded = load(tmp_path, BASE + PLAYOFFS)

    config = loaded.config
    judges = config.judges_of(combined=True)
    assert [(judge.name, judge.iterations) for judge in judges] == [("alpha:j2", 2), ("kind", 5)]
    assert [judge.name for judge in config.judges_of(combined=False)] == ["alpha:j1"]
    clarity, coherence = config.criteria_of(combined=True)
    assert (clarity.weight, clarity.max) == (0.2, 10)
    assert (coherence.weight, coherence.min, coherence.max) == (0.5, 1, 5)
    assert loaded.origins["playoffs.judges.0.iterations"] == "as playoffs.iterations"
    assert loaded.origins["playoffs.judges.0.model"] == "config.yaml:13"
    assert loaded.origins["playoffs.criteria.0.weight"] == "default of clarity"
    assert loaded.origins["playoffs.criteria.1.max"] == "config.yaml:15"


@pytest.mark.parametrize(
    ("section", "file"), [("", "criteria_file: c.yaml\n"), ("playoffs", "")], ids=["all", "new"]
)
def test_a_file_of_criteria_may_give_one_scale_for_all(
    tmp_path: Path, section: str, file: str
) -> None:
    (tmp_path / "c.yaml").write_text(
        "min: 1\nmax: 5\ncriteria:\n- factuality\n- {name: style, max: 7, weight: 2}\n"
    )
    text = BASE + (file or "playoffs: {criteria_file: c.yaml}\n")

    loaded = load(tmp_path, text)

    factuality, style = loaded.config.criteria_of(combined=bool(section))
    assert (factuality.name, factuality.min, factuality.max) == ("factuality", 1, 5)
    assert (style.min, style.max, style.weight) == (1, 7, 2)
    start = f"{section}.criteria" if section else "criteria"
    assert loaded.origins[f"{start}.0.max"] == "c.yaml:2"
    assert loaded.origins[f"{start}.1.max"] == "c.yaml:5"
    assert loaded.origins[f"{start}.0.name"] == "c.yaml:4"


@pytest.mark.parametrize(
    ("old", "new", "message", "place"),
    [
        ("model: j2}", "mdel: j2}", "unknown key mdel in playoffs.judges.0; did you mean model?",
         ":13 (playoffs.judges.0.mdel)"),
        ("alpha, model: j2", "alhpa, model: j2",
         "unknown provider alhpa; did you mean alpha?"
         " (known: alpha, anthropic, far, google, openai, openaidp, openrouter)",
         ":13 (playoffs.judges.0.provider)"),
        ("alpha, model: j2", "far, model: j2",
         "environment variable FAR_KEY, the key of provider far, is not set",
         ":6 (providers.far.key_env)"),
        ("alpha, model: j2", "openai, model: j2",
         "environment variable OPENAI_API_KEY, the key of provider openai, is not set",
         ":13 (playoffs.judges.0.provider)"),
        ("name: kind,", "name: 'alpha:j1',",
         "judge alpha:j1 is another model here than in judges; rename one",
         ":14 (playoffs.judges.1.name)"),
        ("name: kind, provider: alpha, model: j3", "provider: alpha, model: j2",
         "two judges have the name alpha:j2; give one of them another name",
         ":14 (playoffs.judges.1.name)"),
        ("    - {provider: alpha, model: j2}\n    - {name: kind, provider: alpha, model: j3,"
         " iterations: 5}", "    - {provider: alpha, model: j2, weight: 0}",
         "every judge has weight 0, so none would judge", ":12 (playoffs.judges)"),
        ("judges:\n    - {provider: alpha, model: j2}\n    - {name: kind, provider: alpha,"
         " model: j3, iterations: 5}", "judges: []",
         "playoffs.judges must not be empty; null stands for the judges that score",
         ":12 (playoffs.judges)"),
        ("clarity, {name: coherence", "clarity, {name: Clarity",
         "criteria clarity and Clarity are too alike to tell apart; rename one",
         ":15 (playoffs.criteria.1.name)"),
        ("clarity, {name: coherence, min_score: 1, max_score: 5, weight: 0.5}",
         "{name: wit, weight: 0}", "every criterion has weight 0, so nothing would count",
         ":15 (playoffs.criteria)"),
        ("max_score: 5", "max_score: 1", "playoffs.criteria.1: max must be at least one step above"
         " min", ":15 (playoffs.criteria.1)"),
        ("  criteria: [", "  criteria_file: c.yaml\n  criteria: [",
         "playoffs.criteria_file and playoffs.criteria exclude each other; keep one of them",
         ":15 (playoffs.criteria_file)"),
        ("  criteria:", "  critera_file:",
         "unknown key critera_file in playoffs; did you mean criteria_file?",
         ":15 (playoffs.critera_file)"),
        ("playoffs:\n", "playoffs:\n  pairwise: false\n",
         "playoffs: pairwise: false needs the judges and criteria of the first round, else nothing"
         " would tell whether a combined candidate is better", ":11 (playoffs)"),
        ("playoffs:\n", "pairwise: {enabled: false}\nplayoffs:\n",
         "playoffs.judges gives combined candidates scores of their own scale, and"
         " pairwise.enabled is false: nothing would tell whether they are better; compare them,"
         " or leave playoffs.judges out", ":13 (playoffs.judges)"),
        ("max_score: 5", "max_score: 2000",
         "the scales of all criteria have 2010 steps, and a schema can have 1000; use larger steps,"
         " or set json: false", ":15 (playoffs.criteria)"),
        ("playoffs:\n", "budget_usd: 1\nplayoffs:\n",
         "a budget needs the price of every model, and none is known of alpha:m1, alpha:j1,"
         " alpha:j2, alpha:j3; name them in providers.*.prices, or leave budget_usd out",
         ":11 (budget_usd)"),
        ("playoffs:\n", "missing_score: 6\nplayoffs:\n",
         "missing_score 6 is not on the scale of coherence, 1 to 5; choose another, or leave it"
         " out", ":11 (missing_score)"),
    ],
)  # fmt: skip
def test_mistake_is_named_with_file_line_and_key(
    tmp_path: Path, old: str, new: str, message: str, place: str
) -> None:
    text = BASE + PLAYOFFS
    assert text.count(old) == 1

    told = refusal(tmp_path, text.replace(old, new))

    assert told == (message, f"config.yaml{place}")


def test_a_judge_means_one_model_in_all_lists(tmp_path: Path) -> None:
    text = BASE + "pairwise: {judges: [{name: kind, provider: alpha, model: j9}]}\n" + PLAYOFFS

    told = refusal(tmp_path, text)

    message = "judge kind is another model here than in pairwise.judges; rename one"
    assert told == (message, "config.yaml:15 (playoffs.judges.1.name)")


def test_keys_of_playoffs_that_are_switched_off_are_not_wanted(tmp_path: Path) -> None:
    text = BASE + "playoffs: {enabled: false, judges: [{provider: far, model: j2}]}\n"

    assert load(tmp_path, text).config.playoffs.judges is not None


@pytest.mark.parametrize(
    ("more", "notes"),
    [
        ("pairwise: {strategy: adaptive, stop_confidence: 0.8, max_comparisons: 9, top_n: 3}", []),
        ("pairwise: {strategy: swiss, max_comparisons: 9}", []),
        ("pairwise: {strategy: auto}", []),
        ("pairwise: {strategy: round_robin, max_comparisons: 9}",
         ["pairwise.max_comparisons has no effect with strategy round_robin; pairwise.top_n"
          " compares fewer candidates"]),
        ("pairwise: {strategy: top_k, max_comparisons: 9}",
         ["pairwise.max_comparisons has no effect with strategy top_k; pairwise.top_n"
          " compares fewer candidates"]),
        ("pairwise: {strategy: swiss, stop_confidence: 0.9}",
         ["pairwise.stop_confidence has no effect with strategy swiss; adaptive alone stops by"
          " it"]),
        ("pairwise: {strategy: swiss, stop_within: 0.25}",
         ["pairwise.stop_within has no effect with strategy swiss; adaptive alone stops by it"]),
        ("pairwise: {enabled: false}\nranking: {method: elo}",
         ["ranking.method elo has no effect: nothing is compared, so scores decide"]),
        ("pairwise: {enabled: false, strategy: round_robin, max_comparisons: 9}", []),
        ("ranking: {method: bradley_terry, elo: {order: shuffled}}", []),
        ("missing_score: 5",
         ["missing_score: scores that a judge leaves out are filled in with 5, and counted as"
          " filled"]),
    ],
)  # fmt: skip
def test_what_has_no_effect_is_told(tmp_path: Path, more: str, notes: list[str]) -> None:
    assert list(load(tmp_path, f"{BASE}{more}\n").notes) == notes


@pytest.mark.parametrize("parents", ["1", "6", "best"])
def test_a_number_of_parents_that_cannot_be_is_refused(tmp_path: Path, parents: str) -> None:
    message, place = refusal(tmp_path, f"{BASE}playoffs: {{parents: {parents}}}\n")

    assert "playoffs.parents must be 2 or 3 or 4 or 5 or top_n, not" in message
    assert place == "config.yaml:11 (playoffs.parents)"


def test_more_parents_than_a_prompt_can_name_are_refused(tmp_path: Path) -> None:
    top = "ranking: {top_n: {count: 30, max: 30}}\n"

    message, place = refusal(tmp_path, f"{BASE}playoffs: {{parents: top_n}}\n{top}")

    assert (
        "combines up to 30 candidates here, and at most 26 can be; lower ranking.top_n" in message
    )
    assert place == "config.yaml:11 (playoffs.parents)"


def test_two_parents_leave_the_identity_of_a_config_as_it_was(tmp_path: Path) -> None:
    plain = load(tmp_path, BASE).config
    said = load(tmp_path, f"{BASE}playoffs: {{parents: 2}}\n").config
    more = load(tmp_path, f"{BASE}playoffs: {{parents: top_n}}\n").config

    assert plain.identity() == said.identity() != more.identity()
    assert "parents" not in plain.identity()["playoffs"]
    assert (said.most_parents, more.most_parents) == (2, 3)


def own_prompts(more: str) -> str:
    return BASE.replace("iterations: 3}", f"iterations: 3, prompts: {{{more}}}}}")


def test_templates_of_a_judge_come_from_files_and_are_part_of_the_identity(tmp_path: Path) -> None:
    (tmp_path / "s.md").write_text("Be stern.\n{{ artifact_content }}\n")
    inline = 'compare: "{{ artifact_a }} or {{ artifact_b }}?"'

    plain = load(tmp_path, BASE).config
    config = load(tmp_path, own_prompts(f"score_file: s.md, {inline}")).config

    prompts = config.judges[0].prompts
    assert prompts is not None
    assert prompts.score == "Be stern.\n{{ artifact_content }}"
    assert prompts.compare == "{{ artifact_a }} or {{ artifact_b }}?"
    assert plain.identity() != config.identity()
    assert "prompts" not in plain.identity()["judges"][0]


@pytest.mark.parametrize(
    ("more", "message", "key"),
    [
        ('score: "Score it."',
         "judges.0.prompts.score cannot be used: it must show {{ artifact_content }}", "score"),
        ('score: "m1 is best {{ artifact_content }}"',
         "judges.0.prompts.score names alpha:m1, and judging is blind; leave it out", "score"),
        ("score: x, score_file: s.md",
         "judges.0.prompts.score and its file exclude each other; keep one of them", "score_file"),
        ("compare_file: nowhere.md", "nowhere.md does not exist", "compare_file"),
        ("compare_file: 3", "judges.0.prompts.compare_file must be the path of a file",
         "compare_file"),
        ("scores: x", "unknown key scores in judges.0.prompts; did you mean score?", "scores"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_used_is_refused_before_anything_is_paid(
    tmp_path: Path, more: str, message: str, key: str
) -> None:
    said, place = refusal(tmp_path, own_prompts(more))

    assert message in said
    assert place == f"config.yaml:10 (judges.0.prompts.{key})"


def test_the_top_n_cannot_be_combined_where_there_is_none(tmp_path: Path) -> None:
    top = "playoffs: {parents: top_n}\nranking: {top_n: null}\n"

    message, place = refusal(tmp_path, BASE + top)

    assert message.endswith("playoffs.parents: top_n needs ranking.top_n, which is null")
    assert place == "config.yaml:11 (playoffs.parents)"


def test_top_n_and_report_can_be_switched_off(tmp_path: Path) -> None:
    plain = load(tmp_path, BASE).config
    off = load(tmp_path, f"{BASE}ranking: {{top_n: null}}\nreport: false\n").config
    silent = load(tmp_path, f"{BASE}report: false\n").config

    assert (plain.report, off.report, off.ranking.top_n) == (True, False, None)
    assert silent.identity() == plain.identity() != off.identity()
