"""Closed loops: a number of threads, or of tasks on one event loop, each with one call in flight.

Both run the loop twice, to warm up and to measure. All workers start the second run together, and
the window closes when the last has finished its last call, so every call counted is inside it. The
rate of each worker counts until the end of its own last call: a worker that has nothing more to do
does not count as idle.
"""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from array import array
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, cycle, repeat
from typing import TYPE_CHECKING, TypeVar

from ..measure import NS
from ..series.timeline import marks_of
from .loop import Tally, asyncio_loop, blocking_loop
from .timing import REAL, Timing

if TYPE_CHECKING:
    from ..clients.base import AsyncioClient, BlockingClient, PoolClient, Verbs
    from ..measure import Window
    from ..series.marks import NoMarks
    from ..work import Block

SAMPLES_TOTAL = 1 << 18
GRACE_SECONDS = 30.0

Result = TypeVar("Result")


def _single(client: BlockingClient | AsyncioClient | PoolClient) -> Verbs:
    return client.verbs()


@dataclass(frozen=True)
class Load:
    """The number of workers, the duration, and the work of each."""

    workers: int
    warmup: float
    duration: float
    blocks: Callable[[int], list[Block]]
    repeat: bool = True
    verbs: Callable[[BlockingClient | AsyncioClient | PoolClient], Verbs] = _single
    most: int | None = None
    """Operations of all workers together after which the measurement ends; None: no limit."""
    part: int = 0
    """Index of this process among several."""
    processes: int = 1
    """The number of processes among which the calls of an open loop are dealt out."""

    def warmup_stream(self, blocks: list[Block]) -> Iterable[Block]:
        return cycle(blocks) if self.repeat else ()

    def measured_stream(self, blocks: list[Block], number: int = 0) -> Iterable[Block]:
        """The operations of the worker of this number during the measurement."""
        if self.most is None:
            return cycle(blocks) if self.repeat else blocks
        return bounded(blocks, share(self.most, number, self.workers))

    def began(self, window: Window) -> int | None:
        """The start of the workers' rates; None if their work ends by itself."""
        return window.began if self.repeat and self.most is None else None


def share(many: int, part: int, parts: int) -> int:
    """The number of these that belong to one part."""
    each, over = divmod(many, parts)
    return each + (part < over)


def bounded(blocks: list[Block], most: int) -> Iterable[Block]:
    """Repeats these until they make this many operations."""
    rounds, left = divmod(most, sum(1 + len(followers) for _, followers in blocks))
    last: list[Block] = []
    for first, followers in blocks:
        if not left:
            break
        last.append((first, followers[: left - 1]))
        left -= 1 + len(last[-1][1])
    return chain(chain.from_iterable(repeat(blocks, rounds)), last)


@dataclass
class Outcome:
    """The results of one worker, and of all of them together."""

    tried: int = 0
    errors: int = 0
    timeouts: int = 0
    """Errors that are timeouts."""
    first_error: str | None = None
    rate: float | None = None
    """Successful calls per second; None for work that ends by itself."""
    overwritten: int = 0
    reads: array[int] = field(default_factory=lambda: array("q"))
    writes: array[int] = field(default_factory=lambda: array("q"))
    clock: Callable[[], int] = time.perf_counter_ns
    failures: array[int] = field(default_factory=lambda: array("q"))
    """When its calls failed, on the loop's clock, and when they timed out."""
    late: array[int] = field(default_factory=lambda: array("q"))

    def failed(self, error: BaseException) -> None:
        now = self.clock()
        self.errors += 1
        self.failures.append(now)
        if is_timeout(error):
            self.timeouts += 1
            self.late.append(now)
        if self.first_error is None:
            self.first_error = f"{type(error).__name__}: {error}"

    def finish(self, tally: Tally, samples: array[int], began: int | None) -> None:
        """`began` is when all workers began, on the loop's clock; None without a rate."""
        self.tried, count, ended = tally
        if began is not None and ended > began:
            self.rate = (self.tried - self.errors) * NS / (ended - began)
        latencies = samples[: min(count, len(samples))]
        self.overwritten = count - len(latencies)
        self.reads = array("q", (count for count in latencies if count > 0))
        self.writes = array("q", (-count for count in latencies if count < 0))

    def add(self, other: Outcome) -> None:
        self.tried += other.tried
        self.errors += other.errors
        self.timeouts += other.timeouts
        self.first_error = self.first_error or other.first_error
        self.overwritten += other.overwritten
        self.reads.extend(other.reads)
        self.writes.extend(other.writes)


def is_timeout(error: BaseException) -> bool:
    """Whether the class of this error or one of its bases is named a timeout: clients have no other
    convention in common."""
    return any("Timeout" in one.__name__ for one in type(error).__mro__)


def sample_buffer(workers: int) -> array[int]:
    """A worker's latencies: a ring of a power of two, allocated before the clock runs."""
    size = max(1 << 8, SAMPLES_TOTAL // (1 << (workers - 1).bit_length()))
    return array("q", bytes(8 * size))


def all_marks(
    window: Window, buffers: Sequence[array[int]], outcomes: Sequence[Outcome]
) -> list[NoMarks]:
    """The marks of each worker at the ends of the window's intervals."""
    return [
        marks_of(window.timeline, buffer, outcome)
        for buffer, outcome in zip(buffers, outcomes, strict=True)
    ]


def settle() -> None:
    """Excludes what was prepared from garbage collection, which runs as usual otherwise."""
    gc.collect()
    gc.freeze()


Phase = Callable[[list[bool]], object]
"""One run of a loop, until the list is no longer empty."""


def run_threads(
    client: BlockingClient, load: Load, window: Window, timing: Timing = REAL
) -> Outcome:
    """Each worker is a thread; this thread only waits and says when to stop."""
    outcomes = [Outcome(clock=timing.clock) for _ in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in outcomes]
    marks = all_marks(window, buffers, outcomes)
    tallies: dict[int, Tally] = {}

    def prepare(number: int) -> tuple[Phase, Phase]:
        outcome, blocks, samples = outcomes[number], load.blocks(number), buffers[number]
        loop = blocking_loop(load.verbs(client))
        clock = timing.clock

        def warm_up(stop: list[bool]) -> None:
            stopped = timing.until(stop, load.warmup)
            loop(load.warmup_stream(blocks), stopped, clock, samples, Outcome().failed)

        def measure(stop: list[bool]) -> None:
            timing.begin(window.began)
            stream = load.measured_stream(blocks, number)
            stopped = timing.until(stop, load.duration)
            tallies[number] = loop(stream, stopped, clock, samples, outcome.failed, marks[number])

        return warm_up, measure

    in_threads(load.workers, load.warmup, load.duration, prepare, window)
    began = load.began(window)
    for number, tally in tallies.items():
        outcomes[number].finish(tally, buffers[number], began)
    return total(outcomes)


def in_threads(
    workers: int,
    warmup: float,
    duration: float,
    prepare: Callable[[int], tuple[Phase, Phase]],
    window: Window,
    grace: float = GRACE_SECONDS,
) -> None:
    """Runs two phases in each of some threads, which `prepare` creates there. The window is open
    from when all threads begin the second phase until the last has finished it."""
    crashes: list[BaseException] = []
    reached = [threading.Event() for _ in range(3)]
    stops: list[list[bool]] = [[], []]

    def prepared() -> None:
        settle()
        window.prepared()

    on_arrival: Iterator[Callable[[], None]] = iter((prepared, window.open, window.close))
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


async def run_tasks(
    client: AsyncioClient, load: Load, window: Window, timing: Timing = REAL
) -> Outcome:
    """Each worker is a task; a timer thread says when to stop, so a busy loop cannot delay it."""
    outcomes = [Outcome(clock=timing.clock) for _ in range(load.workers)]
    streams = [load.blocks(number) for number in range(load.workers)]
    buffers = [sample_buffer(load.workers) for _ in range(load.workers)]
    marks = all_marks(window, buffers, outcomes)
    loops = [asyncio_loop(load.verbs(client)) for _ in range(load.workers)]
    settle()
    window.prepared()
    clock = timing.clock
    if load.repeat:

        def warm_up(stop: list[bool]) -> list[Awaitable[object]]:
            stopped = timing.until(stop, load.warmup)
            return [
                loop(load.warmup_stream(blocks), stopped, clock, buffer, Outcome().failed)
                for loop, blocks, buffer in zip(loops, streams, buffers, strict=True)
            ]

        await until_stopped(warm_up, load.warmup)

    def measure(stop: list[bool]) -> list[Awaitable[Tally]]:
        stopped = timing.until(stop, load.duration)
        return [
            loop(
                load.measured_stream(streams[at], at),
                stopped,
                clock,
                buffers[at],
                outcome.failed,
                marks[at],
            )
            for at, (loop, outcome) in enumerate(zip(loops, outcomes, strict=True))
        ]

    window.open()
    tallies = await until_stopped(measure, load.duration)
    window.close()
    began = load.began(window)
    for outcome, tally, buffer in zip(outcomes, tallies, buffers, strict=True):
        outcome.finish(tally, buffer, began)
    return total(outcomes)


async def until_stopped(
    calls: Callable[[list[bool]], Sequence[Awaitable[Result]]], seconds: float
) -> list[Result]:
    """Runs all of these calls, which end soon after the list that they are given is no longer
    empty."""
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
    """The results of all workers."""
    added = Outcome()
    for outcome in outcomes:
        added.add(outcome)
    rates = [outcome.rate for outcome in outcomes if outcome.rate is not None]
    added.rate = sum(rates) if len(rates) == len(outcomes) else None
    return added
