"""A made-up run with hostile texts and names in every place that people look at."""

from schemas.config.judging import Criterion, Judge
from schemas.run import RunRecords, SkippedDocument
from tests.support.records_builder import RecordsBuilder
from tests.support.sample_records import HOSTILE

ATTACK = (
    "</script></style></title></textarea>--><script>planted=1;alert(1)</script>"
    "<img src=x onerror='planted=2;alert(2)'><svg onload=planted=3><a href='javascript:planted=4'"
    " autofocus onfocus=planted=5>x</a>{{ 7 * 7 }}{% raw %}${7*7}<%= 7*7 %>"
    "\u202egnirts\u202c\u200b\u200d\ufeff\x1b[31mred\x1b]8;;http://evil.example\x07"
    '\x00\x08=HYPERLINK("http://evil.example")'
)
LONG_LINE = "x" * 5_000_000
WIDE = "W" * 4_000
ZALGO = "Z" + "\u0301" * 3_000


def run() -> RunRecords:
    """Return a run whose texts, reasons, names and messages are all hostile."""
    made = RecordsBuilder()
    made.config = made.config.model_copy(
        update={
            "criteria": tuple(
                Criterion(name=f"{number}<img src=x onerror=planted=6>\u202e{{ 7 * 7 }}")
                for number in range(3)
            ),
            "judges": tuple(
                Judge(name=f"{number} {ATTACK}", provider="alpha", model="j1", iterations=1)
                for number in (1, 2)
            ),
        }
    )
    for path in (f"{ATTACK}.md", f"{WIDE}.md", "javascript:alert(1).md", "=1+1.md"):
        document = made.document(path)
        texts = (ATTACK + HOSTILE, LONG_LINE, f"# {ZALGO}\n\n{WIDE} `{WIDE}`", None)
        ids = [
            made.artifact(document, text, number, model=ATTACK if number < 3 else WIDE)
            for number, text in enumerate(texts, 1)
        ]
        for number, one in enumerate(ids[:3]):
            made.evaluate(one, 5.0 + number, failed=number == 1)
        for pair in ((ids[0], ids[1]), (ids[1], ids[2]), (ids[0], ids[2])):
            made.compare(document, pair, 0.5)
        made.evaluations = [
            unit.model_copy(
                update={
                    "scores": {one.name: 7.0 for one in made.config.criteria},
                    "reasons": {one.name: ATTACK for one in made.config.criteria},
                    "raw": ATTACK,
                    "error": unit.error and LONG_LINE,
                }
            )
            if unit.state == "done"
            else unit.model_copy(update={"raw": LONG_LINE, "error": ATTACK})
            for unit in made.evaluations
        ]
        made.comparisons = [
            unit.model_copy(update={"reason": LONG_LINE if number == 0 else f"Text B {ATTACK}"})
            for number, unit in enumerate(made.comparisons)
        ]
        made.rank(document, "partial", ATTACK + LONG_LINE[:10_000])
    made.calls = [
        call.model_copy(update={"error": call.error and ATTACK, "model": ATTACK})
        for call in made.calls
    ]
    return made.material(
        title=ATTACK,
        reason=ATTACK,
        instructions=ATTACK + WIDE,
        guidelines=LONG_LINE,
        skipped=(SkippedDocument(path=ATTACK, run_id="RUN0", document_id="D0"),),
    )
