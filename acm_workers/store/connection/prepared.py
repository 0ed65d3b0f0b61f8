"""Statements that are sent for every call of a model, past SQLAlchemy's machinery.

It costs more than the statements themselves. They are still written as its expressions, compiled
by it for either dialect, and their values go through its types.
"""

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Select, UpdateBase

from acm_workers.store.connection import driver_errors

_Statement = Select[Any] | UpdateBase
_Convert = Callable[[Any], Any]


class Prepared:
    """A statement about one row, compiled once for each dialect.

    Every parameter is given each time, and every column that has a default is named.
    """

    def __init__(self, statement: _Statement) -> None:
        self._statement = statement
        self._forms: dict[str, _Form] = {}

    def one(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the first row that is found or changed, by the names of its columns."""
        return self._for(connection.dialect).one(connection, values)

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Return how many rows were changed."""
        return self._for(connection.dialect).change(connection, values)

    def _for(self, dialect: Dialect) -> "_Form":
        form = self._forms.get(dialect.name)
        if form is None:
            made = _OnFile if dialect.name == "sqlite" else _OnServer
            form = self._forms[dialect.name] = made(self._statement, dialect)
        return form


class _Form(ABC):
    """A statement as the driver of one dialect takes it."""

    def __init__(self, statement: _Statement, dialect: Dialect, written: Dialect) -> None:
        """Compile ``statement`` for ``written``: the dialect with parameters by their order."""
        compiled: Any = statement.compile(dialect=written)
        if compiled.insert_prefetch or compiled.update_prefetch:
            raise ValueError("a prepared statement names every column that has a default")
        self._text: str = compiled.string
        self._dialect = dialect
        self._failed = driver_errors.of_driver(dialect)
        self._columns = list(statement.exported_columns)
        self._readers: Sequence[tuple[str, _Convert | None]] = ()
        names = {name: parameter for parameter, name in compiled.bind_names.items()}
        self._given = [self._parameter(name, names[name]) for name in compiled.positiontup]

    @abstractmethod
    def one(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """See ``Prepared.one``."""

    @abstractmethod
    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """See ``Prepared.change``."""

    def _parameter(self, name: str, parameter: Any) -> tuple[str | None, _Convert | None, Any]:
        """Return the name and the converter of a given value, or a value that never changes."""
        convert = parameter.type.dialect_impl(self._dialect).bind_processor(self._dialect)
        if parameter.required:
            return name, convert, None
        value = parameter.effective_value
        return None, None, value if convert is None else convert(value)

    def _ready(self, values: Mapping[str, Any]) -> list[Any]:
        return [
            constant if name is None else values[name] if convert is None else convert(values[name])
            for name, convert, constant in self._given
        ]

    def _read(self, row: Sequence[Any], codes: Callable[[], Sequence[Any]]) -> dict[str, Any]:
        """Return a row of the driver's by the names of its columns.

        Args:
            codes: Gives the driver's names of their types.
        """
        if not self._readers:
            self._readers = [
                (str(column.key), self._reader(column, code))
                for column, code in zip(self._columns, codes(), strict=True)
            ]
        return {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(self._readers, row, strict=True)
        }

    def _reader(self, column: Any, code: Any) -> _Convert | None:
        kind = column.type.dialect_impl(self._dialect)
        reader: _Convert | None = kind.result_processor(self._dialect, code)
        return reader


class _OnFile(_Form):
    """A statement for SQLite."""

    def __init__(self, statement: _Statement, dialect: Dialect) -> None:
        super().__init__(statement, dialect, dialect)

    def one(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        cursor = self._execute(connection, values)
        row = cursor.fetchone()
        found = None if row is None else self._read(row, lambda: [c[1] for c in cursor.description])
        cursor.close()
        return found

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        cursor = self._execute(connection, values)
        changed = cursor.rowcount
        cursor.close()
        return changed

    def _execute(self, connection: Connection, values: Mapping[str, Any]) -> sqlite3.Cursor:
        ready = self._ready(values)
        try:
            cursor: sqlite3.Cursor = _driver(connection).execute(self._text, ready)
        except self._failed as error:
            raise driver_errors.met(connection, self._text, error) from error
        return cursor


class _OnServer(_Form):
    """A statement for Postgres."""

    def __init__(self, statement: _Statement, dialect: Dialect) -> None:
        from acm_workers.store.connection import (
            libpq,  # psycopg is slow to import, and SQLite needs none
        )

        kind: Any = type(dialect)
        super().__init__(statement, dialect, kind(paramstyle="numeric_dollar"))
        self._prepared = libpq.Statement(self._text, len(self._given))

    def one(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        answer = self._execute(connection, values)
        row = self._prepared.row(connection.info, answer)
        if row is None:
            return None
        return self._read(row, lambda: [answer.ftype(place) for place in range(answer.nfields)])

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        changed: int = self._execute(connection, values).command_tuples or 0
        return changed

    def _execute(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        ready = self._ready(values)
        try:
            return self._prepared.execute(_driver(connection), connection.info, ready)
        except self._failed as error:
            raise driver_errors.met(connection, self._text, error) from error


def _driver(connection: Connection) -> Any:
    return connection.connection.dbapi_connection
