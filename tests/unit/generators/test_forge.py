"""FilePromptForge: where it is, and what its process meant by what it left behind."""

import os
from pathlib import Path

import pytest

from acm_workers.calls.evidence import MissingEvidence, PreviousAnswers
from acm_workers.errors import AnswerRefused, ChildFailed, RequestError
from acm_workers.generators import forge, programs
from acm_workers.generators.children.checkout import Checkout
from acm_workers.generators.forge import ForgeEnd, RejectedAnswers
from acm_workers.generators.text import Brief, GeneratedText
from acm_workers.processes.spec import CapturedOutput, ChildEnd, EndReason
from schemas.config.programs import FilePromptForge
from schemas.config.variant import Variant
from tests.support import fake_forge

ID = "01RUN"
VARIANT = Variant(type="fpf", engine="external", provider="openai", model="m", effort="high")
BRIEF = Brief("Rewrite it.", None, "Bees.")


def _printed(text: str) -> CapturedOutput:
    return CapturedOutput(size=len(text), head=text, tail="")


def _ending(
    folder: Path,
    stdout: str = "",
    stderr: str = "",
    code: int | None = 0,
    reason: EndReason = "ended",
) -> ForgeEnd:
    log = forge.ForgeLogReader(ID, lambda event: None)
    log.add("stderr", stderr.encode())
    end = ChildEnd(
        reason=reason, exit_code=code, signal=None, result=None, events=0, unreadable=0,
        stdout=_printed(stdout), stderr=_printed(stderr), wall_s=1.0, cpu_s=0.1,
        peak_rss_bytes=0, killed=0,
    )  # fmt: skip
    return ForgeEnd(ID, end, log, folder, Checkout(folder / "checkout"))


def test_a_folder_without_its_parts_is_named_with_what_is_missing(tmp_path: Path) -> None:
    folder = fake_forge.install(tmp_path / "fpf")
    whole = Checkout(folder).problem()
    (folder / "fpf_main.py").write_text("# version 2\n")
    second = Checkout(folder).problem()
    (folder / "fpf_main.py").unlink()

    assert whole is None
    assert "does not know --runs-stdin" in (second or "")
    assert "has no fpf_main.py" in (Checkout(folder).problem() or "")
    assert "does not exist" in (Checkout(tmp_path / "nowhere").problem() or "")
    assert "is no folder" in (Checkout(folder / ".env").problem() or "")


def test_it_runs_with_its_own_python_if_it_has_one(tmp_path: Path) -> None:
    folder = fake_forge.install(tmp_path / "fpf")
    named = Checkout(folder, "python-that-is-not-there").problem()
    (folder / ".venv/bin").mkdir(parents=True)
    (folder / ".venv/bin/python").symlink_to("/bin/true")

    assert "cannot be executed" in (named or "")
    assert Checkout(folder).python == str(folder / ".venv/bin/python")
    assert Checkout(folder).command[-4:] == (
        "--config", str(folder / "fpf_config.yaml"), "--env", str(folder / ".env")
    )  # fmt: skip


def test_a_worker_goes_by_its_own_machine_and_not_by_what_a_config_names(tmp_path: Path) -> None:
    named = FilePromptForge(path=str(fake_forge.install(tmp_path / "named")), variables=("A_KEY",))
    own = fake_forge.install(tmp_path / "own")
    broker = {"PATH": os.environ["PATH"], "ACM_BROKER_URL": "redis://127.0.0.1"}

    with pytest.raises(RequestError, match="ACM_FPF_PATH is not set"):
        programs.require("fpf", named, broker)
    here = programs.forge(named, {"PATH": os.environ["PATH"]})
    there = programs.forge(named, {**broker, "ACM_FPF_PATH": str(own), "ACM_FPF_VARIABLES": "B,C"})
    assert (here.folder, here.variables) == (Path(named.path), ("A_KEY",))
    assert (there.folder, there.variables) == (own, ("B", "C"))


def test_a_document_is_marked_as_data_and_hints_stand_in_the_instructions() -> None:
    first = forge.request(VARIANT, BRIEF, PreviousAnswers())
    previous = PreviousAnswers().and_unproven(2, MissingEvidence.GROUNDING, 1)
    second = forge.request(VARIANT, BRIEF, previous)

    assert "<<<SOURCE" in first.messages[1].content
    assert "could not be used" not in first.messages[0].content
    assert "could not be used" in second.messages[0].content


def test_a_run_says_effort_and_tokens_only_where_they_are_set(tmp_path: Path) -> None:
    (run,) = forge.prepare(forge.request(VARIANT, BRIEF, PreviousAnswers()), ID, tmp_path)

    assert run["overrides"] == {"reasoning_effort": "high"}
    assert Path(run["file_a"]).read_text().startswith("Rewrite it.")


@pytest.mark.parametrize(
    "stdout", ["", "[]\n", '[{"id": "fpf-1-1", "path": "answer.txt"}]', "[[[["]
)
def test_without_its_own_result_a_text_is_salvaged_by_the_log(tmp_path: Path, stdout: str) -> None:
    (tmp_path / "answer.txt").write_text("# Bees\n\nThey shiver.\n")
    line = f"x [FPF RUN_COMPLETE] id={ID} kind=rest ok=true elapsed=1s path=answer.txt error=\n"

    found = _ending(tmp_path, stdout, line, code=1).result()

    assert isinstance(found, GeneratedText)
    assert found.text == "# Bees\n\nThey shiver."


def test_a_file_that_nothing_names_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("# Bees\n\nThey shi")

    with pytest.raises(ChildFailed, match="within its time"):
        _ending(tmp_path, reason="deadline", code=None).result()


def test_input_that_it_does_not_understand_is_no_missing_evidence(tmp_path: Path) -> None:
    with pytest.raises(ChildFailed, match="did not understand"):
        _ending(tmp_path, stderr="E FPF batch stdin parse failed: x\n", code=2).result()


def test_code_2_with_an_error_is_that_error(tmp_path: Path) -> None:
    stdout = f'[{{"id": "{ID}", "path": null, "error": "HTTP 500"}}]'

    with pytest.raises(ChildFailed, match="HTTP 500"):
        _ending(tmp_path, stdout, code=2).result()
    refused = _ending(tmp_path, code=2).result()
    assert isinstance(refused, RejectedAnswers)
    assert refused.lacking is MissingEvidence.REASONING


def test_a_declined_task_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "answer.txt").write_text("I'm sorry, but I can't help with that.")
    stdout = f'[{{"id": "{ID}", "path": "answer.txt", "error": null}}]'

    with pytest.raises(AnswerRefused):
        _ending(tmp_path, stdout).result()


@pytest.mark.parametrize(
    ("record", "cost"),
    [
        ('{"run_id": "01RUN", "total_cost_usd": 0.5}', 0.5),
        ('{"run_id": "other", "total_cost_usd": 0.5}', None),
        ('{"run_id": "01RUN", "total_cost_usd": 0}', None),
        ('{"run_id": "01RUN", "total_cost_usd": "much"}', None),
        ('{"run_id": "01RUN", "total_cost_usd": -1}', None),
        ('{"run_id": "01RUN", "total_cost_usd": 0, "cost": {"input_price_per_million_usd": 0,'
         ' "output_price_per_million_usd": 0, "reason": null}}', 0.0),
        ("[]", None),
        ("no json", None),
    ],
)  # fmt: skip
def test_a_cost_of_nothing_counts_only_with_a_price_of_nothing(
    tmp_path: Path, record: str, cost: float | None
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/1-01RUN.json").write_text(record)

    assert _ending(tmp_path).bill().cost_usd == cost


def test_the_keys_of_a_checkout_are_known_and_short_words_are_none(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# keys\nA_KEY='secret-one'\nexport B=secret-number-two\nC=no\n")

    assert Checkout(tmp_path).secrets() == ["secret-number-two", "secret-one"]
    assert Checkout(tmp_path / "nowhere").secrets() == []
