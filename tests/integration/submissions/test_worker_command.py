"""`acm worker --submissions`: machines with Redis and Postgres work on the queue of submissions."""

from pathlib import Path

from acm_api import submissions
from acm_workers.store import schema
from acm_workers.store.connection.database import Database
from acm_workers.store.submissions import NewSubmission
from schemas.submissions import Evaluator, ExecutionLimits, SubmissionTask
from tests.support import postgres as servers
from tests.support import redis_server, worker_command
from tests.support.cluster import Cluster
from tests.support.worker_command import wait_for


def test_a_worker_runs_what_is_submitted_and_logs_the_notice(postgres: str, tmp_path: Path) -> None:
    with redis_server.running() as redis, servers.schema(postgres, "acm_submitted") as url:
        database = Database(url)
        schema.upgrade(database)
        evaluator = Evaluator(source="def evaluate(submission):\n    return submission.result\n")
        limits = ExecutionLimits(wall_s=60, memory_mb=512)
        task = SubmissionTask(key="numbers", evaluator=evaluator, limits=limits)
        submissions.register(database, [task])
        cluster = Cluster(redis, database, tmp_path, "acm_submitted:")
        with worker_command.working(cluster, tmp_path, "--submissions") as worker:
            new = NewSubmission("numbers", "ada")
            number = submissions.submit(database, new, "def solve():\n    return 2.5\n")

            wait_for(worker, lambda: worker.told("notice"))

            assert worker.told("notice")[0]["author"] == "ada"
            assert submissions.get(database, number).versions[0].score == 2.5
        database.close()
