"""A statement in progress."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import concurrent.futures
import logging
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire import cql
from spikewire.compat.cassandra.error_translation import translate_error
from spikewire.compat.cassandra.levels import ConsistencyLevel
from spikewire.compat.cassandra.order import Hold
from spikewire.compat.cassandra.query import QueryTrace, SimpleStatement, TraceUnavailable
from spikewire.compat.cassandra.results import ResultSet
from spikewire.compat.cassandra.synchronization import new_signal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from uuid import UUID

    from spikewire.compat.cassandra.column_types import ColumnType
    from spikewire.compat.cassandra.pool import Host
    from spikewire.compat.cassandra.requests import Call
    from spikewire.compat.cassandra.session import Session

__all__ = ["Page", "QueryExhausted", "ResponseFuture"]

#: A statement that changes the schema.
_CHANGE = re.compile(r"\s*(?:CREATE|ALTER|DROP)\b", re.IGNORECASE)
_log = logging.getLogger(__name__)


class QueryExhausted(Exception):
    """There are no more pages."""


class Message(NamedTuple):
    """What is known about a request."""

    consistency_level: int | None
    serial_consistency_level: int | None


class _Follower:
    """A callback or errback, with its arguments."""

    __slots__ = ("args", "function", "kwargs")

    def __init__(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs


class Page:
    """The outcome of one request: ``rows`` or ``error`` are there once ``arrived`` is set.

    A follower may be added while the page arrives. The thread that adds it and the one that
    completes the page then both see it, and ``claim`` says which of them calls it: without a lock,
    for which the thread of all statements would have to wait.
    """

    __slots__ = ("_callers", "arrived", "error", "held", "pending", "places", "rows")

    def __init__(self) -> None:
        self.arrived = new_signal()
        self.rows: Any = None
        self.error: BaseException | None = None
        #: The engine's future, if there is one. Of a read that is held: that of a write before it.
        self.pending: Any = None
        #: Of a write: where reads look for it until it is answered, and those that wait for it.
        self.places: Sequence[dict[Page, Any]] = ()
        self.held: list[Hold]
        self._callers: dict[_Follower, object] = {}

    def claim(self, follower: _Follower) -> bool:
        """Whether the caller is the one to call it."""
        own = object()
        return self._callers.setdefault(follower, own) is own


class ResponseFuture:
    """The future result of a statement, created by ``Session.execute_async``.

    Callbacks run in the thread that drives submitted statements, once per page. While a callback
    blocks, all statements of the session wait; to wait there for another future raises
    ``RuntimeError``.
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
        self._page = Page()
        self._paging_state: bytes | None = None
        self._warnings: list[str] | None = None
        self._custom_payload: dict[str, bytes] | None = None
        self._trace_ids: list[UUID] = []
        self._callbacks: list[_Follower] = []
        self._errbacks: list[_Follower] = []

    @property
    def _current_host(self) -> Host | None:
        return self.coordinator_host

    # Sending.

    def _run(self) -> ResultSet:
        """Runs the statement in the calling thread."""
        page = self._page
        writes = self._writes_before()
        if writes and not _brings(writes):
            self._send()
            return self.result()
        try:
            try:
                answer = self._call.run()
            except ValueError as error:
                anew = self._anew(error)
                if anew is None:
                    raise
                self._call = anew
                answer = anew.run()
            page.rows = self._take(answer)
        except BaseException as error:
            page.error = self._translate_error(error)
            self._arrive(page)
            if page.error is error:
                raise
            raise page.error from error
        self._arrive(page)
        return ResultSet(self, page.rows)

    def _anew(self, error: BaseException | None) -> Call | None:
        """The request after the table of a statement was changed, for those that are prepared on
        behalf of the program. It has not been executed."""
        anew = self._call.anew
        # Values are bound already, so it is the statement that does not fit any more.
        if anew is None or not isinstance(error, ValueError):
            return None
        return anew()

    def _send(self) -> None:
        """Submits the statement; a read after the writes before it."""
        page, about = self._page, self._call.about
        if about and not about[0][0].reads:
            self.session._writes.add(page, about)
            try:
                self._submit()
            except BaseException as error:
                page.error = error
                page.arrived.set()
                _let_go(page)
                raise
        elif writes := self._writes_before():
            page.pending = writes[0].pending
            Hold(writes, self._go_on)
        else:
            self._submit()

    def _writes_before(self) -> list[Page] | None:
        """The unanswered writes that the statement has to come after."""
        writes, about = self.session._writes, self._call.about
        return writes.before(about) if about and writes.unanswered else None

    def _go_on(self) -> None:
        """Submits a statement that was held."""
        try:
            self._submit()
        except Exception as error:  # noqa: BLE001
            self._finish(self._page, None, error)

    def _submit(self) -> None:
        page = self._page
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
            self._finish(page, None, error)
        else:
            page.pending = pending
            pending.add_done_callback(self._answered)

    def _answered(self, pending: Any) -> None:
        page = self._page
        if page.arrived.is_set():
            return  # Sending it was interrupted, and the error is known.
        error = pending.exception()
        if error is not None:
            try:
                anew = self._anew(error)
                if anew is not None:
                    self._call = anew
                    self._submit()
                    return
            except Exception as raised:  # noqa: BLE001
                error = raised
        self._finish(page, None if error else pending.result(), error)

    def _finish(self, page: Page, answer: Any, error: BaseException | None) -> None:
        if error is None:
            try:
                page.rows = self._take(answer)
            except Exception as raised:  # noqa: BLE001
                error = raised
        page.error = None if error is None else self._translate_error(error)
        self._arrive(page)

    def _arrive(self, page: Page) -> None:
        """Publishes the outcome of a page, and calls the followers."""
        page.arrived.set()
        if page.places:
            _let_go(page)
        followers = self._callbacks if page.error is None else self._errbacks
        for follower in list(followers):
            try:
                self._call_back(page, follower)
            except Exception:  # noqa: BLE001, PERF203
                _log.exception("A callback of %r failed", self)

    @staticmethod
    def _call_back(page: Page, follower: _Follower) -> None:
        if page.claim(follower):
            result = page.rows if page.error is None else page.error
            follower.function(result, *follower.args, **follower.kwargs)

    def _take(self, answer: Any) -> Any:
        """The rows of an answer. Keeps what else it says."""
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
            rows = self.row_factory(names, read(answer))
        else:
            self.column_names = self.column_types = None
            rows = None
            if isinstance(self.query, SimpleStatement) and _CHANGE.match(self.query.query_string):
                self.session.cluster.metadata._changed_here()
        self.session._answered(self, answer)
        return rows

    def _translate_error(self, error: BaseException) -> BaseException:
        return translate_error(error, self.session._host, retried=self._call.retried)

    # The public methods.

    def result(self) -> ResultSet:
        """Waits for the result. Raises the statement's error, and ``RuntimeError`` in a callback
        if the result has not arrived yet: it would wait for itself."""
        page = self._wait()
        if page.error is not None:
            raise page.error
        return ResultSet(self, page.rows)

    def _wait(self) -> Page:
        page = self._page
        if page.arrived.is_set():
            return page
        if page.pending is not None:
            try:
                # Raises in the thread that brings the answer, and in a forked child.
                page.pending.exception(0)
            except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
                pass
            except RuntimeError:
                message = (
                    "result() would wait forever: a callback runs on the thread that delivers this "
                    "result; use add_callbacks instead"
                )
                raise RuntimeError(message) from None
            except cql.errors.Error as error:
                raise self._translate_error(error) from error
        page.arrived.wait()
        return page

    @property
    def has_more_pages(self) -> bool:
        """Whether there are pages after the current one."""
        return self._paging_state is not None

    def start_fetching_next_page(self) -> None:
        """Requests the next page. The callbacks are called again when it arrives."""
        if self._paging_state is None:
            raise QueryExhausted
        self._call = self._call.next_page(self._paging_state)
        self._paging_state = None
        page = self._page = Page()
        try:
            self._send()
        except BaseException as error:
            # Waiters for this page must not wait forever.
            page.error = error
            page.arrived.set()
            raise

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
        self._wait()
        return self._warnings

    @property
    def custom_payload(self) -> dict[str, bytes] | None:
        """The custom payload of the reply. Waits for it."""
        self._wait()
        return self._custom_payload

    def add_callback(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> ResponseFuture:
        """Calls ``fn(rows, ...)`` when rows have arrived; immediately if they have."""
        self._follow(self._callbacks, _Follower(fn, args, kwargs))
        return self

    def add_errback(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> ResponseFuture:
        """Calls ``fn(error, ...)`` when the statement fails; immediately if it has."""
        self._follow(self._errbacks, _Follower(fn, args, kwargs))
        return self

    def _follow(self, followers: list[_Follower], follower: _Follower) -> None:
        page = self._page
        followers.append(follower)
        if page.arrived.is_set() and (page.error is None) == (followers is self._callbacks):
            self._call_back(page, follower)

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
        self._callbacks.clear()
        self._errbacks.clear()

    def get_query_trace_ids(self) -> list[UUID]:
        """The ids of the traces, one per page so far."""
        return list(self._trace_ids)

    def get_query_trace(
        self, max_wait: float | None = None, query_cl: int = ConsistencyLevel.LOCAL_ONE
    ) -> QueryTrace | None:
        """The trace of the last page; ``None`` if it was not traced. Raises ``TraceUnavailable``
        if the page has not arrived."""
        if not self._page.arrived.is_set():
            message = "Trace information was not available. The ResponseFuture is not done."
            raise TraceUnavailable(message)
        return self._trace(self._trace_ids[-1], max_wait, query_cl) if self._trace_ids else None

    def get_all_query_traces(
        self, max_wait_per: float | None = None, query_cl: int = ConsistencyLevel.LOCAL_ONE
    ) -> list[QueryTrace]:
        """The traces of all pages so far."""
        self._wait()
        return [self._trace(one, max_wait_per, query_cl) for one in self._trace_ids]

    def _trace(self, one: UUID, max_wait: float | None, level: int) -> QueryTrace:
        trace = QueryTrace(one, self.session)
        longest = self.session.max_trace_wait if max_wait is None else max_wait
        trace.populate(longest, query_cl=level)
        return trace

    def __repr__(self) -> str:
        page = self._page
        state = page.error or ("a result" if page.arrived.is_set() else "no result yet")
        return f"<ResponseFuture: query={str(self.query)!r} {state}>"


def _let_go(write: Page) -> None:
    """A write is answered, or was not sent: the reads behind it go on."""
    for place in write.places:
        place.pop(write, None)
    for hold in list(write.held):
        hold.answered(write)
    write.held.clear()


def _brings(writes: list[Page]) -> bool:
    """Whether this is the thread that brings the answers of these writes, and so cannot wait."""
    for write in writes:
        if write.pending is not None:
            try:
                write.pending.exception(0)
            except RuntimeError:
                return True
            except (concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
                return False
            except cql.errors.Error:
                return False
    return False
