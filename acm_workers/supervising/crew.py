"""The processes of this machine: started, replaced, ended, and started again when they die."""

import signal
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import structlog

from acm_workers.store.workers import Worker
from acm_workers.supervising.plan import Group
from acm_workers.supervising.spawner import Child, Spawner
from acm_workers.supervising.watchdog import Watchdog

log = structlog.get_logger()

_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0
_SETTLED_S = 60.0
"""Who lived so long died of something new: the pauses begin anew."""


class Member:
    """A process that runs."""

    def __init__(self, group: Group, name: str, child: Child, watchdog: Watchdog) -> None:
        self.group = group
        self.name = name
        self.child = child
        self.watchdog = watchdog

    def outgrown(self, group: Group) -> bool:
        """Return whether the process serves less than ``group`` is to."""
        return group.threads > self.group.threads or group.queues != self.group.queues


class Post:
    """The place of one process, who has it, and what became of those who had it before."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.member: Member | None = None
        self.restarts = 0
        self.why = "it is being started"
        self._deaths = 0
        self._free_from = 0.0
        self._since = 0.0

    def is_free(self, now: float) -> bool:
        """Return whether a process is to be started now."""
        return self.member is None and now >= self._free_from

    def take(self, member: Member, now: float) -> None:
        """Give the place to a process."""
        self.member, self._since = member, now

    def lose(self, why: str, now: float) -> float:
        """Note that its process has died; return after how many seconds the next one starts."""
        self._deaths = 1 if now - self._since >= _SETTLED_S else self._deaths + 1
        pause_s: float = min(_FIRST_PAUSE_S * 2 ** (self._deaths - 1), _LONGEST_PAUSE_S)
        self.member, self.why, self._free_from = None, why, now + pause_s
        self.restarts += 1
        return pause_s


class Crew:
    """All processes of one supervisor.

    Args:
        machine: Its name, after the ``@`` in the names of processes.
        patience_s: Of the watchdogs.
    """

    def __init__(self, machine: str, patience_s: float) -> None:
        self._machine = machine
        self._patience_s = patience_s
        self._spawner = Spawner()
        self._posts: dict[str, Post] = {}
        # Told to end, because they are not needed any more or another one took their place.
        self._leaving: list[Member] = []
        self._stopping = False

    @property
    def posts(self) -> Mapping[str, Post]:
        """Return the places by the names of their groups."""
        return self._posts

    @property
    def members(self) -> list[Member]:
        """Return all processes that run, those that are about to end included."""
        held = [post.member for post in self._posts.values() if post.member is not None]
        return held + self._leaving

    def arrange(self, groups: Sequence[Group], taken: Collection[str], now: float) -> None:
        """Have one process for each group, and none beside.

        Args:
            taken: Names that other processes have.
        """
        for name in self._posts.keys() - {group.name for group in groups}:
            self._dismiss(self._posts.pop(name), "it is not needed here any more")
        for group in groups:
            post = self._posts.setdefault(group.name, Post(group))
            if post.member is not None and post.member.outgrown(group):
                self._dismiss(post, "one with more threads takes its place")
            post.group = group
            if post.is_free(now):
                self._start(post, taken, now)

    def reap(self, now: float) -> list[str]:
        """Note who has ended; return the owners of those who could not clear up behind them."""
        dead = [member for member in self.members if member.child.process.poll() is not None]
        for member in dead:
            self._note(member, now)
        failed = [member.child.owner for member in dead if member.child.process.returncode != 0]
        for member in dead:
            member.child.close()
        return [owner for owner in failed if owner is not None]

    def watch(
        self, rows: Mapping[str, Worker] | None, backlog: Mapping[str, int] | None, now: float
    ) -> None:
        """Kill those that live and do nothing; ``reap`` finds them."""
        for member in self.members:
            if rows is None:
                member.watchdog.look_away(now)
                continue
            row = rows.get(member.child.owner or "")
            waiting = None
            if backlog is not None:
                waiting = sum(backlog.get(queue, 0) for queue in member.group.queues)
            why = member.watchdog.look(now, row, waiting)
            if why is not None:
                log.error("watchdog ends a process", worker=member.name, why=why)
                member.child.end_group()

    def stop(self) -> None:
        """Ask all to finish what is in flight, give back the rest, and end."""
        self._stopping = True
        for member in self.members:
            _ask_to_end(member)

    def kill(self) -> None:
        """End all at once; ``reap`` finds them."""
        for member in self.members:
            log.warning("killed", worker=member.name)
            member.child.end_group()

    def about(self) -> Iterator[dict[str, Any]]:
        """Yield what there is to tell of each process and each empty place."""
        for post in self._posts.values():
            group, member = post.group, post.member
            yield {
                "name": member.name if member is not None else group.name,
                "pid": member.child.process.pid if member is not None else None,
                "queues": list(group.queues),
                "threads": group.threads,
                "restarts": post.restarts,
                "state": "running" if member is not None else f"down: {post.why}",
            }
        for member in self._leaving:
            about = {"queues": list(member.group.queues), "threads": member.group.threads}
            yield {"name": member.name, "pid": member.child.process.pid, "state": "ending", **about}

    def _start(self, post: Post, taken: Collection[str], now: float) -> None:
        group = post.group
        name = self._free_name(group, {*taken, *(member.name for member in self.members)})
        asked = [
            "--name",
            name,
            "--queues",
            ",".join(group.queues),
            "--threads",
            str(group.threads),
        ]
        try:
            child = self._spawner.start(asked)
        except OSError as error:
            pause_s = post.lose(f"it cannot be started: {error}", now)
            log.warning("cannot start", worker=name, why=str(error), again_in_s=pause_s)
            return
        post.take(Member(group, name, child, Watchdog(self._patience_s, now)), now)
        log.info(
            "started",
            worker=name,
            pid=child.process.pid,
            queues=group.queues,
            threads=group.threads,
        )

    def _free_name(self, group: Group, taken: Collection[str]) -> str:
        number = 1
        while (name := f"{group.name}@{self._machine}.{number}") in taken:
            number += 1
        return name

    def _dismiss(self, post: Post, why: str) -> None:
        if post.member is not None:
            log.info("told to end", worker=post.member.name, why=why)
            _ask_to_end(post.member)
            self._leaving.append(post.member)
            post.member = None

    def _note(self, member: Member, now: float) -> None:
        code = member.child.process.returncode
        ended = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        if member in self._leaving:
            self._leaving.remove(member)
            log.info("ended", worker=member.name, how=ended)
            return
        post = next(post for post in self._posts.values() if post.member is member)
        pause_s = post.lose(f"the last process {ended}", now)
        if self._stopping:
            log.info("ended", worker=member.name, how=ended)
            return
        log.error("a process died", worker=member.name, how=ended, again_in_s=pause_s)


def _ask_to_end(member: Member) -> None:
    with suppress(ProcessLookupError):
        member.child.process.send_signal(signal.SIGTERM)
