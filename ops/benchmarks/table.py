"""Output of benchmarks: a table, or one JSON object."""

import json
import math
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

_IN_INTERVAL = 1.96
"""Half the width of a 95 % interval, in standard errors."""


class Interval(NamedTuple):
    """The 95 % interval of a measured value."""

    low: float
    high: float


class Target(NamedTuple):
    """A target for a figure.

    Attributes:
        limit: The maximum value; the minimum value if ``at_least`` is set.
        interval: Interval of the value, if it was measured in random samples.
    """

    name: str
    value: float
    limit: float
    at_least: bool = False
    interval: Interval | None = None

    @property
    def ok(self) -> bool:
        """Return whether the target was reached, or was missed by no more than chance."""
        low, high = self.interval or (self.value, self.value)
        return high >= self.limit if self.at_least else low <= self.limit


def share_interval(found: Sequence[float]) -> Interval:
    """Return Wilson's interval of the share of successes, in at least one trial.

    Args:
        found: Success of each trial, or a share; for shares the interval is too wide.

    Source: Wilson, "Probable inference", Journal of the American Statistical Association 22 (1927).
    """
    share, n, z = statistics.fmean(found), len(found), _IN_INTERVAL
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    reach = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2) / (1 + z**2 / n)
    return Interval(max(0.0, middle - reach), min(1.0, middle + reach))


def share_target(name: str, found: Sequence[bool], least: float) -> Target:
    """Return the target of a minimum share of successes, in at least one trial."""
    return Target(name, statistics.fmean(found), least, True, share_interval(found))


class Measured(NamedTuple):
    """The result of a benchmark: rows with the same keys, and targets."""

    bench: str
    rows: Sequence[dict[str, Any]]
    targets: Sequence[Target]

    def show(self) -> None:
        """Print the table."""
        keys = list(self.rows[0])
        cells = [keys, *([_text(row[key]) for key in keys] for row in self.rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(keys))]
        for row in cells:
            line = "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            print(line)  # noqa: T201
        for target in self.targets:
            word = "ok    " if target.ok else "MISSED"
            bound = f"{'at least' if target.at_least else 'limit'} {target.limit:g}"
            value = ", ".join([f"{target.value:.3f}", *_between(target.interval)])
            print(f"{word} {target.name}: {value} ({bound})")  # noqa: T201

    def show_json(self) -> None:
        """Print one JSON object."""
        targets = [
            {"name": target.name, "value": target.value, "limit": target.limit, "ok": target.ok}
            | ({} if target.interval is None else {"interval": target.interval})
            for target in self.targets
        ]
        print(json.dumps({"bench": self.bench, "rows": self.rows, "targets": targets}))  # noqa: T201


def _between(interval: Interval | None) -> list[str]:
    return [f"{interval.low:.3f} to {interval.high:.3f}"] if interval else []


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)
