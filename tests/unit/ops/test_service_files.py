"""What `ops` ships for machines: every command line in it is one that the program takes."""

import re
import shlex
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from acm_api.cli.main import app
from schemas.config.provider import KNOWN

_OPS = Path(__file__).parents[3] / "ops"
_COMPOSE = yaml.safe_load((_OPS / "compose.yaml").read_text("utf-8"))
_SERVICES: dict[str, dict[str, Any]] = _COMPOSE["services"]
_UNITS = sorted((_OPS / "systemd").glob("*.service"))
_ENVIRONMENTS = sorted((_OPS / "systemd" / "env").glob("*.env"))
_PAGES = [_OPS.parent / "README.md", *sorted((_OPS / "docs").glob("*.md"))]
_KEYS = {known.key_env for known in KNOWN.values() if known.key_env}


def parsed(line: list[str]) -> dict[str, Any]:
    """Return what the program understands of its arguments, without doing it."""
    command: Any = typer.main.get_command(app)
    context = command.make_context("acm", list(line))
    while hasattr(command, "commands"):
        words: list[str] = [*context._protected_args, *context.args]
        command = command.commands[words[0]]
        context = command.make_context(words[0], words[1:], parent=context)
    values: dict[str, Any] = context.params
    return values


def unit(path: Path) -> ConfigParser:
    """Return a unit of systemd."""
    found = ConfigParser(interpolation=None, strict=False)
    found.optionxform = str  # type: ignore[assignment,method-assign]
    found.read_string(path.read_text("utf-8"))
    return found


def ours() -> dict[str, dict[str, Any]]:
    """Return the services that run our own program."""
    return {name: one for name, one in _SERVICES.items() if one["image"] == "acm"}


def test_every_command_of_the_compose_file_is_taken() -> None:
    said = {name: parsed(service["command"]) for name, service in ours().items()}

    assert {"migrate", "control", "api", "flower"} < said.keys()
    assert said["control"]["control"] is True
    assert said["api"]["port"] == 8080


def test_an_option_that_does_not_exist_would_be_noticed() -> None:
    with pytest.raises(Exception, match="no-such-option"):
        parsed(["worker", "--no-such-option"])


def test_there_is_a_worker_for_each_shipped_provider_and_it_alone_knows_the_key() -> None:
    served = {
        provider: service
        for service in ours().values()
        for provider in parsed(service["command"]).get("provider") or []
    }

    assert {KNOWN[name].key_env for name in served} == _KEYS
    for provider, service in served.items():
        assert _KEYS & service["environment"].keys() == {KNOWN[provider].key_env}
    for name, service in _SERVICES.items():
        if service not in served.values() and name != "worker-generators":
            assert not _KEYS & (service.get("environment") or {}).keys(), name


def test_the_worker_of_gpt_researcher_serves_what_its_neighbour_has_installed() -> None:
    worker, setup = _SERVICES["worker-generators"], _SERVICES["setup-generators"]

    assert parsed(worker["command"])["generators"] == "gptr,dr,ma"
    assert setup["command"][-1] == worker["environment"]["ACM_GPTR_ENVIRONMENT"]
    assert setup["volumes"] == worker["volumes"]
    compatible = {one.key_env for one in KNOWN.values() if one.dialect in ("openai", "openai_chat")}
    assert _KEYS & worker["environment"].keys() == compatible


def test_secret_of_a_service_of_systemd_is_in_the_file_of_that_service_alone() -> None:
    secrets = {
        file.name: set(re.findall("^([A-Z_]*(?:KEY|TOKEN|PASSWORD))=", file.read_text(), re.M))
        for file in _ENVIRONMENTS
    }
    read = {
        path.name: re.findall("^EnvironmentFile=/etc/acm/(.*)$", path.read_text("utf-8"), re.M)
        for path in _UNITS
    }

    assert secrets == {
        "api.env": {"ACM_API_TOKEN"},
        "common.env": set(),
        "flower.env": {"ACM_FLOWER_PASSWORD"},
        "generators.env": {"OPENAI_API_KEY"},
        "worker-openai.env": {"OPENAI_API_KEY"},
    }
    assert read == {
        "acm-api.service": ["common.env", "api.env"],
        "acm-control.service": ["common.env"],
        "acm-flower.service": ["common.env", "flower.env"],
        "acm-generators.service": ["common.env", "generators.env"],
        "acm-worker@.service": ["common.env", "worker-%i.env"],
    }


def test_redis_keeps_what_it_was_given() -> None:
    command = _SERVICES["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))

    assert options["--appendonly"] == "yes"
    assert options["--maxmemory-policy"] == "noeviction"
    assert any(volume.endswith(":/data") for volume in _SERVICES["redis"]["volumes"])


def test_nothing_is_published_beyond_the_machine() -> None:
    published = [port for service in _SERVICES.values() for port in service.get("ports", [])]

    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_no_secret_stands_in_the_files() -> None:
    for name, service in _SERVICES.items():
        for variable, value in (service.get("environment") or {}).items():
            if re.search("KEY|TOKEN|PASSWORD", variable):
                assert re.fullmatch(r"\$\{\w+:[-?][^}]*\}", value), (name, variable)
    for file in (_OPS / "env.example", *_ENVIRONMENTS):
        for line in file.read_text("utf-8").splitlines():
            name, _, value = line.partition("=")
            if re.search("^[^#]*(KEY$|TOKEN|PASSWORD)", name):
                assert value == "", line


def test_the_example_names_every_variable_that_the_compose_file_asks_for() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (_OPS / "compose.yaml").read_text("utf-8")))
    named = set(re.findall(r"^(\w+)=", (_OPS / "env.example").read_text("utf-8"), re.MULTILINE))

    assert asked <= named


@pytest.mark.parametrize("path", _UNITS, ids=lambda path: path.name)
def test_every_command_of_a_unit_is_taken(path: Path) -> None:
    program, *line = shlex.split(unit(path)["Service"]["ExecStart"].replace("%i", "openai"))

    assert program.endswith("/acm")
    assert parsed(line)


@pytest.mark.parametrize("path", _UNITS, ids=lambda path: path.name)
def test_a_unit_waits_longer_than_its_worker_and_gives_up_what_cannot_work(path: Path) -> None:
    service = unit(path)["Service"]
    line = shlex.split(service["ExecStart"].replace("%i", "openai"))[1:]

    assert service["RestartPreventExitStatus"] == "2"
    if line[0] == "worker":
        minutes = int(service["TimeoutStopSec"].removesuffix("min"))
        assert parsed(line)["stop_within"] < minutes * 60
        assert service["KillMode"] == "mixed"


def test_every_unit_belongs_to_the_target() -> None:
    assert (_OPS / "systemd" / "acm.target").exists()
    assert {unit(path)["Install"]["WantedBy"] for path in _UNITS} == {"acm.target"}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_every_command_on_a_page_is_taken(page: Path) -> None:
    text = page.read_text("utf-8")
    lines = re.findall(r"`(acm (?!COMMAND|--)[^`]+)`", text)
    lines += re.findall(r"^    (acm [^#\n]+)", text, re.MULTILINE)

    assert lines or page.stem not in {"README", "operations", "tutorial", "usage"}
    for line in lines:
        words = [word for word in shlex.split(line)[1:] if word not in {"|", "\\"}]
        parsed([_example(word) for word in words])


def _example(word: str) -> str:
    return {"RUN": "01JD", "USD": "5", "NAME": "openai", "ELSEWHERE": "/tmp/x"}.get(word, word)  # noqa: S108
