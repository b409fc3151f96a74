"""Closed loops on several event loops, each in a thread: on those of a pool, or with a client for
each.

The tasks are dealt out evenly. As in `drivers`, they warm up first, and the window closes when the
last call has ended.
"""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import contextmanager
from itertools import cycle
from typing import TYPE_CHECKING, cast

from ..series.marks import NO_MARKS
from .drivers import GRACE_SECONDS, Outcome, all_marks, in_threads, sample_buffer, settle, total
from .loop import asyncio_call, asyncio_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from ..clients.base import AsyncioClient, PoolClient
    from ..measure import Window
    from ..series.marks import NoMarks
    from ..work import Operation
    from .drivers import Load, Phase
    from .loop import Tally

Opened = tuple[asyncio.AbstractEventLoop, "AsyncioClient"]
"""An event loop that is not running, and a client that was opened on it."""


def close_all(opened: Sequence[Opened]) -> None:
    """Closes clients and event loops that are no longer running."""
    for loop, client in opened:
        if not loop.is_running():
            loop.run_until_complete(client.close())
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


@contextmanager
def _stopping(seconds: float) -> Generator[list[bool], None, None]:
    """A list that becomes non-empty after this time, or at the end of the block."""
    stop: list[bool] = []
    timer = threading.Timer(seconds, stop.append, (True,))
    timer.daemon = True
    timer.start()
    try:
        yield stop
    finally:
        timer.cancel()
        stop.append(True)


def run_pool(client: PoolClient, load: Load, window: Window) -> Outcome:
    """Each worker is a call that the pool runs until it is to stop; this thread waits."""
    outcomes = [Outcome() for _ in range(load.workers)]
    streams = [load.blocks(number) for number in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in outcomes]
    loops = [asyncio_loop(load.verbs(client)) for _ in outcomes]
    clock = time.perf_counter_ns

    def phase(
        seconds: float,
        failed: Sequence[Callable[[BaseException], None]],
        marks: Sequence[NoMarks],
    ) -> list[Tally]:
        with _stopping(seconds) as stop:
            calls = [
                client.run(loop, load.measured_stream(blocks), stop, clock, buffer, fails, mark)
                for loop, blocks, buffer, fails, mark in zip(
                    loops, streams, buffers, failed, marks, strict=True
                )
            ]
            results = (call.result(seconds + GRACE_SECONDS) for call in calls)
            return [cast("Tally", result) for result in results]

    phase(load.warmup, [Outcome().failed for _ in outcomes], [NO_MARKS for _ in outcomes])
    marks = all_marks(window, buffers, outcomes)
    settle()
    window.open()
    tallies = phase(load.duration, [outcome.failed for outcome in outcomes], marks)
    window.close()
    began = load.began(window)
    for outcome, tally, buffer in zip(outcomes, tallies, buffers, strict=True):
        outcome.finish(tally, buffer, began)
    return total(outcomes)


def run_map(client: PoolClient, limit: int, load: Load, window: Window) -> Outcome:
    """The pool is given single commands, and this thread takes the results. No latencies: a caller
    waits for the next result, whichever it is."""
    call = asyncio_call(load.verbs(client))
    operations = [
        operation
        for number in range(load.workers)
        for first, others in load.blocks(number)
        for operation in (first, *others)
    ]

    def phase(seconds: float) -> Outcome:
        outcome = Outcome()
        with _stopping(seconds) as stop:

            def items() -> Iterator[Operation]:
                for operation in cycle(operations):
                    if stop:
                        return
                    yield operation

            for result in client.map(call, items(), limit):
                outcome.tried += 1
                if isinstance(result, Exception):
                    outcome.failed(result)
        return outcome

    phase(load.warmup)
    settle()
    window.open()
    outcome = phase(load.duration)
    window.close()
    return outcome


def run_clients(loops: int, opened: Callable[[int], Opened], load: Load, window: Window) -> Outcome:
    """Each thread has an event loop and a client of its own, and its share of the workers."""
    outcomes = [Outcome() for _ in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in outcomes]
    marks = all_marks(window, buffers, outcomes)
    tallies: dict[int, Tally] = {}
    all_opened: list[Opened] = []
    clock = time.perf_counter_ns

    def prepare(number: int) -> tuple[Phase, Phase]:
        loop, client = opened(number)
        all_opened.append((loop, client))
        mine = range(number, load.workers, loops)
        streams = [load.blocks(worker) for worker in mine]
        runs = [asyncio_loop(load.verbs(client)) for _ in mine]

        async def gathered(
            stop: list[bool],
            failed: Sequence[Callable[[BaseException], None]],
            noted: Sequence[NoMarks],
        ) -> list[Tally]:
            return await asyncio.gather(
                *(
                    run(load.measured_stream(blocks), stop, clock, buffers[worker], fails, note)
                    for run, blocks, worker, fails, note in zip(
                        runs, streams, mine, failed, noted, strict=True
                    )
                )
            )

        def warm_up(stop: list[bool]) -> None:
            failed, nothing = [Outcome().failed for _ in mine], [NO_MARKS for _ in mine]
            loop.run_until_complete(gathered(stop, failed, nothing))

        def measure(stop: list[bool]) -> None:
            results = loop.run_until_complete(
                gathered(
                    stop,
                    [outcomes[worker].failed for worker in mine],
                    [marks[worker] for worker in mine],
                )
            )
            tallies.update(zip(mine, results, strict=True))

        return warm_up, measure

    try:
        in_threads(loops, load.warmup, load.duration, prepare, window)
    finally:
        close_all(all_opened)
    began = load.began(window)
    for number, tally in tallies.items():
        outcomes[number].finish(tally, buffers[number], began)
    return total(outcomes)
