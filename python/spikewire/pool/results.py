"""The result of ``Pool.map``: results to await or to iterate over."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from spikewire.pool.errors import belongs_to
from spikewire.pool.gate import SIGNALS_EVERY, Gate
from spikewire.pool.job import reject_blocking
from spikewire.pool.window import Window, take

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterable,
        AsyncIterator,
        Callable,
        Generator,
        Iterable,
        Iterator,
    )

    from typing_extensions import Self

    from spikewire.pool.window import Outcome
    from spikewire.pool.worker import Worker

__all__ = ["Results"]

_T = TypeVar("_T")


class Results(Generic[_T]):
    """The results of a ``map``, which starts when the first of them is requested.

    ``await`` it for a list, or iterate: ``async for``, or ``for`` in a thread without an event
    loop. When awaited, an error is raised as soon as it happens; during iteration, at its place in
    the order.

    The results can be consumed once, by one task or thread.

    An iteration that ends early cancels running calls: after an error, when the task is cancelled,
    at the end of ``async with results`` or ``with results``, with ``aclose()`` or ``close()``. All
    of these wait for the calls to end, within the pool's ``close_timeout``; a ``break`` without
    them does not.
    """

    def __init__(
        self,
        make: Callable[[], Window],
        items: Iterable[Any] | AsyncIterable[Any],
        *,
        workers: list[Worker],
        ordered: bool,
        returns_errors: bool,
        progress: Callable[[int, int | None], object] | None,
        close_timeout: float,
    ) -> None:
        self._make = make
        self._workers = workers
        self._window: Window | None = None
        self._source: Any = items
        self._items: Iterator[Any] | None = None
        self._async_items: AsyncIterator[Any] | None = None
        self._reading: asyncio.Future[Any] | None = None
        self._is_exhausted = False
        self._is_over = False
        self._ordered = ordered
        self._returns_errors = returns_errors
        self._progress = progress
        self._total = _length(items)
        self._close_timeout = close_timeout
        self._reader = threading.Lock()
        self._process = os.getpid()
        self._waiting: dict[int, Outcome] = {}
        self._returned = 0
        #: Whether a list is awaited, so that an error is raised immediately.
        self._is_list = False

    # --- Iterating ---------------------------------------------------------------------------

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> _T:
        reject_blocking(self._workers)
        self._begin_taking()
        try:
            return self._next()
        finally:
            self._reader.release()

    def _next(self) -> _T:
        if self._is_over:
            raise StopIteration
        window = self._open()
        items = self._items
        if items is None:
            message = "an asynchronous iterable of items is read by `async for` or `await`"
            raise TypeError(message)
        try:
            while True:
                self._feed(window, items)
                outcome = self._step(window)
                self._check_open()
                if outcome is not None:
                    return self._result(outcome)
                if self._is_finished(window):
                    raise StopIteration
                gate = Gate()
                if window.wake_by(gate.open):
                    while not self._is_over and not gate.wait(SIGNALS_EVERY):
                        # Check for a signal that arrived just before the wait.
                        pass
        except BaseException:
            self.close()
            raise

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> _T:
        self._begin_taking()
        try:
            return await self._anext()
        finally:
            self._reader.release()

    def _begin_taking(self) -> None:
        belongs_to(self._process)
        if not self._reader.acquire(blocking=False):
            message = "another task or thread is reading these results"
            raise RuntimeError(message)

    async def _anext(self) -> _T:
        if self._is_over:
            raise StopAsyncIteration
        window = self._open()
        loop = asyncio.get_running_loop()
        try:
            while True:
                if self._items is not None:
                    self._feed(window, self._items)
                else:
                    self._feed_async(window, loop)
                outcome = self._step(window)
                self._check_open()
                if outcome is not None:
                    return self._result(outcome)
                if self._is_finished(window):
                    raise StopAsyncIteration
                await self._news(window, loop)
        except GeneratorExit:
            # Not awaited: nothing would await it here.
            self._end()
            raise
        except BaseException:
            await self.aclose()
            raise

    def _check_open(self) -> None:
        """Raises if another reader has closed the results, of which this one has not seen all."""
        if self._is_over:
            message = "another task or thread has closed these results"
            raise RuntimeError(message)

    async def _news(
        self, window: Window, loop: asyncio.AbstractEventLoop, *, to_the_end: bool = False
    ) -> None:
        """Waits for outcomes, an item, or closing by another reader; with ``to_the_end``, for the
        next outcomes, whether or not others wait to be collected.
        """
        event = asyncio.Event()

        def wake() -> None:
            # Nothing waits on a closed loop.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(event.set)

        def read(_: object) -> None:
            event.set()

        reading = self._reading
        if reading is not None:
            reading.add_done_callback(read)
        try:
            is_quiet = window.wake_by(wake)
            if window.is_under_way if to_the_end else is_quiet and not self._is_over:
                await event.wait()
        finally:
            if reading is not None:
                reading.remove_done_callback(read)

    # --- Awaiting ----------------------------------------------------------------------------

    async def _all(self) -> list[_T]:
        self._is_list = True
        return [result async for result in self]

    def __await__(self) -> Generator[Any, None, list[_T]]:
        if self._is_over:
            message = "these results were already read: keep the list"
            raise RuntimeError(message)
        return self._all().__await__()

    # --- Closing -----------------------------------------------------------------------------

    def close(self) -> None:
        """Cancels running calls, and waits until they have ended."""
        window = self._end()
        until = time.monotonic() + self._close_timeout
        while window is not None and (left := until - time.monotonic()) > 0:
            gate = Gate()
            window.wake_by(gate.open)
            if not window.is_under_way:
                break
            gate.wait(min(left, SIGNALS_EVERY))

    async def aclose(self) -> None:
        """Cancels running calls, and waits until they have ended."""
        reading, window = self._reading, self._end()
        if reading is not None:
            await asyncio.wait([reading], timeout=self._close_timeout)
        loop = asyncio.get_running_loop()
        until = loop.time() + self._close_timeout
        while window is not None and window.is_under_way and (left := until - loop.time()) > 0:
            with contextlib.suppress(asyncio.TimeoutError):
                news = self._news(window, loop, to_the_end=True)
                await asyncio.wait_for(news, min(left, SIGNALS_EVERY))

    def _end(self) -> Window | None:
        """Cancels running calls."""
        if self._process != os.getpid():  # The calls are the parent's.
            return None
        was_over, self._is_over = self._is_over, True
        window, self._items, self._async_items = self._window, None, None
        reading, self._source, self._reading = self._reading, (), None
        if reading is not None:
            with contextlib.suppress(RuntimeError):
                reading.get_loop().call_soon_threadsafe(reading.cancel)
        if window is not None and not was_over:
            # Even if nothing is counted: an interrupt may have come before the count.
            window.cancel()
            # Lets a waiting caller notice that the results are closed.
            window.wake()
        return window

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.aclose()

    def __del__(self) -> None:
        # The constructor may have failed.
        if getattr(self, "_window", None) is not None and not self._is_over:
            self._end()

    # --- Common ------------------------------------------------------------------------------

    def _open(self) -> Window:
        window = self._window
        if window is None:
            window = self._window = self._make()
            source: Any = self._source
            if hasattr(source, "__aiter__"):
                self._async_items = source.__aiter__()
            else:
                self._items = iter(source)
        return window

    def _feed(self, window: Window, items: Iterator[Any]) -> None:
        while not self._is_exhausted and (room := window.room(self._pending(window))):
            chunk, self._is_exhausted = take(items, room)
            if chunk:
                window.feed(chunk)

    def _feed_async(self, window: Window, loop: asyncio.AbstractEventLoop) -> None:
        reading, source = self._reading, self._async_items
        if reading is not None and reading.done():
            self._reading = None
            try:
                window.feed([reading.result()])
            except StopAsyncIteration:
                self._is_exhausted = True
        if self._is_exhausted or self._reading is not None or source is None:
            return
        if window.room(self._pending(window)):
            self._reading = loop.create_task(_read(source))

    def _pending(self, window: Window) -> int:
        return len(self._waiting) + len(window.arrived)

    def _step(self, window: Window) -> Outcome | None:
        """The next outcome for the reader, if it has arrived."""
        if window.collect() and self._progress is not None:
            try:
                self._progress(window.done, self._total)
            except (StopIteration, StopAsyncIteration) as error:
                message = f"progress raised {type(error).__name__}"
                raise RuntimeError(message) from error
        if not self._ordered:
            return window.arrived.popleft() if window.arrived else None
        while window.arrived:
            outcome = window.arrived.popleft()
            if self._is_list and outcome[2] is not None and self._is_raised(outcome[2]):
                return outcome
            self._waiting[outcome[0]] = outcome
        return self._waiting.pop(self._returned, None)

    def _result(self, outcome: Outcome) -> _T:
        self._returned += 1
        value: _T = outcome[1]
        error: Any = outcome[2]
        if error is None:
            return value
        if self._is_raised(error):
            raise error
        result: _T = error
        return result

    def _is_raised(self, error: BaseException) -> bool:
        return not (self._returns_errors and isinstance(error, Exception))

    def _is_finished(self, window: Window) -> bool:
        if self._is_over:
            return True
        over = self._is_exhausted and not window.in_flight and not window.arrived
        self._is_over = over and not self._waiting
        return self._is_over


async def _read(items: AsyncIterator[Any]) -> Any:
    return await items.__anext__()


def _length(items: object) -> int | None:
    try:
        return len(items)  # type: ignore[arg-type]
    except TypeError:
        return None
