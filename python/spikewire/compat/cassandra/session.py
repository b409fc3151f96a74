"""A session: statements in, results and futures out."""

# The modules of this package know each other; programs see no underscore.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import itertools
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import cql
from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.future import ResponseFuture
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.markers import by_position, question_marks
from spikewire.compat.cassandra.marks import FETCH_SIZE_UNSET
from spikewire.compat.cassandra.policies import retries_of, speculation_of
from spikewire.compat.cassandra.pool import Host, split
from spikewire.compat.cassandra.profiles import EXEC_PROFILE_DEFAULT, NOT_SET, ExecutionProfile
from spikewire.compat.cassandra.query import (
    BatchStatement,
    BoundStatement,
    PreparedStatement,
    SimpleStatement,
    engine_batch,
)
from spikewire.compat.cassandra.translate import NoHostAvailable, translated
from spikewire.compat.cassandra.user_types import UserTypes
from spikewire.compat.cassandra.values import Binder, row_reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.results import ResultSet

__all__ = ["Call", "Session"]

#: Statements with parameters, prepared, and readers of rows that a session keeps.
_KEPT = 4096
#: Options of a statement with parameters that matter when it is prepared.
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
        """Its rows."""
        return self._verb(self.core)(self.statement, self.values, **self.options)

    def submit(self) -> Any:
        """A future of its rows."""
        return self._verb(self.core.submit)(self.statement, self.values, **self.options)

    def _verb(self, face: Any) -> Any:
        return face.execute if isinstance(self.statement, cql.Batch) else face.page

    def next_page(self, state: bytes) -> Call:
        """That for the next page."""
        return self._replace(options={**self.options, "paging_state": state})


class Failed(NamedTuple):
    """A request that could not be composed, for a reason that belongs into a future."""

    error: BaseException
    retried: bool = True

    def run(self) -> Any:
        """Raises."""
        raise self.error

    def submit(self) -> Any:
        """Raises."""
        raise self.error

    def next_page(self, state: bytes) -> Failed:  # noqa: ARG002
        """There is none."""
        return self


class Session:
    """What statements are executed with. Made by ``Cluster.connect``."""

    #: Seconds to wait for a trace.
    max_trace_wait: float | None = 2.0
    #: Rows of a page; ``None`` for all at once.
    default_fetch_size: int | None = 5000
    #: Whether writes carry this machine's time instead of the coordinator's.
    use_client_timestamp = True

    def __init__(self, cluster: Cluster, core: Any) -> None:
        self.cluster = cluster
        self.session_id = uuid.uuid4()
        self.is_shutdown = False
        self._core = core
        self._user_types = UserTypes(core.execute, cluster._user_types)
        self._user_types.keyspace = core.keyspace
        self._kept: dict[tuple[str, str | None], PreparedStatement] = {}
        self._readers: dict[tuple[str, ...], Callable[[Any], list[Any]]] = {}
        self._turns = itertools.count()
        self._own: ExecutionProfile | None = None
        self._listeners: list[tuple[Callable[..., Any], Any, Any]] = []
        self._hosts: dict[str, Host] = {}

    # Settings.

    @property
    def keyspace(self) -> str | None:
        """The keyspace that statements are in."""
        name: str | None = self._core.keyspace
        return name

    @property
    def hosts(self) -> list[Host]:
        """The nodes that are up."""
        return [host for host in self.cluster._hosts_of(self._core) if host.is_up]

    def _settings(self) -> ExecutionProfile:
        return self._own or self.cluster.profile_manager.default

    def _set(self, name: str, attribute: str, value: Any) -> None:
        self.cluster._use_legacy_settings(f"Session {name}")
        if self._own is None:
            self._own = self.cluster.profile_manager.default.clone()
        setattr(self._own, attribute, value)

    @property
    def row_factory(self) -> Any:
        """What makes rows of tuples; see ``spikewire.compat.cassandra.query``."""
        return self._settings().row_factory

    @row_factory.setter
    def row_factory(self, factory: Any) -> None:
        self._set("row_factory", "row_factory", factory)

    @property
    def default_timeout(self) -> float | None:
        """Seconds that a statement may take; ``None`` for any number."""
        return self._settings().request_timeout

    @default_timeout.setter
    def default_timeout(self, timeout: float | None) -> None:
        self._set("default_timeout", "request_timeout", timeout)

    @property
    def default_consistency_level(self) -> int:
        """The level of statements that have none."""
        return self._settings().consistency_level

    @default_consistency_level.setter
    def default_consistency_level(self, level: int) -> None:
        self._set("default_consistency_level", "consistency_level", level)

    @property
    def default_serial_consistency_level(self) -> int | None:
        """The level of conditional statements that have none."""
        return self._settings().serial_consistency_level

    @default_serial_consistency_level.setter
    def default_serial_consistency_level(self, level: int | None) -> None:
        if level is not None and not ConsistencyLevel.is_serial(level):
            message = (
                f"default_serial_consistency_level must be SERIAL or LOCAL_SERIAL, not {level}"
            )
            raise ValueError(message)
        self._set("default_serial_consistency_level", "serial_consistency_level", level)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("client_protocol_handler", "encoder", "timestamp_generator"):
            DIFFERENCES.missing(f"Session.{name}")
        if name == "use_client_timestamp" and not value:
            message = "Session.use_client_timestamp cannot be turned off"
            raise NotImplementedError(message)
        super().__setattr__(name, value)

    # Profiles.

    def get_execution_profile(self, name: Any) -> ExecutionProfile:
        """The profile with this name; ``ValueError`` where there is none."""
        return self.cluster.profile_manager.get(name)

    def execution_profile_clone_update(self, ep: Any, **kwargs: Any) -> ExecutionProfile:
        """A copy of a profile with other settings."""
        of = ep if isinstance(ep, ExecutionProfile) else self.get_execution_profile(ep)
        settings = {
            name: getattr(of, name)
            for name in (
                "load_balancing_policy",
                "retry_policy",
                "consistency_level",
                "serial_consistency_level",
                "request_timeout",
                "row_factory",
                "speculative_execution_policy",
            )
        }
        return type(of)(**{**settings, **kwargs})

    def _profile(self, given: Any) -> ExecutionProfile:
        if given is EXEC_PROFILE_DEFAULT:
            return self._settings()
        if self.cluster.is_legacy:
            message = "Cannot specify execution_profile while using legacy parameters."
            raise ValueError(message)
        return given if isinstance(given, ExecutionProfile) else self.get_execution_profile(given)

    # Verbs.

    def execute(
        self,
        query: Any,
        parameters: Any = None,
        timeout: Any = NOT_SET,
        trace: bool = False,
        custom_payload: dict[str, bytes] | None = None,
        execution_profile: Any = EXEC_PROFILE_DEFAULT,
        paging_state: bytes | None = None,
        host: Host | None = None,
        execute_as: str | None = None,
    ) -> ResultSet:
        """Runs a statement and waits for its first page."""
        _refuse_execute_as(execute_as)
        future = self._future(
            query, parameters, timeout, trace, custom_payload, execution_profile, paging_state, host
        )
        return future._run()

    def execute_async(
        self,
        query: Any,
        parameters: Any = None,
        trace: bool = False,
        custom_payload: dict[str, bytes] | None = None,
        timeout: Any = NOT_SET,
        execution_profile: Any = EXEC_PROFILE_DEFAULT,
        paging_state: bytes | None = None,
        host: Host | None = None,
        execute_as: str | None = None,
    ) -> ResponseFuture:
        """Sends a statement. Waits where very many are in flight already, but on a callback."""
        _refuse_execute_as(execute_as)
        future = self._future(
            query, parameters, timeout, trace, custom_payload, execution_profile, paging_state, host
        )
        future._send()
        return future

    def prepare(
        self,
        query: str,
        custom_payload: dict[str, bytes] | None = None,
        keyspace: str | None = None,
    ) -> PreparedStatement:
        """Lets the servers prepare a statement with ``?`` or ``:name`` for parameters."""
        options: dict[str, Any] = {"timeout": _seconds(self.default_timeout)}
        if custom_payload:
            options["payload"] = custom_payload
        if keyspace:
            options["keyspace"] = keyspace
        try:
            prepared = self._core.prepare(query, **options)
        except Exception as error:
            raise translated(error, self._host) from error
        made = self._prepared(prepared, keyspace)
        made.custom_payload = custom_payload
        return made

    def _prepared(self, prepared: Any, keyspace: str | None) -> PreparedStatement:
        key = list(prepared.partition_key)
        binder = Binder(prepared.parameters, key, self._user_types)
        return PreparedStatement(prepared, binder, self._core.protocol_version, keyspace)

    def execute_concurrent(self, statements_and_parameters: Any, *args: Any, **options: Any) -> Any:
        """See ``spikewire.compat.cassandra.concurrent``."""
        from spikewire.compat.cassandra.concurrent import execute_concurrent

        return execute_concurrent(self, statements_and_parameters, *args, **options)

    def execute_concurrent_with_args(
        self, statement: Any, parameters: Any, *args: Any, **options: Any
    ) -> Any:
        """See ``spikewire.compat.cassandra.concurrent``."""
        pairs = ((statement, values) for values in parameters)
        return self.execute_concurrent(pairs, *args, **options)

    def execute_concurrent_async(self, statements_and_parameters: Any, **options: Any) -> Any:
        """See ``spikewire.compat.cassandra.concurrent``."""
        from spikewire.compat.cassandra.concurrent import (
            execute_concurrent_async,
        )

        return execute_concurrent_async(self, statements_and_parameters, **options)

    def set_keyspace(self, keyspace: str) -> None:
        """Lets statements be in another keyspace."""
        self.execute(f"USE {quoted(keyspace)}")

    def user_type_registered(self, keyspace: str, user_type: str, klass: Any) -> None:
        """Registers a class for a user-defined type; the same as of the cluster."""
        self.cluster.register_user_type(keyspace, user_type, klass)

    def add_request_init_listener(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Lets ``fn(future, ...)`` be called before each statement is sent."""
        self._listeners.append((fn, args, kwargs))

    def remove_request_init_listener(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> None:
        """Forgets what was added with the same arguments."""
        self._listeners.remove((fn, args, kwargs))

    def shutdown(self) -> None:
        """Ends the session; statements that are under way fail."""
        self.is_shutdown = True
        self._core.close()
        self.cluster.sessions.discard(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()

    # From statements to requests.

    def _future(
        self,
        query: Any,
        parameters: Any,
        timeout: Any,
        trace: bool,
        payload: dict[str, bytes] | None,
        execution_profile: Any,
        paging_state: bytes | None,
        host: Host | None,
    ) -> ResponseFuture:
        profile = self._profile(execution_profile)
        if isinstance(query, str):
            query = SimpleStatement(query)
        elif isinstance(query, PreparedStatement):
            query = query.bind(parameters)
        elif not isinstance(query, (SimpleStatement, BoundStatement, BatchStatement)):
            message = f"a statement is needed, not {type(query).__name__}"
            raise TypeError(message)
        options: dict[str, Any] = {
            "timeout": _seconds(profile.request_timeout if timeout is NOT_SET else timeout),
            "consistency": _level(query.consistency_level, profile.consistency_level),
        }
        serial = query.serial_consistency_level or profile.serial_consistency_level
        if serial is not None:
            options["serial_consistency"] = _level(serial, None)
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
        future = ResponseFuture(self, call, query, profile.row_factory)
        for listener, args, kwargs in self._listeners:
            listener(future, *args, **kwargs)
        return future

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
        """A statement with parameters that the program did not prepare: it is prepared here."""
        text, values = by_position(text, parameters)
        keyspace = options.get("keyspace") or self._core.keyspace
        known = self._kept.get((text, keyspace))
        if known is None:
            given = {name: options[name] for name in _PREPARING if name in options}
            prepared = self._core.prepare(question_marks(text), **given)
            known = self._prepared(prepared, None)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[text, keyspace] = known
        return known.prepared, known.bound_values(values)

    def _place(self, options: dict[str, Any], profile: ExecutionProfile, host: Host | None) -> None:
        """Which node is asked, where that is said."""
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

    # For results.

    def _reader(self, types: tuple[str, ...]) -> Callable[[Any], list[Any]]:
        reader = self._readers.get(types)
        if reader is None:
            if len(self._readers) >= _KEPT:
                self._readers.clear()
            reader = self._readers[types] = row_reader(types, self._user_types)
        return reader

    def _answered(self, future: ResponseFuture, answer: Any) -> None:
        future.coordinator_host = self._host(answer.node)
        self._user_types.keyspace = self._core.keyspace

    def _host(self, endpoint: str | None) -> Host | None:
        if endpoint is None:
            return None
        known = self._hosts.get(endpoint)
        if known is None:
            self._hosts = {host.endpoint: host for host in self.cluster._hosts_of(self._core)}
            known = self._hosts.get(endpoint)
        if known is None:
            address, port = split(endpoint)
            known = Host(address, port)
        return known

    def _read(self, query: str, values: Any, level: int | None) -> list[dict[str, Any]]:
        """Rows as dictionaries, whatever the session's settings are."""
        statement, bound = self._with_values(query, values, {})
        options = {} if level is None else {"consistency": _level(level, None)}
        rows = self._core.execute(statement, bound, **options)
        names = list(rows.columns)
        return [dict(zip(names, row, strict=True)) for row in self._reader(tuple(rows.types))(rows)]


def quoted(name: str) -> str:
    """A name as CQL takes it, in quotes where it needs them."""
    plain = name.isascii() and name.islower() and name.replace("_", "a").isalnum()
    plain = plain and not name[0].isdigit() and not name.startswith("_")
    doubled = name.replace('"', '""')
    return name if plain else f'"{doubled}"'


def _seconds(timeout: float | None) -> float:
    """0 is no limit."""
    return 0 if timeout is None else timeout


def _level(level: int | None, default: int | None) -> str | None:
    level = default if level is None else level
    if level is None:
        return None
    try:
        return ConsistencyLevel.value_to_name[level].lower()
    except (KeyError, TypeError):
        message = f"consistency_level must be one of ConsistencyLevel, not {level!r}"
        raise ValueError(message) from None


def _refuse_execute_as(execute_as: str | None) -> None:
    if execute_as is not None:
        DIFFERENCES.missing("Session.execute(execute_as)")
