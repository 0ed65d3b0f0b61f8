from hypothesis import given
from hypothesis import strategies as st

from acm_workers.providers import tokens
from tests.support import characters


def test_english_takes_three_and_a_half_characters_a_token_and_a_tenth_more() -> None:
    assert tokens.estimate("x" * 3500) == 1100


def test_other_scripts_take_a_token_a_character() -> None:
    assert tokens.estimate("\u6587" * 100 + "x" * 35) == 121


def test_nothing_is_one_token() -> None:
    assert tokens.estimate("") == 1


@given(st.text(characters.ANY), st.text(characters.ANY))
def test_more_text_is_never_fewer_tokens(left: str, right: str) -> None:
    assert tokens.estimate(left + right) >= tokens.estimate(left) >= 1
