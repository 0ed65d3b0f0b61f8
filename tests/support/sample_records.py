"""Made-up runs: a small one with everything that can go wrong, and large ones for measuring."""

from itertools import combinations

from schemas.calls import Usage
from schemas.config.judging import Pairwise
from schemas.config.variant import Variant
from schemas.run import RunRecords, SkippedDocument
from schemas.units import Document
from tests.support.records_builder import RecordsBuilder

HOSTILE = """# A <script>alert(1)</script> title

<img src=x onerror="alert(2)"> and <iframe src="https://evil.example/frame"></iframe>

![the tracker](https://evil.example/pixel.png) [click](javascript:alert(3)) [data](data:text/html,x)
[fine](https://good.example/page "a title") <style>body{display:none}</style> [local](other.md)

{{ 7 * 7 }} {% raw %} </div></details></body></html> &lt;b&gt; <!-- a comment -->

العربية من اليمين إلى اليسار, \u202ereversed\u202c, 漢字, 🦊

"""
PLAIN = """# {title}

A candidate says what the *source* says, in its own **words**, and ends with a list.

## What was found

1. The first thing, with `code`.
2. The second thing, see [the page](https://good.example/).

> A remark that somebody made.

| measure | before | after |
|---|---|---|
| minutes | 31 | 12 |

"""


def small() -> RunRecords:
    """Return two documents with five candidates each, with failures and hostile texts."""
    maker = RecordsBuilder()
    for path in ("notes/intro.md", "=cmd|' /C calc'!A0 <b>&.md"):
        document = maker.document(path)
        _fill(maker, document)
        maker.rank(document, "partial", "One candidate and one evaluation failed.")
    _extra_calls(maker)
    return maker.material(
        skipped=(SkippedDocument(path="old <i>.md", run_id="RUN0", document_id="D0"),),
        guidelines="Be brief.",
    )


def _fill(maker: RecordsBuilder, document: Document) -> None:
    qualities: dict[str, float] = {}
    texts = [
        HOSTILE * 3,
        PLAIN.format(title="Plain words") * 2,
        "word" * 3000 + "\n\n" + PLAIN.format(title="Long"),
        None,
    ]
    for number, text in enumerate(texts, 1):
        artifact = maker.artifact(document, text, number)
        if text is not None:
            qualities[artifact] = 5.5 + number
            maker.evaluate(artifact, qualities[artifact], failed=number == 2)
    for one, two in combinations(qualities, 2):
        maker.compare(document, (one, two), qualities[one] - qualities[two])
    combined = maker.artifact(
        document, HOSTILE + PLAIN.format(title="Combined"), 1, generator="combine",
        parents=tuple(sorted(qualities, key=lambda one: -qualities[one])[:2]),
    )  # fmt: skip
    maker.evaluate(combined, 9.0)
    for other, quality in qualities.items():
        maker.compare(document, (combined, other), 9.0 - quality)


def _extra_calls(maker: RecordsBuilder) -> None:
    unit = maker.evaluations[0]
    start, end = maker.tick(1)
    maker.call(unit, "evaluation", start, end, cached=True, cost_usd=0.0)
    maker.call(unit, "evaluation", start, end, state="uncertain", cost_usd=None, usage=Usage())
    maker.call(unit, "evaluation", start, end, stage="repair")


def large(documents: int, candidates: int, paragraphs: int = 14) -> RunRecords:
    """Return ``documents`` with ``candidates`` each, all scored, the best eight compared."""
    maker = RecordsBuilder()
    runs = tuple(
        Variant(type="fpf", provider="alpha", model=model, iterations=2)
        for model in ("small-1", "large-2")
    )
    maker.config = maker.config.model_copy(update={"runs": runs, "pairwise": Pairwise(top_n=8)})
    for number in range(documents):
        document = maker.document(f"part-{number % 7}/text-{number:04d}.md")
        text = PLAIN.format(title=f"Document {number}") * paragraphs
        ids = [maker.artifact(document, text, one) for one in range(1, candidates + 1)]
        qualities = sorted((maker.random.uniform(4, 9) for _ in ids), reverse=True)
        for one, quality in zip(ids, qualities, strict=True):
            maker.evaluate(one, quality)
        for one, two in combinations(ids[:8], 2):
            maker.compare(document, (one, two), maker.random.gauss(0, 0.5))
        maker.rank(document)
    return maker.material(state="done", title="large")
