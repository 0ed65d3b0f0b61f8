"""`acm doctor` says which network the children of GPT Researcher have on this machine."""

import os
import subprocess
from pathlib import Path

from acm_workers.processes import own_network
from tests.support import own_networks
from tests.support.child_runs import entry, environment, made
from tests.support.project import ACM


def test_doctor_says_where_children_cannot_have_a_network_of_their_own(tmp_path: Path) -> None:
    project = made(tmp_path / "project", "http://127.0.0.1:9/v1", entry("gptr", "m1"))
    env = environment(tmp_path / "gptr")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ACM_")}

    usual = project.acm("doctor", env=env)
    without = subprocess.run(
        [*own_networks.without_namespaces(), str(ACM), "doctor"],
        cwd=project.folder,
        env=clean | env,
        capture_output=True,
        text=True,
        check=False,
    )

    own = "its own, with its worker alone"
    assert (own in usual.out) is (own_network.why_not() is None)
    assert "it cannot have its own" in without.stdout
    assert "only its Python code is prevented from connecting to other hosts" in without.stdout
