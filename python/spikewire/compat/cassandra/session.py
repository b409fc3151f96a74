"""A session: statements in, results and futures out."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire._imports import importing
from spikewire.compat.cassandra.column_types import columns_of, has_user_types
from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.error_translation import translate_error
from spikewire.compat.cassandra.future import ResponseFuture
from spikewire.compat.cassandra.missing_errors import raise_missing_attribute
from spikewire.compat.cassandra.names import quoted
from spikewire.compat.cassandra.pool import Host, split
from spikewire.compat.cassandra.profiles import EXEC_PROFILE_DEFAULT, NOT_SET
from spikewire.compat.cassandra.requests import KEPT, Requests, level_named, seconds
from spikewire.compat.cassandra.synchronization import is_cooperative
from spikewire.compat.cassandra.values import row_reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.column_types import ColumnType
    from spikewire.compat.cassandra.query import PreparedStatement
    from spikewire.compat.cassandra.results import ResultSet

__all__ = ["Session"]


class Reader(NamedTuple):
    """What reads the rows of pages with the same columns."""

    read: Callable[[Any], list[Any]]
    types: tuple[ColumnType, ...]


def _not_read(rows: Any) -> list[Any]:
    raise AssertionError(rows)


#: Stands for all columns whose types are spelled alike, if some are user-defined.
_USER_TYPES = Reader(_not_read, ())


class Session(Requests):
    """Executes statements. Created by ``Cluster.connect``."""

    def __init__(self, cluster: Cluster, core: Any) -> None:
        super().__init__(cluster, core)
        self.session_id = uuid.uuid4()
        self.is_shutdown = False
        self._is_cooperative = is_cooperative()
        self._readers: dict[tuple[str, ...], Reader] = {}
        self._listeners: list[tuple[Callable[..., Any], Any, Any]] = []
        self._hosts: dict[str, Host] = {}

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
        if self._goes_through_async():
            return self.execute_async(
                query,
                parameters,
                trace,
                custom_payload,
                timeout,
                execution_profile,
                paging_state,
                host,
                execute_as,
            ).result()
        _reject_execute_as(execute_as)
        future = self._future(
            query, parameters, timeout, trace, custom_payload, execution_profile, paging_state, host
        )
        return future._run()

    def _goes_through_async(self) -> bool:
        """Whether somebody wrapped or overrode ``execute_async``, such as a tracing library: they
        see all statements. So do the greenlets of gevent, which go on while one waits."""
        return (
            self._is_cooperative
            or type(self).execute_async is not _EXECUTE_ASYNC
            or "execute_async" in self.__dict__
        )

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
        """Sends a statement. Waits if very many are in flight, except in a callback."""
        _reject_execute_as(execute_as)
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
        """Prepares a statement with ``?`` or ``:name`` for parameters."""
        options: dict[str, Any] = {"timeout": seconds(self.default_timeout)}
        if custom_payload:
            options["payload"] = custom_payload
        if keyspace:
            options["keyspace"] = keyspace
        try:
            prepared = self._core.prepare(query, **options)
        except Exception as error:
            raise translate_error(error, self._host) from error
        statement = self._prepared(prepared, keyspace)
        statement.custom_payload = custom_payload
        return statement

    def execute_concurrent(self, statements_and_parameters: Any, *args: Any, **options: Any) -> Any:
        """See ``spikewire.compat.cassandra.concurrent``."""
        with importing:
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
        with importing:
            from spikewire.compat.cassandra.concurrent import (
                execute_concurrent_async,
            )

        return execute_concurrent_async(self, statements_and_parameters, **options)

    def set_keyspace(self, keyspace: str) -> None:
        """Changes the keyspace of statements. With version 4 of the protocol, which has one for
        each connection, the session keeps connections to each keyspace that it has had."""
        self.execute(f"USE {quoted(keyspace)}")

    def user_type_registered(self, keyspace: str, user_type: str, klass: Any) -> None:
        """Registers a class for a user-defined type, like the cluster's method."""
        self.cluster.register_user_type(keyspace, user_type, klass)

    def add_request_init_listener(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Calls ``fn(future, ...)`` before each statement is sent."""
        self._listeners.append((fn, args, kwargs))

    def remove_request_init_listener(
        self, fn: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> None:
        """Removes a listener that was added with the same arguments."""
        self._listeners.remove((fn, args, kwargs))

    def get_pool_state(self) -> dict[Host, dict[str, Any]]:
        """The nodes that are up. Their connections are the engine's own."""
        return {host: {} for host in self.hosts}

    def __getattr__(self, name: str) -> Any:
        return raise_missing_attribute(self, name)

    def shutdown(self) -> None:
        """Closes the session. Statements in progress fail."""
        self.is_shutdown = True
        for core in {self._core, *self._cores.values()}:
            core.close()
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

    # Futures and results.

    def _future(self, *arguments: Any) -> ResponseFuture:
        future = ResponseFuture(self, *self._composed(*arguments))
        for listener, args, kwargs in self._listeners:
            listener(future, *args, **kwargs)
        return future

    def _reader(self, answer: Any) -> Reader:
        """What reads the rows of a page, and the types of its columns."""
        spelled = tuple(answer.types)
        known = self._readers.get(spelled)
        if known is None:
            known = self._make_reader(spelled, answer)
        if known is not _USER_TYPES:
            return known
        # The spelling says too little about user-defined types.
        classes = tuple(answer.class_names)
        return self._readers.get(classes) or self._make_reader(classes, answer)

    def _make_reader(self, key: tuple[str, ...], answer: Any) -> Reader:
        if len(self._readers) >= KEPT:
            self._readers.clear()
        classes = tuple(answer.class_names)
        types = columns_of(classes)
        if key != classes and any(map(has_user_types, types)):
            reader = _USER_TYPES
        else:
            reader = Reader(row_reader(types, self._user_types), types)
        self._readers[key] = reader
        return reader

    def _answered(self, future: ResponseFuture, answer: Any) -> None:
        future.coordinator_host = self._host(answer.node)

    def _host(self, endpoint: str | None) -> Host | None:
        if endpoint is None:
            return None
        known = self._hosts.get(endpoint)
        if known is None:
            self._hosts = {str(host): host for host in self.cluster._hosts_of(self._core)}
            known = self._hosts.get(endpoint)
        if known is None:
            address, port = split(endpoint)
            known = Host(address, port)
        return known

    def _read(self, query: str, values: Any, level: int | None) -> list[dict[str, Any]]:
        """Rows as dictionaries, regardless of the session's settings."""
        statement, _ = self._with_values(query, values, {})
        options = {} if level is None else {"consistency": level_named(level, None)}
        rows = self._core.execute(statement, **options)
        names = list(rows.columns)
        read, _ = self._reader(rows)
        return [dict(zip(names, row, strict=True)) for row in read(rows)]


_EXECUTE_ASYNC = Session.execute_async


def _reject_execute_as(execute_as: str | None) -> None:
    if execute_as is not None:
        DIFFERENCES.missing("Session.execute(execute_as)")
