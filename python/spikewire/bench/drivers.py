"""Closed loops: a number of threads, or of tasks on one event loop, each with one call in flight.

Both run the loop twice, to warm up and to measure. All workers start the second run together, and
the window closes when the last has finished its last call, so every call counted is inside it.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING

from .loop import AsyncioLoop, Tally, asyncio_loop, blocking_loop
from .workload import Block

if TYPE_CHECKING:
    from .clients.base import AsyncioClient, BlockingClient, Verbs
    from .measure import Window

SAMPLES_TOTAL = 1 << 18
GRACE_SECONDS = 30.0


def _single(client: BlockingClient | AsyncioClient) -> Verbs:
    return client.verbs()


@dataclass(frozen=True)
class Load:
    """How many workers, for how long, and what each of them does."""

    workers: int
    warmup: float
    duration: float
    blocks: Callable[[int], list[Block]]
    repeat: bool = True
    verbs: Callable[[BlockingClient | AsyncioClient], Verbs] = _single

    def warmup_stream(self, blocks: list[Block]) -> Iterable[Block]:
        return cycle(blocks) if self.repeat else ()

    def measured_stream(self, blocks: list[Block]) -> Iterable[Block]:
        return cycle(blocks) if self.repeat else blocks


@dataclass
class Outcome:
    """What one worker did, and what all of them did together."""

    tried: int = 0
    errors: int = 0
    first_error: str | None = None
    overwritten: int = 0
    reads: array[int] = field(default_factory=lambda: array("q"))
    writes: array[int] = field(default_factory=lambda: array("q"))

    def failed(self, error: BaseException) -> None:
        self.errors += 1
        if self.first_error is None:
            self.first_error = f"{type(error).__name__}: {error}"

    def finish(self, tally: Tally, samples: array[int]) -> None:
        self.tried, taken = tally
        kept = samples[: min(taken, len(samples))]
        self.overwritten = taken - len(kept)
        self.reads = array("q", (taken for taken in kept if taken > 0))
        self.writes = array("q", (-taken for taken in kept if taken < 0))

    def add(self, other: Outcome) -> None:
        self.tried += other.tried
        self.errors += other.errors
        self.first_error = self.first_error or other.first_error
        self.overwritten += other.overwritten
        self.reads.extend(other.reads)
        self.writes.extend(other.writes)


def sample_buffer(workers: int) -> array[int]:
    """A worker's latencies: a power of two, filled in a circle, allocated before the clock runs."""
    size = max(1 << 8, SAMPLES_TOTAL // (1 << (workers - 1).bit_length()))
    return array("q", bytes(8 * size))


def settle() -> None:
    """Keep what was prepared out of the garbage collector's way; it runs as usual otherwise."""
    gc.collect()
    gc.freeze()


def run_threads(client: BlockingClient, load: Load, window: Window) -> Outcome:
    """Each worker is a thread; this thread only waits and says when to stop."""
    outcomes = [Outcome() for _ in range(load.workers)]
    crashes: list[BaseException] = []
    reached = [threading.Event() for _ in range(3)]
    stops: list[list[bool]] = [[], []]
    on_arrival: Iterator[Callable[[], None]] = iter((settle, window.open, window.close))
    milestones = iter(reached)

    def arrived() -> None:
        next(on_arrival)()
        next(milestones).set()

    gate = threading.Barrier(load.workers, action=arrived)

    def work(number: int) -> None:
        try:
            outcome, blocks = outcomes[number], load.blocks(number)
            samples = sample_buffer(load.workers)
            loop = blocking_loop(load.verbs(client))
            clock = time.perf_counter_ns
            gate.wait()
            loop(load.warmup_stream(blocks), stops[0], clock, samples, Outcome().failed)
            gate.wait()
            tally = loop(load.measured_stream(blocks), stops[1], clock, samples, outcome.failed)
            gate.wait()
            outcome.finish(tally, samples)
        except threading.BrokenBarrierError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
            crashes.append(error)
            gate.abort()
            for event in reached:
                event.set()

    threads = [
        threading.Thread(target=work, args=(number,), name=f"bench-{number}", daemon=True)
        for number in range(load.workers)
    ]
    try:
        for thread in threads:
            thread.start()
        reached[0].wait()
        reached[1].wait(load.warmup)
        stops[0].append(True)
        reached[1].wait(GRACE_SECONDS)
        reached[2].wait(load.duration)
        stops[1].append(True)
        if not reached[2].wait(GRACE_SECONDS):
            raise TimeoutError(f"a call was still waiting {GRACE_SECONDS:g} s after the end")
        for thread in threads:
            thread.join(GRACE_SECONDS)
    finally:
        for stop in stops:
            stop.append(True)
    if crashes:
        raise crashes[0]
    return _total(outcomes)


async def run_tasks(client: AsyncioClient, load: Load, window: Window) -> Outcome:
    """Each worker is a task; a timer thread says when to stop, so a busy loop cannot delay it."""
    outcomes = [Outcome() for _ in range(load.workers)]
    streams = [load.blocks(number) for number in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in range(load.workers)]
    loops = [asyncio_loop(load.verbs(client)) for _ in range(load.workers)]
    settle()
    if load.repeat:
        warming = [
            (loop, load.warmup_stream(blocks), buffer, Outcome().failed)
            for loop, blocks, buffer in zip(loops, streams, buffers, strict=True)
        ]
        await _phase(warming, load.warmup)
    measured = [
        (loop, load.measured_stream(blocks), buffer, outcome.failed)
        for loop, blocks, buffer, outcome in zip(loops, streams, buffers, outcomes, strict=True)
    ]
    window.open()
    tallies = await _phase(measured, load.duration)
    window.close()
    for outcome, tally, buffer in zip(outcomes, tallies, buffers, strict=True):
        outcome.finish(tally, buffer)
    return _total(outcomes)


_Work = tuple[AsyncioLoop, Iterable[Block], "array[int]", Callable[[BaseException], None]]


async def _phase(work: Sequence[_Work], seconds: float) -> list[Tally]:
    stop: list[bool] = []
    timer = threading.Timer(seconds, stop.append, (True,))
    timer.daemon = True
    clock = time.perf_counter_ns
    timer.start()
    try:
        calls = (loop(blocks, stop, clock, buffer, failed) for loop, blocks, buffer, failed in work)
        ending = asyncio.gather(*calls)
        return await asyncio.wait_for(ending, seconds + GRACE_SECONDS)
    finally:
        timer.cancel()
        stop.append(True)


def _total(outcomes: list[Outcome]) -> Outcome:
    total = Outcome()
    for outcome in outcomes:
        total.add(outcome)
    return total
