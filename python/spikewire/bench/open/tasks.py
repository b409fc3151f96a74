"""An open loop on one event loop: a pacer creates a task for each call when it is due."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ..worker.drivers import GRACE_SECONDS, settle
from ..worker.loop import asyncio_call
from ..worker.timing import REAL, Timing
from .calls import Calls, OpenOutcome, followed
from .contract import OVERTIME

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..clients.base import AsyncioClient
    from ..measure import Window
    from ..work import Operation
    from ..worker.drivers import Load
    from .contract import Asked


class Pacer:
    """Begins the calls of one phase. Calls that are due while `most` are outstanding wait for a
    reply; they are late then, and none is left out."""

    def __init__(
        self,
        calls: Calls,
        call: Callable[[Operation], Awaitable[None]],
        most: int,
        timing: Timing,
    ) -> None:
        self._calls, self._call, self._most, self._clock = calls, call, most, timing.clock
        self._loop = asyncio.get_running_loop()
        self._alarm = timing.alarm(self._loop, self._tick)
        self._over = self._loop.create_future()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._next = 0
        self._waiting = False

    async def run(self) -> None:
        """Until all replies are there and the planned time is over."""
        self._calls.begin(self._clock())
        try:
            self._tick()
            await asyncio.wait_for(self._over, self._calls.seconds * (1 + OVERTIME) + GRACE_SECONDS)
        finally:
            self._alarm.close()
            for task in list(self._tasks.values()):
                task.cancel()

    def _tick(self) -> None:
        calls, clock, tasks = self._calls, self._clock, self._tasks
        due, start, limit = calls.due, calls.start, calls.limit
        at, count = self._next, len(calls.due)
        while at < count:
            now = clock()
            instant = start + due[at]
            if now < instant:
                self._next = at
                self._alarm.at(instant)
                return
            if now > limit:
                break
            if len(tasks) >= self._most:
                self._next, self._waiting = at, True
                self._alarm.off()
                return
            tasks[at] = self._loop.create_task(self._one(at))
            at += 1
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


async def run_tasks(
    client: AsyncioClient,
    load: Load,
    window: Window,
    asked: Asked,
    seed: int,
    timing: Timing = REAL,
) -> OpenOutcome:
    """Warms up at the same rate, then measures; the window closes with the last reply."""
    call = asyncio_call(load.verbs(client))
    measured = Calls.of(asked, load, load.duration, f"{seed}/measured")
    if load.warmup:
        warming = Calls.of(asked, load, load.warmup, f"{seed}/warm-up")
        await Pacer(warming, call, load.workers, timing).run()
    settle()
    pacer = Pacer(measured, call, load.workers, timing)
    followed(window, measured)
    window.open()
    await pacer.run()
    window.close()
    return measured.finish(asked, load.workers, timing.clock())
