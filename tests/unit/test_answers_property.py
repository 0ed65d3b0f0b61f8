"""A thousand answers of judges: read right, or refused by a name; nothing is made up."""

import re
from collections import Counter
from typing import get_args

from acm_workers.judging import answers
from acm_workers.judging.answers import ParsedScores, ParsedVerdict
from acm_workers.judging.problems import AnswerProblem, Code
from tests.support import spoilt
from tests.support.spoilt import CRITERIA, Case


def test_a_thousand_answers_are_read_right_or_refused_by_name() -> None:
    scores, verdicts = spoilt.thousand()
    seen: Counter[str] = Counter()
    for case in scores:
        scored = answers.scores(case.text, CRITERIA, material=case.material)
        if isinstance(scored, ParsedScores) and case.expected is None:
            _made_of_the_text(case, scored)
        _as_expected(case, scored.scores if isinstance(scored, ParsedScores) else scored)
        seen[case.kind] += 1
    for case in verdicts:
        found = answers.verdict(case.text, case.material)
        _as_expected(
            case, (found.winner, found.confidence) if isinstance(found, ParsedVerdict) else found
        )
        seen[case.kind] += 1

    assert seen.total() == 1000
    assert len(seen) >= 40
    assert {*spoilt.SCORES, *spoilt.VERDICTS} <= seen.keys()


def _as_expected(case: Case, found: object) -> None:
    if case.expected is None:
        return
    if isinstance(case.expected, set):
        assert isinstance(found, AnswerProblem), (case, found)
        assert found.code in case.expected, (case, found)
        assert found.code in get_args(Code)
        assert found.hint
    else:
        assert found == case.expected, case


def _made_of_the_text(case: Case, found: ParsedScores) -> None:
    """Check that every score that was read stands in the text, and is on its scale."""
    numbers = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e\d+)?", case.text)}
    for criterion in CRITERIA:
        assert found.scores[criterion.name] in criterion.scale
        assert found.scores[criterion.name] in numbers, case
