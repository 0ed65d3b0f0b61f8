"""Networks of children's own."""

import os
import socket
import sys
from pathlib import Path

import pytest

from acm_workers.errors import ChildNotStarted
from acm_workers.processes import child, own_network
from acm_workers.processes.spec import ChildEnd, ChildSpec
from tests.support import own_networks

_PORT = 4321
_PROGRAM = """
import json, os, socket, sys
def reached(host, port):
    try:
        return socket.create_connection((host, int(port)), 60).recv(10).decode()
    except OSError as error:
        return type(error).__name__
own, other = sys.argv[1:]
found = {
    "own": reached("127.0.0.1", own),
    "other": reached("127.0.0.1", other),
    "devices": [name for _, name in socket.if_nameindex()],
    "uid": os.getuid(),
}
os.write(int(os.environ["ACM_EVENTS_FD"]), json.dumps({"event": "result", **found}).encode())
"""


def run(folder: Path, other: int) -> ChildEnd:
    accepted = []

    def answer(listener: socket.socket) -> None:
        # The child waits for what is accepted here; until then its connection is in the queue.
        connection, _ = listener.accept()
        connection.sendall(b"hello")
        connection.close()
        accepted.append(listener.getsockname())

    spec = ChildSpec(
        argv=(sys.executable, "-I", "-S", "-c", _PROGRAM, str(_PORT), str(other)),
        environment={"PATH": os.defpath},
        folder=folder,
        soft_deadline_s=90,
        only_port=_PORT,
    )
    end = child.run(spec, on_listening=answer)
    assert accepted == [("127.0.0.1", _PORT)]
    return end


def test_a_child_in_its_own_network_reaches_its_worker_and_nothing_else(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        if own_network.why_not() is not None:
            with pytest.raises(ChildNotStarted):
                run(tmp_path, other.getsockname()[1])
            return
        end = run(tmp_path, other.getsockname()[1])

    assert end.result == {
        "event": "result",
        "own": "hello",
        "other": "ConnectionRefusedError",
        "devices": ["lo"],
        "uid": os.getuid(),
    }


def test_a_child_of_a_user_without_rights_reaches_its_worker_alone_or_is_not_started() -> None:
    rights = own_networks.without_rights()

    found = own_networks.found_with(rights)

    assert found["user"] != 0
    if own_networks.are_allowed(rights):
        assert found["reached"] == [found["only_port"]]
    else:
        assert "a network of its own" in found["refused"]
        assert "a network of its own" in found["why_not"]


def test_where_namespaces_are_not_allowed_the_reason_is_known_and_no_child_starts_with_one() -> (
    None
):
    found = own_networks.found_with(own_networks.without_namespaces())

    assert "a network of its own" in found["why_not"]
    assert "a network of its own" in found["refused"]
