import pytest

from acm_api.config import nearest

KNOWN = ["input_folder", "output_folder", "runs", "judges", "key_env"]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("outptu_folder", "output_folder"),
        ("Judges", "judges"),
        ("judge", "judges"),
        ("input-folder", "input_folder"),
        ("zebra", None),
        ("", None),
    ],
)
def test_nearest_word_is_found_in_spite_of_case_and_dashes(word: str, meant: str | None) -> None:
    assert nearest.nearest(word, KNOWN) == meant


def test_hint_names_the_one_that_was_meant() -> None:
    assert nearest.hint("run", KNOWN) == "; did you mean runs?"


def test_hint_lists_all_words_where_none_is_near() -> None:
    assert nearest.hint("zebra", ["b", "a"]) == " (known: a, b)"


def test_hint_is_silent_where_there_is_nothing_or_too_much_to_list() -> None:
    assert nearest.hint("zebra", []) == ""
    assert nearest.hint("zebra", [f"{n}" for n in range(40)]) == ""
