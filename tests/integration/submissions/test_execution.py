"""Submitted code runs in a sandbox, and only a plain result with finite numbers is scored."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from acm_workers.processes import sandbox
from acm_workers.processes.folders import WorkFolders
from acm_workers.submissions import execution
from acm_workers.submissions.execution import ExecutionHost, VersionOutcome
from schemas.submissions import Evaluator, ExecutionLimits, Submission, Version
from tests.support import submission_records as records
from tests.support.submission_records import NOW

LIMITS = ExecutionLimits(wall_s=30, memory_mb=512)
SUBMISSION = Submission(id=3, task_key="circles", author="ada", created_at=NOW)


@pytest.fixture
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkFolders]:
    made = WorkFolders(tmp_path_factory.mktemp("runs"))
    yield made
    made.close()


def run(folders: WorkFolders, code: str, **task: Any) -> VersionOutcome:
    version = Version(submission_id=3, version=1, content=code, queued_at=NOW)
    host = ExecutionHost(
        folders, sandbox.strongest(), {"GPU": "0,1"}, lambda text: None, lambda: False
    )
    made = records.task(**{"limits": LIMITS, **task})
    return execution.execute(made, SUBMISSION, version, host)


def solving(*lines: str) -> str:
    return "def solve():\n" + "".join(f"    {line}\n" for line in lines)


def evaluator(*lines: str) -> dict[str, Any]:
    source = "def evaluate(submission):\n" + "".join(f"    {line}\n" for line in lines)
    return {"evaluator": Evaluator(source=source)}


def test_what_a_function_returns_is_scored(folders: WorkFolders) -> None:
    code = "import numpy as np\ndef solve():\n    return np.arange(3.0), {'bonus': [1, 2]}\n"
    adding = evaluator(
        "array, more = submission.result",
        "value = float(array.sum()) + sum(more['bonus'])",
        "return {'value': value, 'metrics': {'n': len(array)}, 'sort_key': [value, -1]}",
    )

    ended = run(folders, code, **adding)

    assert ended.error is None
    assert ended.score is not None
    assert (ended.score.value, ended.score.metrics) == (6.0, {"n": 3})
    assert ended.score.sort_key == (6.0, -1.0)


def test_a_command_leaves_its_result_in_a_file(folders: WorkFolders) -> None:
    code = "import json, os\njson.dump(4.5, open(os.environ['ACM_RESULT'], 'w'))\n"

    ended = run(folders, code, mode="command", command=("python", "submission.py"))

    assert ended.score is not None
    assert ended.score.value == 4.5


def test_a_rejected_result_has_no_score(folders: WorkFolders) -> None:
    ended = run(folders, solving("return 1.0"), **evaluator("submission.reject('circles overlap')"))

    assert (ended.cause, ended.error) == ("rejected", "circles overlap")
    assert ended.score is not None
    assert ended.score.value is None


def test_a_secret_of_the_worker_is_not_in_the_environment(
    folders: WorkFolders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    code = solving("import os", "print(dict(os.environ))", "return 1.0")
    asking = evaluator("import os", "return float('OPENAI_API_KEY' in os.environ)")

    ended = run(folders, code, **asking)

    assert "'GPU': '0,1'" in ended.log
    assert "secret" not in ended.log
    assert ended.score is not None
    assert ended.score.value == 0.0


def test_an_import_error_names_the_module(folders: WorkFolders) -> None:
    ended = run(folders, "import nothing_of_that_name\n")

    assert ended.cause == "crash"
    assert ended.error is not None
    assert ended.error.startswith("Import failed: ModuleNotFoundError: No module named 'nothing")
    assert "is nothing_of_that_name installed" in ended.error


def test_a_crash_is_told_with_its_own_words_and_its_traceback_is_in_the_log(
    folders: WorkFolders,
) -> None:
    ended = run(folders, solving("print('so far')", "return 1 / 0"))

    assert (ended.cause, ended.error) == ("crash", "ZeroDivisionError: division by zero")
    assert ended.log.startswith("so far\n")
    assert "Traceback" in ended.log


def test_of_much_output_head_and_tail_are_kept(folders: WorkFolders) -> None:
    code = solving(
        "import sys",
        "print('first')",
        "print('x' * 300_000)",
        "print('last')",
        "sys.stderr.write('e' * 50_000)",
        "raise ValueError('y' * 50_000)",
    )

    ended = run(folders, code)

    assert ended.log.startswith("first\n")
    assert "last" in ended.log
    assert "bytes left out" in ended.log
    assert len(ended.log) <= LIMITS.log_kb * 1024 + 200
    assert ended.error is not None
    assert len(ended.error) <= 2000


def test_code_that_prints_without_end_is_ended(folders: WorkFolders) -> None:
    code = solving("import os", "while True: os.write(1, b'x' * 65536)")

    ended = run(folders, code, limits=LIMITS.model_copy(update={"output_mb": 2}))

    assert (ended.cause, ended.error) == ("limit", "it printed more than 2 MB")


def test_a_run_out_of_time_is_no_score_and_keeps_what_was_printed(folders: WorkFolders) -> None:
    code = solving("import time", "print('begun', flush=True)", "time.sleep(99)")

    ended = run(folders, code, limits=LIMITS.model_copy(update={"wall_s": 4.5}))

    assert (ended.cause, ended.error) == ("timeout", "Execution timed out after 4.5 s")
    assert (ended.score, ended.log) == (None, "begun\n")


_RESULTS = {
    "a pickle": (
        "import pickle, os",
        "class Evil:",
        "    def __reduce__(self): return (os.system, ('touch /tmp/evil',))",
        "open(OUT + '/result.npz', 'wb').write(pickle.dumps(Evil()))",
        "os._exit(0)",
    ),
    "an array of objects": (
        "import numpy as np, os",
        "np.savez(open(OUT + '/result.npz', 'wb'), a=np.array([{}], dtype=object))",
        "os._exit(0)",
    ),
    "not a number": ("return float('nan')",),
    "infinite in an array": ("import numpy as np", "return np.array([1.0, np.inf])"),
    "infinite in JSON": ("open(OUT + '/result.json', 'w').write('1e999')", "os._exit(0)"),
    "an object": ("return object()",),
    "nothing written": ("os._exit(0)",),
    "deep": ("value = []", "for _ in range(500): value = [value]", "return value"),
}


@pytest.mark.parametrize("lines", _RESULTS.values(), ids=_RESULTS)
def test_what_is_no_plain_finite_value_is_refused(
    folders: WorkFolders, lines: tuple[str, ...]
) -> None:
    code = "import os, sys\nOUT = sys.argv[3]\n" + solving(*lines)

    ended = run(folders, code, **evaluator("return 1.0"))

    assert ended.cause == "bad_result"
    assert ended.score is None


_EVALUATORS = {
    "returns True": ("return True",),
    "returns nan": ("return float('nan')",),
    "returns a text": ("return '7'",),
    "raises": ("raise RuntimeError('broken')",),
    "hangs": ("import time", "time.sleep(99)"),
    "ends without a word": ("import os", "os._exit(0)"),
}


@pytest.mark.parametrize("lines", _EVALUATORS.values(), ids=_EVALUATORS)
def test_an_evaluator_that_fails_gives_no_score(
    folders: WorkFolders, lines: tuple[str, ...]
) -> None:
    failing = evaluator(*lines)["evaluator"].model_copy(update={"wall_s": 2.0})

    ended = run(folders, solving("return 1.0"), evaluator=failing)

    assert (ended.cause, ended.score) == ("evaluator", None)
    assert ended.error is not None
    assert ended.error.startswith("Evaluation system error")


def test_code_that_the_evaluator_refuses_is_not_run(folders: WorkFolders) -> None:
    source = (
        "def validate(submission):\n    return 'no loops' if 'while' in submission.code else ''\n"
    )
    checking = {"evaluator": Evaluator(source=source + records.EVALUATOR)}

    assert run(folders, solving("return 2.0"), **checking).score is not None
    refused = run(folders, solving("while True: pass"), **checking)

    assert (refused.cause, refused.error) == ("invalid_code", "no loops")


def test_an_evaluator_of_station_runs_unchanged(folders: WorkFolders) -> None:
    source = """
import os
from station.eval_research.base_evaluator import ResearchTaskEvaluator
from station import constants, file_io_utils

class Task1Evaluator(ResearchTaskEvaluator):
    def __init__(self):
        super().__init__("1")
    def get_expected_function_name(self):
        return "construct"
    def get_secondary_metrics_format(self):
        return {"Half": ".2f"}
    def evaluate_submission(self, result, eval_id=None, author=None):
        folder = os.path.join(constants.BASE_STATION_DATA_PATH, constants.ROOMS_DIR_NAME)
        file_io_utils.ensure_dir_exists(folder)
        if result < 0:
            return False, 0.0, "too small"
        return True, result, {"Half": ("1.00", result / 2), "Message": author + eval_id}, (result,)
"""
    station = records.task(evaluator=Evaluator(kind="station", source=source), limits=LIMITS)
    host = ExecutionHost(folders, sandbox.strongest(), {}, lambda text: None, lambda: False)
    told = execution.describe(station, host)
    values = {"evaluator": station.evaluator, "function": told["function"]}

    good = run(folders, "def construct():\n    return 2.0\n", **values)
    bad = run(folders, "def construct():\n    return -2.0\n", **values)

    assert (told["mode"], told["metrics"]) == ("function", {"Half": ".2f"})
    assert good.score is not None
    assert (good.score.value, good.score.metrics) == (2.0, {"Half": 1.0})
    assert (good.score.message, good.score.sort_key) == ("ada3", (2.0,))
    assert (bad.cause, bad.error) == ("rejected", "too small")


def test_the_files_for_results_cannot_be_replaced(folders: WorkFolders) -> None:
    code = "import os, sys\nOUT = sys.argv[3]\n" + solving(
        "os.chmod(OUT, 0o777) if False else None",
        "for trick in (",
        "    lambda: os.unlink(OUT + '/result.json'),",
        "    lambda: os.symlink('/etc/passwd', OUT + '/more'),",
        "    lambda: os.chown(OUT, 0, 0),",
        "    lambda: os.link(OUT + '/result.json', OUT + '/other'),",
        "    lambda: os.rename(OUT + '/result.json', OUT + '/other'),",
        "):",
        "    try: trick()",
        "    except OSError as error: continue",
        "    return 0.0",
        "return 1.0",
    )

    ended = run(folders, code)

    assert ended.error is None
    assert ended.score is not None
    assert ended.score.value == 1.0
    assert os.path.exists("/etc/passwd")
