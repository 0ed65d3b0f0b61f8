"""Projects whose candidates come from child processes, and the small program that these are."""

from pathlib import Path
from typing import Any

from tests.support import configs, fake_researcher
from tests.support.project import Project
from tests.support.texts import first

SECRET = "sk-the-real-key"  # noqa: S105  of a test


def entry(kind: str, model: str, **more: Any) -> dict[str, Any]:
    """Return an entry of ``runs``."""
    return {"type": kind, "provider": "alpha", "model": model, **more}


def made(folder: Path, url: str, *entries: dict[str, Any], **more: Any) -> Project:
    """Make a project with one document and one source to find."""
    models = [str(one["model"]) for one in entries]
    alpha = configs.provider(url, *models, "j1", key_env="ALPHA_KEY")
    config = configs.base(
        {"alpha": alpha},
        runs=list(entries),
        **{
            "retriever": {"type": "folder", "folder": "sources"},
            "playoffs": {"enabled": False},
            **more,
        },
    )
    project = Project(folder, config, first(1))
    project.write("sources/bees.md", "# Bees\n\nBees keep warm by shivering in a ball.\n")
    return project


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a machine that can start children, and has the key."""
    return {
        "ACM_GPTR_ENVIRONMENT": str(fake_researcher.install(folder)),
        "ALPHA_KEY": SECRET,
    }
