"""Checks in simulated time: their results are exact on any machine."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from ...clients.base import ASYNC, SYNC
from ...contract.open import CONSTANT, OVERTIME, POISSON
from ...worker.open.schedule import NS, offsets
from .fake import Act
from .finding import Finding, step
from .measure import ScriptedLoad, line, open_result, played, slower_than

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...contract.result import Result

FAST, SLOW = 0.001, 0.020
STALL = 0.2
EVERY = 10
TOLERANCE = 0.02
"""Allowed relative error of throughput."""


def mixed(number: int) -> Act:
    """Every tenth call is slow, so that p50 and p99 are known."""
    return Act(takes=SLOW if number % EVERY == EVERY - 1 else FAST)


def closed(mode: str) -> Iterator[Finding]:
    """Eight workers without a pause."""
    workers, seconds = 8, 2.9
    known = ScriptedLoad(mode, mixed, workers, seconds)
    result, name = played(known), f"closed loop, {mode}"
    turn = (EVERY - 1) * FAST + SLOW
    count = round(seconds / turn) * EVERY * workers
    yield Finding(name, "calls", count, result["operations"])
    yield from _figures(known, result, name, count / seconds)


def draining(mode: str) -> Iterator[Finding]:
    """Calls that end long after the measured time, for some workers later than for others."""
    takes, workers, seconds = (0.4, 0.7), 4, 1.0
    first, second = (Act(takes=each) for each in takes)
    known = ScriptedLoad(
        mode, lambda _number: first, workers, seconds, other=lambda _number: second
    )
    result, name = played(known), f"closed loop, {mode}, long calls"
    each = [math.ceil(seconds / one) for one in takes]
    ends = max(count * one for count, one in zip(each, takes, strict=True))
    half, rate = workers // 2, sum(workers // 2 / one for one in takes)
    yield Finding(name, "calls", half * sum(each), result["operations"])
    yield Finding(name, "last end", ends * 1e6, result["elapsed"] * 1e6, 1.0, "µs")
    summary = line(known, result)
    measured = None if summary.rate is None else summary.rate.median
    yield Finding(name, "throughput", rate, measured, rate * 1e-6, "op/s")


def opened(mode: str, arrivals: str) -> Iterator[Finding]:
    """An open loop at a rate that the client can keep up with."""
    known = ScriptedLoad(mode, mixed, 64, 2.0, 500.0, arrivals)
    if mode == SYNC:
        # Each worker counts for itself, and which of them is free differs between runs.
        known = ScriptedLoad(mode, lambda _number: Act(takes=FAST), 64, 2.0, 500.0, arrivals)
    result, name = played(known), f"open loop, {mode}, {arrivals} arrivals"
    yield Finding(name, "calls", 1000, result["operations"])
    yield Finding(name, "late at the most", 0, open_result(result)["late_max_ns"] / 1000, unit="µs")
    yield from _figures(known, result, name, 500.0)


def _figures(known: ScriptedLoad, result: Result, name: str, rate: float) -> Iterator[Finding]:
    summary = line(known, result)
    measured = None if summary.rate is None else summary.rate.median
    yield Finding(name, "throughput", rate, measured, rate * TOLERANCE, "op/s")
    for at, number in (("p50", 0), ("p99", EVERY - 1)):
        latency = known.script(number).takes * 1e6
        yield Finding(name, at, latency, (summary.latency or {}).get(at), step(latency), "µs")


def stall(mode: str) -> Iterator[Finding]:
    """One call blocks the only worker, or the event loop, for 200 ms."""
    rate, seconds, duration, at = 1000.0, 1.0, 0.0005, 300
    known = ScriptedLoad(
        mode,
        lambda number: Act(blocks=STALL if number == at else 0.0, takes=duration),
        1 if mode == SYNC else 512,
        seconds,
        rate,
    )
    due = offsets(rate, seconds, CONSTANT, "")
    if mode == SYNC:
        takes = [duration + (STALL if number == at else 0.0) for number in range(len(due))]
        delayed = sum(
            ended - begin > round(duration * NS) for begin, _, ended in queue(due, takes, 1)
        )
    else:
        begin = due[at]
        delayed = sum(begin <= instant < begin + round(STALL * NS) for instant in due)
    result, name = played(known), f"open loop, {mode}, a stall of 200 ms"
    latency, more = result["latency"], round((duration + 1e-5) * NS)
    charged = slower_than([latency["read"], latency["write"]], more)
    yield Finding(name, "calls that it delayed, by response time", delayed, charged)
    served = slower_than([open_result(result)["service"]], more)
    yield Finding(name, "calls that it delayed, by service time", 1, served)
    yield Finding(name, "slowest", (STALL + duration) * 1e6, latency["max_ns"] / 1000, unit="µs")


def stalled_loop() -> Iterator[Finding]:
    """One call blocks one of the two event loops of a pool for 200 ms, while the other
    continues."""
    rate, seconds, duration, at = 1000.0, 1.0, 0.0005, 150
    known = ScriptedLoad(
        ASYNC,
        lambda number: Act(blocks=STALL if number == at else 0.0, takes=duration),
        512,
        seconds,
        rate,
        other=lambda _number: Act(takes=duration),
        loops=2,
    )
    mine = offsets(rate, seconds, CONSTANT, "")[::2]
    delayed = sum(mine[at] <= instant < mine[at] + round(STALL * NS) for instant in mine)
    result, name = played(known), "open loop, a pool, a stall of 200 ms on one of two loops"
    latency, more = result["latency"], round((duration + 1e-5) * NS)
    yield Finding(name, "calls", round(rate * seconds), result["operations"])
    charged = slower_than([latency["read"], latency["write"]], more)
    yield Finding(name, "calls that it delayed, by response time", delayed, charged)
    served = slower_than([open_result(result)["service"]], more)
    yield Finding(name, "calls that it delayed, by service time", 1, served)
    yield Finding(name, "slowest", (STALL + duration) * 1e6, latency["max_ns"] / 1000, unit="µs")


def overload(mode: str) -> Iterator[Finding]:
    """A rate that exceeds the capacity of four workers."""
    workers, rate, seconds, duration = 4, 1000.0, 1.0, 0.01
    known = ScriptedLoad(mode, lambda _number: Act(takes=duration), workers, seconds, rate)
    due = offsets(rate, seconds, CONSTANT, "")
    limit = seconds * (1 + OVERTIME) * NS
    calls = queue(due, [duration] * len(due), workers)
    sent = sum(begun <= limit for _, begun, _ in calls)
    result, name = played(known), f"open loop, {mode}, more than the client can do"
    open_figures = open_result(result)
    yield Finding(name, "calls", sent, result["operations"])
    yield Finding(name, "calls that did not begin", len(due) - sent, open_figures["unsent"])
    yield Finding(name, "latencies", len(due), result["latency"]["samples"])
    yield Finding(name, "calls at once", workers, open_figures["outstanding_most"])
    latest = max(begun - begin for begin, begun, _ in calls if begun <= limit)
    yield Finding(
        name, "late at the most", latest / 1000, open_figures["late_max_ns"] / 1000, unit="µs"
    )


def errors(mode: str, rate: float) -> Iterator[Finding]:
    """Every tenth call fails, and every seventh of the others times out."""

    def script(number: int) -> Act:
        failing = OSError if number % 10 == 9 else TimeoutError if number % 7 == 6 else None
        return Act(takes=FAST, error=failing)

    known = ScriptedLoad(mode, script, 1, 1.0, rate)
    # A closed loop warms up with at least one call.
    count, first = (round(rate), 0) if rate else (1000, 1)
    bad = sum(script(first + number).error is not None for number in range(count))
    kind = "open" if rate else "closed"
    result, name = played(known), f"{kind} loop, {mode}, errors and timeouts"
    yield Finding(name, "failed", bad, result["errors"])
    late = sum(script(first + number).error is TimeoutError for number in range(count))
    yield Finding(name, "failed by a timeout", late, result.get("timeouts", 0))
    yield Finding(name, "succeeded", count - bad, result["operations"])


def intervals(mode: str, rate: float) -> Iterator[Finding]:
    """A worker that blocks for half a second, with some failing calls."""
    seconds, takes, held, at = 1.0, 0.01, 0.5, 30
    # A closed loop warms up with one call.
    first = 0 if rate else 1

    def script(number: int) -> Act:
        late = number - first == at + 10
        return Act(
            blocks=held if number - first == at else 0.0,
            takes=takes,
            error=TimeoutError if late else None,
        )

    result = played(ScriptedLoad(mode, script, 1, seconds, rate))
    series = result.get("series")
    assert series is not None, "a loop without intervals"
    kind = "open" if rate else "closed"
    name = f"{kind} loop, {mode}, what happened when"
    long = series["interval"]
    before, ended = round(at * takes / long), at * takes + held + takes
    again = int(ended / long)
    calls = series["operations"]
    yield Finding(name, "calls before it holds on", at, sum(calls[:before]))
    yield Finding(name, "calls while it does", 0, sum(calls[before:again]))
    yield Finding(name, "calls in all", result["operations"], sum(calls))
    slowest = series["max_ns"][again]
    known = round((held + takes) * NS) / 1000
    yield Finding(name, "slowest of those then", known, (slowest or 0) / 1000, 1.0, "µs")
    yield Finding(name, "timeouts", 1, sum(series["timeouts"]))
    yield Finding(name, "timeouts before", 0, sum(series["timeouts"][: again + 1]))


def queue(due: Sequence[int], takes: Sequence[float], workers: int) -> list[tuple[int, int, int]]:
    """The times at which calls are due, begin and end in a queue served by workers."""
    free = [0] * workers
    calls: list[tuple[int, int, int]] = []
    for instant, seconds in zip(due, takes, strict=True):
        begun = max(instant, heapq.heappop(free))
        heapq.heappush(free, begun + round(seconds * NS))
        calls.append((instant, begun, begun + round(seconds * NS)))
    return calls


def every() -> Iterator[Finding]:
    """Runs all of these checks."""
    for mode in (ASYNC, SYNC):
        yield from closed(mode)
        yield from draining(mode)
        for arrivals in (CONSTANT, POISSON):
            yield from opened(mode, arrivals)
        yield from stall(mode)
        yield from overload(mode)
        for rate in (0.0, 200.0):
            yield from errors(mode, rate)
        for rate in (0.0, 100.0):
            yield from intervals(mode, rate)
    yield from stalled_loop()
