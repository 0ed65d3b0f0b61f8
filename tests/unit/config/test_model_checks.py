"""Requests that a model cannot fulfil are refused before anything is paid."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from acm_api.config import loading
from acm_workers.errors import RequestError

AT = datetime(2026, 11, 25, tzinfo=UTC)
KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k", "GOOGLE_API_KEY": "k"}
RUN = "{type: fpf, provider: alpha, model: m1}"
JUDGE = "{provider: alpha, model: j1}"


def load(folder: Path, run: str = RUN, judge: str = JUDGE, more: str = "") -> list[str]:
    """Load a config with one variant and one judge; return its notes."""
    (folder / "inputs").mkdir()
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(
        "input_folder: inputs\noutput_folder: outputs\ninstructions_file: instructions.md\n"
        "providers:\n  alpha: {dialect: openai_chat, base_url: 'http://127.0.0.1:1/v1'}\n"
        f"runs:\n  - {run}\njudges:\n  - {judge}\n{more}\n"
    )
    return list(loading.load(folder / "config.yaml", KEYS, AT).notes)


OPENAI, CLAUDE, GEMINI = ("provider: openai", "provider: anthropic", "provider: google")

REFUSED = [
    (f"type: fpf, {OPENAI}, model: o4-mini", None, ":7 (runs.0.model)",
     "o4-mini of openai was shut down after 2026-10-23; the nearest living model is gpt-6-luna"),
    (None, f"{GEMINI}, model: gemini-3-pro-preview", ":9 (judges.0.model)",
     "gemini-3-pro-preview of google was shut down after 2026-03-09; the nearest living model is "
     "gemini-3.1-pro-preview"),
    (f"type: fpf, {GEMINI}, model: gemini-1.5-flash-002", None, ":7 (runs.0.model)",
     "gemini-1.5-flash-002 of google was shut down after 2025-09-24; the nearest living model is "
     "gemini-3.5-flash"),
    (f"type: fpf, {OPENAI}, model: gpt-6-lunna", None, ":7 (runs.0.model)",
     "unknown model gpt-6-lunna of openai; did you mean gpt-6-luna? If it is new, vouch for it by "
     "providers: {openai: {capabilities: {gpt-6-lunna: {}}}}"),
    (None, f"{OPENAI}, model: gpt-6-astra, temperature: 0", ":9 (judges.0.temperature)",
     "gpt-6-astra of openai takes no temperature; leave it out"),
    (None, f"{OPENAI}, model: gpt-4.1, effort: low", ":9 (judges.0.effort)",
     "gpt-4.1 of openai takes no effort; change effort or leave it out"),
    (None, f"{OPENAI}, model: gpt-5-pro, effort: low", ":9 (judges.0.effort)",
     "gpt-5-pro of openai takes effort high only; change effort or leave it out"),
    (None, f"{OPENAI}, model: gpt-5.4, effort: low, temperature: 1", ":9 (judges.0.temperature)",
     "gpt-5.4 of openai takes no temperature while it thinks; leave out one of the two"),
    (f"type: fpf, {CLAUDE}, model: claude-sonnet-5, max_tokens: 500000", None,
     ":7 (runs.0.max_tokens)",
     "max_tokens 500000: claude-sonnet-5 of anthropic writes 128000 at the most"),
    (None, f"{GEMINI}, model: gemini-2.5-pro, require: {{grounding: searched}}",
     ":9 (judges.0.model)",
     "gemini-2.5-pro of google cannot search and follow a schema in one call; name a model in "
     "jsonify that puts its prose into JSON, or set json: false"),
    (None, f"{OPENAI}, model: gpt-4.1, require: {{reasoning: tokens}}",
     ":9 (judges.0.require)",
     "require.reasoning tokens: gpt-4.1 of openai shows nothing of its thinking; "
     "require less, or name another model"),
    (None, f"{GEMINI}, model: gemma-3-27b-it, json: true", ":9 (judges.0.model)",
     "json: true needs answers that follow a schema, and gemma-3-27b-it of google accepts none; "
     "name a model in jsonify that puts its prose into JSON, or set json: false"),
]  # fmt: skip


@pytest.mark.parametrize(("run", "judge", "place", "message"), REFUSED)
def test_what_a_model_cannot_do_is_refused(
    tmp_path: Path, run: str | None, judge: str | None, place: str, message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, f"{{{run}}}" if run else RUN, f"{{{judge}}}" if judge else JUDGE)

    assert str(caught.value) == message
    assert caught.value.where == f"{tmp_path}/config.yaml{place}"
    assert caught.value.more == ()


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    run, judge = f"{{type: fpf, {OPENAI}, model: o1}}", f"{{{OPENAI}, model: o1}}"

    with pytest.raises(RequestError) as caught:
        load(tmp_path, run, judge, "budget_usd: 1")

    assert [error.where for error in (caught.value, *caught.value.more)] == [
        f"{tmp_path}/config.yaml:7 (runs.0.model)",
        f"{tmp_path}/config.yaml:9 (judges.0.model)",
    ]


def test_a_model_that_the_user_vouches_for_is_taken(tmp_path: Path) -> None:
    new = "{type: fpf, provider: openai, model: gpt-9}"
    vouched = "  openai: {capabilities: {gpt-9: {}}}\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()

    with pytest.raises(RequestError, match="unknown model gpt-9"):
        load(tmp_path / "a", new)
    (tmp_path / "b" / "inputs").mkdir()
    text = (tmp_path / "a" / "config.yaml").read_text().replace("runs:", f"{vouched}runs:")
    (tmp_path / "b" / "instructions.md").write_text("Summarise.")
    (tmp_path / "b" / "config.yaml").write_text(text)

    assert loading.load(tmp_path / "b" / "config.yaml", KEYS, AT).config.runs


def test_jsonify_is_the_way_out_for_those_that_cannot_do_both(tmp_path: Path) -> None:
    judge = f"{{{GEMINI}, model: gemini-2.5-pro, require: {{grounding: cited}}}}"

    assert load(tmp_path, judge=judge, more="jsonify: {provider: alpha, model: j1}") == []


def test_a_jsonify_model_has_to_follow_a_schema_that_is_insisted_on(tmp_path: Path) -> None:
    judge = f"{{{GEMINI}, model: gemini-2.5-pro, json: true, require: {{grounding: searched}}}}"

    with pytest.raises(RequestError) as caught:
        load(tmp_path, judge=judge, more=f"jsonify: {{{GEMINI}, model: gemma-3-27b-it}}")

    assert str(caught.value) == (
        "json: true needs answers that follow a schema, and gemma-3-27b-it of google takes none; "
        "name another model"
    )
    assert caught.value.where == f"{tmp_path}/config.yaml:10 (jsonify.model)"


def test_a_model_that_will_be_gone_soon_is_pointed_out(tmp_path: Path) -> None:
    judge = f"{{{CLAUDE}, model: claude-sonnet-4-5}}"

    assert load(tmp_path, judge=judge) == [
        "claude-sonnet-4-5 of anthropic is shut down after 2026-11-30; have claude-sonnet-5-5 ready"
    ]


def test_a_token_limit_that_cuts_off_answers_is_pointed_out(tmp_path: Path) -> None:
    searching = "model: gpt-6-luna, require: {grounding: searched}"
    fine = (
        "model: gpt-6-luna",
        f"{searching}, max_tokens: 12000",
        "model: gpt-4.1, max_tokens: 99",
    )

    (note,) = load(tmp_path, judge=f"{{{OPENAI}, {searching}}}")

    assert note == (
        "judges.0: max_tokens 4096 is too small for gpt-6-luna of openai, which searches or "
        "thinks: answers have up to 20300 tokens, and are cut off even with twice the limit; set "
        "it to 20300 or more"
    )
    for number, judge in enumerate(fine):
        (tmp_path / str(number)).mkdir()
        assert load(tmp_path / str(number), judge=f"{{{OPENAI}, {judge}}}") == []


def test_a_judge_without_weight_may_be_as_it_likes(tmp_path: Path) -> None:
    more = f"  - {{{OPENAI}, model: o1, weight: 0}}"

    assert load(tmp_path, more=more) == []


def test_scales_have_to_fit_into_a_schema(tmp_path: Path) -> None:
    fine = "criteria: [{name: accuracy, min: 0, max: 2000}]"

    with pytest.raises(RequestError) as caught:
        load(tmp_path, more=fine)

    assert str(caught.value) == (
        "the scales of all criteria have 2001 steps, and a schema can have 1000; use larger steps, "
        "or set json: false"
    )


def test_scales_without_a_schema_are_as_fine_as_they_like(tmp_path: Path) -> None:
    more = "criteria: [{name: accuracy, min: 0, max: 2000}]\njson: false"

    assert load(tmp_path, more=more) == []


def test_a_budget_is_refused_where_a_price_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, more="budget_usd: 5")

    assert str(caught.value) == (
        "a budget needs the price of every model, and none is known of alpha:m1, alpha:j1; name "
        "them in providers.*.prices, or leave budget_usd out"
    )
    assert caught.value.where == f"{tmp_path}/config.yaml:10 (budget_usd)"


def test_a_budget_is_taken_where_all_prices_are_known(tmp_path: Path) -> None:
    run, judge = (f"{kind}{OPENAI}, model: gpt-6-luna}}" for kind in ("{type: fpf, ", "{"))

    assert load(tmp_path, run, judge, "budget_usd: 0.01") == []


def test_a_budget_has_to_be_above_nothing(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="budget_usd must be above 0, not 0"):
        load(tmp_path, more="budget_usd: 0")
