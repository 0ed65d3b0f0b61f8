"""`acm doctor` asks providers for their models and names what a run would fail on."""

from pathlib import Path

from tests.support import configs, simulator
from tests.support.project import Project
from tests.support.texts import first


def test_wrong_keys_paths_and_models_are_told_and_nothing_is_paid(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.0) as provider:
        project = Project(tmp_path, configs.small(provider.url), first(1))
        good = project.acm("doctor")
        keyed = configs.provider(provider.url, "m1", "m2", "j1", key_env="ALPHA_KEY")
        project.configure(configs.base({"alpha": keyed}))
        refused = project.acm("doctor", env={"ALPHA_KEY": "invalid"})
        project.configure(configs.small(provider.root))
        misplaced = project.acm("doctor")
        project.configure(configs.small(provider.url, judges=[configs.judge("sim-smal@x")]))
        unknown = project.acm("doctor")
        requests = provider.stats()["requests"]

    assert good.code == 0, good.out
    assert [one.code for one in (refused, misplaced, unknown)] == [2, 2, 2]
    assert "the key in ALPHA_KEY is refused" in refused.out
    assert f"base_url is wrong: its models are at {provider.url}" in misplaced.out
    assert "does not have sim-smal@x (did you mean sim-small?)" in unknown.out
    assert requests == 0
