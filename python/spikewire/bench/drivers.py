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
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, TypeVar

from .loop import Tally, asyncio_loop, blocking_loop

if TYPE_CHECKING:
    from .clients.base import AsyncioClient, BlockingClient, PoolClient, Verbs
    from .measure import Window
    from .workload import Block

SAMPLES_TOTAL = 1 << 18
GRACE_SECONDS = 30.0

Result = TypeVar("Result")


def _single(client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
    return client.verbs()


@dataclass(frozen=True)
class Load:
    """How many workers, for how long, and what each of them does."""

    workers: int
    warmup: float
    duration: float
    blocks: Callable[[int], list[Block]]
    repeat: bool = True
    verbs: Callable[[BlockingClient | AsyncioClient | PoolClient], Verbs] = _single

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


Phase = Callable[[list[bool]], object]
"""One run of a loop, until the list is no longer empty."""


def run_threads(client: BlockingClient, load: Load, window: Window) -> Outcome:
    """Each worker is a thread; this thread only waits and says when to stop."""
    outcomes = [Outcome() for _ in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in outcomes]
    tallies: dict[int, Tally] = {}

    def prepare(number: int) -> tuple[Phase, Phase]:
        outcome, blocks, samples = outcomes[number], load.blocks(number), buffers[number]
        loop = blocking_loop(load.verbs(client))
        clock = time.perf_counter_ns

        def warm_up(stop: list[bool]) -> None:
            loop(load.warmup_stream(blocks), stop, clock, samples, Outcome().failed)

        def measure(stop: list[bool]) -> None:
            stream = load.measured_stream(blocks)
            tallies[number] = loop(stream, stop, clock, samples, outcome.failed)

        return warm_up, measure

    in_threads(load.workers, load.warmup, load.duration, prepare, window)
    for number, tally in tallies.items():
        outcomes[number].finish(tally, buffers[number])
    return total(outcomes)


def in_threads(
    workers: int,
    warmup: float,
    duration: float,
    prepare: Callable[[int], tuple[Phase, Phase]],
    window: Window,
    grace: float = GRACE_SECONDS,
) -> None:
    """Two phases in each of some threads, which `prepare` makes there. The window is open from when
    all of them begin the second until the last has ended it."""
    crashes: list[BaseException] = []
    reached = [threading.Event() for _ in range(3)]
    stops: list[list[bool]] = [[], []]
    on_arrival: Iterator[Callable[[], None]] = iter((settle, window.open, window.close))
    milestones = iter(reached)

    def arrived() -> None:
        next(on_arrival)()
        next(milestones).set()

    gate = threading.Barrier(workers, action=arrived)

    def work(number: int) -> None:
        try:
            warm_up, measure = prepare(number)
            gate.wait()
            warm_up(stops[0])
            gate.wait()
            measure(stops[1])
            gate.wait()
        except threading.BrokenBarrierError:
            pass
        except BaseException as error:  # noqa: BLE001 - raised again by the waiting thread
            crashes.append(error)
            gate.abort()
            for event in reached:
                event.set()

    threads = [
        threading.Thread(target=work, args=(number,), name=f"bench-{number}", daemon=True)
        for number in range(workers)
    ]
    try:
        for thread in threads:
            thread.start()
        reached[0].wait()
        reached[1].wait(warmup)
        stops[0].append(True)
        reached[1].wait(grace)
        reached[2].wait(duration)
        stops[1].append(True)
        if not reached[2].wait(grace):
            raise TimeoutError(f"a call was still waiting {grace:g} s after the end")
        for thread in threads:
            thread.join(grace)
    finally:
        for stop in stops:
            stop.append(True)
    if crashes:
        raise crashes[0]


async def run_tasks(client: AsyncioClient, load: Load, window: Window) -> Outcome:
    """Each worker is a task; a timer thread says when to stop, so a busy loop cannot delay it."""
    outcomes = [Outcome() for _ in range(load.workers)]
    streams = [load.blocks(number) for number in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in range(load.workers)]
    loops = [asyncio_loop(load.verbs(client)) for _ in range(load.workers)]
    settle()
    clock = time.perf_counter_ns
    if load.repeat:

        def warm_up(stop: list[bool]) -> list[Awaitable[object]]:
            return [
                loop(load.warmup_stream(blocks), stop, clock, buffer, Outcome().failed)
                for loop, blocks, buffer in zip(loops, streams, buffers, strict=True)
            ]

        await until_stopped(warm_up, load.warmup)

    def measure(stop: list[bool]) -> list[Awaitable[Tally]]:
        return [
            loop(load.measured_stream(blocks), stop, clock, buffer, outcome.failed)
            for loop, blocks, buffer, outcome in zip(loops, streams, buffers, outcomes, strict=True)
        ]

    window.open()
    tallies = await until_stopped(measure, load.duration)
    window.close()
    for outcome, tally, buffer in zip(outcomes, tallies, buffers, strict=True):
        outcome.finish(tally, buffer)
    return total(outcomes)


async def until_stopped(
    calls: Callable[[list[bool]], Sequence[Awaitable[Result]]], seconds: float
) -> list[Result]:
    """All of these calls, which end soon after the list that they are given is no longer empty."""
    stop: list[bool] = []
    timer = threading.Timer(seconds, stop.append, (True,))
    timer.daemon = True
    timer.start()
    try:
        ending = asyncio.gather(*calls(stop))
        return await asyncio.wait_for(ending, seconds + GRACE_SECONDS)
    finally:
        timer.cancel()
        stop.append(True)


def total(outcomes: list[Outcome]) -> Outcome:
    """What all of them did."""
    added = Outcome()
    for outcome in outcomes:
        added.add(outcome)
    return added
