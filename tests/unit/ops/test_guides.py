"""The README, the pages of ops/docs and the starter configuration, checked against the program."""

import re
from pathlib import Path
from typing import get_args

import pytest

from acm_api.cli.main import app
from ops import configuration_table
from schemas.config.provider import KNOWN, Dialect, OwnCapabilities

_ROOT = Path(__file__).parents[3]
_DOCS = _ROOT / "ops" / "docs"
_PAGES = [
    _ROOT / "README.md",
    *sorted(_DOCS.glob("*.md")),
    *sorted((_ROOT / ".github").rglob("*.md")),
    *sorted((_ROOT / "ops" / "decisions").glob("*.md")),
    _ROOT / "ops" / "CHANGELOG.md",
]
_SECTIONS = list(configuration_table.sections())
_LINK = re.compile(
    r"(?:\]\(|(?:src|href)=\")(?!https?://|mailto:)(?P<path>[^)#\"\s]*)#?(?P<part>[^)\"\s]*)"
)


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes from the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_page_on_configuration_is_current() -> None:
    page = configuration_table.FILE.read_text("utf-8")

    assert page == configuration_table.page(), "run ops/docs/generate"


@pytest.mark.parametrize("section", _SECTIONS, ids=lambda section: section.record.__name__)
def test_every_key_has_a_meaning(section: configuration_table.Section) -> None:
    assert section.record.model_fields.keys() == configuration_table.meanings(section.record).keys()


def test_the_starter_explains_every_key() -> None:
    starter = (_ROOT / "acm_api" / "demo" / "starter.yaml").read_text("utf-8")

    for section in _SECTIONS:
        if section.record is OwnCapabilities:
            continue
        for name, field in section.record.model_fields.items():
            key = field.alias or name
            assert re.search(rf"\b{key}\b", starter), f"{section.path}.{key}"


def test_the_starter_names_every_built_in_provider() -> None:
    starter = (_ROOT / "acm_api" / "demo" / "starter.yaml").read_text("utf-8")
    comment = starter.partition("\nproviders:")[0].rpartition("# Built in:")[2]

    assert set(re.findall(r"[a-z]+", comment)) >= set(KNOWN)


def test_the_page_on_usage_names_every_command() -> None:
    page = (_DOCS / "usage.md").read_text("utf-8")
    commands = page.split("## Commands")[1].split("## Files")[0]
    functions = [
        each.name or each.callback.__name__ for each in app.registered_commands if each.callback
    ]
    groups = [
        str(group.typer_instance.info.name)
        for group in app.registered_groups
        if group.typer_instance
    ]

    assert set(re.findall(r"`acm ([a-z]+)", commands)) == {*functions, *groups}


def test_the_page_on_providers_names_every_dialect_and_every_built_in_provider() -> None:
    page = (_DOCS / "providers.md").read_text("utf-8")
    table = re.findall(r"^\| `(\w+)` \| `(\w+)` \| `(\w+)` \|", page, re.MULTILINE)

    assert [one for one in get_args(Dialect) if f"`{one}`" not in page] == []
    assert [
        (name, known.dialect, known.key_env) for name, known in sorted(KNOWN.items())
    ] == sorted(table)


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in _LINK.finditer(page.read_text("utf-8")):
        target = (page.parent / link["path"]) if link["path"] else page
        assert target.exists(), link["path"]
        assert not link["part"] or link["part"] in _anchors(target), link[0]


def test_the_readme_leads_to_every_page() -> None:
    readme = (_ROOT / "README.md").read_text("utf-8")

    assert [
        page.name for page in _DOCS.glob("*.md") if f"(ops/docs/{page.name})" not in readme
    ] == []


@pytest.mark.parametrize("page", [_DOCS / "architecture.md", _DOCS / "recipes.md"], ids=["a", "r"])
def test_every_file_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(
        r"`((?:acm_api|acm_workers|ops|prompts|schemas|tests)/[\w/.-]*)`", page.read_text()
    )

    assert len(named) > 10
    assert [name for name in named if not (_ROOT / name).exists()] == []
