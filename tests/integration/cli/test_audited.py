"""Changes that commands make to tenants, users, keys and runs are in the audit log."""

import getpass
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acm_api.cli import main
from acm_api.http.retention import Retention
from acm_workers import runtime
from acm_workers.settings import Settings
from acm_workers.store import accounts
from acm_workers.store.accounts import AuditEntry
from acm_workers.store.connection.database import Database
from schemas.scope import LOCAL, Scope
from tests.support import stored

ACTOR = f"{getpass.getuser()} (command line)"


@pytest.fixture
def acm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], int]:
    """Run a command on a store of its own in this process; return its exit code."""
    monkeypatch.setenv("ACM_HOME", str(tmp_path))

    def run(words: str) -> int:
        monkeypatch.setattr(sys, "argv", ["acm", *words.split()])
        return main._run()

    return run


def audited(database: Database, scope: Scope = LOCAL) -> list[AuditEntry]:
    """Return the entries of a tenant, the oldest first."""
    with database.read() as connection:
        return accounts.audited(connection, scope, 100)[::-1]


def test_commands_on_accounts_write_an_entry_in_the_transaction_of_the_change(
    acm: Callable[[str], int], capsys: pytest.CaptureFixture[str]
) -> None:
    done = ["tenants add editors", "tenants quota editors --runs-at-once 3"]
    done += ["users add ann --tenant editors", "keys add ann"]
    codes = [acm(words) for words in done]
    (key,) = re.findall(r"key (\w{26}) of ann", capsys.readouterr().err)
    codes += [acm(f"keys revoke {key}"), acm("users disable ann")]
    refused = [acm("tenants add editors"), acm("users add ann"), acm("keys revoke unknown")]
    database = runtime.open_store(Settings())
    with database.read() as connection:
        editors = accounts.tenant(connection, "editors").id
    found = audited(database, Scope(editors))
    elsewhere = audited(database)
    database.close()

    assert (codes, refused) == ([0] * 6, [2] * 3)
    assert [(one.action, one.target) for one in found] == [
        ("add tenant", "editors"),
        ("set quotas", "editors"),
        ("add user", "ann"),
        ("add key", key),
        ("revoke key", key),
        ("disable user", "ann"),
    ]
    assert {one.actor for one in found} == {ACTOR}
    assert elsewhere == []


def test_who_deleted_a_run_is_in_the_audit_log_be_it_a_command_or_the_retention_time(
    acm: Callable[[str], int],
) -> None:
    database = runtime.open_store(Settings())
    with database.write() as connection:
        old, named, going = (
            stored.run(connection, state=state, finished_at=ended).id
            for state, ended in (
                ("done", stored.at(60)),
                ("done", runtime.utc_now()),
                ("running", None),
            )
        )

    deleted = Retention(database, 1).delete_due()
    codes = [acm(f"delete {named}"), acm(f"delete {going}")]

    entries = [(one.actor, one.action, one.target) for one in audited(database)]
    database.close()
    assert (deleted, codes) == (1, [0, 2])
    assert entries == [("retention", "delete", old), (ACTOR, "delete", named)]
