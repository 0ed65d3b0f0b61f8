"""The example config of the first version's own description runs as it stands.

What is given from outside: the address of a server for its only provider, a retriever, and the
environment that `acm setup gptr` builds.
"""

import re
from pathlib import Path

from tests.support import gptr_environment, simulator
from tests.support.project import Project
from tests.support.texts import first

_CONFIG = """\
input_folder: "./inputs"
output_folder: "./outputs"
instructions_file: "./prompts/instructions.txt"
one_file_only: false
iterations_default: 3

runs:
  - type: fpf
    provider: openai
    model: gpt-4o
  - type: gptr
    provider: openai
    model: gpt-4o
  - type: ma
    model: gpt-4o

concurrency:
  gpt_researcher:
    enabled: true
    max_concurrent_reports: 3
    launch_delay_seconds: 1.0
  multi_agent:
    enabled: true
    max_concurrent_runs: 2

eval:
  auto_run: true
  streaming_single_eval: true
  output_directory: "./gptr-eval-process/final_reports"
  config_path: "./llm-doc-eval/llm_doc_eval/config.yaml"
  iterations: 1
  playoffs:
    enabled: true
    top_n: 3
"""


def test_it_runs_with_all_its_generators_and_finds_a_winner(tmp_path: Path) -> None:
    with simulator.running(latency_s=0.01) as provider:
        project = Project(tmp_path, {}, first(1))
        project.write("config.yaml", _CONFIG)
        project.write("prompts/instructions.txt", "Write a report about the subject.")
        project.write("sources/bees.md", "# Bees\n\n" + "Bees keep warm by shivering. " * 80)
        given = {
            "providers.openai.dialect": "openai",
            "providers.openai.base_url": provider.url,
            "retriever.type": "folder",
            "retriever.folder": "sources",
        }
        sets = [part for key, value in given.items() for part in ("--set", f"{key}={value}")]
        env = {"ACM_GPTR_ENVIRONMENT": str(gptr_environment.built())}
        plan = project.acm("plan", "--show-config", *sets, env=env)
        end = project.acm("run", "--json", *sets, env=env, deadline_s=400)

    assert plan.code == 0, plan.err
    for part, most in (("gpt_researcher", 3), ("multi_agent", 2)):
        assert re.search(rf"concurrency\.{part}\.max_in_flight +{most} ", plan.out)
    assert end.code == 0, end.err
    kinds = project.rows("select generator, state, count(*) from artifacts group by 1, 2")
    assert kinds == [
        ("combine", "done", 1), ("fpf", "done", 3), ("gptr", "done", 3), ("ma", "done", 3)
    ]  # fmt: skip
    (document,) = end.last["documents"]
    assert document["winner"]["model"] == "gpt-4o"
    query = "select max(calls) from (select count(*) as calls from artifacts group by document_id)"
    assert project.number(query) == 10
