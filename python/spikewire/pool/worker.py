"""One event loop in one thread, and the calls passed to it."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from spikewire.pool.errors import LoopDied, PoolClosed
from spikewire.tasks import accept_awaitables, settled

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["Unit", "Worker", "begin"]


class Unit:
    """A call passed to a loop. All of its methods are called on the loop's thread."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        self.future: asyncio.Future[Any] | None = None

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        """Starts the call."""
        raise NotImplementedError

    def finish(self, value: Any, error: BaseException | None) -> None:
        """Called when the call has ended. Must not raise."""
        raise NotImplementedError


def begin(
    loop: asyncio.AbstractEventLoop, function: Callable[..., Awaitable[Any]], *args: Any, **kw: Any
) -> asyncio.Future[Any]:
    """The future of a function's result; for a coroutine, a task in the current context."""
    result: Any = function(*args, **kw)
    if asyncio.isfuture(result):
        # A verb's future needs no task.
        return result
    if asyncio.iscoroutine(result):
        return loop.create_task(result)
    if isawaitable(result):
        return loop.create_task(settled(result))
    message = (
        f"a pool runs asynchronous functions: {function!r:.100} returned "
        f"{type(result).__name__}, which cannot be awaited"
    )
    raise TypeError(message)


class Worker:
    """A thread that runs an event loop until it is told to stop."""

    def __init__(
        self,
        name: str,
        new_loop: Callable[[], asyncio.AbstractEventLoop],
        idle: Callable[[], None],
    ) -> None:
        self.loop = new_loop()
        accept_awaitables(self.loop)
        self.thread = threading.Thread(target=self._main, name=name, daemon=True)
        #: The exception that ended the loop prematurely.
        self.error: BaseException | None = None
        #: Whether the loop still runs callbacks.
        self.is_running = True
        self._idle = idle
        # No locks, only atomic operations; see `Window`.
        self._inbox: deque[Unit] = deque()
        self._is_woken = False
        #: The number of calls that have left the inbox and not finished; used by the loop only.
        self._started = 0
        self._is_stopping = False
        self._cancels = False
        self._running: set[Unit] = set()
        self._later: list[Callable[[], object]] = []

    @property
    def load(self) -> int:
        """The number of waiting and running calls."""
        return len(self._inbox) + self._started

    @property
    def is_alive(self) -> bool:
        """Whether the thread runs and has not been told to stop."""
        return self.thread.is_alive() and not self._is_stopping

    def hand(self, units: list[Unit]) -> None:
        """Makes the loop start calls; callable from any thread."""
        if not self.is_running:
            raise self.gone()
        try:
            self._inbox.extend(units)
            if not self._is_woken:
                self._is_woken = True
                self.soon(self._take)
        except BaseException:
            # An interrupt may have come before the loop was woken.
            self.soon(self._take)
            raise
        if not self.is_running:
            self._withdraw(units)

    def _withdraw(self, units: list[Unit]) -> None:
        """Fails calls that the loop, which has ended meanwhile, has not failed itself."""
        left: list[Unit] = []
        for unit in units:
            with suppress(ValueError):
                self._inbox.remove(unit)
                left.append(unit)
        if len(left) == len(units):
            raise self.gone()
        for unit in left:
            unit.finish(None, self.gone())

    def soon(self, callback: Callable[[], object]) -> None:
        """Makes the loop call back, if it still runs; callable from any thread."""
        try:
            self.loop.call_soon_threadsafe(callback)
        except RuntimeError:
            # The loop is closed, and its calls have failed.
            if self.is_running:
                raise

    def later(self, callback: Callable[[], object]) -> None:
        """Calls back after everything else that ends in this turn of the loop; on the loop's
        thread.
        """
        self._later.append(callback)
        if not self.is_running:
            self._flush()
        elif len(self._later) == 1:
            self.loop.call_soon(self._flush)

    def cancel_all(self) -> None:
        """Cancels all calls, including later ones; callable from any thread."""
        self._cancels = True
        self.soon(self._cancel_running)

    def stop(self) -> None:
        """Stops the loop and cancels running calls; callable from any thread."""
        self._is_stopping = True
        self.soon(self.loop.stop)

    def gone(self) -> RuntimeError:
        """The reason it accepts no more calls."""
        if self.error is None:
            return PoolClosed("the pool is closed")
        error = LoopDied(f"the event loop of {self.thread.name} has died: {self.error!r}")
        error.__cause__ = self.error
        return error

    def _take(self) -> None:
        self._is_woken = False
        for _ in range(len(self._inbox)):
            # Counted before it leaves the inbox, so that the load is never too low.
            self._started += 1
            self._start(self._inbox.popleft())

    def _start(self, unit: Unit) -> None:
        try:
            if self._cancels:
                raise asyncio.CancelledError
            unit.future = future = unit.begin(self.loop)
            future.add_done_callback(partial(self._settled, unit))
        except BaseException as error:  # noqa: BLE001
            self._finish(unit, None, error)
            return
        self._running.add(unit)

    def _settled(self, unit: Unit, future: asyncio.Future[Any]) -> None:
        if unit not in self._running:
            return
        self._running.discard(unit)
        error: BaseException | None
        try:
            error = future.exception()
        except asyncio.CancelledError as cancelled:
            error = cancelled
        self._finish(unit, None if error is not None else future.result(), error)

    def _finish(self, unit: Unit, value: Any, error: BaseException | None) -> None:
        if isinstance(error, (StopIteration, StopAsyncIteration)):
            # It would look like the end of the results. Generators convert it, too.
            stopped, error = error, RuntimeError(f"a handler raised {type(error).__name__}")
            error.__cause__ = stopped
        unit.finish(value, error)
        self._started -= 1
        if not self.load:
            self._idle()

    def _flush(self) -> None:
        later, self._later = self._later, []
        for callback in later:
            callback()

    def _cancel_running(self) -> None:
        for unit in list(self._running):
            if unit.future is not None:
                unit.future.cancel()

    def _main(self) -> None:
        try:
            while not self._is_stopping:
                try:
                    self.loop.run_forever()
                except (KeyboardInterrupt, SystemExit):  # noqa: PERF203
                    # The task that raised it keeps it, and passes it to the caller.
                    continue
            self._wind_up()
        except BaseException as error:  # noqa: BLE001
            self.error = error
        finally:
            self.is_running = False
            for unit in list(self._running):
                self._running.discard(unit)
                if isinstance(unit.future, asyncio.Task):
                    # The caller gets an error, so asyncio need not log one.
                    unit.future._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001
                self._finish(unit, None, self.gone())
            self._fail_inbox()
            self._flush()
            self._close()

    def _fail_inbox(self) -> None:
        while self._inbox:
            self._started += 1
            try:
                unit = self._inbox.popleft()
            except IndexError:  # The call was withdrawn.
                self._started -= 1
                return
            self._finish(unit, None, self.gone())

    def _wind_up(self) -> None:
        """Cancels tasks that the calls have started."""
        left = asyncio.all_tasks(self.loop)
        for task in left:
            task.cancel()
        if left:
            self.loop.run_until_complete(asyncio.wait(left, timeout=1))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())

    def _close(self) -> None:
        try:
            self.loop.close()
        except BaseException as error:  # noqa: BLE001
            self.error = self.error or error
