"""Statements, row factories, traces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from spikewire import cql
from spikewire.compat.cassandra.encoder import Encoder, ValueSequence
from spikewire.compat.cassandra.factories import (
    dict_factory,
    named_tuple_factory,
    ordered_dict_factory,
    tuple_factory,
)
from spikewire.compat.cassandra.levels import ConsistencyLevel, consistency_value_to_name
from spikewire.compat.cassandra.missing_errors import resolve_name
from spikewire.compat.cassandra.policies import retries_of
from spikewire.compat.cassandra.special_values import FETCH_SIZE_UNSET, UNSET_VALUE
from spikewire.compat.cassandra.traces import QueryTrace, TraceEvent, TraceUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spikewire.compat.cassandra.column_types import ColumnType
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
    "bind_params",
    "dict_factory",
    "named_tuple_factory",
    "ordered_dict_factory",
    "tuple_factory",
]

#: A statement that changes nothing, behind comments.
_READS = re.compile(r"(?:\s|--[^\n]*\n|//[^\n]*\n|/\*.*?\*/)*SELECT\b", re.IGNORECASE | re.DOTALL)
#: The maximum number of statements in a batch.
_MOST = 0xFFFF


def composite_key(parts: Iterable[bytes]) -> bytes:
    """A partition key of several columns."""
    return b"".join(len(part).to_bytes(2, "big") + part + b"\0" for part in parts)


def bind_params(query: str, params: Any, encoder: Encoder) -> str:
    """A statement with its parameters as literals."""
    encode = encoder.cql_encode_all_types
    if isinstance(params, dict):
        named = cast("dict[str, Any]", params)
        return query % {name: encode(value) for name, value in named.items()}
    return query % tuple(encode(value) for value in params)


class ColumnMetadata(NamedTuple):
    """A parameter of a prepared statement."""

    keyspace_name: str
    table_name: str
    name: str
    type: ColumnType


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
        self._routing_key: Any = routing_key
        retries_of(retry_policy, "retry_policy")
        self.retry_policy = retry_policy
        self.consistency_level = consistency_level
        if serial_consistency_level is not None:
            self.serial_consistency_level = serial_consistency_level
        self.fetch_size = fetch_size
        self.keyspace = keyspace
        self.custom_payload: dict[str, bytes] | None = custom_payload
        self.is_idempotent = is_idempotent

    @property
    def routing_key(self) -> Any:
        """The partition key. Statements with parameters are routed by these, so setting it has no
        effect. A list or tuple has the parts of a key of several columns."""
        return self._routing_key

    @routing_key.setter
    def routing_key(self, key: Any) -> None:
        if not isinstance(key, (list, tuple)):
            self._routing_key = key
            return
        parts = cast("Sequence[bytes]", key)
        self._routing_key = parts[0] if len(parts) == 1 else composite_key(parts)

    @routing_key.deleter
    def routing_key(self) -> None:
        self._routing_key = None

    def _set_routing_key(self, key: Any) -> None:
        self.routing_key = key

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
        *,
        core: Any = None,
    ) -> None:
        self.prepared = prepared
        #: The engine's session that prepared it.
        self.core = core
        self.protocol_version = protocol_version
        self.keyspace = keyspace
        self.custom_payload = custom_payload
        self.retry_policy: RetryPolicy | None = None
        self.consistency_level: int | None = None
        self.serial_consistency_level: int | None = None
        self.fetch_size: Any = FETCH_SIZE_UNSET
        self.is_idempotent = False
        #: The parameters that form the partition key.
        self.routing_key_indexes: list[int] | None = list(prepared.partition_key) or None
        self._binder = binder
        #: The keyspace of its table.
        self.table_keyspace = binder.places[0][0] if binder.places else None
        key = self.routing_key_indexes
        #: Its table, if its parameters determine a partition.
        self.routed_table = binder.places[key[0]] if key else None
        #: Whether it changes nothing.
        self.reads = _READS.match(prepared.text) is not None

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
    def column_metadata(self) -> list[ColumnMetadata]:
        """Keyspace, table, name and type of each parameter."""
        binder = self._binder
        described = zip(binder.places, binder.names, binder.types, strict=True)
        return [ColumnMetadata(*place, name, of) for place, name, of in described]

    def is_routing_key_index(self, i: int) -> bool:
        """Whether a parameter is part of the partition key."""
        return i in (self.routing_key_indexes or ())

    def bind(self, values: Any) -> BoundStatement:
        """The statement with these parameters."""
        return BoundStatement(self).bind(values)

    def bound_values(self, values: Any) -> tuple[Any, ...]:
        """Converts parameters for the engine."""
        return self._binder(values)

    def routing_key_of(self, values: list[Any]) -> bytes | None:
        """The partition key in values as they are sent."""
        indexes = self.routing_key_indexes
        if not indexes:
            return None
        parts: list[bytes] = [values[index] for index in indexes]
        return parts[0] if len(parts) == 1 else composite_key(parts)

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
            keyspace or of.table_keyspace or of.keyspace,
            custom_payload or of.custom_payload,
            of.is_idempotent,
        )
        self.prepared_statement = of
        self.raw_values: Any = ()
        #: The parameters in the engine's form.
        self.bound_values: tuple[Any, ...] = ()

    def bind(self, values: Any) -> BoundStatement:
        """Binds parameters: a sequence, or a dictionary. Missing ones leave the stored values
        unchanged."""
        self.bound_values = self.prepared_statement.bound_values(values)
        self.raw_values = values
        return self

    @property
    def values(self) -> list[Any]:
        """The parameters as they are sent: bytes, ``None`` or ``UNSET_VALUE``."""
        values: list[Any] = self.prepared_statement.prepared.bind(self.bound_values).values
        return values

    @property
    def routing_key(self) -> Any:
        """The partition key as it is sent; ``None`` if the statement does not determine one."""
        return self._routing_key or self.prepared_statement.routing_key_of(self.values)

    @routing_key.setter
    def routing_key(self, key: Any) -> None:
        if isinstance(key, (list, tuple)):
            key = composite_key(cast("Sequence[bytes]", key))
        self._routing_key = key

    @routing_key.deleter
    def routing_key(self) -> None:
        self._routing_key = None

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
        #: The first statement that determines a partition.
        self._routed_by: SimpleStatement | BoundStatement | None = None
        #: Text or a bound statement, and the parameters of a text.
        self.entries: list[tuple[str | BoundStatement, Any]] = []

    @property
    def _statements_and_parameters(self) -> list[tuple[bool, Any, Any]]:
        """The statements as the other driver keeps them: those that are not prepared with their
        parameters in the text."""
        encoder = Encoder() if self._session is None else self._session.encoder
        listed: list[tuple[bool, Any, Any]] = []
        for entry, values in self.entries:
            if isinstance(entry, BoundStatement):
                listed.append((True, entry.prepared_statement.query_id, entry.values))
            else:
                listed.append((False, bind_params(entry, values, encoder) if values else entry, ()))
        return listed

    def clear(self) -> None:
        """Removes all statements."""
        self.entries.clear()
        self.keyspace = None
        self._routed_by = None
        self._routing_key = None
        self.custom_payload = None

    @property
    def routing_key(self) -> Any:
        """The partition key of the first statement that has one."""
        if self._routing_key is None and self._routed_by is not None:
            return self._routed_by.routing_key
        return self._routing_key

    @routing_key.setter
    def routing_key(self, key: Any) -> None:
        self._routing_key = key

    @routing_key.deleter
    def routing_key(self) -> None:
        self._routed_by = None
        self._routing_key = None

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
            message = f"a batch accepts statements, not {type(statement).__name__}"
            raise TypeError(message)
        if len(self.entries) >= _MOST:
            message = f"Batch statement cannot contain more than {_MOST} statements."
            raise ValueError(message)
        self.entries.append(entry)
        if isinstance(statement, str):
            return self
        theirs: dict[str, bytes] = statement.custom_payload or {}
        if theirs:
            self.custom_payload = {**(self.custom_payload or {}), **theirs}
        # The keyspace of a prepared statement's table says nothing about the other statements.
        of = getattr(statement, "prepared_statement", statement)
        self.keyspace = self.keyspace or of.keyspace
        if self._routed_by is None:
            added, _ = entry
            if isinstance(added, BoundStatement):
                if added.prepared_statement.routing_key_indexes:
                    self._routed_by = added
            elif isinstance(statement, SimpleStatement) and statement.routing_key is not None:
                self._routed_by = statement
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


def engine_batch(kind: BatchType) -> Any:
    """An empty batch of the engine."""
    return cql.Batch(kind.name.lower())


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
