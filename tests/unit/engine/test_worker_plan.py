"""Which Workers a process has: by its options, what runs need, and which keys it has."""

import pytest

from acm_workers.engine.host import QueueGroup
from acm_workers.engine.worker_plan import WorkerOptions, WorkerPlan, missing_key, plan
from schemas.config.provider import OwnCapabilities, Provider


def provider(most: int = 8, key_env: str | None = None, **more: object) -> Provider:
    given = {"dialect": "openai", "base_url": "http://127.0.0.1:1/v1", "max_in_flight": most}
    return Provider.model_validate({**given, "key_env": key_env, **more})


def planned(options: WorkerOptions, **named: list[Provider]) -> WorkerPlan:
    return plan(options, named, {}, missing_key, lambda _: None)


def names(found: WorkerPlan) -> list[str]:
    return [group.name for group in found.groups]


def test_a_provider_has_a_worker_for_its_three_queues() -> None:
    found = planned(WorkerOptions(providers=("alpha",)), alpha=[provider(12)])

    assert found.groups == (
        QueueGroup("alpha", ("generate.alpha", "judge.alpha", "poll.alpha"), 12),
    )


def test_children_are_served_where_their_program_and_the_keys_of_their_providers_are() -> None:
    options = WorkerOptions(everything=True, threads=2)
    named = {"alpha": [provider()], "beta": [provider()]}
    children = {"dr": ("alpha",), "gptr": ("alpha", "beta"), "ma": ("alpha",)}

    found = plan(
        options,
        named,
        children,
        lambda name, _: "no key" if name == "beta" else None,
        lambda kind: "not installed" if kind == "ma" else None,
    )

    assert QueueGroup("child.dr", ("child.dr",), 2) in found.groups
    assert found.lacking == {"beta": "no key", "child.gptr": "no key", "child.ma": "not installed"}


def test_generators_are_served_without_their_providers() -> None:
    found = plan(
        WorkerOptions(generators=("gptr",)), {}, {"ma": ("alpha",)}, missing_key, lambda _: None
    )

    assert names(found) == ["child.gptr"]


def test_only_what_was_asked_is_served() -> None:
    named = {"alpha": [provider()], "beta": [provider()]}

    assert names(planned(WorkerOptions(providers=("beta",)), **named)) == ["beta"]
    assert names(planned(WorkerOptions(control=True), **named)) == ["control"]
    assert names(planned(WorkerOptions(everything=True), **named)) == ["control", "alpha", "beta"]


def test_all_serves_control_before_there_is_any_run() -> None:
    assert names(planned(WorkerOptions(everything=True))) == ["control"]


def test_queues_by_name_have_one_worker_together() -> None:
    found = planned(WorkerOptions(queues=("judge.alpha", "judge.beta"), threads=5))

    assert found.groups == (QueueGroup("judge.alpha", ("judge.alpha", "judge.beta"), 5),)


def test_threads_are_as_many_as_the_most_generous_run_allows() -> None:
    found = planned(WorkerOptions(everything=True), alpha=[provider(4), provider(40), provider(9)])

    assert found.groups[1].threads == 40


def test_a_provider_that_no_run_names_gets_32_threads() -> None:
    assert planned(WorkerOptions(providers=("alpha",))).groups[0].threads == 32


def test_the_number_that_was_asked_wins() -> None:
    found = planned(
        WorkerOptions(providers=("alpha",), control=True, threads=3), alpha=[provider(40)]
    )

    assert [group.threads for group in found.groups] == [4, 3]


@pytest.mark.parametrize(
    "background",
    [
        provider(8, background=True),
        provider(8, capabilities={"deep-*": OwnCapabilities(background=True)}),
    ],
)
def test_looks_for_answers_in_the_background_have_threads_beside(background: Provider) -> None:
    assert planned(WorkerOptions(providers=("alpha",)), alpha=[background]).groups[0].threads == 12


def test_a_provider_whose_key_is_not_here_is_left_to_other_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ALPHA_KEY", raising=False)
    monkeypatch.setenv("BETA_KEY", "sk-beta-123456")

    found = planned(
        WorkerOptions(everything=True),
        alpha=[provider(key_env="ALPHA_KEY")],
        beta=[provider(key_env="BETA_KEY")],
    )

    assert names(found) == ["control", "beta"]
    assert found.lacking == {
        "alpha": "provider alpha: the environment variable ALPHA_KEY is not set"
    }


def test_one_run_whose_key_is_not_here_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THEIR_KEY", raising=False)
    monkeypatch.setenv("OUR_KEY", "sk-ours-123456")
    both = [provider(key_env="OUR_KEY"), provider(key_env="THEIR_KEY")]

    found = planned(WorkerOptions(providers=("alpha",)), alpha=both)

    assert found.groups == ()
    assert "THEIR_KEY" in found.lacking["alpha"]


def test_the_key_of_a_shipped_provider_is_looked_for_before_any_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    assert "OPENAI_API_KEY" in planned(WorkerOptions(providers=("openai",))).lacking["openai"]


def test_run_that_asks_for_a_secret_leaves_other_providers_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACM_BROKER_URL", "redis://127.0.0.1:1/0")
    hostile = provider(key_env="ACM_DATABASE_URL")

    found = planned(WorkerOptions(everything=True), alpha=[provider()], beta=[hostile])

    assert names(found) == ["control", "alpha", "beta"]


def test_each_tenant_has_workers_of_its_own() -> None:
    named = {"alpha": [provider(4)], "T1/alpha": [provider(6)], "T1/beta": [provider()]}

    found = plan(WorkerOptions(providers=("alpha",)), named, {}, missing_key, lambda _: None).groups
    everything = plan(
        WorkerOptions(everything=True, threads=2),
        named,
        {"T1/gptr": ("T1/alpha",), "gptr": ("alpha",)},
        missing_key,
        lambda kind: None if kind == "gptr" else f"there is no {kind}",
    )

    assert found == (
        QueueGroup("alpha", ("generate.alpha", "judge.alpha", "poll.alpha"), 4),
        QueueGroup("T1/alpha", ("generate.T1/alpha", "judge.T1/alpha", "poll.T1/alpha"), 6),
    )
    assert names(everything) == [
        "control", "T1/alpha", "T1/beta", "alpha", "child.T1/gptr", "child.gptr",
    ]  # fmt: skip


def test_the_missing_key_of_one_tenant_leaves_the_namesake_of_another_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("THEIR_KEY", raising=False)
    named = {"alpha": [provider()], "T1/alpha": [provider(key_env="THEIR_KEY")]}

    found = plan(WorkerOptions(everything=True), named, {}, missing_key, lambda _: None)

    assert names(found) == ["control", "alpha"]
    assert set(found.lacking) == {"T1/alpha"}
