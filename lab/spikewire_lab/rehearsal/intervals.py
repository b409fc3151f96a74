"""What happened when: a rehearsal in intervals of equal length."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Interval:
    """What became of the calls that were due in an interval."""

    calls: int = 0
    good: int = 0
    """Answered in time."""
    late: int = 0
    """Answered after the deadline, counted from when they were due."""
    errors: Counter[str] = field(default_factory=Counter[str])
    latencies: array[float] = field(default_factory=lambda: array("d"))
    """Of all that were answered, in seconds from when they were due."""
    in_flight: int = 0
    """Calls without an answer at its end."""
    cpu: float = 0.0
    """The share of one processor that the client used."""
    behind: float = 0.0
    """How many seconds after it was due the last call was sent."""

    def quantile(self, share: float) -> float | None:
        """The latency of this share of its answers, in seconds."""
        return quantile(self.latencies, share)

    def as_json(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "good": self.good,
            "late": self.late,
            "errors": dict(self.errors),
            "p50": self.quantile(0.5),
            "p99": self.quantile(0.99),
            "slowest": max(self.latencies, default=None),
            "in_flight": self.in_flight,
            "cpu": self.cpu,
            "behind": self.behind,
        }


def quantile(values: array[float], share: float) -> float | None:
    """The smallest value that this share of all values does not exceed."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def total(intervals: list[Interval]) -> Interval:
    """All of them in one."""
    whole = Interval()
    for interval in intervals:
        whole.calls += interval.calls
        whole.good += interval.good
        whole.late += interval.late
        whole.errors += interval.errors
        whole.latencies.extend(interval.latencies)
    if intervals:
        whole.in_flight = intervals[-1].in_flight
        whole.cpu = sum(one.cpu for one in intervals) / len(intervals)
        whole.behind = max(one.behind for one in intervals)
    return whole
