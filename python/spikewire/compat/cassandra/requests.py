"""Converts the statements of programs to requests of the engine."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import cql
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.markers import by_position, question_marks
from spikewire.compat.cassandra.marks import FETCH_SIZE_UNSET
from spikewire.compat.cassandra.policies import retries_of, speculation_of
from spikewire.compat.cassandra.profiles import NOT_SET, ExecutionProfile
from spikewire.compat.cassandra.query import (
    BatchStatement,
    BoundStatement,
    PreparedStatement,
    SimpleStatement,
    engine_batch,
)
from spikewire.compat.cassandra.settings import Settings
from spikewire.compat.cassandra.translate import NoHostAvailable
from spikewire.compat.cassandra.user_types import UserTypes
from spikewire.compat.cassandra.values import Binder

if TYPE_CHECKING:
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = ["KEPT", "Call", "Requests", "level_named", "seconds"]

#: The number of prepared statements with parameters, and of row decoders, that a session caches.
KEPT = 4096
#: Options of a statement with parameters that apply when it is prepared.
_PREPARING = ("timeout", "keyspace", "speculative_delay", "speculative_attempts")
_BATCHES = {"LOGGED": "BATCH", "UNLOGGED": "UNLOGGED BATCH", "COUNTER": "COUNTER BATCH"}


class Call(NamedTuple):
    """One request to the engine."""

    core: Any
    statement: Any
    values: Any
    options: dict[str, Any]
    retried: bool

    def run(self) -> Any:
        """Executes it and returns its rows."""
        return self._verb(self.core)(self.statement, self.values, **self.options)

    def submit(self) -> Any:
        """A future of its rows."""
        return self._verb(self.core.submit)(self.statement, self.values, **self.options)

    def _verb(self, face: Any) -> Any:
        return face.execute if isinstance(self.statement, cql.Batch) else face.page

    def next_page(self, state: bytes) -> Call:
        """The request for the next page."""
        return self._replace(options={**self.options, "paging_state": state})


class Failed(NamedTuple):
    """A request that could not be built, with an error that is reported through the future."""

    error: BaseException
    retried: bool = True

    def run(self) -> Any:
        """Raises the error."""
        raise self.error

    def submit(self) -> Any:
        """Raises the error."""
        raise self.error

    def next_page(self, state: bytes) -> Failed:  # noqa: ARG002
        """There is none."""
        return self


class Requests(Settings):
    """Builds the requests of a session."""

    def __init__(self, cluster: Cluster, core: Any) -> None:
        super().__init__(cluster, core)
        self._user_types = UserTypes(core.execute, cluster._user_types)
        self._user_types.keyspace = core.keyspace
        self._kept: dict[tuple[str, str | None], PreparedStatement] = {}
        self._turns = itertools.count()

    def _prepared(self, prepared: Any, keyspace: str | None) -> PreparedStatement:
        key = list(prepared.partition_key)
        binder = Binder(prepared.parameters, key, self._user_types)
        return PreparedStatement(prepared, binder, self._core.protocol_version, keyspace)

    def _composed(
        self,
        query: Any,
        parameters: Any,
        timeout: Any,
        trace: bool,
        payload: dict[str, bytes] | None,
        execution_profile: Any,
        paging_state: bytes | None,
        host: Host | None,
    ) -> tuple[Any, Any, Any]:
        """A request (``Call`` or ``Failed``), its statement, and the factory for the rows of its
        result."""
        profile = self._profile(execution_profile)
        if isinstance(query, str):
            query = SimpleStatement(query)
        elif isinstance(query, PreparedStatement):
            query = query.bind(parameters)
        elif not isinstance(query, (SimpleStatement, BoundStatement, BatchStatement)):
            message = f"a statement is needed, not {type(query).__name__}"
            raise TypeError(message)
        options: dict[str, Any] = {
            "timeout": seconds(profile.request_timeout if timeout is NOT_SET else timeout),
            "consistency": level_named(query.consistency_level, profile.consistency_level),
        }
        serial = query.serial_consistency_level or profile.serial_consistency_level
        if serial is not None:
            options["serial_consistency"] = level_named(serial, None)
        size = query.fetch_size
        size = self.default_fetch_size if size is FETCH_SIZE_UNSET else size
        if size and not isinstance(query, BatchStatement):
            options["page_size"] = size
        if paging_state is not None:
            options["paging_state"] = paging_state
        if query.is_idempotent:
            options["idempotent"] = True
            policy = profile.speculative_execution_policy
            options.update(speculation_of(policy, "speculative_execution_policy"))
        if trace:
            options["tracing"] = True
        own: dict[str, bytes] = query.custom_payload or {}
        payload = {**own, **(payload or {})}
        if payload:
            options["payload"] = payload
        default = self.cluster.default_retry_policy
        retries = retries_of(query.retry_policy or profile.retry_policy or default, "retry_policy")
        if retries is not None:
            options["max_retries"] = retries
        call: Any
        try:
            self._place(options, profile, host)
            statement, values = self._content(query, parameters, options)
            call = Call(self._core, statement, values, options, retries is None)
        except (TypeError, ValueError, NotImplementedError, KeyError):
            raise
        except Exception as error:  # noqa: BLE001
            call = Failed(error)
        return call, query, profile.row_factory

    def _content(self, query: Any, parameters: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        """What the engine is to execute, and its values."""
        if isinstance(query, BoundStatement):
            values = query.values
            return query.prepared_statement.prepared, values or None
        if query.keyspace and self._core.protocol_version >= 5:
            options["keyspace"] = query.keyspace
        if isinstance(query, SimpleStatement):
            if not parameters:
                return query.query_string, None
            return self._with_values(query.query_string, parameters, options)
        if not query.entries:
            return f"BEGIN {_BATCHES[query.batch_type.name]} APPLY BATCH", None
        batch = engine_batch(query.batch_type)
        for entry, values in query.entries:
            if isinstance(entry, BoundStatement):
                batch.add(entry.prepared_statement.prepared, entry.values or None)
            elif values:
                batch.add(*self._with_values(entry, values, options))
            else:
                batch.add(entry)
        return batch, None

    def _with_values(self, text: str, parameters: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        """A statement with parameters that the program has not prepared, prepared here."""
        text, values = by_position(text, parameters)
        keyspace = options.get("keyspace") or self._core.keyspace
        known = self._kept.get((text, keyspace))
        if known is None:
            given = {name: options[name] for name in _PREPARING if name in options}
            prepared = self._core.prepare(question_marks(text), **given)
            known = self._prepared(prepared, None)
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[text, keyspace] = known
        return known.prepared, known.bound_values(values)

    def _place(self, options: dict[str, Any], profile: ExecutionProfile, host: Host | None) -> None:
        """The node to use, if one is specified."""
        if host is not None:
            options["node"] = host.endpoint
            return
        only = profile.routing.only
        if only is None:
            return
        nodes = [node for node in self.hosts if node.address in only]
        if not nodes:
            message = f"None of the nodes {', '.join(only)} is up"
            raise NoHostAvailable(message, {})
        options["node"] = nodes[next(self._turns) % len(nodes)].endpoint


def seconds(timeout: float | None) -> float:
    """Seconds, where 0 means no limit."""
    return 0 if timeout is None else timeout


def level_named(level: int | None, default: int | None) -> str | None:
    """The engine's name for a level, or for the default."""
    level = default if level is None else level
    if level is None:
        return None
    try:
        return ConsistencyLevel.value_to_name[level].lower()
    except (KeyError, TypeError):
        message = f"consistency_level must be one of ConsistencyLevel, not {level!r}"
        raise ValueError(message) from None
