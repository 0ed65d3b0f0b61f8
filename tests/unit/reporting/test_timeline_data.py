"""What ``timeline_data.json`` calls the units of a run."""

import pytest

from acm_workers.reporting import results
from schemas.config.provider import Provider
from tests.support.records_builder import RecordsBuilder


def types(maker: RecordsBuilder) -> list[str]:
    return [one["report_type"] for one in results.timeline(maker.material())["records"]]


@pytest.mark.parametrize(("background", "kind"), [(True, "FPF deep"), (False, "FPF rest")])
def test_a_text_of_a_model_that_researches_in_the_background_is_deep(
    background: bool, kind: str
) -> None:
    maker = RecordsBuilder()
    slow = Provider(dialect="openai", base_url="https://beta.example/v1", background=background)
    maker.config = maker.config.model_copy(
        update={"providers": {**maker.config.providers, "beta": slow}}
    )
    document = maker.document("a.md")
    maker.artifact(document, "text", 1)  # by alpha
    maker.artifact(document, "text", 3)  # by beta

    assert types(maker) == ["FPF rest", kind]


@pytest.mark.parametrize(
    ("generator", "kind"),
    [("gptr", "GPTR"), ("dr", "DR"), ("ma", "MA"), ("combine", "Combine")],
)
def test_other_generators_have_kinds_of_their_own(generator: str, kind: str) -> None:
    maker = RecordsBuilder()
    maker.artifact(maker.document("a.md"), "text", 1, generator=generator)

    assert types(maker) == [kind]


def test_the_units_of_judges_are_named_after_what_they_do() -> None:
    maker = RecordsBuilder()
    maker.config = maker.config.model_copy(update={"judges": maker.config.judges[:1]})
    document = maker.document("a.md")
    ids = [maker.artifact(document, "text", number) for number in (1, 2)]
    maker.evaluate(ids[0], 6.0)
    maker.compare(document, (ids[0], ids[1]), 1.0)

    assert types(maker)[2:] == ["Evaluation", "Evaluation", "Comparison"]
