"""The commands of the page on GPT Researcher, as a newcomer enters them in an empty folder."""

import os
import subprocess
import textwrap
from pathlib import Path

from tests.support.project import ACM, PATIENCE_S

_PAGE = Path(__file__).parents[2] / "ops" / "docs" / "gpt-researcher.md"
_SIMULATOR = "acm simulate --port 8077 &\n"


def entered(folder: Path, port: str, environment: Path) -> subprocess.CompletedProcess[str]:
    """Enter what the section about a try without a key says; return the end of it.

    Args:
        folder: The home of the newcomer, in which everything is made.
        port: Where a simulator runs; the page's own port may be in use.
        environment: Where GPT Researcher is.
    """
    commands, config, last = _blocks()
    assert commands.endswith(_SIMULATOR)
    begun = commands.removesuffix(_SIMULATOR)
    script = f"{begun}cat > config.yaml <<'END'\n{config}END\n{last}".replace("8077", port)
    texts = folder / "some" / "texts"
    texts.mkdir(parents=True)
    (texts / "locks.md").write_text("# Locks\n\nCanal locks lift boats.\n")
    (texts / "water.md").write_text("# Water\n\nReservoirs feed canals.\n")
    usual = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}
    own = {
        "HOME": str(folder),
        "PATH": f"{ACM.parent}:{os.environ['PATH']}",
        "ACM_GPTR_ENVIRONMENT": str(environment),
    }
    return subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=folder,
        env=usual | own,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )


def candidates(folder: Path) -> list[str]:
    """Return the generators of the texts that were written, and the names of failures."""
    files = sorted(path.name for path in (folder / "try" / "outputs").iterdir())
    return [
        name if name.endswith(".failed.json") else name.split(".")[1]
        for name in files
        if not name.endswith(".docx")
    ]


def _blocks() -> list[str]:
    """Return the three indented blocks of the section."""
    section = _PAGE.read_text("utf-8").split("## Try it without a key\n")[1].split("\n## ")[0]
    lines = section.splitlines(keepends=True)
    blocks = [""]
    for line in lines:
        if line.startswith("    "):
            blocks[-1] += line
        elif blocks[-1]:
            blocks.append("")
    commands, config, last = (textwrap.dedent(block) for block in blocks if block)
    return [commands, config, last]
