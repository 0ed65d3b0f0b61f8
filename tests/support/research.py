"""Runs whose candidates are written in the background by a simulator."""

from typing import Any

from tests.support import configs
from tests.support.intercepting_proxy import HeldRequests, UnfinishedAnswers
from tests.support.simulator import Simulator

MODEL = "sim-research"
PRICE = {**configs.PRICE, "search": 10.0}
OPEN = "select count(*) from calls where state = 'started' and response_id is not null"
NAMES = "select response_id from calls where state = 'started' order by 1"


def config(
    provider: Simulator | UnfinishedAnswers | HeldRequests, *models: str, **changes: Any
) -> dict[str, Any]:
    """Return a config in which ``models`` write in the background, and one judge scores once."""
    slow = configs.provider(
        provider.url, dialect="openai", poll_seconds=0.2, prices=dict.fromkeys(models, PRICE)
    )
    return configs.base(
        {"openaidp": slow, "alpha": configs.provider(provider.url, "j1")},
        **{
            "runs": configs.runs(openaidp=models),
            "pairwise": {"enabled": False},
            "playoffs": {"enabled": False},
            **changes,
        },
    )
