"""Results of any size, page by page at the reader's pace."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from spikewire.cql.options import options_of_preparing

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
    from concurrent.futures import Future
    from types import TracebackType

    from typing_extensions import Self

    from spikewire._native import ArrowTable
    from spikewire.cql._native import Row, Rows
    from spikewire.cql.options import ExecuteOptions
    from spikewire.cql.session import AsyncSession, Session
    from spikewire.cql.types import Parameters, Statement

__all__ = ["AsyncQuery", "Query"]


class _PagingState:
    """The paging state of a query."""

    __slots__ = ("_begun", "_closed", "_options", "_parameters", "_session", "_state", "_statement")

    def __init__(
        self,
        session: Session | AsyncSession,
        statement: Statement,
        parameters: Parameters | None,
        options: ExecuteOptions,
    ) -> None:
        session._check(statement, **options)  # noqa: SLF001
        self._session: Any = session
        self._statement: Statement = statement
        self._parameters = parameters
        self._options: dict[str, Any] = dict(options)
        self._state: bytes | None = options.get("paging_state")
        self._begun = False
        self._closed = False

    @property
    def paging_state(self) -> bytes | None:
        """The paging state of the page after the one being read: pass it to another query as
        ``paging_state`` to continue there. ``None`` on the last page; before the first one, the
        state the query was started with. The bytes are opaque and contain keys, so do not accept
        them from untrusted sources.
        """
        return self._state

    def _has_more(self) -> bool:
        return not self._closed and (not self._begun or self._state is not None)

    def _arguments(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the request for the next page."""
        if self._state is not None:
            self._options["paging_state"] = self._state
        parameters = () if self._parameters is None else (self._parameters,)
        return (self._statement, *parameters), self._options

    def _took(self, page: Rows) -> None:
        self._begun = True
        self._state = page.paging_state

    def _binds(self) -> bool:
        """Whether parameters still have to be bound, which is done once for all pages."""
        return not self._begun and self._parameters is not None

    def _bind(self, prepared: Any) -> None:
        self._statement = prepared.bind(self._parameters)
        self._parameters = None

    def __repr__(self) -> str:
        state = "closed" if self._closed else "at the end" if not self._has_more() else "open"
        return f"<{type(self).__name__}, {state}>"


class Query(_PagingState):
    """The rows of a statement, from ``Session.query``: an iterator.

    While one page is read, the next one is fetched, and never more than that; nothing is sent
    before the first row is requested. A new ``for`` loop continues where the previous one stopped.
    ``for row in query`` yields rows, ``for page in query.pages()`` whole pages.
    """

    __slots__ = ("_ahead", "_pages", "_rows")

    def __init__(
        self,
        session: Session,
        statement: Statement,
        parameters: Parameters | None,
        options: ExecuteOptions,
    ) -> None:
        super().__init__(session, statement, parameters, options)
        self._ahead: Future[Rows] | None = None
        self._pages: Generator[Rows, None, None] = self._through_pages()
        self._rows: Generator[Row, None, None] = self._through_rows()

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def __next__(self) -> Row:
        return next(self._rows)

    def pages(self) -> Iterator[Rows]:
        """The remaining pages."""
        return self._pages

    def batches(self) -> Iterator[ArrowTable]:
        """The remaining pages, each as an Arrow table: see ``Rows.to_arrow``. A decimal column has
        the scale that its page needs.
        """
        return (page.to_arrow() for page in self._pages)

    def _through_rows(self) -> Generator[Row, None, None]:
        for page in self._pages:
            yield from page

    def _through_pages(self) -> Generator[Rows, None, None]:
        if self._binds():
            statement = self._statement
            if isinstance(statement, str):
                options = options_of_preparing(self._options)
                statement = self._session._prepared(statement, **options)  # noqa: SLF001
            self._bind(statement)
        while self._has_more():
            page = self._next()
            self._took(page)
            if self._has_more():
                arguments, options = self._arguments()
                self._ahead = self._session.submit.page(*arguments, **options)
            yield page

    def _next(self) -> Rows:
        ahead = self._ahead
        if ahead is None:
            arguments, options = self._arguments()
            page: Rows = self._session.page(*arguments, **options)
            return page
        try:
            return ahead.result()
        finally:
            self._ahead = None
            ahead.cancel()

    def close(self) -> None:
        """Ends the query without waiting for a page in flight. Closing again has no effect."""
        self._closed = True
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.cancel()
        # Another thread may be reading; it will find the end.
        with contextlib.suppress(ValueError):
            self._rows.close()
            self._pages.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class AsyncQuery(_PagingState):
    """The rows of a statement, from ``AsyncSession.query``: an asynchronous iterator.

    While one page is read, the next one is fetched, and never more than that; nothing is sent
    before the first row is requested. A new ``async for`` loop continues where the previous one
    stopped. ``async for row in query`` yields rows, ``async for page in query.pages()`` whole
    pages.
    """

    __slots__ = ("_ahead", "_pages", "_rows")

    def __init__(
        self,
        session: AsyncSession,
        statement: Statement,
        parameters: Parameters | None,
        options: ExecuteOptions,
    ) -> None:
        super().__init__(session, statement, parameters, options)
        self._ahead: asyncio.Future[Rows] | None = None
        self._pages: AsyncGenerator[Rows, None] = self._through_pages()
        self._rows: AsyncGenerator[Row, None] = self._through_rows()

    def __aiter__(self) -> AsyncIterator[Row]:
        return self._rows

    async def __anext__(self) -> Row:
        return await self._rows.__anext__()

    def pages(self) -> AsyncIterator[Rows]:
        """The remaining pages."""
        return self._pages

    def batches(self) -> AsyncIterator[ArrowTable]:
        """The remaining pages, each as an Arrow table: see ``Rows.to_arrow``. A decimal column has
        the scale that its page needs.
        """
        return (page.to_arrow() async for page in self._pages)

    async def _through_rows(self) -> AsyncGenerator[Row, None]:
        # Rows of a page are yielded without a switch to the event loop.
        async for page in self._pages:
            for row in page:
                yield row

    async def _through_pages(self) -> AsyncGenerator[Rows, None]:
        if self._binds():
            statement = self._statement
            if isinstance(statement, str):
                options = options_of_preparing(self._options)
                statement = await self._session._prepared(statement, **options)  # noqa: SLF001
            self._bind(statement)
        while self._has_more():
            page = await self._next()
            self._took(page)
            if self._has_more():
                arguments, options = self._arguments()
                ahead: asyncio.Future[Rows] = self._session.page(*arguments, **options)
                ahead.add_done_callback(_looked_at)
                self._ahead = ahead
            yield page

    async def _next(self) -> Rows:
        ahead = self._ahead
        if ahead is None:
            arguments, options = self._arguments()
            page: Rows = await self._session.page(*arguments, **options)
            return page
        try:
            return await ahead
        finally:
            self._ahead = None

    async def close(self) -> None:
        """Ends the query without waiting for a page in flight. Closing again has no effect."""
        self._closed = True
        ahead, self._ahead = self._ahead, None
        if ahead is not None:
            ahead.cancel()
        # Another task may be reading; it will find the end.
        with contextlib.suppress(RuntimeError):
            await self._rows.aclose()
            await self._pages.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()


def _looked_at(ahead: asyncio.Future[Rows]) -> None:
    """Marks the exception of the page ahead as retrieved after the reader has left."""
    if not ahead.cancelled():
        ahead.exception()
