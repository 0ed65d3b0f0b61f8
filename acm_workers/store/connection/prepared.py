"""Frequent statements, which the driver prepares.

Execution by SQLAlchemy costs more CPU time than the statements themselves (decision 0029).
SQLAlchemy is still used to compile statements for both databases and to convert values.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Dialect, Select, UpdateBase

from acm_workers.store.connection import driver_errors

_Convert = Callable[[Any], Any]


class PreparedStatement:
    """A statement about a single row, compiled once for each database.

    Each execution must pass all parameters, and the statement must name all columns with defaults.
    """

    def __init__(self, statement: Select[Any] | UpdateBase) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}
        self._lock = threading.Lock()

    def first(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Execute the statement; return the first row that is found or changed, by column name."""
        compiled = self._for(connection.dialect)
        cursor = self._execute(connection, compiled, values)
        row = cursor.fetchone()
        found = None if row is None else compiled.to_dict(row, cursor.description)
        cursor.close()
        return found

    def execute(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Execute the statement; return the number of changed rows."""
        cursor = self._execute(connection, self._for(connection.dialect), values)
        changed: int = cursor.rowcount
        cursor.close()
        return changed

    def _for(self, dialect: Dialect) -> "_Compiled":
        if dialect.name not in self._compiled:
            with self._lock:  # threads that start together compile it once
                if dialect.name not in self._compiled:
                    self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return self._compiled[dialect.name]

    def _execute(
        self, connection: Connection, compiled: "_Compiled", values: Mapping[str, Any]
    ) -> Any:
        driver = connection.connection.dbapi_connection
        dbapi: Any = connection.dialect.dbapi
        ready = compiled.to_driver(values)
        try:
            if isinstance(driver, sqlite3.Connection):
                return driver.execute(compiled.text, ready)
            return _raw_cursor(driver).execute(compiled.text, ready, prepare=True)
        except dbapi.Error as error:
            raise driver_errors.as_sqlalchemy(connection, compiled.text, error) from error


class _Parameter(NamedTuple):
    """A parameter of a statement: either the ``name`` of a value, or a constant."""

    name: str | None
    convert: _Convert | None
    constant: Any


class _Compiled:
    """The text of a statement for one driver, with converters for its parameters and columns."""

    def __init__(self, statement: Select[Any] | UpdateBase, dialect: Dialect) -> None:
        self._dialect = dialect
        style = "qmark" if dialect.name == "sqlite" else "numeric_dollar"
        by_position: Any = type(dialect)
        compiled: Any = statement.compile(dialect=by_position(paramstyle=style))
        if compiled.insert_prefetch or compiled.update_prefetch:
            raise ValueError("a prepared statement names every column that has a default")
        self.text: str = compiled.string
        self._columns = list(statement.exported_columns)
        self._readers: Sequence[tuple[str, _Convert | None]] = ()
        binds = {name: bind for bind, name in compiled.bind_names.items()}
        self._parameters = [self._parameter(name, binds[name]) for name in compiled.positiontup]

    def to_driver(self, values: Mapping[str, Any]) -> list[Any]:
        """Convert the parameters to a sequence for the driver."""
        return [
            constant if name is None else values[name] if convert is None else convert(values[name])
            for name, convert, constant in self._parameters
        ]

    def to_dict(self, row: Sequence[Any], description: Sequence[Any]) -> dict[str, Any]:
        """Convert a row of the driver to a dictionary by column name.

        Args:
            row: The values in order.
            description: The columns as the driver's cursor describes them.
        """
        if not self._readers:
            self._readers = [
                (str(column.key), self._impl(column).result_processor(self._dialect, found[1]))
                for column, found in zip(self._columns, description, strict=True)
            ]
        return {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(self._readers, row, strict=True)
        }

    def _parameter(self, name: str, bind: Any) -> _Parameter:
        convert = self._impl(bind).bind_processor(self._dialect)
        if bind.required:
            return _Parameter(name, convert, None)
        value = bind.effective_value
        return _Parameter(None, None, value if convert is None else convert(value))

    def _impl(self, of: Any) -> Any:
        return of.type.dialect_impl(self._dialect)


def _raw_cursor(driver: Any) -> Any:
    from psycopg import RawCursor  # slow to import, and not needed for SQLite

    return RawCursor(driver)
