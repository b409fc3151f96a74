"""A statement in progress."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.query import QueryTrace, SimpleStatement
from spikewire.compat.cassandra.results import ResultSet
from spikewire.compat.cassandra.translate import translated
from spikewire.compat.cassandra.waiting import new_lock, new_signal

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from spikewire.compat.cassandra.column_types import ColumnType
    from spikewire.compat.cassandra.pool import Host
    from spikewire.compat.cassandra.requests import Call
    from spikewire.compat.cassandra.session import Session

__all__ = ["QueryExhausted", "ResponseFuture"]

#: A statement that changes the schema.
_CHANGE = re.compile(r"\s*(?:CREATE|ALTER|DROP)\b", re.IGNORECASE)
_log = logging.getLogger(__name__)


class QueryExhausted(Exception):
    """There are no more pages."""


class Message(NamedTuple):
    """What is known about a request."""

    consistency_level: int | None
    serial_consistency_level: int | None


class ResponseFuture:
    """The future result of a statement, created by ``Session.execute_async``.

    Callbacks run in the thread that drives submitted statements, once per page. While a callback
    blocks, all statements of the session wait.
    """

    def __init__(self, session: Session, call: Call, query: Any, row_factory: Any) -> None:
        self.session = session
        self.query = query
        self.row_factory = row_factory
        self.column_names: list[str] | None = None
        self.column_types: list[ColumnType] | None = None
        self.coordinator_host: Host | None = None
        self.is_schema_agreed = True
        self._continuous_paging_session = None
        self._call = call
        self._lock = new_lock()
        self._done = new_signal()
        self._rows: Any = None
        self._error: BaseException | None = None
        self._paging_state: bytes | None = None
        self._warnings: list[str] | None = None
        self._custom_payload: dict[str, bytes] | None = None
        self._trace_ids: list[UUID] = []
        self._callbacks: list[tuple[Callable[..., Any], Any, Any]] = []
        self._errbacks: list[tuple[Callable[..., Any], Any, Any]] = []

    # Sending.

    def _run(self) -> ResultSet:
        """Runs the statement in the calling thread."""
        try:
            try:
                answer = self._call.run()
            except ValueError as error:
                anew = self._anew(error)
                if anew is None:
                    raise
                self._call = anew
                answer = anew.run()
            self._take(answer)
        except BaseException as error:
            self._error = self._translated(error)
            self._done.set()
            if self._error is error:
                raise
            raise self._error from error
        self._done.set()
        return ResultSet(self, self._rows)

    def _anew(self, error: BaseException | None) -> Call | None:
        """The request after the table of a statement was changed, for those that are prepared on
        behalf of the program. It has not been executed."""
        anew = self._call.anew
        # Values are bound already, so it is the statement that does not fit any more.
        if anew is None or not isinstance(error, ValueError):
            return None
        return anew()

    def _send(self) -> None:
        """Submits the statement."""
        try:
            try:
                pending = self._call.submit()
            except ValueError as error:
                anew = self._anew(error)
                if anew is None:
                    raise
                self._call = anew
                pending = anew.submit()
        except (TypeError, ValueError, NotImplementedError):
            raise
        except Exception as error:  # noqa: BLE001
            self._finish(None, error)
        else:
            pending.add_done_callback(self._arrived)

    def _arrived(self, pending: Any) -> None:
        error = pending.exception()
        if error is not None:
            try:
                anew = self._anew(error)
            except Exception as raised:  # noqa: BLE001
                anew, error = None, raised
            if anew is not None:
                self._call = anew
                self._send()
                return
        self._finish(None if error else pending.result(), error)

    def _finish(self, answer: Any, error: BaseException | None) -> None:
        if error is None:
            try:
                self._take(answer)
            except Exception as raised:  # noqa: BLE001
                error = raised
        with self._lock:
            self._error = None if error is None else self._translated(error)
            result = self._rows if error is None else self._error
            followers = list(self._callbacks if error is None else self._errbacks)
            self._done.set()
        for function, args, kwargs in followers:
            try:
                function(result, *args, **kwargs)
            except Exception:  # noqa: BLE001, PERF203
                _log.exception("A callback of %r failed", self)

    def _take(self, answer: Any) -> None:
        names = list(answer.columns)
        self._paging_state = answer.paging_state
        self._warnings = answer.warnings or None
        self._custom_payload = answer.payload or None
        self._trace_ids.extend(answer.tracing_ids)
        self.is_schema_agreed = answer.schema_agreed
        self._node = answer.node
        if names:
            read, types = self.session._reader(answer)
            self.column_names = names
            self.column_types = list(types)
            self._rows = self.row_factory(names, read(answer))
        else:
            self.column_names = self.column_types = None
            self._rows = None
            if isinstance(self.query, SimpleStatement) and _CHANGE.match(self.query.query_string):
                self.session.cluster.metadata._changed_here()
        self.session._answered(self, answer)

    def _translated(self, error: BaseException) -> BaseException:
        return translated(error, self.session._host, retried=self._call.retried)

    # The public methods.

    def result(self) -> ResultSet:
        """Waits for the result. Raises the statement's error."""
        self._done.wait()
        if self._error is not None:
            raise self._error
        return ResultSet(self, self._rows)

    @property
    def has_more_pages(self) -> bool:
        """Whether there are pages after the current one."""
        return self._paging_state is not None

    def start_fetching_next_page(self) -> None:
        """Requests the next page. The callbacks are called again when it arrives."""
        if self._paging_state is None:
            raise QueryExhausted
        with self._lock:
            self._call = self._call.next_page(self._paging_state)
            self._paging_state = None
            self._rows = None
            self._error = None
            self._done.clear()
        self._send()

    @property
    def timeout(self) -> float | None:
        """Seconds for the statement; ``None`` for no limit."""
        return self._call.options.get("timeout") or None

    @property
    def message(self) -> Message:
        """The levels with which the statement is sent."""
        options = self._call.options
        levels = (options.get(name) for name in ("consistency", "serial_consistency"))
        named = ConsistencyLevel.name_to_value
        return Message(*(None if level is None else named[level.upper()] for level in levels))

    @property
    def warnings(self) -> list[str] | None:
        """The server's warnings. Waits for the reply."""
        self._done.wait()
        return self._warnings

    @property
    def custom_payload(self) -> dict[str, bytes] | None:
        """The custom payload of the reply. Waits for it."""
        self._done.wait()
        return self._custom_payload

    def add_callback(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> ResponseFuture:
        """Calls ``fn(rows, ...)`` when rows have arrived; immediately if they have."""
        with self._lock:
            self._callbacks.append((fn, args, kwargs))
            now = self._done.is_set() and self._error is None
        if now:
            fn(self._rows, *args, **kwargs)
        return self

    def add_errback(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> ResponseFuture:
        """Calls ``fn(error, ...)`` when the statement fails; immediately if it has."""
        with self._lock:
            self._errbacks.append((fn, args, kwargs))
            now = self._done.is_set() and self._error is not None
        if now:
            fn(self._error, *args, **kwargs)
        return self

    def add_callbacks(
        self,
        callback: Callable[..., Any],
        errback: Callable[..., Any],
        callback_args: tuple[Any, ...] = (),
        callback_kwargs: dict[str, Any] | None = None,
        errback_args: tuple[Any, ...] = (),
        errback_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Adds both."""
        self.add_callback(callback, *callback_args, **(callback_kwargs or {}))
        self.add_errback(errback, *errback_args, **(errback_kwargs or {}))

    def clear_callbacks(self) -> None:
        """Removes callbacks and errbacks."""
        with self._lock:
            self._callbacks = []
            self._errbacks = []

    def get_query_trace_ids(self) -> list[UUID]:
        """The ids of the traces, one per page so far."""
        return list(self._trace_ids)

    def get_query_trace(
        self, max_wait: float | None = None, query_cl: int = ConsistencyLevel.LOCAL_ONE
    ) -> QueryTrace | None:
        """The trace of the last page; ``None`` if it was not traced."""
        self._done.wait()
        return self._trace(self._trace_ids[-1], max_wait, query_cl) if self._trace_ids else None

    def get_all_query_traces(
        self, max_wait_per: float | None = None, query_cl: int = ConsistencyLevel.LOCAL_ONE
    ) -> list[QueryTrace]:
        """The traces of all pages so far."""
        self._done.wait()
        return [self._trace(one, max_wait_per, query_cl) for one in self._trace_ids]

    def _trace(self, one: UUID, max_wait: float | None, level: int) -> QueryTrace:
        trace = QueryTrace(one, self.session)
        longest = self.session.max_trace_wait if max_wait is None else max_wait
        trace.populate(longest, query_cl=level)
        return trace

    def __repr__(self) -> str:
        state = self._error or ("a result" if self._done.is_set() else "no result yet")
        return f"<ResponseFuture: query={str(self.query)!r} {state}>"
