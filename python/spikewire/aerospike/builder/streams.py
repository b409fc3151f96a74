"""Endless inputs: keys are read one window at a time while other windows are in flight.

Used by ``get_stream`` of clients and datasets, and by ``stream`` of the builder.
"""

# The native module calls the functions at the end.
# pyright: reportUnusedFunction=false

from __future__ import annotations

import asyncio
import concurrent.futures
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.aerospike.builder.results import check, settled

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable

    from spikewire.aerospike.builder.results import Missing, OnError, Result

__all__ = ["How", "checked", "get_stream", "stream", "stream_soon"]

#: How long the end of a stream waits for a cancelled asynchronous input, in seconds.
_PATIENCE = 5.0


class How(NamedTuple):
    """How keys are read and how their results are handled."""

    window: int
    limit: int
    ordered: bool
    on_error: OnError
    missing: Missing


def checked(window: object, limit: object, ordered: object, on_error: Any, missing: Any) -> How:
    """Checks the arguments."""
    for name, value in (("window", window), ("limit", limit)):
        if type(value) is not int or value < 1:
            raise ValueError(f"{name} must be an int from 1, not {value!r}")
    if not isinstance(ordered, bool):
        raise TypeError(f"ordered must be a bool, not {type(ordered).__name__}")
    check(on_error, missing)
    return How(window, limit, ordered, on_error, missing)  # type: ignore[arg-type]


def stream(
    send: Callable[[list[Any]], Any], keys: Iterable[Any], how: How
) -> Generator[Result, None, None]:
    """The results of windows of keys. ``send`` submits one, and returns the future of its batch."""
    source = _Source(iter(keys), how.window)
    flying: dict[Any, int] = {}
    try:
        while True:
            while len(flying) < how.limit and (some := source.take()):
                source.send(send, some, flying)
            if not flying:
                source.end()
                return
            if how.ordered:
                done = next(iter(flying))
            else:
                first = concurrent.futures.FIRST_COMPLETED
                done = next(iter(concurrent.futures.wait(flying, return_when=first).done))
            batch = done.result()
            start = flying.pop(done)
            yield from settled(batch, how.on_error, how.missing, start)
    finally:
        # Windows that have not been sent are cancelled. The generator waits for the others before
        # it ends.
        for future in flying:
            future.cancel()
        for future in flying:
            if not future.cancelled():
                future.exception()


async def stream_soon(
    send: Callable[[list[Any]], Any], keys: Iterable[Any] | AsyncIterable[Any], how: How
) -> AsyncGenerator[Result, None]:
    """The same on an event loop. ``send`` returns an ``asyncio.Future``, and the keys may come from
    an asynchronous iterable."""
    iterable: Any = keys
    awaited = hasattr(iterable, "__aiter__")
    source = _AsyncSource(iterable, how.window) if awaited else _Source(iter(iterable), how.window)
    flying: dict[asyncio.Future[Any], int] = {}
    try:
        while True:
            while len(flying) < how.limit and (some := source.take()):
                source.send(send, some, flying)
            if not flying and source.is_over:
                source.end()
                return
            oldest = next(iter(flying), None)
            pending = {oldest} if how.ordered and oldest is not None else set(flying)
            if len(flying) < how.limit and not source.is_over:
                pending.add(source.news())
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            completed = next((future for future in done if future in flying), None)
            if completed is not None:
                batch = completed.result()
                start = flying.pop(completed)
                for result in settled(batch, how.on_error, how.missing, start):
                    yield result
    except asyncio.CancelledError:
        # A cancelled task does not wait.
        for future in flying:
            future.cancel()
        raise
    finally:
        await source.close()
        if flying:
            await asyncio.gather(*flying, return_exceptions=True)


def get_stream(
    verbs: Any,
    keys: Any,
    bins: Any = None,
    *,
    awaited: bool,
    trial: Any = None,
    ordered: bool = True,
    window: int = 256,
    limit: int = 8,
    on_error: OnError = "raise",
    missing: Missing = "keep",
    **options: Any,
) -> Any:
    """``get_stream`` of a client, a dataset or a view of one. ``trial`` is the ``get_many`` that
    checks options, if it is not that of ``verbs``."""
    how = checked(window, limit, ordered, on_error, missing)
    if isinstance(keys, (str, bytes)) or not (
        hasattr(keys, "__iter__") or (awaited and hasattr(keys, "__aiter__"))
    ):
        hint = "" if awaited else "; AsyncClient takes asynchronous ones"
        hint = hint if hasattr(keys, "__aiter__") else ""
        raise TypeError(f"keys must be an iterable of keys, not {type(keys).__name__}{hint}")
    # Without keys nothing is sent: this only checks the other arguments.
    (trial or verbs.get_many)((), bins, **options)
    of = verbs if awaited else verbs.submit

    def send(some: list[Any]) -> Any:
        return of.get_many(some, bins, **options)

    return stream_soon(send, keys, how) if awaited else stream(send, keys, how)


def _stream(verbs: Any, keys: Any, bins: Any, **options: Any) -> Any:
    return get_stream(verbs, keys, bins, awaited=False, **options)


def _stream_soon(verbs: Any, keys: Any, bins: Any, **options: Any) -> Any:
    return get_stream(verbs, keys, bins, awaited=True, **options)


class _Source:
    """Keys from an iterable."""

    def __init__(self, keys: Any, window: int) -> None:
        self._keys = keys
        self._window = window
        self._error: BaseException | None = None
        self.is_over = False
        #: The number of keys sent.
        self.count = 0

    def take(self) -> list[Any]:
        """The next window; empty if there are no more keys."""
        some: list[Any] = []
        if self.is_over:
            return some
        try:
            # One by one, so that keys before an error are kept.
            for key in islice(self._keys, self._window):
                some.append(key)  # noqa: PERF402
        except Exception as error:  # noqa: BLE001
            self._error = error
        self.is_over = len(some) < self._window
        return some

    def send(
        self, send: Callable[[list[Any]], Any], some: list[Any], flying: dict[Any, int]
    ) -> None:
        """Sends a window. If it is rejected, the input ends there."""
        try:
            flying[send(some)] = self.count
        except (TypeError, ValueError, OverflowError) as error:
            # The message has the row's number within the window.
            text = re.sub(r"^row (\d+)", lambda row: f"row {self.count + int(row[1])}", str(error))
            self.is_over, self._error = True, type(error)(text)
        self.count += len(some)

    def end(self) -> None:
        """Raises the error with which the input ended, after the results of what came before."""
        if self._error is not None:
            raise self._error

    def news(self) -> asyncio.Future[Any]:
        """Completes when there is more to take."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stops reading."""


class _AsyncSource(_Source):
    """Keys from an asynchronous iterable. A task reads them, at most one window ahead."""

    def __init__(self, keys: AsyncIterable[Any], window: int) -> None:
        super().__init__(keys, window)
        self._loop = asyncio.get_running_loop()
        self._ready: list[Any] = []
        self._news: asyncio.Future[Any] | None = None
        self._room: asyncio.Future[Any] | None = None
        self._task = self._loop.create_task(self._read())

    def take(self) -> list[Any]:
        if self.is_over:
            return []
        some, self._ready = self._ready, []
        _wake(self._room)
        self.is_over = self._task.done()
        return some

    def news(self) -> asyncio.Future[Any]:
        if self._news is None or self._news.done():
            self._news = self._loop.create_future()
            if self._ready or self._task.done():
                self._news.set_result(None)
        return self._news

    async def close(self) -> None:
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=_PATIENCE)

    async def _read(self) -> None:
        try:
            async for key in self._keys:
                self._ready.append(key)
                _wake(self._news)
                if len(self._ready) >= self._window:
                    self._room = self._loop.create_future()
                    await self._room
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
            self._error = error
        finally:
            # The task itself is done slightly later.
            self._loop.call_soon(self._over)

    def _over(self) -> None:
        _wake(self._news)


def _wake(future: asyncio.Future[Any] | None) -> None:
    if future is not None and not future.done():
        future.set_result(None)
