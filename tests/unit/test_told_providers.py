"""What people read of dialects and built-in providers is what there is."""

import re
from pathlib import Path
from typing import get_args

from schemas.config.provider import KNOWN, Dialect

ROOT = Path(__file__).resolve().parents[2]


def test_the_readme_names_every_dialect_and_every_built_in_provider() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (row,) = re.findall(r"^\| `providers\.NAME\.dialect` .*$", readme, re.MULTILINE)

    assert all(f"`{dialect}`" in row for dialect in get_args(Dialect))
    assert all(f"| `{name}` | `{known.dialect}` |" in readme for name, known in KNOWN.items())


def test_the_starter_config_names_every_built_in_provider() -> None:
    starter = (ROOT / "acm_api/demo/starter.yaml").read_text("utf-8")
    said = starter.partition("\nproviders:")[0].rpartition("# Built in:")[2]

    assert set(re.findall(r"[a-z]+", said)) >= set(KNOWN)
