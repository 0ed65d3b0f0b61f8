"""Limits of providers, and the bounds that policies set."""

from pathlib import Path

import pytest

from acm_api.config import loading
from acm_api.config.loading import LoadedConfig
from acm_workers.errors import RequestError


def load(folder: Path, limits: str, policies: str, **environ: str) -> LoadedConfig:
    (folder / "inputs").mkdir()
    (folder / "instructions.md").write_text("Summarise.")
    (folder / "config.yaml").write_text(
        "input_folder: inputs\noutput_folder: outputs\ninstructions_file: instructions.md\n"
        "providers:\n"
        f"  alpha: {{dialect: openai_chat, base_url: 'http://127.0.0.1:1/v1'{limits}}}\n"
        "runs: [{type: fpf, provider: alpha, model: m}]\n"
        "judges: [{provider: alpha, model: m}]\n"
        f"policies:\n  providers:\n    {policies}\n"
    )
    return loading.load(folder / "config.yaml", environ)


@pytest.mark.parametrize(
    ("limits", "policy", "message"),
    [
        (", requests_per_minute: 900", "alpha: {requests_per_minute_cap: 600}",
         "requests_per_minute of provider alpha is 900, above the 600 that policies set"),
        (", tokens_per_minute: 2", "'*': {tokens_per_minute_cap: 1}",
         "tokens_per_minute of provider alpha is 2, above the 1 that policies set"),
        (", max_in_flight: 9", "alpha: {max_in_flight_cap: 8, enforce: true}",
         "max_in_flight of provider alpha is 9, above the 8 that policies set"),
        (", launch_delay_seconds: 0.1", "alpha: {launch_delay_seconds_min: 0.5}",
         "launch_delay_seconds of provider alpha is 0.1, below the 0.5 that policies set"),
    ],
)  # fmt: skip
def test_a_limit_beyond_its_bound_is_refused(
    tmp_path: Path, limits: str, policy: str, message: str
) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, limits, policy)

    assert str(caught.value) == message
    name = message.partition(" ")[0]
    assert caught.value.where == f"{tmp_path}/config.yaml:5 (providers.alpha.{name})"


def test_a_limit_that_is_left_out_is_the_bound(tmp_path: Path) -> None:
    policy = "alpha: {requests_per_minute_cap: 60, max_in_flight_cap: 4}"

    loaded = load(tmp_path, ", launch_delay_seconds: 1", policy)

    provider = loaded.config.providers["alpha"]
    assert (provider.requests_per_minute, provider.tokens_per_minute) == (60, None)
    assert (provider.max_in_flight, provider.launch_delay_seconds) == (4, 1)
    assert loaded.origins["providers.alpha.max_in_flight"] == "policies.providers.alpha"


def test_a_wide_bound_leaves_the_default(tmp_path: Path) -> None:
    loaded = load(tmp_path, "", "'*': {max_in_flight_cap: 64}")

    assert loaded.config.providers["alpha"].max_in_flight == 8


def test_own_bounds_of_a_provider_win_over_those_of_all(tmp_path: Path) -> None:
    both = "'*': {max_in_flight_cap: 2}\n    alpha: {max_in_flight_cap: 20}"

    assert load(tmp_path, ", max_in_flight: 16", both).config.providers["alpha"].max_in_flight == 16


def test_a_bound_that_is_not_enforced_is_pointed_out(tmp_path: Path) -> None:
    policy = "alpha: {requests_per_minute_cap: 600, enforce: false}"

    loaded = load(tmp_path, ", requests_per_minute: 900", policy)

    assert loaded.config.providers["alpha"].requests_per_minute == 900
    assert loaded.notes == (
        "requests_per_minute of provider alpha is 900, above the 600 that policies set; "
        "not enforced",
    )


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("alpha: {requests_per_minut_cap: 1}", "unknown key requests_per_minut_cap"),
        ("alpha: 3", "policies.providers.alpha must be a mapping of keys"),
        ("alpha: {max_in_flight_cap: many}", "policies.providers.alpha.max_in_flight_cap must be"),
    ],
)
def test_a_policy_of_the_wrong_shape_is_refused(tmp_path: Path, policy: str, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        load(tmp_path, "", policy)


@pytest.mark.parametrize(
    ("address", "is_told"),
    [
        ("http://10.0.0.5:8000/v1", True),
        ("http://api.example.org/v1", True),
        ("https://api.example.org/v1", False),
        ("http://127.0.0.1:1/v1", False),
        ("http://[::1]:1/v1", False),
    ],
)
def test_key_that_goes_over_plain_http_is_told(
    tmp_path: Path, address: str, *, is_told: bool
) -> None:
    (tmp_path / "inputs").mkdir()
    (tmp_path / "instructions.md").write_text("Summarise.")
    (tmp_path / "config.yaml").write_text(
        "input_folder: inputs\noutput_folder: outputs\ninstructions_file: instructions.md\n"
        f"providers:\n  alpha: {{dialect: openai_chat, base_url: '{address}', key_env: A_KEY}}\n"
        "runs: [{type: fpf, provider: alpha, model: m}]\n"
        "judges: [{provider: alpha, model: m}]\n"
    )

    notes = loading.load(tmp_path / "config.yaml", {"A_KEY": "k" * 20}).notes

    assert any("unencrypted, over http://" in note for note in notes) is is_told


def test_a_key_with_its_quotes_is_refused_without_its_value(tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        load(tmp_path, ", key_env: ALPHA_KEY", "'*': {}", ALPHA_KEY="'sk-123456789'")

    assert str(caught.value) == (
        "environment variable ALPHA_KEY, the key of provider alpha, is in quotes"
    )
