"""Calls sorted into intervals and windows, by when they were due."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .result import Figures, Intervals

NS = 1_000_000_000
ANSWERED = ""
UNANSWERED = "unanswered"
"""Calls that had not ended when the run did."""


class Call(NamedTuple):
    """A call that has ended, in nanoseconds from the start."""

    due: int
    ended: int
    outcome: str
    """`ANSWERED`, or the name of an exception."""
    rows: int = 0
    """Rows that a batch asked for; 0 for single reads."""
    there: int = 0
    """Those of them that were there."""


class Rule(NamedTuple):
    """When an answer is good."""

    deadline: float
    rows_needed: float = 1.0

    def in_time(self, call: Call) -> bool:
        return call.ended - call.due <= self.deadline * NS

    def good(self, call: Call) -> bool:
        enough = call.there >= self.rows_needed * call.rows
        return call.outcome == ANSWERED and enough and self.in_time(call)


def percentile(ascending: Sequence[int], share: float) -> float | None:
    """Seconds that this share of the nanoseconds did not exceed; None if there are none."""
    if not ascending:
        return None
    last = len(ascending) - 1
    return ascending[min(last, int(share * len(ascending)))] / NS


def figures(calls: Iterable[Call], window: tuple[float, float], rule: Rule) -> Figures:
    """What became of the calls that were due in this window of seconds."""
    start, end = (round(at * NS) for at in window)
    those = [call for call in calls if start <= call.due < end]
    times = sorted(call.ended - call.due for call in those if call.outcome == ANSWERED)
    ended = [call for call in those if call.outcome != UNANSWERED]
    return {
        "due": len(those),
        "answered": len(times),
        "good": sum(map(rule.good, those)),
        "errors": dict(Counter(call.outcome for call in those if call.outcome != ANSWERED)),
        "p50": percentile(times, 0.5),
        "p99": percentile(times, 0.99),
        "p999": percentile(times, 0.999),
        "max": percentile(times, 1.0),
        "in_time": sum(map(rule.in_time, ended)) / len(those) if those else None,
        "rows": sum(call.rows for call in those),
        "rows_there": sum(call.there for call in those),
    }


def over_time(
    calls: Iterable[Call], seconds: float, interval: float, rule: Rule, *, by_end: bool = False
) -> Intervals:
    """The same for each interval, or by when calls ended; the processor time and the memory are
    left to the caller."""
    width = round(interval * NS)
    count = max(1, -(-round(seconds * NS) // width))
    due, good = [0] * count, [0] * count
    times: list[list[int]] = [[] for _ in range(count)]
    errors: dict[str, list[int]] = {}
    for call in calls:
        at = min((call.ended if by_end else call.due) // width, count - 1)
        due[at] += 1
        good[at] += rule.good(call)
        if call.outcome == ANSWERED:
            times[at].append(call.ended - call.due)
        else:
            errors.setdefault(call.outcome, [0] * count)[at] += 1
    return {
        "due": due,
        "good": good,
        "p99": [percentile(sorted(one), 0.99) for one in times],
        "errors": errors,
        "cpu": [],
        "rss": [],
    }


NORMAL, STEADY = 0.9, 5
"""From when a client counts as back to normal: this share of answers is good over this number of
intervals."""


def recovery(
    due: Sequence[int], good: Sequence[int], interval: float, since: float, until: float
) -> float | None:
    """Seconds from `since` until answers are good again, which has to last for some intervals; None
    if they are not before `until`."""
    first, last = round(since / interval), min(round(until / interval), len(due))
    steady = max(1, min(STEADY, last - first))
    for at in range(first, last - steady + 1):
        asked = sum(due[at : at + steady])
        if (
            due[at]
            and good[at] >= NORMAL * due[at]
            and sum(good[at : at + steady]) >= (NORMAL * asked)
        ):
            return round(max(0.0, at * interval - since), 6)
    return None
