"""A worker process, as the supervisor starts it: Celery's own worker, with our logs and our end.

``celery -A acm_workers.app worker`` does the same work; here the process also ends with the
supervisor that started it, and logs JSON lines.
"""

import argparse
import functools
import os
import signal
import sys
import threading
import time

from celery import signals

from acm_workers import app, logs, runtime
from acm_workers.settings import Settings

_LOOK_EVERY_S, _AGAIN_EVERY_S = 0.5, 10.0


def main() -> None:
    """Work until told to end."""
    asked = _arguments().parse_args()
    _end_with(asked.parent)
    logs.to_stderr(logs.worker_level(Settings()), asked.name)
    # Celery sets up no logs of its own where somebody listens to this.
    signals.setup_logging.connect(_leave_logs_alone, weak=False)
    signals.worker_ready.connect(functools.partial(_tell_owner, asked.tell), weak=False)
    options = [
        "--pool=threads",
        f"--concurrency={asked.threads}",
        f"--queues={asked.queues}",
        f"--hostname={asked.name}",
        "--without-gossip",
        "--without-mingle",
    ]
    app.distributed().worker_main(["worker", *options])


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="One worker process; started by `acm worker`.")
    parser.add_argument("--parent", type=int, required=True, help="end when this process ends")
    parser.add_argument("--tell", type=int, required=True, help="descriptor to tell the owner to")
    parser.add_argument("--name", required=True, help="Celery's name for this process")
    parser.add_argument("--queues", required=True, help="which queues to serve, by commas")
    parser.add_argument("--threads", type=int, required=True)
    return parser


def _end_with(parent: int) -> None:
    """Have this process stop, as if asked to, when its supervisor dies."""
    if os.getppid() != parent:  # it died before that was known
        sys.exit(1)
    threading.Thread(target=_look_after, args=(parent,), name="acm-parent", daemon=True).start()


def _look_after(parent: int) -> None:
    # Linux would tell of that itself, but several times over: Celery's handler of the second signal
    # waits for ever for what the first one holds.
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_AGAIN_EVERY_S)


def _tell_owner(descriptor: int, **_: object) -> None:
    """Tell the supervisor by which name the store knows this process."""
    os.write(descriptor, runtime.current().owner.encode())
    os.close(descriptor)


def _leave_logs_alone(**_: object) -> None:
    """Say that logs are set up already."""


if __name__ == "__main__":
    main()
