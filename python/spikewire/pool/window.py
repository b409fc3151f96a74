"""The calls of one ``map`` in flight on the loops, as seen by its reader."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from spikewire.pool.worker import Unit, begin

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from contextvars import Context

    from spikewire.pool.worker import Worker

__all__ = ["Window"]

Outcome = tuple[int, Any, "BaseException | None"]


class Window:
    """Passes items to loops, at most ``limit`` to each, and collects their outcomes.

    Only the reader may call its methods, except ``post``, which the loops call; another thread may
    call ``cancel``, ``wake_by`` and ``wake``. It uses no locks, only atomic operations: on CPython
    3.14 an interrupt in a main thread that enters ``with lock`` can leave the lock taken for ever.
    """

    def __init__(
        self,
        workers: list[Worker],
        handler: Callable[[Any], Awaitable[Any]],
        context: Context,
        limit: int,
    ) -> None:
        self._limit = limit
        #: The batch size, so that neither side wakes the other for each item.
        self._handful = max(1, limit // 4)
        #: The maximum number of items in flight or arrived and not passed to the reader, which
        #: bounds memory in ordered mode.
        self._most = 2 * limit * len(workers)
        self._queues = [_LoopQueue(self, worker, handler, context.copy()) for worker in workers]
        self.arrived: deque[Outcome] = deque()
        self.fed = 0
        self.done = 0
        self._mail: deque[tuple[_LoopQueue, list[Outcome]]] = deque()
        self._wakes: deque[Callable[[], object]] = deque()

    @property
    def in_flight(self) -> int:
        """The number of items whose outcomes have not been collected."""
        return self.fed - self.done

    @property
    def is_under_way(self) -> bool:
        """Whether the loops have any items; callable from any thread."""
        return any(queue.posted < queue.handed for queue in self._queues)

    def room(self, waiting: int) -> int:
        """The number of items to feed when this many outcomes wait for the reader."""
        queue = min(self._queues, key=lambda queue: queue.in_flight)
        free = min(self._limit - queue.in_flight, self._most - self.in_flight - waiting)
        # Few at first, so that a small number of items is spread over the loops.
        return min(free, max(1, queue.in_flight)) if free >= self._handful else 0

    def feed(self, items: list[Any]) -> None:
        """Passes items to the loop that has the fewest."""
        living = [queue for queue in self._queues if queue.worker.is_running] or self._queues
        queue = min(living, key=lambda queue: queue.in_flight)
        queue.worker.hand([_Item(queue, self.fed + at, item) for at, item in enumerate(items)])
        queue.handed += len(items)
        self.fed += len(items)

    def collect(self) -> int:
        """Collects the outcomes posted by the loops; returns their number."""
        count = 0
        while self._mail:
            queue, outcomes = self._mail.popleft()
            queue.collected += len(outcomes)
            count += len(outcomes)
            self.arrived.extend(outcomes)
        self.done += count
        return count

    def wake_by(self, wake: Callable[[], object]) -> bool:
        """Makes the next post call ``wake``. ``False`` if there are outcomes already."""
        self._wakes.append(wake)
        return not self._mail

    def post(self, queue: _LoopQueue, outcomes: list[Outcome]) -> None:
        """Posts outcomes to the reader; callable from any thread."""
        self._mail.append((queue, outcomes))
        queue.posted += len(outcomes)
        self.wake()

    def wake(self) -> None:
        """Wakes everything that waits for a post."""
        while self._wakes:
            try:
                wake = self._wakes.popleft()
            except IndexError:  # Another loop has taken it.
                return
            wake()

    def cancel(self) -> None:
        """Cancels calls in flight; their outcomes still arrive."""
        for queue in self._queues:
            queue.is_cancelled = True
            queue.worker.soon(queue.cancel)


class _LoopQueue:
    """A loop's part of a window."""

    def __init__(
        self,
        window: Window,
        worker: Worker,
        handler: Callable[[Any], Awaitable[Any]],
        context: Context,
    ) -> None:
        self.worker = worker
        #: Counts of the reader.
        self.handed = 0
        self.collected = 0
        #: State of the loop.
        self.posted = 0
        self.is_cancelled = False
        self.handler = handler
        self._window = window
        self._context = context
        self._running: set[_Item] = set()
        self._outcomes: list[Outcome] = []

    @property
    def in_flight(self) -> int:
        return self.handed - self.collected

    def begin(self, unit: _Item, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        if self.is_cancelled:
            raise asyncio.CancelledError
        # Each call has its own context, as in a task.
        future = self._context.copy().run(begin, loop, self.handler, unit.item)
        self._running.add(unit)
        return future

    def finish(self, unit: _Item, value: Any, error: BaseException | None) -> None:
        self._running.discard(unit)
        self._outcomes.append((unit.number, value, error))
        if len(self._outcomes) == 1:
            self.worker.later(self._post)

    def cancel(self) -> None:
        for unit in list(self._running):
            if unit.future is not None:
                unit.future.cancel()

    def _post(self) -> None:
        outcomes, self._outcomes = self._outcomes, []
        self._window.post(self, outcomes)


class _Item(Unit):
    """The call of one item."""

    __slots__ = ("_queue", "item", "number")

    def __init__(self, queue: _LoopQueue, number: int, item: Any) -> None:
        super().__init__()
        self._queue = queue
        self.item = item
        self.number = number

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        return self._queue.begin(self, loop)

    def finish(self, value: Any, error: BaseException | None) -> None:
        self._queue.finish(self, value, error)


def take(items: Iterator[Any], count: int) -> tuple[list[Any], bool]:
    """The next items, and whether the iterator has ended."""
    chunk: list[Any] = []
    for item in items:
        chunk.append(item)
        if len(chunk) == count:
            return chunk, False
    return chunk, True
