"""What runs beside a client in its process, to see how much of the interpreter the client leaves.

It runs alone first, for a part of the time that is measured, and then beside the client: only the
two together tell what the client takes away.
"""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from array import array
from typing import TYPE_CHECKING, TypedDict

from ..clients.base import SYNC
from ..measure import Window, encode

if TYPE_CHECKING:
    from typing_extensions import NotRequired

TICKER, COUNTER = "ticker", "counter"
"""A task that sleeps a millisecond again and again: on the client's event loop, or where the client
has threads on a loop of its own in another thread. A thread that counts, in plain Python."""
TICK = 0.001
ALONE = 0.5
"""How long it runs alone, as a part of the time that is measured."""
_NS = 1_000_000_000
_CHUNK = 1_000
_TELLS = hasattr(time, "pthread_getcpuclockid")


class Beside(TypedDict):
    """Part of a result: of what ran beside the client, alone and then together with it."""

    kind: str
    alone: NotRequired[str]
    """By how many nanoseconds the ticker was late (base64 HDR V2)."""
    together: NotRequired[str]
    alone_rate: NotRequired[float]
    """How far the counter came each second."""
    together_rate: NotRequired[float]
    together_cpu: NotRequired[float]
    """Seconds of processor time that it took, where the system tells of one thread."""


class Companion(ABC):
    """Runs alone, and then from `begin` to `end`, which the thread of the window calls."""

    @abstractmethod
    def alone(self, seconds: float) -> None: ...

    def begin(self) -> None:  # noqa: B027 - what runs all the time has no beginning
        """The window is about to open."""

    def mark(self) -> None:  # noqa: B027 - not all count what the window has of them
        """The window opens, and later it closes: what is counted is counted between the two."""

    @abstractmethod
    def end(self) -> None:
        """The window has closed."""

    @abstractmethod
    def found(self) -> Beside: ...


class Ticker(Companion):
    """By how much later an event loop wakes a task than it asked for."""

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

    def found(self) -> Beside:
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


class Counter(Companion):
    """How fast a thread of plain Python goes."""

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
            # On a busy machine the thread may not have had its turn: no share can be of nothing.
            time.sleep(0.001)
        self.mark()

    def mark(self) -> None:
        """Every second mark ends what the one before began."""
        count, instant, used = self._count, time.perf_counter_ns(), self._used()
        before, self._from = self._from, (count, instant, used)
        self._marked = not self._marked
        if not self._marked:
            self._rates.append((count - before[0]) * _NS / (instant - before[1]))
            self._cpu = (used - before[2]) / _NS if _TELLS else None

    def end(self) -> None:
        self._stop.append(True)
        self._thread.join()

    def found(self) -> Beside:
        alone, together = self._rates
        found: Beside = {"kind": COUNTER, "alone_rate": alone, "together_rate": together}
        if self._cpu is not None:
            found["together_cpu"] = self._cpu
        return found

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
    """A window that is open for a companion as well. Before it opens and after it has closed the
    companion may run for long, since asking after others takes time while it has the interpreter:
    what is counted of it is counted between the very instants of the window."""

    def __init__(self, server_pid: int | None, companion: Companion) -> None:
        super().__init__(server_pid)
        self.companion = companion
        self.at_instants = companion.mark

    def open(self) -> None:
        self.companion.begin()
        super().open()

    def close(self) -> None:
        super().close()
        self.companion.end()


def companion(kind: str, mode: str) -> Companion:
    """Raises `ValueError` for a kind that is not known."""
    if kind == TICKER:
        return Ticker(own_loop=mode == SYNC)
    if kind == COUNTER:
        return Counter()
    raise ValueError(f"{kind!r} is not {TICKER} or {COUNTER}")
