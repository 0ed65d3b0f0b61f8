import base64
import hashlib
import json
import re
from datetime import UTC, datetime

import pytest

from acm_workers.reporting import formatting, report
from schemas.config.judging import Criterion
from schemas.run import RunRecords
from tests.support import sample_records
from tests.support.markup import Markup
from tests.support.records_builder import RecordsBuilder

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SMALL = sample_records.small()


def page(known: RunRecords) -> str:
    return report.files(known, generated_at=NOW)["index.html"].decode()


@pytest.fixture(scope="module")
def html() -> str:
    return page(SMALL)


@pytest.fixture(scope="module")
def small(html: str) -> Markup:
    return Markup(html)


@pytest.fixture(scope="module")
def text(html: str) -> str:
    return spaced(html)


def spaced(html: str) -> str:
    """Return the visible text with a space between all elements."""
    return Markup(html.replace("<", " <")).text


def test_nothing_a_model_wrote_becomes_an_active_element(small: Markup) -> None:
    active = {"img", "iframe", "object", "embed", "form", "input", "video", "audio", "u"}

    assert not active & set(small.tags)
    assert small.tags.count("style") == small.tags.count("script") == 1
    assert not [name for _, name, _ in small.attributes if name.startswith("on") or name == "src"]


def test_links_lead_only_inside_the_page_or_to_addresses_that_a_reader_can_follow(
    small: Markup,
) -> None:
    links = [value for tag, name, value in small.attributes if (tag, name) == ("a", "href")]

    assert {link for link in links if not link.startswith("#")} == {
        "https://good.example/",
        "https://good.example/page",
    }


def test_the_page_runs_no_script_but_its_own(html: str, small: Markup) -> None:
    policy = next(value for _, name, value in small.attributes if value.startswith("default-src"))
    script = html.rpartition("<script>")[2].partition("</script>")[0]

    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_links_out_of_the_page_tell_nothing_of_it(html: str) -> None:
    outside = re.findall(r'<a href="https?:[^>]*>', html)

    assert outside
    assert all('rel="noopener noreferrer nofollow"' in link for link in outside)


def test_every_link_within_the_page_leads_somewhere(small: Markup) -> None:
    ids = {value for _, name, value in small.attributes if name == "id"}
    links = {value[1:] for tag, name, value in small.attributes if (tag, name) == ("a", "href")
             if value.startswith("#")}  # fmt: skip

    assert links - ids == set()
    assert any(link.startswith("v-") for link in links)  # cells of the matrix
    assert any(link.startswith("s-") for link in links)  # rows of the ranking


def test_the_name_of_each_winner_in_the_summary_leads_to_its_text() -> None:
    found = report.build(sample_records.large(3, 3), NOW)
    (table,) = re.findall(r'<table class="winners">.*?</table>', report.render(found), re.DOTALL)
    alone = report.build(sample_records.large(1, 3), NOW)
    (lead,) = re.findall(r'<p class="lead">.*?</p>', report.render(alone), re.DOTALL)

    for page, html in [*((one, table) for one in found.pages), (alone.pages[0], lead)]:
        assert page.winner is not None
        winner = page.winner
        assert f'<a href="#t-{winner.artifact.id}"><bdi>{winner.label}</bdi></a>' in html


def test_costs_stand_beside_the_work_so_that_a_phone_shows_them_first(html: str) -> None:
    (costs,) = re.findall(r'<section id="costs">.*?</section>', html, re.DOTALL)
    heads = re.findall(r"<th[^>]*>([^<]+)</th>", costs.partition("</thead>")[0])
    total = re.search(r'<th colspan="3">All</th><td class="n">([^<]*)', costs)

    assert heads[:4] == ["Provider", "Model", "Work", "Cost"]
    assert total is not None
    assert total[1].strip().startswith("$")


def test_the_first_screen_has_the_score_of_each_winner() -> None:
    found = report.build(sample_records.large(3, 3), NOW)
    (table,) = re.findall(r'<table class="winners">.*?</table>', report.render(found), re.DOTALL)
    alone = report.build(sample_records.large(1, 3), NOW)
    (lead,) = re.findall(r'<p class="lead">.*?</p>', report.render(alone), re.DOTALL)

    for page, template, html in [
        *((one, '<td class="n score">{}</td>', table) for one in found.pages),
        (alone.pages[0], "; its score is {}.", lead),
    ]:
        assert page.winner is not None
        assert page.winner.summary is not None
        assert template.format(formatting.number(page.winner.summary.overall)) in html


def test_the_headline_counts_documents_that_an_earlier_run_decided(text: str) -> None:
    assert "1 more document has its winner from an earlier run." in " ".join(text.split())


def test_a_run_that_judged_another_one_again_says_so_and_names_it(small: Markup) -> None:
    again = SMALL.run.model_copy(update={"rejudged_from": "RUN-BEFORE"})

    files = report.files(SMALL.model_copy(update={"run": again}), generated_at=NOW)
    told = Markup(files["index.html"].decode()).text

    assert "judges the candidates of run RUN-BEFORE again" in " ".join(told.split())
    assert json.loads(files["results.json"])["run"]["rejudged_from"] == "RUN-BEFORE"
    assert "judges the candidates" not in small.text


def test_a_text_of_an_earlier_run_is_not_told_to_have_cost_nothing(text: str) -> None:
    texts = tuple(one.model_copy(update={"taken_from": "BEFORE"}) for one in SMALL.artifacts)
    written = {one.id for one in texts}
    paid = tuple(call for call in SMALL.calls if call.unit_id not in written)

    html = page(SMALL.model_copy(update={"artifacts": texts, "calls": paid}))

    assert spaced(html).count("in an earlier run") == len(texts)
    assert "in an earlier run" not in text


def test_every_element_is_closed_in_spite_of_hostile_texts(small: Markup) -> None:
    assert small.unclosed == []


def test_images_are_shown_as_their_description(small: Markup) -> None:
    assert "[image: the tracker]" in small.text
    assert not [value for _, _, value in small.attributes if "evil.example" in value]


def test_templates_in_texts_are_not_run(small: Markup) -> None:
    assert "{{ 7 * 7 }}" in small.text


def test_every_failed_unit_is_named_with_its_reason(small: Markup) -> None:
    failures = small.text.partition("Units without a result")[2]

    assert failures.count("no answer within 4 attempts <b>503</b>") == 2 + 1  # and the cause
    assert failures.count("clarity: 11 is above 10") == 2 + 1


def test_a_degraded_result_says_so_before_it_names_the_winner(small: Markup) -> None:
    card = small.text[small.text.index("Read this first") :]

    assert card.index("1 of 5 candidates failed: large-2 #4") < card.index("combined from")
    assert card.index("1 of 16 evaluations have no result.") < card.index("combined from")
    assert card.index("Judge beta:j2 failed in 1 of") < card.index("combined from")


def test_a_cost_that_is_not_known_is_called_unknown(text: str) -> None:
    paid = [call for call in SMALL.calls if call.state == "done" and not call.cached]
    unknown = sum(call.cost_usd is None for call in paid)
    known = sum(call.cost_usd or 0.0 for call in paid)

    assert (
        f"Cost {formatting.dollars(known)} + unknown for {unknown} calls + 1 uncertain call" in text
    )
    assert "beta large-2 generate unknown for 2 calls 4 2 0 0 2,400 800 –" in text


def test_what_an_uncertain_call_may_have_cost_is_told_where_it_was_set_aside() -> None:
    calls = tuple(
        call.model_copy(update={"reserved_usd": 0.5 if call.state == "uncertain" else None})
        for call in SMALL.calls
    )

    text = spaced(page(SMALL.model_copy(update={"calls": calls})))

    assert "+ up to $0.5000 for 1 uncertain call" in text


def test_numbers_of_the_ranking_are_those_of_the_data(text: str) -> None:
    document = SMALL.documents[0]
    ratings = {rating.artifact_id: rating for rating in SMALL.ratings[document.id]}

    for standing in SMALL.standings[document.id]:
        rating = ratings[standing.artifact_id]
        belief = standing.posterior
        assert belief is not None
        percent = formatting.chance(standing.p_best).replace("\N{NO-BREAK SPACE}", " ")
        first = rf"{percent}( [a-z-]+)? {rating.wins} / {rating.losses} / {rating.ties} "
        row = (
            rf"{formatting.number(standing.overall)} ± [\d.]+ (1 missing )?"
            rf"{formatting.number(rating.points, 0)} {formatting.number(belief.points, 0)} "
            rf"{formatting.number(belief.low, 0)} to {formatting.number(belief.high, 0)} "
        )
        assert re.search(first, text), first
        assert re.search(row, text), row


def test_secrets_in_an_address_are_not_shown(small: Markup) -> None:
    assert "https://models.example/v1" in small.text
    assert "hunter2" not in small.text
    assert "ALPHA_KEY" in small.text


def test_a_run_without_documents_has_a_report() -> None:
    empty = RecordsBuilder().material(state="failed")

    assert "No calls were made." in Markup(page(empty)).text


def test_a_document_without_a_candidate_says_that_there_is_no_winner() -> None:
    maker = RecordsBuilder()
    document = maker.document("lost.md")
    maker.artifact(document, None, 1)
    maker.documents = [document.model_copy(update={"state": "failed", "reason": "All failed."})]

    text = Markup(page(maker.material(state="failed"))).text

    assert "No winner This document is failed: All failed." in text.replace("\n", " ")


def test_an_unfinished_document_is_shown_without_ranks() -> None:
    maker = RecordsBuilder()
    document = maker.document("early.md")
    maker.evaluate(maker.artifact(document, "# Early", 1), 8.0)

    text = Markup(page(maker.material(state="running"))).text

    assert "No winner yet This document is running." in text
    assert "small-1 #1" in text


def test_every_drawing_says_what_it_shows(small: Markup) -> None:
    drawings = [value for tag, name, value in small.attributes if (tag, name) == ("svg", "role")]
    said = [value for tag, name, value in small.attributes if (tag, name) == ("svg", "aria-label")]

    beside_words = [
        name for tag, name, _ in small.attributes if (tag, name) == ("svg", "aria-hidden")
    ]
    assert set(drawings) == {"img"}
    assert len(drawings) == len(said) == small.tags.count("svg") - len(beside_words)
    assert "Radar of mean scores: 4 candidates on 5 criteria." in " ".join(said)


def test_what_a_chart_leaves_out_is_said_below_it(text: str) -> None:
    assert "Not drawn: 1 candidate of unknown cost." in text


def test_a_run_of_several_documents_has_a_timeline_of_all_of_them(small: Markup) -> None:
    one = Markup(page(sample_records.large(1, 2)))

    assert "Timeline of all documents" in small.text
    assert "Timeline of all documents" not in one.text
    assert "Timeline" in one.text


def test_names_in_charts_stay_text() -> None:
    maker = RecordsBuilder()
    hostile = tuple(
        Criterion(name=f"</text></svg><script>alert({number})</script>") for number in range(3)
    )
    maker.config = maker.config.model_copy(update={"criteria": hostile})
    document = maker.document("</span><script>alert(1)</script>.md")
    for number in (1, 2):
        one = maker.artifact(document, "text", number, model="<script>'\"</title>")
        maker.calls[-1] = maker.calls[-1].model_copy(update={"wait_s": 1.0})
        maker.evaluate(one, 6.0 + number)
    maker.evaluations = [
        unit.model_copy(update={"scores": dict.fromkeys((one.name for one in hostile), 7.0)})
        for unit in maker.evaluations
    ]
    maker.rank(document)

    made = Markup(page(maker.material()))

    assert made.tags.count("script") == 1
    assert made.unclosed == []
    assert {"polygon", "circle"} <= set(made.tags)


def test_a_report_of_ten_candidates_can_be_mailed() -> None:
    made = page(sample_records.large(1, 10))

    assert len(made) < 500_000


def test_long_tables_are_cut_into_folded_pages() -> None:
    html = page(sample_records.large(1, 120, paragraphs=1))
    ranking = html.partition("Ranking</h3>")[2].partition("Ordered by")[0]

    assert ranking.count("<details") == 2
    assert re.findall(r"Candidates (\d+ to \d+)", ranking) == [
        "51 to 100", "101 to 120",
    ]  # fmt: skip
    assert ranking.count("<tr class=") == 120


def test_what_a_judge_says_of_the_whole_stands_beside_its_scores() -> None:
    known = sample_records.small()
    first, *others = known.evaluations
    said = {"summary": "Sound <b>but</b> long.", "confidence": 0.25}
    known = known.model_copy(update={"evaluations": (first.model_copy(update=said), *others)})

    made = report.files(known, generated_at=NOW)
    told = json.loads(made["results.json"])["evaluations"][0]

    assert "with confidence 0.25" in made["index.html"].decode()
    assert "Sound &lt;b&gt;but&lt;/b&gt; long." in made["index.html"].decode()
    assert (told["summary"], told["confidence"]) == ("Sound <b>but</b> long.", 0.25)
