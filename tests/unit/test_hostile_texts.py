"""Work on texts of models and providers grows no faster than they do.

A regular expression that backtracks holds the interpreter, so the watchdog would end the process
and with it the paid calls of all other units.
"""

from collections.abc import Callable

import pytest

from acm_workers.calls import refusals
from acm_workers.checks import evaluation
from acm_workers.checks.function import FunctionHost
from acm_workers.errors import ProviderRejected
from acm_workers.generators import text as generated
from acm_workers.judging import answers, attempts
from acm_workers.judging.problems import AMBIGUOUS
from acm_workers.processes.folders import WorkFolders
from acm_workers.providers.http import failures, redaction, responses
from acm_workers.providers.http.responses import ProviderResponse
from acm_workers.reporting import markdown
from schemas.config.checks import Check
from schemas.config.judging import Criterion
from schemas.config.provider import Provider
from tests.support.growth import is_linear

CRITERIA = (Criterion(name="Clarity", description="Is it clear?"),)
VERDICT = '{"reasoning": "", "winner": "a", "confidence": 1}'


def refused(field: str) -> object:
    error = {"code": "unsupported_value", "param": field, "message": field, "type": field}
    details = [{"reason": field, "fieldViolations": [{"field": field}] * 50}] * 50
    return failures.failure(ProviderResponse("alpha", 400), error | {"details": details})


CHECKS = (
    Check(type="length", name="l", max=1),
    Check(type="headings", name="h", required=("a",), levels=(1,)),
    Check(type="regex", name="r", must_match=("(a+)+$", "(.*)*x"), must_not_match=("(a|aa)+b",)),
    Check(type="links", name="k", allowed=("example.org", "https://example.com/*")),
    Check.model_validate(
        {"type": "json_schema", "name": "j", "schema": {"patternProperties": {"(a+)+$": False}}}
    ),
)
HOST = FunctionHost(WorkFolders(), "rlimits")

READERS: dict[str, Callable[[str], object]] = {
    "checks": lambda text: evaluation.results(text, CHECKS, HOST),
    "unwrapped": generated.unwrapped,
    "unfinished": generated.is_unfinished,
    "scores": lambda text: answers.scores(text, CRITERIA, material=[text]),
    "verdict": lambda text: answers.verdict(text, material=["{" + "x" * 20_000]),
    "copy": lambda text: answers.check_scores(text, text, CRITERIA),
    "declines": refusals.declines,
    "declines in JSON": attempts._declines_in_json,
    "error": refused,
    "keys": redaction.without_key_like,
    "parse": lambda text: responses.parse_json(text.encode()),
}
TEXTS: dict[str, Callable[[int], str]] = {
    "fence and blanks": lambda size: "~~~" + " " * size + "`",
    "fences": lambda size: "~" * size + "`",
    "fenced fences": lambda size: "```md\n" + "~~~ a\n" * (size // 6),
    "blanks": lambda size: "a" + " " * size + "b",
    "blank lines": lambda size: "a" + "\n \t" * (size // 3) + "b",
    "items": lambda size: "1" * size + "\n- a" * (size // 4),
    "ends of sentences": lambda size: "a" + ".)" * (size // 2) + "a",
    "thoughts": lambda size: "<think>" * (size // 7),
    "open quotes": lambda size: '"\\' * (size // 2) + "\\",
    "braces": lambda size: "{" * size,
    "brace pairs": lambda size: "{}" * (size // 2),
    "invalid objects": lambda size: "{x}" * (size // 3),
    "nested objects": lambda size: '{"a":' * (size // 5),
    "repeated objects": lambda size: VERDICT * (size // len(VERDICT)),
    "objects in other words": lambda size: "".join(
        f'{{"a": 1{"0" * (n % 40)}e-{n % 40}}}' for n in range(size // 30)
    ),
    "repeated keys": lambda size: "{" + '"a": {"b": [1]}, ' * (size // 17) + '"a": {"b": [1]}}',
    "numbers": lambda size: "1." * (size // 2),
    "parameter": lambda size: "." * size + "x",
    "parameter of thinking": lambda size: "thinking." * (size // 9) + "\n",
    "bearer": lambda size: "bearer" + " " * size,
    "keys": lambda size: "sk-" * (size // 3),
    "processing": lambda size: ": x\n" * (size // 4),
    "brackets": lambda size: "[" * size,
    "emphasis": lambda size: "*_" * (size // 2),
    "addresses": lambda size: "http://a" * (size // 8),
    "hosts": lambda size: "https://" + "a." * (size // 2),
    "headings": lambda size: "# a\n-\n" * (size // 6),
}


MARKUP = ("fence and blanks", "brackets", "emphasis", "items", "open quotes")


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_work_grows_no_faster_than_the_text(
    reader: Callable[[str], object], text: Callable[[int], str]
) -> None:
    assert is_linear(reader, text, 1_000)


@pytest.mark.parametrize("text", [TEXTS[name] for name in MARKUP], ids=MARKUP)
def test_rendering_grows_no_faster_than_the_text(text: Callable[[int], str]) -> None:
    assert is_linear(markdown.html, text, 500)


def test_answer_with_very_many_objects_is_none() -> None:
    assert answers.read_object(VERDICT * 50) != AMBIGUOUS
    assert answers.read_object(VERDICT * 51) == AMBIGUOUS


def test_key_at_the_cut_of_a_message_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALPHA_KEY", "0123456789" * 4)
    alpha = Provider(dialect="openai", base_url="http://127.0.0.1:1", key_env="ALPHA_KEY")
    error = ProviderRejected("no, not with " + "0123456789" * 3)

    redaction.redact_error(error, alpha)

    assert str(error) == "no, not with [key]"


def test_lines_before_the_object_are_skipped_in_linear_time() -> None:
    lines = (": " + "x" * 37 + "\n").__mul__

    assert is_linear(READERS["parse"], lambda size: lines(size // 40), 50_000)
