"""Names of output files."""

import re
from datetime import UTC, datetime
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acm_api.files import naming
from schemas.units import Artifact
from tests.support import characters

ARTIFACT = Artifact(
    id="01ARTIFACT",
    run_id="01RUN",
    document_id="01DOC",
    generator="fpf",
    variant=1,
    iteration=1,
    number=3,
    provider="alpha",
    model="vendor/model:free",
    lane="generate.alpha",
    created_at=datetime(2025, 1, 1, tzinfo=UTC),
)


def test_names_say_generator_number_model_and_uid() -> None:
    first = next(naming.candidates(ARTIFACT))

    assert re.fullmatch(r"fpf\.3\.vendor-model-free\.[a-z0-9]{3}", first)
    assert first == next(naming.candidates(ARTIFACT))


def test_after_ten_uids_a_counter_is_added() -> None:
    names = list(islice(naming.candidates(ARTIFACT), 13))

    uids = [name.rsplit(".", 1)[1] for name in names]
    assert all(re.fullmatch(r"[a-z0-9]{3}", uid) for uid in uids[:10])
    assert len(set(uids[:10])) > 5
    assert uids[10:] == [f"{uids[0]}-1", f"{uids[0]}-2", f"{uids[0]}-3"]


def test_uid_depends_on_artifact_and_attempt() -> None:
    assert naming.uid3("a", 0) == naming.uid3("a", 0)
    assert len({naming.uid3(f"a{n}", 0) for n in range(100)}) > 95


@pytest.mark.parametrize(
    ("model", "label"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gemini-1.5-pro", "gemini-1.5-pro"),
        ("meta/llama-3:70b", "meta-llama-3-70b"),
        ('a\\b?c*d|e<f>g"h', "a-b-c-d-e-f-g-h"),
        ("../../etc/passwd", "etc-passwd"),
        ("modèle 7", "mod-le-7"),
        ("con", "con-"),
        ("LPT1", "LPT1-"),
        ("dots...end.", "dots.end"),
        ("???", "model"),
        ("x" * 200, "x" * 48),
    ],
)
def test_model_label_is_safe_for_every_file_system(model: str, label: str) -> None:
    assert naming.model_label(model) == label


@given(st.text(characters.ANY, max_size=100))
def test_model_label_never_holds_what_a_file_system_refuses(model: str) -> None:
    label = naming.model_label(model)

    assert re.fullmatch(r"[A-Za-z0-9._+@=-]{1,49}", label)
    assert label[-1] != "."
    assert label[0] != "."


@pytest.mark.parametrize(
    ("path", "full_name", "stem"),
    [
        ("intro.md", False, "intro"),
        ("a/b/intro.v2.md", False, "a/b/intro.v2"),
        ("a/intro.md", True, "a/intro.md"),
    ],
)
def test_base_is_the_name_without_its_extension(path: str, full_name: bool, stem: str) -> None:
    assert naming.stem(path, full_name=full_name) == stem


@pytest.mark.parametrize(
    ("paths", "clashing"),
    [
        (["a/intro.md", "b/intro.md", "a/intro.v2.md"], set()),
        (["a/intro.md", "a/intro.txt", "b/intro.txt"], {"a/intro.md", "a/intro.txt"}),
        (["Intro.md", "intro.txt"], {"Intro.md", "intro.txt"}),
        (["a.md", "a.txt", "a.md.md"], {"a.md", "a.txt", "a.md.md"}),
        ([], set()),
    ],
)
def test_documents_that_would_share_names_are_found(paths: list[str], clashing: set[str]) -> None:
    assert naming.clashing(paths) == clashing


_ALIKE = ["".join(parts) for parts in product("ab", ("", ".a", ".b"), (".md", ".txt"))]


@given(st.sets(st.sampled_from(_ALIKE), max_size=12))
def test_no_two_documents_ever_share_a_stem(paths: set[str]) -> None:
    full = naming.clashing(paths)

    stems = [naming.stem(path, full_name=path in full) for path in paths]
    assert len(set(stems)) == len(paths)
