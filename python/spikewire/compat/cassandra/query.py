"""Statements, row factories, traces."""

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING, Any

from spikewire import cql
from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.factories import (
    dict_factory,
    named_tuple_factory,
    ordered_dict_factory,
    tuple_factory,
)
from spikewire.compat.cassandra.levels import ConsistencyLevel, consistency_value_to_name
from spikewire.compat.cassandra.marks import FETCH_SIZE_UNSET, UNSET_VALUE
from spikewire.compat.cassandra.policies import retries_of
from spikewire.compat.cassandra.util import datetime_from_uuid1

if TYPE_CHECKING:
    import uuid
    from collections.abc import Iterable

    from spikewire.compat.cassandra.policies import RetryPolicy
    from spikewire.compat.cassandra.values import Binder

__all__ = [
    "FETCH_SIZE_UNSET",
    "UNSET_VALUE",
    "BatchStatement",
    "BatchType",
    "BoundStatement",
    "PreparedStatement",
    "QueryTrace",
    "SimpleStatement",
    "Statement",
    "TraceEvent",
    "TraceUnavailable",
    "ValueSequence",
    "dict_factory",
    "named_tuple_factory",
    "ordered_dict_factory",
    "tuple_factory",
]

#: The maximum number of statements in a batch.
_MOST = 0xFFFF


class ValueSequence(list[Any]):
    """Values for ``IN %s``. Any list or tuple can be used."""


class Statement:
    """What all statements have in common."""

    _serial_consistency_level: int | None = None

    def __init__(
        self,
        retry_policy: RetryPolicy | None = None,
        consistency_level: int | None = None,
        routing_key: Any = None,
        serial_consistency_level: int | None = None,
        fetch_size: Any = FETCH_SIZE_UNSET,
        keyspace: str | None = None,
        custom_payload: dict[str, bytes] | None = None,
        is_idempotent: bool = False,
    ) -> None:
        if routing_key is not None:
            DIFFERENCES.missing("SimpleStatement(routing_key)")
        retries_of(retry_policy, "retry_policy")
        self.retry_policy = retry_policy
        self.consistency_level = consistency_level
        if serial_consistency_level is not None:
            self.serial_consistency_level = serial_consistency_level
        self.fetch_size = fetch_size
        self.keyspace = keyspace
        self.custom_payload = custom_payload
        self.is_idempotent = is_idempotent

    @property
    def serial_consistency_level(self) -> int | None:
        """The consistency level of conditional statements: ``SERIAL`` or ``LOCAL_SERIAL``."""
        return self._serial_consistency_level

    @serial_consistency_level.setter
    def serial_consistency_level(self, level: int | None) -> None:
        if level is not None and not ConsistencyLevel.is_serial(level):
            message = (
                "serial_consistency_level must be either ConsistencyLevel.SERIAL or "
                "ConsistencyLevel.LOCAL_SERIAL."
            )
            raise ValueError(message)
        self._serial_consistency_level = level


class SimpleStatement(Statement):
    """A statement as text, with ``%s`` or ``%(name)s`` for parameters."""

    def __init__(self, query_string: str, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._query_string = query_string

    @property
    def query_string(self) -> str:
        """The text."""
        return self._query_string

    def __str__(self) -> str:
        level = consistency_value_to_name(self.consistency_level)
        return f'<SimpleStatement query="{self.query_string}", consistency={level}>'

    __repr__ = __str__


class PreparedStatement:
    """A statement prepared on the server, from ``Session.prepare``."""

    def __init__(
        self,
        prepared: Any,
        binder: Binder,
        protocol_version: int,
        keyspace: str | None = None,
        custom_payload: dict[str, bytes] | None = None,
    ) -> None:
        self.prepared = prepared
        self.protocol_version = protocol_version
        self.keyspace = keyspace
        self.custom_payload = custom_payload
        self.retry_policy: RetryPolicy | None = None
        self.consistency_level: int | None = None
        self.serial_consistency_level: int | None = None
        self.fetch_size: Any = FETCH_SIZE_UNSET
        self.is_idempotent = False
        self._binder = binder

    @property
    def query_string(self) -> str:
        """The text."""
        text: str = self.prepared.text
        return text

    @property
    def query_id(self) -> bytes:
        """The server's id for it."""
        id_: bytes = self.prepared.id
        return id_

    @property
    def column_metadata(self) -> list[tuple[str, str]]:
        """Name and type of each parameter."""
        return list(zip(self._binder.names, self._binder.types, strict=True))

    @property
    def routing_key_indexes(self) -> list[int] | None:
        """The parameters that form the partition key."""
        return list(self.prepared.partition_key) or None

    def is_routing_key_index(self, i: int) -> bool:
        """Whether a parameter is part of the partition key."""
        return i in (self.routing_key_indexes or ())

    def bind(self, values: Any) -> BoundStatement:
        """The statement with these parameters."""
        return BoundStatement(self).bind(values)

    def bound_values(self, values: Any) -> tuple[Any, ...]:
        """Converts parameters for the engine."""
        return self._binder(values)

    def __str__(self) -> str:
        level = consistency_value_to_name(self.consistency_level)
        return f'<PreparedStatement query="{self.query_string}", consistency={level}>'

    __repr__ = __str__


class BoundStatement(Statement):
    """A prepared statement with parameters."""

    def __init__(
        self,
        prepared_statement: PreparedStatement,
        retry_policy: RetryPolicy | None = None,
        consistency_level: int | None = None,
        routing_key: Any = None,
        serial_consistency_level: int | None = None,
        fetch_size: Any = FETCH_SIZE_UNSET,
        keyspace: str | None = None,
        custom_payload: dict[str, bytes] | None = None,
    ) -> None:
        of = prepared_statement
        super().__init__(
            retry_policy or of.retry_policy,
            of.consistency_level if consistency_level is None else consistency_level,
            routing_key,
            serial_consistency_level or of.serial_consistency_level,
            of.fetch_size if fetch_size is FETCH_SIZE_UNSET else fetch_size,
            keyspace or of.keyspace,
            custom_payload or of.custom_payload,
            of.is_idempotent,
        )
        self.prepared_statement = of
        self.raw_values: Any = ()
        self.values: tuple[Any, ...] = of.bound_values(()) if not of.column_metadata else ()

    def bind(self, values: Any) -> BoundStatement:
        """Binds parameters: a sequence, or a dictionary. Missing ones leave the stored values
        unchanged."""
        self.values = self.prepared_statement.bound_values(values)
        self.raw_values = values
        return self

    def __str__(self) -> str:
        level = consistency_value_to_name(self.consistency_level)
        query = self.prepared_statement.query_string
        return f'<BoundStatement query="{query}", values={self.raw_values}, consistency={level}>'

    __repr__ = __str__


class BatchType:
    """The kind of a batch."""

    LOGGED: BatchType
    UNLOGGED: BatchType
    COUNTER: BatchType

    def __init__(self, name: str, value: int) -> None:
        self.name = name
        self.value = value

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"BatchType.{self.name}"


BatchType.LOGGED = BatchType("LOGGED", 0)
BatchType.UNLOGGED = BatchType("UNLOGGED", 1)
BatchType.COUNTER = BatchType("COUNTER", 2)


class BatchStatement(Statement):
    """Several statements in one request."""

    def __init__(
        self,
        batch_type: BatchType = BatchType.LOGGED,
        retry_policy: RetryPolicy | None = None,
        consistency_level: int | None = None,
        serial_consistency_level: int | None = None,
        session: Any = None,
        custom_payload: dict[str, bytes] | None = None,
    ) -> None:
        super().__init__(
            retry_policy=retry_policy,
            consistency_level=consistency_level,
            serial_consistency_level=serial_consistency_level,
            custom_payload=custom_payload,
        )
        self.batch_type = batch_type
        self._session = session
        #: Text or a bound statement, and the parameters of a text.
        self.entries: list[tuple[str | BoundStatement, Any]] = []

    def clear(self) -> None:
        """Removes all statements."""
        self.entries.clear()
        self.keyspace = None
        self.custom_payload = None

    def add(self, statement: Any, parameters: Any = None) -> BatchStatement:
        """Adds a statement with its parameters."""
        if isinstance(statement, PreparedStatement):
            entry: tuple[str | BoundStatement, Any] = statement.bind(parameters), None
        elif isinstance(statement, BoundStatement):
            if parameters:
                message = (
                    "Parameters cannot be passed with a BoundStatement to BatchStatement.add()"
                )
                raise ValueError(message)
            entry = statement, None
        elif isinstance(statement, SimpleStatement):
            entry = statement.query_string, parameters or None
        elif isinstance(statement, str):
            entry = statement, parameters or None
        else:
            message = f"a batch takes statements, not {type(statement).__name__}"
            raise TypeError(message)
        if len(self.entries) >= _MOST:
            message = f"Batch statement cannot contain more than {_MOST} statements."
            raise ValueError(message)
        self.entries.append(entry)
        for name in ("keyspace", "custom_payload"):
            theirs = getattr(statement, name, None)
            if theirs and name == "custom_payload":
                own: dict[str, bytes] = self.custom_payload or {}
                self.custom_payload = {**own, **theirs}
            elif theirs and self.keyspace is None:
                self.keyspace = theirs
        return self

    def add_all(self, statements: Iterable[Any], parameters: Iterable[Any]) -> BatchStatement:
        """Adds statements, each with its parameters."""
        for statement, values in zip(statements, parameters, strict=False):
            self.add(statement, values)
        return self

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        level = consistency_value_to_name(self.consistency_level)
        kind = self.batch_type
        return f"<BatchStatement type={kind}, statements={len(self)}, consistency={level}>"

    __repr__ = __str__


class TraceUnavailable(Exception):
    """The server has not stored the trace in time."""


class TraceEvent:
    """One step of a traced statement."""

    def __init__(
        self,
        description: str,
        timeuuid: uuid.UUID,
        source: str,
        source_elapsed: int | None,
        thread_name: str,
    ) -> None:
        self.description = description
        self.datetime = datetime_from_uuid1(timeuuid)
        self.source = source
        self.source_elapsed = (
            None if source_elapsed is None else dt.timedelta(microseconds=source_elapsed)
        )
        self.thread_name = thread_name

    def __str__(self) -> str:
        return f"{self.description} on {self.source}[{self.thread_name}] at {self.datetime}"


class QueryTrace:
    """The trace of a statement, as stored by the server."""

    def __init__(self, trace_id: uuid.UUID, session: Any) -> None:
        self.trace_id = trace_id
        self.request_type: str | None = None
        self.duration: dt.timedelta | None = None
        self.client: str | None = None
        self.coordinator: str | None = None
        self.parameters: Any = None
        self.started_at: dt.datetime | None = None
        self.events: tuple[TraceEvent, ...] = ()
        self._session = session

    def populate(
        self,
        max_wait: float | None = 2.0,
        wait_for_complete: bool = True,
        query_cl: int | None = None,
    ) -> None:
        """Reads the trace. The server stores it slightly later than it replies."""
        ends = None if max_wait is None else time.monotonic() + max_wait
        pause = 0.003
        while True:
            row = self._read("sessions", query_cl)
            if row and not (wait_for_complete and row[0]["duration"] is None):
                break
            if ends is not None and time.monotonic() + pause > ends:
                message = (
                    f"Trace information was not available within {max_wait} seconds. Consider "
                    "raising Session.max_trace_wait."
                )
                raise TraceUnavailable(message)
            time.sleep(pause)
            pause = min(pause * 2, 0.2)
        about = row[0]
        taken = about["duration"]
        self.request_type = about["request"]
        self.duration = None if taken is None else dt.timedelta(microseconds=taken)
        self.started_at = about["started_at"]
        self.coordinator = about["coordinator"]
        self.parameters = about["parameters"]
        self.client = about.get("client")
        self.events = tuple(
            TraceEvent(
                row["activity"],
                row["event_id"],
                row["source"],
                row["source_elapsed"],
                row["thread"],
            )
            for row in self._read("events", query_cl)
        )

    def _read(self, table: str, level: int | None) -> list[dict[str, Any]]:
        query = f"SELECT * FROM system_traces.{table} WHERE session_id = %s"  # noqa: S608
        rows: list[dict[str, Any]] = self._session._read(query, (self.trace_id,), level)
        return rows

    def __str__(self) -> str:
        return (
            f"{self.request_type} [{self.trace_id}] coordinator: {self.coordinator}, started at: "
            f"{self.started_at}, duration: {self.duration}, parameters: {self.parameters}"
        )


def engine_batch(kind: BatchType) -> Any:
    """An empty batch of the engine."""
    return cql.Batch(kind.name.lower())
