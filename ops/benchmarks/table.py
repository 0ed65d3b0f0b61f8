"""What every benchmark prints: a table for people, and one JSON object for machines."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple


class Target(NamedTuple):
    """A figure that is to be reached.

    Attributes:
        limit: The highest value that is good; the lowest one where the target is ``at_least`` that.
    """

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def ok(self) -> bool:
        """Return whether it was reached."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


class Measured(NamedTuple):
    """The outcome of one benchmark: rows with the same keys, and targets."""

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
            print(f"{word} {target.name}: {target.value:.3f} ({bound})")  # noqa: T201

    def show_json(self) -> None:
        """Print one JSON object."""
        targets = [
            {"name": target.name, "value": target.value, "limit": target.limit, "ok": target.ok}
            for target in self.targets
        ]
        print(json.dumps({"bench": self.bench, "rows": self.rows, "targets": targets}))  # noqa: T201


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)
