"""What a report says of prompts and models."""

from datetime import UTC, datetime

from acm_workers.reporting import report
from schemas.config.variant import Variant
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def page(documents: int, *, scored: bool = True) -> str:
    """Return the report of a run with two models and two prompts, of which the second is better."""
    made = RecordsBuilder()
    made.config = made.config.model_copy(
        update={
            "runs": tuple(
                Variant(
                    type="fpf", provider=provider, model=model, prompt=prompt, instructions=text
                )
                for provider, model in (("alpha", "small-1"), ("beta", "large-2"))
                for prompt, text in (("usual", None), ("<b>long", "Write more."))
            )
        }
    )
    for number in range(documents):
        document = made.document(f"{number}.md")
        for variant, quality in enumerate((5.0, 7.0, 6.0, 8.0), start=1):
            written = made.artifact(document, "words", variant, variant=variant, iteration=1)
            if scored:
                made.evaluate(written, quality)
        made.rank(document)
    return report.files(made.material(state="done"), generated_at=NOW)["index.html"].decode()


def test_a_report_tells_what_prompts_bring_and_whether_models_differ_in_it() -> None:
    html = page(4)

    assert "Prompts and models" in html
    assert "<bdi>&lt;b&gt;long</bdi> instead of <bdi>usual</bdi>, with any model" in html
    assert "instead of <bdi>alpha:small-1</bdi>, with any prompt" in html
    assert "No interaction of prompts and models is seen" in html
    assert "<b>long" not in html
    assert "(usual)" in html


def test_a_report_says_when_data_are_too_few() -> None:
    assert "One document says nothing of how others would differ" in page(1)
    assert "nothing can be told of what they bring" in page(2, scored=False)


def test_a_run_with_one_prompt_has_no_such_section() -> None:
    made = RecordsBuilder()
    document = made.document("a.md")
    made.evaluate(made.artifact(document, "words", 1), 7.0)
    made.rank(document)

    assert (
        "Prompts and models"
        not in report.files(made.material(state="done"), generated_at=NOW)["index.html"].decode()
    )
