"""What a supervisor's health file and port say."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from acm_workers.monitoring.health import HealthPublisher, HealthReport

_WELL = HealthReport("box", (), {}, ({"name": "alpha@box.1", "state": "running"},))
_ILL = HealthReport("box", ("the broker does not answer",), {"beta": "BETA_KEY is not set"}, ())


@contextmanager
def shown(file: Path | None = None, port: int | None = None) -> Iterator[HealthPublisher]:
    health = HealthPublisher(file, port)
    try:
        yield health
    finally:
        health.close()


def asked(health: HealthPublisher, path: str = "/healthz") -> tuple[int, dict[str, Any]]:
    """Return how a server answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{health.port}{path}", timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def test_the_port_says_503_with_reasons_until_all_is_well() -> None:
    with shown(port=0) as health:
        starting = asked(health)
        health.show(_ILL)
        ill = asked(health)
        health.show(_WELL)
        well = asked(health)

    assert (starting[0], starting[1]["reasons"]) == (503, ["it is starting"])
    assert (ill[0], ill[1]["reasons"]) == (503, ["the broker does not answer"])
    assert ill[1]["lacking"] == {"beta": "BETA_KEY is not set"}
    assert (well[0], well[1]["ok"], well[1]["reasons"]) == (200, True, [])


def test_other_paths_tell_nothing() -> None:
    with shown(port=0) as health:
        health.show(_WELL)

        assert asked(health, "/") == (404, {"error": "there is only /healthz"})


def test_the_file_is_there_from_the_start_and_gone_at_the_end(tmp_path: Path) -> None:
    file = tmp_path / "health.json"
    with shown(file) as health:
        before = json.loads(file.read_text())
        health.show(_WELL)
        after = json.loads(file.read_text())

    assert (before["ok"], after["ok"]) == (False, True)
    assert after["processes"] == [{"name": "alpha@box.1", "state": "running"}]
    assert list(tmp_path.iterdir()) == []
