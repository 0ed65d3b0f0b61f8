"""Conversion between rows and records, and inserts that ignore existing rows."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    Connection,
    Executable,
    Row,
    Select,
    Table,
    bindparam,
    inspect,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from acm_workers.errors import NotFound
from acm_workers.store import tenants
from acm_workers.store.connection.prepared import PreparedStatement
from acm_workers.store.tables import ArtifactRow, Base, ComparisonRow, EvaluationRow
from schemas.record import Record
from schemas.units import UnitKind

AnyRecord = TypeVar("AnyRecord", bound=Record)

UnitRow = type[ArtifactRow] | type[EvaluationRow] | type[ComparisonRow]
UNIT_ROWS: dict[UnitKind, UnitRow] = {
    "artifact": ArtifactRow,
    "evaluation": EvaluationRow,
    "comparison": ComparisonRow,
}


def table(row: type[Base]) -> Table:
    """Return the table behind ``row``.

    Statements on tables bypass the object mapper, which takes a fifth of the time.
    """
    found = row.__table__
    assert isinstance(found, Table)  # noqa: S101  tells the type checker
    return found


@lru_cache(maxsize=1024)
def column(row: type[Base], name: str) -> Column[Any]:
    """Return the column behind an attribute of ``row``."""
    found: Column[Any] = inspect(row).columns[name]
    return found


@lru_cache(maxsize=64)
def by_id(row: type[Base], record: type[Record]) -> PreparedStatement:
    """Return the cached query for the fields of one ``record`` by the parameter ``id``."""
    fields = [column(row, name).label(name) for name in record.model_fields]
    return PreparedStatement(select(*fields).where(column(row, "id") == bindparam("id")))


def get(
    connection: Connection, row: type[Base], record: type[AnyRecord], key: str
) -> AnyRecord | None:
    """Return the row with this id as a ``record``; None if there is none."""
    found = by_id(row, record).first(connection, {"id": key})
    return None if found is None else record.model_validate(found)


def value(connection: Connection, row: type[Base], name: str, key: str) -> Any:
    """Return one attribute of the row with this id.

    Raises:
        NotFound: There is no such row.
    """
    found = _value(row, name).first(connection, {"id": key})
    if found is None:
        raise NotFound(f"{table(row).name} has no {key}")
    return found["found"]


@lru_cache(maxsize=16)
def _value(row: type[Base], name: str) -> PreparedStatement:
    wanted = column(row, name).label("found")
    return PreparedStatement(select(wanted).where(column(row, "id") == bindparam("id")))


def select_as(row: type[Base], record: type[Record], without: frozenset[str] = frozenset()) -> Any:
    """Return a query for the columns of ``row`` that are fields of ``record``."""
    names = [name for name in record.model_fields if name not in without]
    return select(*(getattr(row, name).label(name) for name in names))


def fetch_all(
    connection: Connection, query: Select[Any], record: type[AnyRecord]
) -> list[AnyRecord]:
    """Return all rows of ``query`` as ``record``."""
    return [to_record(row, record) for row in connection.execute(query)]


def fetch_first(
    connection: Connection, query: Select[Any], record: type[AnyRecord]
) -> AnyRecord | None:
    """Return the first row of ``query`` as a ``record``; None if there is none."""
    row = connection.execute(query).first()
    return None if row is None else to_record(row, record)


def to_record(row: Row[Any], record: type[AnyRecord]) -> AnyRecord:
    """Return ``row`` as a ``record``; a field that is not in the row keeps its default."""
    return record.model_validate(dict(row._mapping))


def insert_once(connection: Connection, row: type[Base], values: Sequence[dict[str, Any]]) -> None:
    """Insert ``values``, except rows whose unique keys exist already.

    The rows of a run are assigned to the tenant of the run.
    """
    if values:
        if "run_id" in values[0] and "tenant_id" not in values[0]:
            values = [
                {**entry, "tenant_id": tenants.of_run(connection, entry["run_id"])}
                for entry in values
            ]
        by_column = [
            {column(row, name).name: value for name, value in entry.items()} for entry in values
        ]
        connection.execute(_insert(row, connection.dialect.name), by_column)


@lru_cache(maxsize=64)
def _insert(row: type[Base], dialect: str) -> Executable:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    return insert(table(row)).on_conflict_do_nothing()
