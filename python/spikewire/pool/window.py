"""The calls of one ``map`` that are under way on the loops, as its reader sees them."""

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
    """Hands items to loops, at most ``limit`` to each, and takes what has become of them.

    All methods are the reader's but ``post``, which the loops call; another thread may ``cancel``,
    ``wake_by`` and ``wake``. No locks, only what is atomic: on CPython 3.14 an interrupt in a main
    thread that enters ``with lock`` can leave the lock taken for ever.
    """

    def __init__(
        self,
        workers: list[Worker],
        handler: Callable[[Any], Awaitable[Any]],
        context: Context,
        limit: int,
    ) -> None:
        self._limit = limit
        #: As many at once, so that neither side wakes the other for each item.
        self._handful = max(1, limit // 4)
        #: What is not given to the reader yet, in flight or arrived: a bound in spite of the order.
        self._most = 2 * limit * len(workers)
        self._lanes = [_Lane(self, worker, handler, context.copy()) for worker in workers]
        self.arrived: deque[Outcome] = deque()
        self.fed = 0
        self.done = 0
        self._mail: deque[tuple[_Lane, list[Outcome]]] = deque()
        self._wakes: deque[Callable[[], object]] = deque()

    @property
    def in_flight(self) -> int:
        """How many items have been fed whose outcomes are not collected."""
        return self.fed - self.done

    @property
    def is_under_way(self) -> bool:
        """Whether the loops have any items; for every thread."""
        return any(lane.posted < lane.handed for lane in self._lanes)

    def room(self, waiting: int) -> int:
        """For how many items there is room when so many outcomes wait for the reader."""
        lane = min(self._lanes, key=lambda lane: lane.in_flight)
        free = min(self._limit - lane.in_flight, self._most - self.in_flight - waiting)
        # Few at first, so that few items are spread over the loops.
        return min(free, max(1, lane.in_flight)) if free >= self._handful else 0

    def feed(self, items: list[Any]) -> None:
        """Hands items to the loop that has the fewest."""
        living = [lane for lane in self._lanes if lane.worker.is_running] or self._lanes
        lane = min(living, key=lambda lane: lane.in_flight)
        lane.worker.hand([_Item(lane, self.fed + at, item) for at, item in enumerate(items)])
        lane.handed += len(items)
        self.fed += len(items)

    def collect(self) -> int:
        """Takes what the loops have posted; how many outcomes that is."""
        count = 0
        while self._mail:
            lane, outcomes = self._mail.popleft()
            lane.collected += len(outcomes)
            count += len(outcomes)
            self.arrived.extend(outcomes)
        self.done += count
        return count

    def wake_by(self, wake: Callable[[], object]) -> bool:
        """Has the next post call this. ``False`` when there is mail already."""
        self._wakes.append(wake)
        return not self._mail

    def post(self, lane: _Lane, outcomes: list[Outcome]) -> None:
        """Tells the reader of outcomes; from any thread."""
        self._mail.append((lane, outcomes))
        lane.posted += len(outcomes)
        self.wake()

    def wake(self) -> None:
        """Wakes those who wait for a post."""
        while self._wakes:
            try:
                wake = self._wakes.popleft()
            except IndexError:  # Another loop has it.
                return
            wake()

    def cancel(self) -> None:
        """Cancels what is under way; its outcomes still arrive."""
        for lane in self._lanes:
            lane.is_cancelled = True
            lane.worker.soon(lane.cancel)


class _Lane:
    """What a loop has of a window."""

    def __init__(
        self,
        window: Window,
        worker: Worker,
        handler: Callable[[Any], Awaitable[Any]],
        context: Context,
    ) -> None:
        self.worker = worker
        #: The reader's counts.
        self.handed = 0
        self.collected = 0
        #: The loop's.
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
        # Each call has a context of its own, as it has in a task.
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

    __slots__ = ("_lane", "item", "number")

    def __init__(self, lane: _Lane, number: int, item: Any) -> None:
        super().__init__()
        self._lane = lane
        self.item = item
        self.number = number

    def begin(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
        return self._lane.begin(self, loop)

    def finish(self, value: Any, error: BaseException | None) -> None:
        self._lane.finish(self, value, error)


def take(items: Iterator[Any], count: int) -> tuple[list[Any], bool]:
    """The next items, and whether that was the end of them."""
    taken: list[Any] = []
    for item in items:
        taken.append(item)
        if len(taken) == count:
            return taken, False
    return taken, True
