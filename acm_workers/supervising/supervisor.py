"""The main process of `acm worker`: small, and never waiting for anything but time."""

import signal
import socket
import time
from types import FrameType
from typing import NamedTuple

import structlog

from acm_workers.settings import Settings
from acm_workers.store.connection.database import Database
from acm_workers.store.workers import ALIVE
from acm_workers.supervising.crew import Crew
from acm_workers.supervising.health import Health
from acm_workers.supervising.lookout import Lookout, View
from acm_workers.supervising.needs import Needs
from acm_workers.supervising.plan import Wish
from acm_workers.supervising.report import Report

log = structlog.get_logger()

KILLED = 130
"""Exit code after processes had to be killed: calls in flight are uncertain."""

_TICK_S = 0.1
_BLIND_S = 30.0
_UNHEARD_S = ALIVE.total_seconds() + 10.0


class Manner(NamedTuple):
    """How to do it.

    Attributes:
        name: Of this machine, in the names of processes; the host's where absent.
        patience_s: After how long a watchdog ends a process; 0: never.
        stop_within_s: How long calls in flight may take after the first signal, if that is bounded.
    """

    name: str | None = None
    patience_s: float = 60.0
    stop_within_s: float | None = None


class Supervisor:
    """Has one process per provider, until a signal says otherwise."""

    def __init__(
        self, database: Database, settings: Settings, wish: Wish, manner: Manner, health: Health
    ) -> None:
        self._manner = manner
        self._health = health
        self._name = manner.name or socket.gethostname()
        self._crew = Crew(self._name, manner.patience_s)
        self._latest = Report(self._name, ("it is starting",), {}, ())
        self._lookout = Lookout(database, settings, Needs(wish), lambda: self._latest)
        self._signals = 0
        # Until they are buried the store takes them for alive.
        self._dead: set[str] = set()
        self._seen: View | None = None
        self._told_lacking: dict[str, str] = {}

    def run(self) -> int:
        """Work until a signal comes; return the exit code."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        self._lookout.start()
        while not self._signals:
            self._tick()
            time.sleep(_TICK_S)
        return self._end()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._signals += 1

    def _tick(self) -> None:
        now = time.monotonic()
        self._reap(now)
        view = self._lookout.view
        if view is not None and view.plan is not None:
            self._crew.arrange(view.plan.groups, self._taken(view), now)
        if view is not None and view is not self._seen:
            self._crew.watch(view.rows, view.backlog, now)
            self._tell(view)
            self._seen = view
        self._show()

    def _reap(self, now: float) -> None:
        for owner in self._crew.reap(now):
            self._dead.add(owner)
            self._lookout.bury(owner)

    def _taken(self, view: View) -> set[str]:
        """Return the names that living processes have, on whatever machine."""
        return {name for owner, name in view.names.items() if owner not in self._dead}

    def _tell(self, view: View) -> None:
        """Log what has changed between two looks."""
        before = self._seen.faults if self._seen is not None else ()
        if view.faults and not before:
            log.warning("cannot look", why=view.faults)
        elif before and not view.faults:
            log.info("can look again")
        lacking = dict(view.plan.lacking) if view.plan is not None else {}
        if lacking != self._told_lacking:
            for provider, why in lacking.items():
                log.warning("a provider is not served here", provider=provider, why=why)
            self._told_lacking = lacking

    def _end(self) -> int:
        within_s = self._manner.stop_within_s
        log.info("stopping: what is in flight ends, the rest is given back", within_s=within_s)
        until = None if within_s is None else time.monotonic() + within_s
        killed = False
        self._crew.stop()
        while self._crew.members:
            now = time.monotonic()
            if not killed and (self._signals > 1 or (until is not None and now >= until)):
                killed = True
                self._crew.kill()
            self._reap(now)
            self._show()
            time.sleep(_TICK_S)
        self._lookout.stop()
        self._health.close()
        log.info("stopped", killed=killed)
        return KILLED if killed else 0

    def _show(self) -> None:
        # Made by this thread, for the others must not look at what it changes.
        self._latest = self._report()
        self._health.show(self._latest)

    def _report(self) -> Report:
        view = self._lookout.view
        processes = tuple(self._crew.about())
        lacking = view.plan.lacking if view is not None and view.plan is not None else {}
        return Report(self._name, tuple(self._reasons(view)), lacking, processes)

    def _reasons(self, view: View | None) -> list[str]:
        """Return what is wrong."""
        now = time.monotonic()
        if self._signals:
            return ["it is stopping"]
        if view is None:
            return ["it is starting"]
        reasons = list(view.faults)
        if now - view.at > _BLIND_S:
            reasons.append(f"store and broker have not answered for {now - view.at:.0f} s")
        for name, post in self._crew.posts.items():
            if post.member is None:
                reasons.append(f"{name}: {post.why}")
            elif not post.member.watchdog.heard:
                reasons.append(f"{post.member.name}: it is starting")
            elif (silent_s := post.member.watchdog.silent_s(now)) > _UNHEARD_S:
                reasons.append(f"{post.member.name}: it told nothing for {silent_s:.0f} s")
        return reasons
