"""An open loop with threads: any free thread takes the next call and waits until it is due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...contract.open import OVERTIME
from ...measure import Window
from ..alarm import sleep_exactly
from ..drivers import GRACE_SECONDS, in_threads
from ..loop import blocking_call
from ..timing import REAL, Timing
from .calls import Calls, OpenOutcome, Pacing, dealt, followed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from ...clients.base import BlockingClient
    from ...contract.open import OpenLoad
    from ...work import Operation
    from ..drivers import Load, Phase

_NS = 1_000_000_000


class Queue:
    """The calls of one phase, shared by the threads."""

    def __init__(self, calls: Calls, timing: Timing) -> None:
        self.calls = calls
        self._timing = timing
        self._turn: AbstractContextManager[object] = timing.turn()
        self._numbers: Iterator[int] = iter(range(len(calls.due)))

    def work(self, call: Callable[[Operation], None]) -> None:
        """The body of each thread: a call begins late if all threads are busy when it is due."""
        calls, clock, turn, numbers = self.calls, self._timing.clock, self._turn, self._numbers
        due, begun, ended, operations = calls.due, calls.begun, calls.ended, calls.operations
        self._begin()
        start, limit, many = calls.start, calls.limit, len(operations)
        while True:
            with turn:
                at = next(numbers, None)
            if at is None:
                break
            self._sleep_until(start + due[at])
            now = clock()
            if now > limit:
                break
            begun[at] = now
            try:
                call(operations[at % many])
            except Exception as error:  # noqa: BLE001 - counted
                calls.failed(at, error)
            ended[at] = clock()
        self._sleep_until(calls.end)

    def _begin(self) -> None:
        """The first thread to arrive sets the start of the phase."""
        with self._turn:
            if not self.calls.has_begun:
                self.calls.begin(self._timing.clock())

    def _sleep_until(self, instant: int) -> None:
        wait = instant - self._timing.clock()
        if wait > 0:
            self._timing.sleep(wait / _NS)


def run_threads(
    client: BlockingClient,
    load: Load,
    window: Window,
    open_load: OpenLoad,
    seed: int,
    timing: Timing = REAL,
) -> OpenOutcome:
    """Measures the cost of pacing, warms up at the same rate, then measures; the window closes with
    the last reply."""
    idle = Queue(Calls.idle(open_load, load, f"{seed}/pacing"), timing)
    measured = Queue(Calls.of(open_load, load, load.duration, f"{seed}/measured"), timing)
    followed(window, measured.calls)
    warming = Queue(Calls.of(open_load, load, load.warmup, f"{seed}/warm-up"), timing)

    def works(queue: Queue, number: int, call: Callable[[Operation], None]) -> Phase:
        def work(_stop: list[bool]) -> None:
            with timing.taking_part(number):
                queue.work(call)

        return work

    def idling(number: int) -> tuple[Phase, Phase]:
        sleep_exactly()
        return _no_phase, works(idle, number, _nothing)

    def prepare(number: int) -> tuple[Phase, Phase]:
        call = blocking_call(load.verbs(client))
        sleep_exactly()
        warm_up = works(warming, number, call) if load.warmup else _no_phase
        return warm_up, works(measured, number, call)

    pacing = Window()
    pacing.prepared = window.prepared
    in_threads(load.workers, 0.0, idle.calls.seconds, idling, pacing)
    grace = load.duration * OVERTIME + GRACE_SECONDS
    in_threads(load.workers, load.warmup, load.duration, prepare, window, grace)
    calls, pacing_cost = measured.calls, Pacing.of(idle.calls, pacing)
    return calls.finish(open_load, dealt(calls, load.workers), timing.clock(), pacing_cost)


def _nothing(_operation: Operation) -> None:
    """A call that takes no time."""


def _no_phase(_stop: list[bool]) -> None:
    """Replaces the warm-up if there is none."""
