"""Renders the report as one HTML file that loads nothing and runs nothing."""

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from acm_workers.reporting import formatting, judges
from acm_workers.reporting.data import RunReport

_FILTERS: dict[str, Callable[..., Any]] = {
    "number": formatting.number,
    "signed": formatting.signed,
    "count": formatting.count,
    "percent": formatting.percent,
    "dollars": formatting.dollars,
    "cost": formatting.cost,
    "proof": formatting.proof,
    "chance": formatting.chance,
    "ranked": formatting.ranked,
    "interval": formatting.interval,
    "of": judges.of,
    "share_interval": judges.interval,
    "position": judges.position,
    "strength": judges.strength,
    "moment": formatting.moment,
    "duration": formatting.duration,
    "shortened": formatting.shortened,
    "clipped": formatting.clipped,
    "step": formatting.step,
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
    environment.globals.update(many=formatting.many)
    return environment


def page(report: RunReport) -> str:
    """Render ``report``."""
    return _environment().get_template("index.html.j2").render(report=report, run=report.run)
