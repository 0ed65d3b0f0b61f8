"""All families of faults, with their rows and tests."""

from typing import NamedTuple

from tests.support.faults import anthropic, compatible, content, google, openai, transport
from tests.support.faults.form import Row


class Family(NamedTuple):
    """The faults of one letter.

    Attributes:
        file: Of its tests, in ``tests/integration/calls``.
        test: The one that all its rows go through.
    """

    letter: str
    title: str
    rows: tuple[Row, ...]
    file: str
    test: str


FAMILIES = (
    Family(
        "T",
        "Transport",
        transport.ROWS,
        "test_faults_transport.py",
        "test_a_fault_of_the_transport_gets_its_reaction_and_is_booked",
    ),
    Family(
        "O",
        "OpenAI",
        openai.ROWS,
        "test_faults_openai.py",
        "test_a_fault_of_openai_gets_its_reaction_and_is_booked",
    ),
    Family(
        "A",
        "Anthropic",
        anthropic.ROWS,
        "test_faults_anthropic.py",
        "test_a_fault_of_anthropic_gets_its_reaction_and_is_booked",
    ),
    Family(
        "G",
        "Google",
        google.ROWS,
        "test_faults_google.py",
        "test_a_fault_of_google_gets_its_reaction_and_is_booked",
    ),
    Family(
        "R",
        "OpenRouter and local servers",
        compatible.ROWS,
        "test_faults_compatible.py",
        "test_a_fault_of_a_compatible_server_gets_its_reaction_and_is_booked",
    ),
    Family(
        "C",
        "Content of answers",
        content.ROWS,
        "test_faults_content.py",
        "test_a_fault_of_the_content_gets_its_reaction_and_is_booked",
    ),
)

NEVER = {
    "A8": "ACM never forces a tool: JSON is requested by a schema or in the prompt",
    "A21": "only in batches: failed requests are sent again one by one; see test_batches.py",
    "G1.long": "the same as G1.brief, with a wait of 37 s",
}
"""Faults that have no row, and why."""
