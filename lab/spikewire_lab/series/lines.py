"""One line for each second of a run: reported by the worker, shown by the lab."""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypedDict

from .memory import resident

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

NS = 1_000_000_000
MARK = "spikewire-bench "
"""The prefix of lines on a worker's standard error that are reports to the lab; JSON follows."""
BITS = 7
"""Leading bits of a latency that are reported: steps of less than 1 %."""
BEYOND = 10
_GRACE = 0.05
"""Seconds after the end of a second, so that calls that have just ended are counted."""


class Second(TypedDict):
    """The results of one process in a second of its window."""

    second: int
    """Its number, from 1, by when it ended."""
    part: int
    """Index of the process among several."""
    operations: int
    errors: int
    timeouts: int
    rss: int
    samples: list[tuple[int, int]]
    """Latencies in nanoseconds, rounded down to `BITS` bits, with their counts."""


def rounded(nanoseconds: int) -> int:
    """Rounded down to the leading bits."""
    more = max(0, nanoseconds.bit_length() - BITS)
    return nanoseconds >> more << more


def say(what: Mapping[str, object]) -> None:
    """Writes a report in one piece, so that lines of several processes do not mix."""
    os.write(2, f"{MARK}{json.dumps(what)}\n".encode())


class Calls(Protocol):
    """The calls of all workers so far, and the instant at which their window opened."""

    began: int

    def counts(self, instant: int) -> tuple[int, int, int]: ...

    def latencies(self, start: int, end: int) -> Sequence[int] | None: ...


class Lines:
    """A thread that reports every full second."""

    def __init__(self, calls: Calls, part: int, rows: int) -> None:
        self._calls, self._part, self._rows = calls, part, rows
        self._begun, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="bench-lines", daemon=True)
        self._reported = (0, 0, 0)

    def start(self) -> None:
        self._thread.start()

    def begin(self) -> None:
        self._begun.set()

    def end(self) -> None:
        self._over.set()
        self._begun.set()
        self._thread.join()

    def _run(self) -> None:
        self._begun.wait()
        second = 0
        while True:
            second += 1
            due = self._calls.began + second * NS
            if self._over.wait(max(0.0, (due - time.perf_counter_ns()) / NS) + _GRACE):
                break
            say(self.of(second))
        # The last second ends with the window.
        if time.perf_counter_ns() >= due:
            say(self.of(second))

    def of(self, second: int) -> Second:
        """Calls that could not be counted in their second, because their worker had not recorded
        them yet, are counted in the next."""
        start = self._calls.began + (second - 1) * NS
        known = self._calls.counts(start + NS)
        tried, errors, late = (now - then for now, then in zip(known, self._reported, strict=True))
        self._reported = known
        latencies = self._calls.latencies(start, start + NS) or ()
        counted = Counter(rounded(abs(one)) for one in latencies)
        return {
            "second": second,
            "part": self._part,
            "operations": max(0, tried - errors) * self._rows,
            "errors": errors,
            "timeouts": late,
            "rss": resident() or 0,
            "samples": sorted(counted.items()),
        }


class LineDisplay:
    """Shows the reports of workers, those of several processes combined."""

    def __init__(self, processes: int, show: Callable[[str], object]) -> None:
        self._processes, self._show = processes, show
        self._seconds: dict[int, list[Second]] = {}

    def __call__(self, report: Second) -> None:
        reports = self._seconds.setdefault(report["second"], [])
        reports.append(report)
        if len(reports) == self._processes:
            self._show(text(reports))


def text(reports: Sequence[Second]) -> str:
    """One second of all processes."""
    samples: Counter[int] = Counter()
    for one in reports:
        for value, count in one["samples"]:
            samples[value] += count
    sums = [sum(one[key] for one in reports) for key in ("operations", "errors", "timeouts", "rss")]
    operations, errors, late, rss = sums
    return (
        f"{reports[0]['second']:5} s {operations:11,} op/s"
        f"  p50 {_percentile(samples, 50)} us  p99 {_percentile(samples, 99)} us"
        f"  {errors:,} errors  {late:,} timeouts  {rss / 1e6:,.0f} MB"
    )


def _percentile(samples: Counter[int], percent: int) -> str:
    """In microseconds; a dash if it is above the median and fewer than 10 samples lie beyond it."""
    many = samples.total()
    if not many or (percent > 50 and many * (100 - percent) < 100 * BEYOND):
        return f"{'-':>7}"
    rank, so_far = -(-many * percent // 100), 0
    for value, count in sorted(samples.items()):
        so_far += count
        if so_far >= rank:
            return f"{value / 1000:7,.0f}"
    return f"{'-':>7}"
