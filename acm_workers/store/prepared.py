"""Statements that are sent for every call of a model, past SQLAlchemy's machinery.

It costs more than the statements themselves. They are still written as its expressions, compiled
by it for either dialect, and their values go through its types.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Select, UpdateBase
from sqlalchemy.exc import DBAPIError

_Convert = Callable[[Any], Any]


class Prepared:
    """A statement about one row, compiled once for each dialect.

    Every parameter is given each time, and every column that has a default is named.
    """

    def __init__(self, statement: Select[Any] | UpdateBase) -> None:
        self._statement = statement
        self._compiled: dict[str, _Compiled] = {}

    def one(self, connection: Connection, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the first row that is found or changed, by the names of its columns."""
        compiled = self._for(connection.dialect)
        cursor = compiled.execute(connection, values)
        row = cursor.fetchone()
        found = None if row is None else compiled.read(row, cursor)
        cursor.close()
        return found

    def change(self, connection: Connection, values: Mapping[str, Any]) -> int:
        """Return how many rows were changed."""
        cursor = self._for(connection.dialect).execute(connection, values)
        changed: int = cursor.rowcount
        cursor.close()
        return changed

    def _for(self, dialect: Dialect) -> "_Compiled":
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _Compiled(self._statement, dialect)
        return compiled


class _Compiled:
    """A statement as the driver of one dialect takes it."""

    def __init__(self, statement: Select[Any] | UpdateBase, dialect: Dialect) -> None:
        compiled: Any = statement.compile(dialect=dialect)
        if compiled.insert_prefetch or compiled.update_prefetch:
            raise ValueError("a prepared statement names every column that has a default")
        self._text: str = compiled.string
        self._dialect = dialect
        self._driver: Any = dialect.dbapi
        self._columns = list(statement.exported_columns)
        self._readers: Sequence[tuple[str, _Convert | None]] = ()
        self._order: list[str] | None = compiled.positiontup if dialect.positional else None
        self._constant: dict[str, Any] = {}
        self._given: list[tuple[str, _Convert | None]] = []
        for parameter, name in compiled.bind_names.items():
            convert = parameter.type.dialect_impl(dialect).bind_processor(dialect)
            if parameter.required:
                self._given.append((name, convert))
            else:
                value = parameter.effective_value
                self._constant[name] = value if convert is None else convert(value)

    def execute(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        """Execute the statement in the transaction of ``connection``; return the cursor."""
        driver: Any = connection.connection.dbapi_connection
        ready = self._constant | {
            name: values[name] if convert is None else convert(values[name])
            for name, convert in self._given
        }
        order = self._order
        try:
            return driver.execute(self._text, ready if order is None else [ready[n] for n in order])
        except self._driver.Error as error:
            if self._dialect.is_disconnect(error, driver, None):
                connection.invalidate(error)
            raise DBAPIError.instance(
                self._text, None, error, self._driver.Error, hide_parameters=True
            ) from error

    def read(self, row: Sequence[Any], cursor: Any) -> dict[str, Any]:
        """Return a row of the driver's by the names of its columns."""
        if not self._readers:
            self._readers = [
                (str(column.key), self._reader(column, told[1]))
                for column, told in zip(self._columns, cursor.description, strict=True)
            ]
        return {
            name: value if convert is None else convert(value)
            for (name, convert), value in zip(self._readers, row, strict=True)
        }

    def _reader(self, column: Any, code: Any) -> _Convert | None:
        kind = column.type.dialect_impl(self._dialect)
        reader: _Convert | None = kind.result_processor(self._dialect, code)
        return reader
