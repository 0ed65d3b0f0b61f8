from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from acm_workers.simulator import quality, writing
from tests.support import characters

SOURCE = """# Bees in winter

The colony forms a ball around its queen. It eats what it stored in summer, up to 15 kg of honey.
- Mice may get in when the entrance is wide.
"""
qualities = st.floats(0, 1)


def written(hidden: float, seed: int = 0, about: str = SOURCE) -> str:
    return writing.write(writing.material(about), hidden, Random(seed))


@settings(max_examples=30)
@given(qualities, st.integers(), st.text(characters.ANY))
def test_hidden_quality_is_read_back_from_the_text_alone(
    hidden: float, seed: int, about: str
) -> None:
    text = written(hidden, seed, about)

    read = quality.read_quality(text)

    assert read is not None
    assert abs(read - hidden) <= 1 / 4095


@settings(max_examples=30)
@given(qualities, qualities)
def test_quality_survives_a_source_that_the_simulator_wrote_itself(
    first: float, second: float
) -> None:
    text = written(second, about=written(first))

    read = quality.read_quality(text)

    assert read is not None
    assert abs(read - second) <= 1 / 4095


@settings(max_examples=30)
@given(st.text(characters.ANY))
def test_texts_of_others_hold_no_quality(text: str) -> None:
    read = quality.read_quality(text)

    assert read is None


def test_a_text_cut_off_holds_no_quality() -> None:
    text = written(0.7)

    read = quality.read_quality(text[: len(text) // 2])

    assert read is None


@settings(max_examples=30)
@given(st.text(characters.ANY), st.integers(0, 5000))
def test_the_guess_for_other_texts_is_middling(text: str, times: int) -> None:
    guess = quality.read_or_guess_quality(text * (times % 50))

    assert 0.3 <= guess <= 0.6


def test_no_phrase_stands_inside_another() -> None:
    every = [phrase for row in quality.ROWS for phrase in row]

    inside = [(a, b) for a in every for b in every if a != b and a in b]

    assert inside == []


@settings(max_examples=30)
@given(st.integers())
def test_texts_are_markdown_of_one_to_four_kilobytes_about_their_source(seed: int) -> None:
    text = written(0.5, seed)

    assert text.startswith("# Bees in winter\n")
    assert text.count("\n## ") == 5
    assert "\n- " in text
    assert "15 kg of honey" in text
    assert 1000 <= len(text) <= 4500
