"""What breaks in a rehearsal, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .intervals import Interval

SATURATED = 0.97
"""The share of a processor from which the client has none left: its event loop is one thread."""
LATE = 0.01
"""The share of late calls that is too much: the latency of the 99th percentile is the deadline."""
FAILED = 0.001
"""The share of failed calls that is too much."""
BACKLOG = 0.5
"""A queue has grown if it is as long as what comes in this many seconds."""
FEWEST = 20
"""Calls in an interval below which shares say nothing; a single failure counts nevertheless."""


@dataclass(frozen=True)
class Break:
    """Something that broke."""

    what: str
    """``cpu``, ``errors``, ``queue`` or ``deadline``."""
    second: float
    """The beginning of the interval, in seconds of the rehearsal."""
    about: str


def breaks_of(intervals: list[Interval], seconds: float, deadline: float) -> list[Break]:
    """What broke for the first time in each way, in order. Within an interval the likely cause is
    before its consequences."""
    first: dict[str, Break] = {}
    for number, interval in enumerate(intervals):
        for one in _breaks_in(interval, number * seconds, seconds, deadline):
            first.setdefault(one.what, one)
    return list(first.values())


def _breaks_in(
    interval: Interval, second: float, seconds: float, deadline: float
) -> Iterator[Break]:
    # A client that is late without need of its processor is kept waiting by the machine.
    if interval.cpu >= SATURATED:
        yield Break("cpu", second, f"the client used {interval.cpu:.0%} of its processor")
    elif interval.behind > deadline:
        behind = f"{interval.behind * 1000:.0f} ms"
        yield Break("cpu", second, f"the client sent calls {behind} after they were due")
    if interval.calls == 0:
        return
    failed = sum(interval.errors.values())
    if failed > interval.calls * FAILED:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in interval.errors.most_common(4))
        yield Break("errors", second, f"{failed:,} of {interval.calls:,} calls failed: {kinds}")
    if interval.in_flight > max(FEWEST, interval.calls / seconds * BACKLOG):
        yield Break("queue", second, f"{interval.in_flight:,} calls were waiting at its end")
    if interval.calls >= FEWEST and interval.late > interval.calls * LATE:
        late = f"{interval.late / interval.calls:.1%} of the calls took longer than"
        p99 = f"p99 {(interval.quantile(0.99) or 0) * 1000:.1f} ms"
        yield Break("deadline", second, f"{late} {deadline * 1000:g} ms ({p99})")
