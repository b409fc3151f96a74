"""An open loop on one event loop: a pacer creates a task for each call when it is due."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ...contract.open import OVERTIME
from ...measure import Window
from ..drivers import GRACE_SECONDS, settle
from ..loop import asyncio_call
from ..timing import REAL, Timing
from .calls import Calls, OpenOutcome, Pacing, dealt, followed

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ...clients.base import AsyncioClient
    from ...contract.open import OpenLoad
    from ...work import Operation
    from ..drivers import Load


class Pacer:
    """Begins calls of one phase: those of given numbers, or all. Calls that are due while `most`
    are outstanding wait for a reply; they are then late, and none is left out."""

    def __init__(
        self,
        calls: Calls,
        call: Callable[[Operation], Awaitable[None]],
        most: int,
        timing: Timing,
        numbers: Sequence[int] | None = None,
    ) -> None:
        self._calls, self._call, self._most, self._clock = calls, call, most, timing.clock
        self._numbers = range(len(calls.due)) if numbers is None else numbers
        self._loop = asyncio.get_running_loop()
        self._alarm = timing.alarm(self._loop, self._tick)
        self._over = self._loop.create_future()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._next = 0
        self._waiting = False

    async def run(self) -> None:
        """Runs until all replies have arrived and the planned time, which has begun, is over."""
        try:
            self._tick()
            await asyncio.wait_for(self._over, self._calls.seconds * (1 + OVERTIME) + GRACE_SECONDS)
        finally:
            self._alarm.close()
            for task in list(self._tasks.values()):
                task.cancel()

    def _tick(self) -> None:
        calls, clock, tasks, numbers = self._calls, self._clock, self._tasks, self._numbers
        due, start, limit = calls.due, calls.start, calls.limit
        turn, count = self._next, len(numbers)
        while turn < count:
            at, now = numbers[turn], clock()
            instant = start + due[at]
            if now < instant:
                self._next = turn
                self._alarm.at(instant)
                return
            if now > limit:
                break
            if len(tasks) >= self._most:
                self._next, self._waiting = turn, True
                self._alarm.off()
                return
            tasks[at] = self._loop.create_task(self._one(at))
            turn += 1
        self._next = count
        if clock() < calls.end:
            self._alarm.at(calls.end)
            return
        self._alarm.off()
        self._waiting = True
        if not tasks and not self._over.done():
            self._over.set_result(None)

    async def _one(self, at: int) -> None:
        calls, clock = self._calls, self._clock
        calls.begun[at] = clock()
        try:
            await self._call(calls.operations[at % len(calls.operations)])
        except Exception as error:  # noqa: BLE001 - counted
            calls.failed(at, error)
        calls.ended[at] = clock()
        del self._tasks[at]
        if self._waiting:
            self._waiting = False
            self._tick()


async def nothing(_operation: Operation) -> None:
    """A call that takes no time, so that only the pacing remains."""


async def run_tasks(
    client: AsyncioClient,
    load: Load,
    window: Window,
    open_load: OpenLoad,
    seed: int,
    timing: Timing = REAL,
) -> OpenOutcome:
    """Measures the cost of pacing, warms up at the same rate, then measures; the window closes with
    the last reply."""

    async def phase(calls: Calls, call: Callable[[Operation], Awaitable[None]]) -> None:
        pacer = Pacer(calls, call, load.workers, timing)
        calls.begin(timing.clock())
        await pacer.run()

    call = asyncio_call(load.verbs(client))
    measured = Calls.of(open_load, load, load.duration, f"{seed}/measured")
    idle, idling = Calls.idle(open_load, load, f"{seed}/pacing"), Window()
    settle()
    window.prepared()
    idling.open()
    await phase(idle, nothing)
    idling.close()
    if load.warmup:
        await phase(Calls.of(open_load, load, load.warmup, f"{seed}/warm-up"), call)
    settle()
    followed(window, measured)
    window.open()
    await phase(measured, call)
    window.close()
    return measured.finish(
        open_load, dealt(measured, load.workers), timing.clock(), Pacing.of(idle, idling)
    )
