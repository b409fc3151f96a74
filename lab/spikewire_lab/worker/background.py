"""Something that runs next to a client in its process, to see how much of the interpreter's time
the client leaves.

It first runs alone for a part of the measured time, and then next to the client: the comparison of
the two shows what the client takes away.
"""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from array import array
from typing import TYPE_CHECKING

from ..clients.base import SYNC
from ..measure import Window, encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..contract.result import BackgroundFigures


TICKER, COUNTER = "ticker", "counter"
"""Ticker: a task that repeatedly sleeps for a millisecond, on the client's event loop or, for a
client with threads, on a loop in a thread of its own. Counter: a thread that counts in plain
Python."""
TICK = 0.001
ALONE = 0.5
"""How long it runs alone, as a share of the measured time."""
_NS = 1_000_000_000
_CHUNK = 1_000
_TELLS = hasattr(time, "pthread_getcpuclockid")


class BackgroundLoad(ABC):
    """Runs alone, and then from `begin` to `end`, which the thread of the window calls."""

    @abstractmethod
    def alone(self, seconds: float) -> None: ...

    def begin(self) -> None:  # noqa: B027 - what runs all the time has no beginning
        """The window is about to open."""

    def mark(self) -> None:  # noqa: B027 - not all count what the window has of them
        """Called at the opening and at the closing of the window: only what happens between
        counts."""

    @abstractmethod
    def end(self) -> None:
        """The window has closed."""

    @abstractmethod
    def result(self) -> BackgroundFigures: ...


class Ticker(BackgroundLoad):
    """Measures how much later than requested an event loop wakes a task."""

    def __init__(self, *, own_loop: bool) -> None:
        self._own_loop = own_loop
        self._alone, self._together = array("q"), array("q")
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._task: asyncio.Task[None] | None = None

    def alone(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._stop.set)
        timer.start()
        self._run(self._alone)
        timer.join()

    def begin(self) -> None:
        self._stop.clear()
        if self._own_loop:
            self._thread = threading.Thread(target=self._run, args=(self._together,), daemon=True)
            self._thread.start()
        else:
            self._task = asyncio.get_running_loop().create_task(self._tick(self._together))

    def end(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self._task is not None:
            self._task.cancel()

    def result(self) -> BackgroundFigures:
        return {"kind": TICKER, "alone": encode(self._alone), "together": encode(self._together)}

    def _run(self, late: array[int]) -> None:
        loop = asyncio.SelectorEventLoop()
        try:
            loop.run_until_complete(self._tick(late))
        finally:
            loop.close()

    async def _tick(self, late: array[int]) -> None:
        clock, tick = time.perf_counter_ns, round(TICK * _NS)
        while not self._stop.is_set():
            due = clock() + tick
            await asyncio.sleep(TICK)
            late.append(max(0, clock() - due))


class Counter(BackgroundLoad):
    """Measures how fast a thread of plain Python runs."""

    def __init__(self) -> None:
        self._count = 0
        self._stop: list[bool] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._rates: list[float] = []
        self._cpu: float | None = None
        self._marked = False
        self._from = (0, 0, 0)

    def alone(self, seconds: float) -> None:
        self._thread.start()
        self.mark()
        time.sleep(seconds)
        while self._count == self._from[0]:
            # On a busy machine the thread may not have run yet, and the ratio needs a count above
            # zero.
            time.sleep(0.001)
        self.mark()

    def mark(self) -> None:
        """Every second mark ends the measurement that the one before began."""
        count, instant, used = self._count, time.perf_counter_ns(), self._used()
        before, self._from = self._from, (count, instant, used)
        self._marked = not self._marked
        if not self._marked:
            self._rates.append((count - before[0]) * _NS / (instant - before[1]))
            self._cpu = (used - before[2]) / _NS if _TELLS else None

    def end(self) -> None:
        self._stop.append(True)
        self._thread.join()

    def result(self) -> BackgroundFigures:
        alone, together = self._rates
        figures: BackgroundFigures = {
            "kind": COUNTER,
            "alone_rate": alone,
            "together_rate": together,
        }
        if self._cpu is not None:
            figures["together_cpu"] = self._cpu
        return figures

    def _used(self) -> int:
        """Processor time of the thread, in nanoseconds."""
        if not _TELLS or self._thread.ident is None:
            return 0
        return time.clock_gettime_ns(time.pthread_getcpuclockid(self._thread.ident))

    def _run(self) -> None:
        stop = self._stop
        while not stop:
            for _ in range(_CHUNK):
                pass
            self._count += _CHUNK


class SharedWindow(Window):
    """A window that is also open for a companion. Before it opens and after it has closed the
    companion may run for long, since reading other processes' usage takes time: what counts is what
    happens between the very instants of the window."""

    def __init__(
        self, server_pid: int | Sequence[int] | None, background_load: BackgroundLoad
    ) -> None:
        super().__init__(server_pid)
        self.background_load = background_load
        self.at_instants = background_load.mark

    def open(self) -> None:
        self.background_load.begin()
        super().open()

    def close(self) -> None:
        super().close()
        self.background_load.end()


def background_load(kind: str, mode: str) -> BackgroundLoad:
    """Raises `ValueError` for an unknown kind."""
    if kind == TICKER:
        return Ticker(own_loop=mode == SYNC)
    if kind == COUNTER:
        return Counter()
    raise ValueError(f"{kind!r} is not {TICKER} or {COUNTER}")
