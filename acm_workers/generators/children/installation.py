"""The environment of GPT Researcher: its location, its contents, and whether it can be used.

The environment is separate, because GPT Researcher's wheel installs packages named ``backend`` and
``tests``, and takes 500 MB that most users of ACM do not need. ``acm setup gptr`` builds it.
"""

import hashlib
import json
import os
from importlib import resources
from pathlib import Path
from typing import NamedTuple

GPT_RESEARCHER = "0.15.1"
STAMP = "acm-installation.json"
"""File with the contents of an environment; it is written last."""

REQUIREMENTS = "gptr.lock"
TOKENIZERS = "gptr-tokenizers.lock"
"""The lock file of litellm's wheel, which contains two files that tiktoken would download."""

TOKENIZER_FILES = {
    "9b5ad71b2ce5302211f9c61530b329a4922fc6a4": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    ),
    "fb374d419588a4632f3f557e76b4b70aebbca790": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    ),
}
"""Names of these files in tiktoken's cache (hashes of their addresses), with their SHA-256."""

CHECK = """
import importlib.metadata, tiktoken
from gpt_researcher import GPTResearcher
from multi_agents.agents import ChiefEditorAgent
import langchain_openai
tiktoken.get_encoding("o200k_base"), tiktoken.get_encoding("cl100k_base")
print(importlib.metadata.version("gpt-researcher"))
"""
"""A program that prints the version, and fails if the environment is incomplete."""


class ResearcherInstallation(NamedTuple):
    """An environment with GPT Researcher, which may not be there yet."""

    folder: Path

    @property
    def python(self) -> Path:
        """Return the environment's Python interpreter."""
        return self.folder / "bin" / "python"

    @property
    def tokenizers(self) -> Path:
        """Return the folder of tiktoken's files."""
        return self.folder / "tiktoken"

    @property
    def command(self) -> tuple[str, ...]:
        """Return the program and arguments of a child that writes a report."""
        program = resources.files("acm_workers.generators.children") / "researcher.py"
        return (str(self.python), "-I", str(program))

    @property
    def variables(self) -> dict[str, str]:
        """Return the environment variables that a child needs to find its files."""
        return {"TIKTOKEN_CACHE_DIR": str(self.tokenizers)}

    def problem(self) -> str | None:
        """Return why the environment cannot be used; None if it can be used."""
        again = "`acm setup gptr` builds it"
        if not (self.folder / STAMP).exists():
            return f"GPT Researcher is not in {self.folder}; {again}"
        try:
            stamp = json.loads((self.folder / STAMP).read_text())
        except (OSError, ValueError) as error:
            return f"{self.folder / STAMP} cannot be read ({error}); {again} anew"
        if not isinstance(stamp, dict) or stamp.get("requirements") is None:
            return f"{self.folder} was not finished; {again} anew"
        if stamp["requirements"] != requirements_digest():
            return f"{self.folder} is of another version of ACM; {again} anew"
        if not os.access(self.python, os.X_OK):
            return f"{self.python} is gone or cannot be executed; {again} anew"
        missing = [name for name in TOKENIZER_FILES if not (self.tokenizers / name).is_file()]
        if missing:
            return f"{self.tokenizers} lacks {', '.join(missing)}; {again} anew"
        return None


def of(configured: Path | None) -> ResearcherInstallation:
    """Return the environment in the configured folder, or in the user's folder for data."""
    if configured is not None:
        return ResearcherInstallation(configured.expanduser().absolute())
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return ResearcherInstallation(Path(data).expanduser().absolute() / "acm" / "gptr")


def requirements_digest() -> str:
    """Return a digest of the requirements of an environment."""
    shipped = resources.files("acm_workers.generators.children")
    content = b"".join(shipped.joinpath(name).read_bytes() for name in (REQUIREMENTS, TOKENIZERS))
    return hashlib.sha256(content).hexdigest()
