"""Renders the report as one HTML file that loads nothing and runs nothing."""

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from acm_workers.reporting import judges, words
from acm_workers.reporting.data import Report

_FILTERS: dict[str, Callable[..., Any]] = {
    "number": words.number,
    "signed": words.signed,
    "count": words.count,
    "percent": words.percent,
    "dollars": words.dollars,
    "cost": words.cost,
    "proof": words.proof,
    "chance": words.chance,
    "ranked": words.ranked,
    "interval": words.interval,
    "of": judges.of,
    "share_interval": judges.interval,
    "position": judges.position,
    "strength": judges.strength,
    "moment": words.moment,
    "duration": words.duration,
    "shortened": words.shortened,
    "clipped": words.clipped,
    "step": words.step,
}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("acm_workers.reporting"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(_FILTERS)
    environment.globals.update(many=words.many)
    return environment


def page(report: Report) -> str:
    """Render ``report``."""
    return _environment().get_template("index.html.j2").render(report=report, run=report.run)
