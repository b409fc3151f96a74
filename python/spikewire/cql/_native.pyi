"""The engine for Cassandra as Python sees it."""

import asyncio
import enum
import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any, TypeVar, final, overload

from typing_extensions import Self, Unpack

from spikewire._native import ArrowTable
from spikewire.cql.options import ExecuteOptions, PrepareOptions, SessionOptions
from spikewire.cql.types import Node, Parameters, Statement
from spikewire.types import Seconds

__all__ = [
    "AsyncSessionCore",
    "Batch",
    "BoundStatement",
    "Many",
    "Mark",
    "Prepared",
    "Row",
    "Rows",
    "SessionCore",
    "SessionSubmit",
    "decode_value",
    "encode_value",
    "how_many",
    "is_table",
    "table_rows",
]

@final
class Mark(enum.Enum):
    """A value without a Python object of its own: ``UNSET`` and ``EMPTY`` of ``spikewire.cql``."""

    UNSET = ...
    EMPTY = ...

    def __bool__(self) -> bool: ...

@final
class Prepared:
    """A prepared statement, from ``prepare``. It may be used with any session on the same cluster;
    nodes that do not know it prepare it on demand.
    """

    @property
    def text(self) -> str:
        """The text of the statement."""

    @property
    def id(self) -> bytes:
        """The server's id of it."""

    @property
    def parameters(self) -> list[tuple[str, str]]:
        """Name and type of each parameter, in order; types as CQL spells them."""

    @property
    def parameter_columns(self) -> list[tuple[str, str, str, str]]:
        """Keyspace, table, name and type of each parameter, in order; types as the server's class
        names, which hold the keyspace and the fields of user-defined types.
        """

    @property
    def partition_key(self) -> list[int]:
        """The indexes of the parameters that form the partition key, in the key's order; empty if
        the statement does not determine a partition, so any node may be used.
        """

    def token(self, parameters: Parameters | None = None, /) -> int | None:
        """The token of the partition for these parameters, which determines the nodes that hold it;
        ``None`` if the statement does not determine a partition.
        """

    @property
    def warnings(self) -> list[str]:
        """The server's warnings when it prepared the statement."""

    def bind(self, parameters: Parameters | None = None, /) -> BoundStatement:
        """The statement with parameters, which are validated and kept as they are now, to execute
        it several times or later.

        Raises ``TypeError``, ``ValueError`` or ``OverflowError`` for values that do not fit.
        """

@final
class BoundStatement:
    """A prepared statement with its parameters, from ``Prepared.bind``."""

    @property
    def prepared(self) -> Prepared:
        """The statement without its parameters."""

    @property
    def values(self) -> list[Any]:
        """The values as they are sent: bytes, ``None`` for null, or ``UNSET``."""

@final
class Batch:
    """Several statements executed with one request: ``session.execute(batch)``.

    ``kind`` is ``"logged"`` (all statements are eventually applied, or none), ``"unlogged"`` (each
    partition separately) or ``"counter"`` (for counter updates). A batch can be executed any number
    of times, and extended in between.
    """

    def __new__(cls, kind: str = "logged") -> Self: ...
    def add(self, statement: Statement, parameters: Parameters | None = None, /) -> None:
        """Adds a statement, which is text or prepared, with its parameters.

        Values of a prepared statement are validated and kept as they are now. Raises ``TypeError``,
        ``ValueError`` or ``OverflowError`` for parameters that do not fit, for statements other
        than INSERT, UPDATE and DELETE, and beyond 65,535 statements.
        """

    def clear(self) -> None:
        """Removes all statements."""

    @property
    def kind(self) -> str:
        """``"logged"``, ``"unlogged"`` or ``"counter"``."""

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...

_T = TypeVar("_T")

@final
class Row:
    """A row: its values by index, by name, and as attributes.

    ``row[0]``, ``row["name"]`` and ``row.name`` are the same value; use ``row["keys"]`` for a
    column with the name of a method (``keys``, ``values``, ``items``, ``get``, ``as_dict``,
    ``as_tuple``). Iteration and ``len`` are those of a tuple of the values; ``dict(row)`` is a
    dictionary. Values of a user-defined type are rows, too.
    """

    def __getattr__(self, name: str, /) -> Any: ...
    @overload
    def __getitem__(self, key: int | str, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, value: object, /) -> bool: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def keys(self) -> list[str]:
        """The names of the columns, in order."""

    def values(self) -> list[Any]:
        """The values, in order."""

    def items(self) -> list[tuple[str, Any]]:
        """Pairs of name and value."""

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a column, or ``default`` if there is no such column."""

    def as_dict(self) -> dict[str, Any]:
        """The values by name. For columns with the same name, the last one's value."""

    def as_tuple(self) -> tuple[Any, ...]:
        """The values as a tuple."""

@final
class Rows:
    """The result of a statement: a sequence of rows.

    Rows are created on access: ``result[0]`` and iteration create new ones each time. A statement
    without rows has a result of length 0.
    """

    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    @overload
    def __getitem__(self, key: int, /) -> Row: ...
    @overload
    def __getitem__(self, key: slice, /) -> list[Row]: ...
    def __iter__(self) -> Iterator[Row]: ...
    @overload
    def first(self, type: None = None, /) -> Row | None:
        """The first row, or ``None`` if there is none; with a type, an instance of it: of a
        TypedDict, a dataclass, a ``msgspec.Struct`` or a pydantic model, whose fields are columns.

        Raises ``ValueError``, naming the column, if the row does not fit the type.
        """
    @overload
    def first(self, type: type[_T], /) -> _T | None:
        """The first row, or ``None`` if there is none; with a type, an instance of it: of a
        TypedDict, a dataclass, a ``msgspec.Struct`` or a pydantic model, whose fields are columns.

        Raises ``ValueError``, naming the column, if the row does not fit the type.
        """
    @overload
    def one(self, type: None = None, /) -> Row | None:
        """The only row, or ``None`` if there is none; with a type, an instance of it, as in
        ``first``. Raises ``ValueError`` if there are more.
        """
    @overload
    def one(self, type: type[_T], /) -> _T | None:
        """The only row, or ``None`` if there is none; with a type, an instance of it, as in
        ``first``. Raises ``ValueError`` if there are more.
        """
    @overload
    def all(self, type: None = None, /) -> list[Row]:
        """All rows as a list; with a type, as instances of it, as in ``first``."""
    @overload
    def all(self, type: type[_T], /) -> list[_T]:
        """All rows as a list; with a type, as instances of it, as in ``first``."""

    def to_arrow(self) -> ArrowTable:
        """The rows as an Arrow table, decoded straight from the server's reply, for all consumers
        of the Arrow PyCapsule interface, such as ``pyarrow.table`` and ``polars.DataFrame``.
        Decimals have the largest scale of their column and are not rounded; the empty value, if a
        type has one, is null.
        """

    def to_numpy(self, dtype: Any = None, *, missing: str | None = None) -> Any:
        """A dictionary of arrays, one per column; with a structured ``dtype`` a single array, whose
        fields take the columns of the same names. Nulls are masked; with ``missing="raise"`` arrays
        are plain, and a null raises ``ValueError``.
        """

    def to_pandas(self) -> Any:
        """The rows as a ``pandas.DataFrame``: numbers and booleans as nullable arrays, text as
        ``string``, timestamps in UTC, everything else as the objects found in rows.
        """

    def to_polars(self) -> Any:
        """The rows as a ``polars.DataFrame``."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order; empty if the statement has no rows."""

    @property
    def types(self) -> list[str]:
        """The types of the columns as CQL spells them, in order."""

    @property
    def class_names(self) -> list[str]:
        """The types of the columns as the server's class names, in order: they hold the keyspace
        and the fields of user-defined types.
        """

    @property
    def applied(self) -> bool | None:
        """Whether a conditional statement was applied; ``None`` if the statement has no
        condition.
        """

    @property
    def paging_state(self) -> bytes | None:
        """The start of the next page, for ``paging_state``; ``None`` on the last one. Opaque bytes;
        they contain keys, so do not trust them if they come from outside.
        """

    @property
    def warnings(self) -> list[str]:
        """The server's warnings."""

    @property
    def tracing_ids(self) -> list[uuid.UUID]:
        """The ids of the traces kept by the server, one per page (``tracing=True``)."""

    @property
    def payload(self) -> dict[str, bytes | None]:
        """The custom payload of the answer."""

    @property
    def node(self) -> str:
        """The address of the node that answered."""

    @property
    def attempts(self) -> int:
        """The number of requests sent, including retries."""

    @property
    def schema_agreed(self) -> bool:
        """After a schema change, whether all nodes agreed on the schema."""

def encode_value(class_name: str, value: object, /) -> bytes | None:
    """The bytes of a value of a type, which is the server's class name; ``None`` for null."""

def decode_value(class_name: str, bytes: bytes | None, /) -> Any:
    """The value of a type, which is the server's class name, from its bytes; ``None`` for null."""

def is_table(value: object, /) -> bool:
    """Whether something is a table: with Arrow's interface, a frame of pandas, an array of NumPy or
    a dictionary of arrays."""

def table_rows(statement: Statement, table: Any, /) -> Iterator[Any]:
    """The rows of a table, for a statement whose parameters have the names of its columns."""

def how_many(
    concurrency: int, errors: str, results: bool, deadline: Seconds | None, /
) -> tuple[int, bool, bool, int]:
    """How a call with many rows goes, checked: rows in flight, whether there are results, whether
    errors are among them, and when it ends."""

@final
class Many:
    """The rows of one ``execute_many``."""

    def feed(self, rows: Iterator[Any]) -> bool: ...
    def add(self, row: Any) -> bool: ...
    @property
    def stopped(self) -> bool: ...
    def left(self) -> float | None: ...
    def expire(self) -> None: ...
    @property
    def expired(self) -> bool: ...
    def stop(self) -> None: ...
    def wait(self, most: int) -> None: ...
    def room(self, most: int) -> asyncio.Future[None]: ...
    @property
    def started(self) -> int: ...
    def failed(self) -> tuple[int, Exception] | None: ...
    def results(self) -> list[Any] | None: ...

class SessionCore:
    """A blocking session; ``spikewire.cql.Session`` is built on it."""

    def __new__(
        cls, contact_points: str | list[str], **options: Unpack[SessionOptions]
    ) -> Self: ...
    def _start(self) -> bool: ...
    def _end(self) -> None: ...
    def _check(self, statement: Statement, /, **options: Unpack[ExecuteOptions]) -> None: ...
    def _many(
        self,
        statement: Statement,
        how: tuple[int, bool, bool, int],
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Many: ...
    @property
    def is_open(self) -> bool:
        """Whether statements can be sent."""

    @property
    def protocol_version(self) -> int:
        """The version of the native protocol in use: 4 or 5."""

    @property
    def keyspace(self) -> str | None:
        """The keyspace of tables named without one: that of the last ``USE``, or of the options."""

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the cluster, as currently known."""

    def replicas(self, keyspace: str, token: int) -> list[str]:
        """The addresses of the nodes that hold a token of a keyspace."""

    def _schema(self) -> str:
        """The schema as JSON. Blocks."""

    def register_type(self, name: str, class_: type[Any], /) -> None:
        """Returns values of a user-defined type as instances of a class, which is called with the
        fields by name: a dataclass, a named tuple. Unregistered types are returned as ``Row``.

        ``name`` is ``"keyspace.type"``, or a type in the session's keyspace. Instances of any class
        with attributes for the fields are accepted as parameters, registered or not. Raises
        ``ValueError`` for an invalid type name, ``TypeError`` if the argument is not a class.
        """

    @property
    def _submit(self) -> SessionSubmit: ...
    # verbs of SessionCore: tools/generate.py
    def execute(
        self,
        statement: Statement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Rows:
        """Executes a statement: text, a prepared or bound one, or a batch.

        ``parameters`` are values by position (tuple, list) or by name (mapping,
        dataclass, row), as many as there are markers. Text with parameters is prepared
        on first use: its markers are ``?`` or ``%s``, ``:name`` or ``%(name)s``. Values
        are never interpolated into the text, and take the types of their columns. All
        rows are fetched, page by page. ``options`` are those of ``ExecuteOptions``.

        Raises an error of ``spikewire.cql.errors`` if the server rejects the statement
        or does not answer, ``TypeError``, ``ValueError`` or ``OverflowError`` for values
        that do not fit.
        """
    def page(
        self,
        statement: str | Prepared | BoundStatement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Rows:
        """One page of a statement's rows, up to ``page_size``: the page that starts at the
        option ``paging_state``, or the first one. ``rows.paging_state`` is the start of
        the next page. An empty page is not necessarily the last. Otherwise as
        ``execute``.
        """
    def prepare(
        self,
        statement: str,
        /,
        **options: Unpack[PrepareOptions],
    ) -> Prepared:
        """Prepares a statement, unless the session has it already and the schema has not
        changed since. Its markers are ``?`` and ``:name``. ``options`` are those of
        ``PrepareOptions``.
        """
    # end of SessionCore's verbs
    def _prepared(self, statement: str, /, **options: Unpack[PrepareOptions]) -> Prepared: ...

@final
class SessionSubmit:
    """The verbs of a session, each returning a ``concurrent.futures.Future`` at once. From
    ``Session.submit``."""

    # verbs of SessionSubmit: tools/generate.py
    def execute(
        self,
        statement: Statement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Future[Rows]:
        """Executes a statement: text, a prepared or bound one, or a batch.

        ``parameters`` are values by position (tuple, list) or by name (mapping,
        dataclass, row), as many as there are markers. Text with parameters is prepared
        on first use: its markers are ``?`` or ``%s``, ``:name`` or ``%(name)s``. Values
        are never interpolated into the text, and take the types of their columns. All
        rows are fetched, page by page. ``options`` are those of ``ExecuteOptions``.

        Raises an error of ``spikewire.cql.errors`` if the server rejects the statement
        or does not answer, ``TypeError``, ``ValueError`` or ``OverflowError`` for values
        that do not fit.
        """
    def page(
        self,
        statement: str | Prepared | BoundStatement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Future[Rows]:
        """One page of a statement's rows, up to ``page_size``: the page that starts at the
        option ``paging_state``, or the first one. ``rows.paging_state`` is the start of
        the next page. An empty page is not necessarily the last. Otherwise as
        ``execute``.
        """
    def prepare(
        self,
        statement: str,
        /,
        **options: Unpack[PrepareOptions],
    ) -> Future[Prepared]:
        """Prepares a statement, unless the session has it already and the schema has not
        changed since. Its markers are ``?`` and ``:name``. ``options`` are those of
        ``PrepareOptions``.
        """
    # end of SessionSubmit's verbs

class AsyncSessionCore:
    """An asyncio session; ``spikewire.cql.AsyncSession`` is built on it."""

    def __new__(
        cls, contact_points: str | list[str], **options: Unpack[SessionOptions]
    ) -> Self: ...
    def _start(self) -> bool: ...
    def _end(self) -> None: ...
    def _check(self, statement: Statement, /, **options: Unpack[ExecuteOptions]) -> None: ...
    def _many(
        self,
        statement: Statement,
        how: tuple[int, bool, bool, int],
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Many: ...
    @property
    def is_open(self) -> bool:
        """Whether statements can be sent."""

    @property
    def protocol_version(self) -> int:
        """The version of the native protocol in use: 4 or 5."""

    @property
    def keyspace(self) -> str | None:
        """The keyspace of tables named without one: that of the last ``USE``, or of the options."""

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the cluster, as currently known."""

    def replicas(self, keyspace: str, token: int) -> list[str]:
        """The addresses of the nodes that hold a token of a keyspace."""

    def _schema(self) -> str:
        """The schema as JSON. Blocks."""

    def register_type(self, name: str, class_: type[Any], /) -> None:
        """Returns values of a user-defined type as instances of a class, which is called with the
        fields by name: a dataclass, a named tuple. Unregistered types are returned as ``Row``.

        ``name`` is ``"keyspace.type"``, or a type in the session's keyspace. Instances of any class
        with attributes for the fields are accepted as parameters, registered or not. Raises
        ``ValueError`` for an invalid type name, ``TypeError`` if the argument is not a class.
        """

    # verbs of AsyncSessionCore: tools/generate.py
    def execute(
        self,
        statement: Statement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> asyncio.Future[Rows]:
        """Executes a statement: text, a prepared or bound one, or a batch.

        ``parameters`` are values by position (tuple, list) or by name (mapping,
        dataclass, row), as many as there are markers. Text with parameters is prepared
        on first use: its markers are ``?`` or ``%s``, ``:name`` or ``%(name)s``. Values
        are never interpolated into the text, and take the types of their columns. All
        rows are fetched, page by page. ``options`` are those of ``ExecuteOptions``.

        Raises an error of ``spikewire.cql.errors`` if the server rejects the statement
        or does not answer, ``TypeError``, ``ValueError`` or ``OverflowError`` for values
        that do not fit.
        """
    def page(
        self,
        statement: str | Prepared | BoundStatement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> asyncio.Future[Rows]:
        """One page of a statement's rows, up to ``page_size``: the page that starts at the
        option ``paging_state``, or the first one. ``rows.paging_state`` is the start of
        the next page. An empty page is not necessarily the last. Otherwise as
        ``execute``.
        """
    def prepare(
        self,
        statement: str,
        /,
        **options: Unpack[PrepareOptions],
    ) -> asyncio.Future[Prepared]:
        """Prepares a statement, unless the session has it already and the schema has not
        changed since. Its markers are ``?`` and ``:name``. ``options`` are those of
        ``PrepareOptions``.
        """
    # end of AsyncSessionCore's verbs
    def _prepared(
        self, statement: str, /, **options: Unpack[PrepareOptions]
    ) -> asyncio.Future[Prepared]: ...
