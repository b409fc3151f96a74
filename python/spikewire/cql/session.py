"""The two sessions: the same verbs, blocking and on asyncio."""

from __future__ import annotations

import asyncio
import atexit
import time
import weakref
from typing import TYPE_CHECKING, Any, Literal, overload

from spikewire.cql import _native, many, trace
from spikewire.cql._common import CommonSession
from spikewire.cql._opening import session_opening
from spikewire.cql.query import AsyncQuery, Query
from spikewire.cql.schema import schema_of
from spikewire.opening.in_thread import open_unless_cancelled
from spikewire.tasks import accept_awaitables, begun

if TYPE_CHECKING:
    import uuid
    from asyncio import Future
    from collections.abc import AsyncIterable, Iterable
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from spikewire._native import Late
    from spikewire.cql._native import Rows, SessionSubmit
    from spikewire.cql.options import ExecuteOptions, SessionOptions
    from spikewire.cql.schema import Schema
    from spikewire.cql.trace import Trace
    from spikewire.cql.types import Parameters, Statement
    from spikewire.types import Seconds

__all__ = ["AsyncSession", "Session", "connect"]


#: Sessions that may have a thread, which must end before the interpreter does.
_open: weakref.WeakSet[Session] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for session in list(_open):
        session._end()  # noqa: SLF001


class Session(_native.SessionCore, CommonSession):
    """A blocking session with a Cassandra cluster, for any number of threads.

    ``contact_points`` are addresses used to find the cluster: ``"host:port"``, several separated by
    commas, or a list; the default port is 9042. The options are those of ``SessionOptions``. Raises
    ``ConnectionFailed`` or ``AuthenticationFailed`` if no contact point leads to the cluster,
    ``TypeError`` or ``ValueError`` for invalid options.

    In the child of a fork the session connects again on first use.
    """

    __slots__ = ()

    def __init__(
        self,
        contact_points: str | list[str],
        **options: Unpack[SessionOptions],
    ) -> None:
        del contact_points, options
        self._start()
        _open.add(self)

    @classmethod
    def connect(cls, contact_points: str | list[str], **options: Unpack[SessionOptions]) -> Self:
        """An open session, for use without a ``with`` block; call ``close()`` at the end."""
        return cls(contact_points, **options)

    @classmethod
    def from_url(cls, url: str | None = None, /, **options: Unpack[SessionOptions]) -> Self:
        """An open session, from a URL such as
        ``"cassandra://user:password@db1:9042,db2/keyspace?consistency=quorum"``.

        If no URL is given, the environment variable ``SPIKEWIRE_CQL_URL`` is used; the default host
        is ``127.0.0.1:9042``. Options come from keywords, the URL, or variables such as
        ``SPIKEWIRE_CQL_PASSWORD``, in this order of precedence. Mistakes raise ``ValueError`` or
        ``TypeError`` that names the part of the URL or the variable, and shows no password.
        """
        opening, session_options = session_opening(url, options)
        return cls(opening.seeds, **session_options)

    def schema(self) -> Schema:
        """Keyspaces, tables, columns, indexes, triggers, views, types, functions and aggregates: as
        they are after all changes that this session made, and all that were announced.

        They are read when they are first asked for, and kept current from then on. Raises
        ``Timeout`` if they could not be read within the session's ``timeout``.
        """
        return schema_of(self._schema())

    @property
    def submit(self) -> SessionSubmit:
        """The same verbs, each returning a ``concurrent.futures.Future`` at once."""
        return self._submit

    def query(
        self,
        statement: Statement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> Query:
        """The rows of a statement, page by page at the reader's pace: ``for row in
        session.query(...)``.

        Memory is bounded by two pages (``page_size`` rows each), whatever the size of the result.
        Options are those of ``execute``; timeouts apply to each page. Iteration raises the errors
        of ``execute``.
        """
        return Query(self, statement, parameters, options)

    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[True] = ...,
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> list[Rows]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        errors: Literal["return"],
        results: Literal[True] = ...,
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> list[Rows | Exception]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[False],
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> int: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[True] = ...,
        deadline: Seconds,
        **options: Unpack[ExecuteOptions],
    ) -> list[Rows | Late]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        errors: Literal["return"],
        results: Literal[True] = ...,
        deadline: Seconds,
        **options: Unpack[ExecuteOptions],
    ) -> list[Rows | Exception | Late]: ...
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters],
        /,
        *,
        concurrency: int = 128,
        errors: Literal["raise", "return"] = "raise",
        results: bool = True,
        deadline: Seconds | None = None,
        **options: Unpack[ExecuteOptions],
    ) -> Any:
        """Executes one statement with the parameters of each row, up to ``concurrency`` of them in
        flight (1 to 30,000), and returns the results in the order of the rows.

        ``rows`` may be any iterable, even an endless one: it is read in the calling thread as
        results come in. With ``results=False`` the number of rows is returned instead, and memory
        use does not grow with it.

        With a ``deadline`` in seconds, from the call on, the results that have come by then are
        returned, and the other rows are ``Late``: they may have been executed or not. Those not
        taken from ``rows`` yet are never sent; they are in the result if ``rows`` has a length.
        A text is prepared first, which the deadline does not end.

        The first error ends it: no more rows are sent, those in flight are awaited, and the error
        is raised with the number of its row, from 0, in ``error.row``. With ``errors="return"``
        errors of statements and of their parameters take the places of results instead. Rows are
        executed in no particular order.
        """
        how = (concurrency, errors, results, deadline)
        return many.execute(self, statement, rows, how, options)

    def trace(self, result: Rows | uuid.UUID, /, *, timeout: float = 10.0) -> trace.Trace:
        """What the cluster did for a statement executed with ``tracing=True``: for its last page,
        or for one of ``rows.tracing_ids``.

        Servers write traces after they have answered. Waits up to ``timeout`` seconds until the
        trace is complete, otherwise raises ``TimeoutError``.
        """
        trace_id = trace.the_id(result)
        find, steps = trace.statements()
        for pause in trace.pauses(timeout):
            time.sleep(pause)
            row = self.execute(find, (trace_id,), consistency="one").first()
            if row is not None and row["duration"] is not None:
                events = self.execute(steps, (trace_id,), consistency="one")
                return trace.from_rows(trace_id, row, events)
        raise trace.late(trace_id, timeout)

    def close(self) -> None:
        """Ends the session; statements in flight fail. Closing again has no effect."""
        _open.discard(self)
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def connect(contact_points: str | list[str], **options: Unpack[SessionOptions]) -> Session:
    """An open blocking session, the same as ``Session(...)``."""
    return Session(contact_points, **options)


class AsyncSession(_native.AsyncSessionCore, CommonSession):
    """A session with a Cassandra cluster for asyncio: verbs return futures.

    Arguments and errors are those of ``Session``. It is open inside ``async with``, or after
    ``await AsyncSession.connect(...)``. Several event loops may use it, each with its own
    connections.
    """

    __slots__ = ()

    if TYPE_CHECKING:

        def __init__(
            self, contact_points: str | list[str], **options: Unpack[SessionOptions]
        ) -> None: ...

    @classmethod
    async def connect(
        cls, contact_points: str | list[str], **options: Unpack[SessionOptions]
    ) -> Self:
        """An open session, for use without an ``async with`` block; call ``close()`` at the end."""
        return await cls(contact_points, **options).__aenter__()

    @classmethod
    def from_url(cls, url: str | None = None, /, **options: Unpack[SessionOptions]) -> Self:
        """A session from a URL, as with ``Session.from_url``. Open it with ``async with`` or
        ``await session.open()``.
        """
        opening, session_options = session_opening(url, options)
        return cls(opening.seeds, **session_options)

    async def open(self) -> Self:
        """Opens the session, for use without ``async with``; call ``await close()`` at the end.
        Opening an open session has no effect. If the call is cancelled, a session that it opened is
        closed.
        """
        # Lets `create_task` accept the futures of verbs.
        accept_awaitables()
        # A cancelled call must not close a session that another call opened.
        await open_unless_cancelled(self._start, self._end)
        return self

    async def schema(self) -> Schema:
        """Keyspaces with what is in them, as ``Session.schema`` has them."""
        loop = asyncio.get_running_loop()
        return schema_of(await loop.run_in_executor(None, self._schema))

    def query(
        self,
        statement: Statement,
        parameters: Parameters | None = None,
        /,
        **options: Unpack[ExecuteOptions],
    ) -> AsyncQuery:
        """The rows of a statement, page by page at the reader's pace: ``async for row in
        session.query(...)``.

        Memory is bounded by two pages (``page_size`` rows each), whatever the size of the result.
        Options are those of ``execute``; timeouts apply to each page. Iteration raises the errors
        of ``execute``.
        """
        return AsyncQuery(self, statement, parameters, options)

    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[True] = ...,
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> Future[list[Rows]]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        errors: Literal["return"],
        results: Literal[True] = ...,
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> Future[list[Rows | Exception]]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[False],
        deadline: None = ...,
        **options: Unpack[ExecuteOptions],
    ) -> Future[int]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        results: Literal[True] = ...,
        deadline: Seconds,
        **options: Unpack[ExecuteOptions],
    ) -> Future[list[Rows | Late]]: ...
    @overload
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = ...,
        errors: Literal["return"],
        results: Literal[True] = ...,
        deadline: Seconds,
        **options: Unpack[ExecuteOptions],
    ) -> Future[list[Rows | Exception | Late]]: ...
    def execute_many(
        self,
        statement: Statement,
        rows: Iterable[Parameters] | AsyncIterable[Parameters],
        /,
        *,
        concurrency: int = 128,
        errors: Literal["raise", "return"] = "raise",
        results: bool = True,
        deadline: Seconds | None = None,
        **options: Unpack[ExecuteOptions],
    ) -> Any:
        """Executes one statement with the parameters of each row, up to ``concurrency`` of them in
        flight (1 to 30,000), and returns the results in the order of the rows.

        ``rows`` may be any iterable or asynchronous iterable, even an endless one: it is read as
        results come in. With ``results=False`` the number of rows is returned instead, and memory
        use does not grow with it.

        With a ``deadline`` in seconds, from the call on, the results that have come by then are
        returned, and the other rows are ``Late``: they may have been executed or not. Those not
        taken from ``rows`` yet are never sent; they are in the result if ``rows`` has a length.
        A text is prepared first, which the deadline does not end.

        The first error ends it: no more rows are sent, those in flight are awaited, and the error
        is raised with the number of its row, from 0, in ``error.row``. With ``errors="return"``
        errors of statements and of their parameters take the places of results instead. Rows are
        executed in no particular order. When the task is cancelled, rows that have not been sent
        are withdrawn.
        """
        how = (concurrency, errors, results, deadline)
        return many.execute_soon(self, statement, rows, how, options)

    def trace(self, result: Rows | uuid.UUID, /, *, timeout: float = 10.0) -> Future[Trace]:
        """What the cluster did for a statement executed with ``tracing=True``: for its last page,
        or for one of ``rows.tracing_ids``.

        Servers write traces after they have answered. Waits up to ``timeout`` seconds until the
        trace is complete, otherwise raises ``TimeoutError``.
        """
        return begun(self._trace(trace.the_id(result), timeout))

    async def _trace(self, trace_id: uuid.UUID, timeout: float) -> Trace:
        find, steps = trace.statements()
        for pause in trace.pauses(timeout):
            await asyncio.sleep(pause)
            row = (await self.execute(find, (trace_id,), consistency="one")).first()
            if row is not None and row["duration"] is not None:
                events = await self.execute(steps, (trace_id,), consistency="one")
                return trace.from_rows(trace_id, row, events)
        raise trace.late(trace_id, timeout)

    async def close(self) -> None:
        """Ends the session; statements in flight fail. Closing again has no effect."""
        self._end()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
