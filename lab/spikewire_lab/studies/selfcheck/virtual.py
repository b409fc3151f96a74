"""Simulated time: waiting takes none, and every instant is exact however busy the machine is."""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...worker.alarm import Alarm, LoopAlarm
from ...worker.timing import Timing

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

NS = 1_000_000_000


class Until(Sequence[bool]):
    """Empty until an instant and non-empty from then on, like the list that stops a loop."""

    def __init__(self, clock: Callable[[], int], instant: int) -> None:
        self._clock, self._instant = clock, instant

    def __len__(self) -> int:
        return int(self._clock() >= self._instant)

    def __getitem__(self, at: Any) -> Any:
        held: Any = [True][: len(self)]
        return held[at]


class LoopTime:
    """The clock of one event loop, which advances when the loop has nothing to do but wait."""

    def __init__(self) -> None:
        self.now = 0
        self.loop = _Loop(self)

    def clock(self) -> int:
        return self.now

    def seconds(self) -> float:
        return self.now / NS

    def sleep(self, seconds: float) -> None:
        """Advances the clock, as a call that blocks the loop would."""
        self.now += round(seconds * NS)

    def timing(self) -> Timing:
        def alarm(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> Alarm:
            return LoopAlarm(loop, call, self.clock)

        return Timing(self.clock, self.sleep, until=self._until, alarm=alarm)

    def _until(self, _stop: Sequence[bool], seconds: float) -> Until:
        return Until(self.clock, self.now + round(seconds * NS))


class _Selector(selectors.SelectSelector):
    """Advances the clock instead of waiting."""

    def __init__(self, time: LoopTime) -> None:
        super().__init__()
        self._time = time

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            return super().select()
        ready = super().select(0)
        if not ready and timeout > 0:
            self._time.sleep(timeout)
        return ready


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self, time: LoopTime) -> None:
        self._played = time
        super().__init__(_Selector(time))

    def time(self) -> float:
        return self._played.seconds()


class ThreadTime:
    """A clock for each thread, which advances when that thread waits. Threads that share
    something take turns in the order of their clocks, so that the result is as if they had run
    side by side."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._local = threading.local()
        self._lock = threading.Lock()
        self._mine = [threading.Condition(self._lock) for _ in range(threads)]
        self._times: dict[int, int] = {}
        self._joined = 0
        self._start = self._latest = 0

    def clock(self) -> int:
        return int(getattr(self._local, "now", 0))

    def seconds(self) -> float:
        """The time of the thread that is furthest ahead."""
        with self._lock:
            return max(self._latest, self.clock()) / NS

    def sleep(self, seconds: float) -> None:
        self._local.now = self.clock() + round(seconds * NS)
        with self._lock:
            self._latest = max(self._latest, self._local.now)

    def timing(self) -> Timing:
        return Timing(
            self.clock,
            self.sleep,
            self._turn,
            self._taking_part,
            self._until,
            begin=self._begin,
        )

    def _begin(self, instant: int) -> None:
        self._local.now = instant

    @contextmanager
    def _taking_part(self, number: int) -> Generator[None]:
        """Turns begin when all threads have arrived, at the time of the one furthest ahead, and do
        not wait for a thread that has left."""
        with self._lock:
            self._local.number = number
            if not self._joined:
                self._start = self._latest
            self._local.now = max(self.clock(), self._start)
            self._times[number] = self.clock()
            self._joined += 1
            self._wake_next()
        try:
            yield
        finally:
            with self._lock:
                del self._times[number]
                if not self._times:
                    self._joined = 0
                self._wake_next()

    def _turn(self) -> _Turn:
        return _Turn(self)

    def wait_for_turn(self) -> None:
        me: int = self._local.number
        with self._lock:
            self._times[me] = self.clock()
            if self._turn_of() != me:
                self._wake_next()
            while self._turn_of() != me:
                self._mine[me].wait()

    def _turn_of(self) -> int | None:
        """Whose turn it is, once all have arrived."""
        if self._joined < self._threads or not self._times:
            return None
        return min((now, number) for number, now in self._times.items())[1]

    def _wake_next(self) -> None:
        number = self._turn_of()
        if number is not None:
            self._mine[number].notify()

    def _until(self, _stop: Sequence[bool], seconds: float) -> Until:
        return Until(self.clock, self.clock() + round(seconds * NS))


class _Turn:
    """Its exit does nothing: the others wait until this thread asks for its next turn."""

    def __init__(self, time: ThreadTime) -> None:
        self._time = time

    def __enter__(self) -> None:
        self._time.wait_for_turn()

    def __exit__(self, *_error: object) -> None:
        pass
