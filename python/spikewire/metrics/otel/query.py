"""Tracing of queries. Nothing is sent before the first record is requested, so spans start then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from typing_extensions import Self

    from spikewire.metrics.otel.call import Call


class _AnyQuery:
    """A query with a span for each way of reading it: iterating over its records, a page, an
    aggregation.
    """

    def __init__(self, query: Any, begin: Callable[[], Call]) -> None:
        self._query = query
        self._begin = begin
        #: The iterator behind ``next`` and ``anext``.
        self._reading: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        attribute = getattr(self._query, name)
        if not callable(attribute) or name == "close":
            return attribute

        def read(*arguments: Any, **options: Any) -> Any:
            call = self._begin()
            outcome: Any
            try:
                outcome = attribute(*arguments, **options)
            except BaseException as error:
                call.end(error)
                raise
            for marks, kind in (("__next__", _each), ("__anext__", _each_async)):
                if hasattr(outcome, marks):
                    return kind(outcome, call)
            return call.follow(outcome)

        return read

    def __repr__(self) -> str:
        return f"<traced {self._query!r}>"


class Query(_AnyQuery):
    """A query of a blocking client."""

    def __iter__(self) -> Iterator[Any]:
        return _each(iter(self._query), self._begin())

    def __next__(self) -> Any:
        if self._reading is None:
            self._reading = iter(self)
        return next(self._reading)

    def __enter__(self) -> Self:
        self._query.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._query.__exit__(*error)


class AsyncQuery(_AnyQuery):
    """A query of an asyncio client."""

    def __aiter__(self) -> AsyncIterator[Any]:
        return _each_async(aiter(self._query), self._begin())

    async def __anext__(self) -> Any:
        if self._reading is None:
            self._reading = aiter(self)
        return await anext(self._reading)

    async def __aenter__(self) -> Self:
        await self._query.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._query.__aexit__(*error)


class _each:  # noqa: N801
    """Iterates over an iterator; the span ends with it, or when it is dropped.

    Not a generator, because another thread may close the query meanwhile.
    """

    __slots__ = ("_call", "_items")

    def __init__(self, items: Iterator[Any], call: Call) -> None:
        self._items = items
        self._call: Call | None = call

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._items)
        except BaseException as error:
            self._end(None if isinstance(error, StopIteration) else error)
            raise

    def _end(self, error: BaseException | None = None) -> None:
        call, self._call = self._call, None
        if call is not None:
            call.end(error)

    def __del__(self) -> None:
        self._end()


class _each_async(_each):  # noqa: N801
    """``_each`` for an asynchronous iterator."""

    __slots__ = ()

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            return await anext(self._items)  # type: ignore[call-overload]
        except BaseException as error:
            self._end(None if isinstance(error, StopAsyncIteration) else error)
            raise
