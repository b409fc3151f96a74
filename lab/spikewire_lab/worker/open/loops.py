"""An open loop on several event loops, each in a thread: the calls are dealt out in turns, and each
loop has a pacer for its part."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from ...contract.open import OVERTIME
from ...measure import Window
from ..drivers import GRACE_SECONDS, in_threads, settle
from ..loop import asyncio_call
from ..many_loops import Opened, close_all
from ..timing import REAL, Timing
from .calls import Calls, OpenOutcome, Pacing, dealt, followed
from .tasks import Pacer, nothing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from ...clients.base import PoolClient
    from ...contract.open import OpenLoad
    from ...work import Operation
    from ..drivers import Load, Phase

    Call = Callable[[Operation], Awaitable[None]]


def _real(_part: int) -> Timing:
    return REAL


def run_pool(
    client: PoolClient,
    loops: int,
    load: Load,
    window: Window,
    open_load: OpenLoad,
    seed: int,
    timing: Callable[[int], Timing] = _real,
) -> OpenOutcome:
    """The pool runs a pacer on each of its loops. `timing` returns the clock of a loop by its
    number."""
    call = asyncio_call(load.verbs(client))
    measured = Calls.of(open_load, load, load.duration, f"{seed}/measured")
    idle, idling = Calls.idle(open_load, load, f"{seed}/pacing"), Window()

    async def paced(calls: Calls, what: Call, part: int) -> asyncio.AbstractEventLoop:
        numbers, most = dealt(calls, load.workers, loops)[part]
        await Pacer(calls, what, most, timing(part), numbers).run()
        return asyncio.get_running_loop()

    def phase(calls: Calls, what: Call) -> None:
        limit = calls.seconds * (1 + OVERTIME) + 2 * GRACE_SECONDS
        calls.begin(timing(0).clock())
        running = [client.run(paced, calls, what, part) for part in range(loops)]
        if len({one.result(limit) for one in running}) < loops:
            raise RuntimeError("the pool ran two pacers on one of its event loops")

    settle()
    idling.open()
    phase(idle, nothing)
    idling.close()
    if load.warmup:
        phase(Calls.of(open_load, load, load.warmup, f"{seed}/warm-up"), call)
    settle()
    followed(window, measured)
    window.open()
    phase(measured, call)
    window.close()
    now, pacing = timing(0).clock(), Pacing.of(idle, idling)
    return measured.finish(open_load, dealt(measured, load.workers, loops), now, pacing)


def run_clients(
    loops: int,
    opened: Callable[[int], Opened],
    load: Load,
    window: Window,
    open_load: OpenLoad,
    seed: int,
) -> OpenOutcome:
    """Each thread has an event loop and a client of its own, and its share of the calls."""
    measured = Calls.of(open_load, load, load.duration, f"{seed}/measured")
    followed(window, measured)
    warming = Calls.of(open_load, load, load.warmup, f"{seed}/warm-up")
    idle, idling = Calls.idle(open_load, load, f"{seed}/pacing"), Window()
    edges: Iterator[Callable[[], None]] = iter((idling.open, idling.close))
    gate = threading.Barrier(
        loops,
        action=lambda: next(edges)(),
        timeout=idle.seconds * (1 + OVERTIME) + GRACE_SECONDS,
    )
    turn, all_opened = threading.Lock(), list[Opened]()

    def prepare(number: int) -> tuple[Phase, Phase]:
        loop, client = opened(number)
        all_opened.append((loop, client))
        call = asyncio_call(load.verbs(client))

        async def paced(calls: Calls, what: Call) -> None:
            with turn:
                if not calls.has_begun:
                    calls.begin(REAL.clock())
            numbers, most = dealt(calls, load.workers, loops)[number]
            await Pacer(calls, what, most, REAL, numbers).run()

        def warm_up(_stop: list[bool]) -> None:
            gate.wait()
            loop.run_until_complete(paced(idle, nothing))
            gate.wait()
            if load.warmup:
                loop.run_until_complete(paced(warming, call))

        def measure(_stop: list[bool]) -> None:
            loop.run_until_complete(paced(measured, call))

        return warm_up, measure

    before = idle.seconds + load.warmup
    grace = (before + load.duration) * OVERTIME + 2 * GRACE_SECONDS
    try:
        in_threads(loops, before, load.duration, prepare, window, grace)
    finally:
        close_all(all_opened)
    now, pacing = REAL.clock(), Pacing.of(idle, idling)
    return measured.finish(open_load, dealt(measured, load.workers, loops), now, pacing)
