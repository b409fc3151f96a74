"""All workers of a process, summed by interval."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from ..contract.series import Series, intervals_a_second
from .lines import Lines
from .marks import NO_MARKS, Marks
from .memory import Memory

if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence

    from .marks import NoMarks

NS = 1_000_000_000
BEYOND = 10
"""Samples that must lie beyond p99 for it to be reported."""


class Source(Protocol):
    """Something that knows when some calls ended."""

    def counts(self, instant: int) -> tuple[int, int, int]:
        """Calls tried, errors and timeouts by then, as far as they are known."""
        ...

    def latencies(self, start: int, end: int) -> Sequence[int] | None:
        """Latencies of calls that ended after `start` and by `end`, negative for writes; None if
        some have been overwritten."""
        ...


class Errors(Protocol):
    """When calls failed, and which of them by a timeout."""

    failures: array[int]
    late: array[int]


class Timeline:
    """The intervals of one measurement."""

    def __init__(self, duration: float, *, memory: bool = True) -> None:
        """The planned time in seconds, and whether memory is sampled as well, which needs real
        time."""
        self.a_second = intervals_a_second(duration)
        self.interval = NS // self.a_second
        self.began, self._start = 0, 0.0
        self.sources: list[Source] = []
        self._memory = Memory(self.interval) if memory else None
        self._lines: Lines | None = None

    def say_lines(self, part: int, rows: int) -> None:
        """Reports each second when it is over, as this one of several processes."""
        self._lines = Lines(self, part, rows)

    def prepare(self) -> None:
        """Called outside the measured time."""
        if self._memory is not None:
            self._memory.start()
        if self._lines is not None:
            self._lines.start()

    def begin(self, instant: int, start: float | None = None) -> None:
        """The window is open, since `start` in seconds since the epoch, or since now."""
        self.began, self._start = instant, time.time() if start is None else start
        if self._memory is not None:
            self._memory.begin(instant)
        if self._lines is not None:
            self._lines.begin()

    def end(self) -> None:
        """The window is closed."""
        if self._memory is not None:
            self._memory.end()
        if self._lines is not None:
            self._lines.end()

    def marks(self, samples: Sequence[int], errors: Errors) -> Marks:
        """The marks of one more worker of a closed loop."""
        marks = Marks(lambda: self.began, self.interval, samples, errors.failures, errors.late)
        self.sources.append(marks)
        return marks

    def series(
        self,
        ended: int,
        rows: int = 1,
        encode: Callable[[Sequence[int]], str] | None = None,
    ) -> Series | None:
        """The series of calls of this many records each, until the end of the window; with
        histograms if an encoder is given. None if there are no calls."""
        if not self.sources:
            return None
        many = max(1, -(-(ended - self.began) // self.interval))
        edges = [self.began + at * self.interval for at in range(many + 1)]
        sums = [self.counts(edge) for edge in edges[1:]]
        good = _rising([tried - errors for tried, errors, _ in sums])
        series: Series = {
            "start": self._start,
            "interval": self.interval / NS,
            "operations": [rows * one for one in _steps(good)],
            "errors": _steps([errors for _, errors, _ in sums]),
            "timeouts": _steps([late for _, _, late in sums]),
            "p50_ns": [],
            "p99_ns": [],
            "max_ns": [],
        }
        histograms: tuple[list[str], list[str]] = ([], [])
        # Reads that had not begun before the window opened may end at its very first instant.
        for at, (start, end) in enumerate(pairwise(edges)):
            latencies = self.latencies(start if at else start - 1, end)
            _add(series, None if latencies is None else sorted(map(abs, latencies)))
            if encode is not None:
                latencies = latencies or []
                histograms[0].append(encode([one for one in latencies if one > 0]))
                histograms[1].append(encode([-one for one in latencies if one < 0]))
        if encode is not None:
            series["read"], series["write"] = histograms
        if self._memory is not None and self._memory.held:
            series["rss"] = self._memory.held[:many]
        return series

    def counts(self, instant: int) -> tuple[int, int, int]:
        """Calls tried, errors and timeouts of all sources by then, as far as they are known."""
        tried, errors, late = zip(*(one.counts(instant) for one in self.sources), strict=True)
        return sum(tried), sum(errors), sum(late)

    def latencies(self, start: int, end: int) -> list[int] | None:
        """The latencies of all sources together."""
        latencies: list[int] = []
        for one in self.sources:
            of_source = one.latencies(start, end)
            if of_source is None:
                return None
            latencies += of_source
        return latencies


def marks_of(timeline: Timeline | None, samples: Sequence[int], errors: Errors) -> NoMarks:
    """The marks of a worker, or `NoMarks` without a timeline."""
    return NO_MARKS if timeline is None else timeline.marks(samples, errors)


def _rising(counts: Sequence[int]) -> list[int]:
    """Makes a sequence of successes non-decreasing. Between two timed calls the number of calls
    that ended is only estimated while errors have exact instants, so that a difference could become
    negative."""
    most = counts[-1]
    rising: list[int] = []
    for count in counts:
        rising.append(max(rising[-1] if rising else 0, min(count, most)))
    return rising


def _steps(counts: Sequence[int]) -> list[int]:
    return [after - before for before, after in pairwise((0, *counts))]


def _add(series: Series, latencies: Sequence[int] | None) -> None:
    many = len(latencies or ())
    series["max_ns"].append(latencies[-1] if latencies else None)
    series["p50_ns"].append(latencies[(many - 1) // 2] if latencies else None)
    enough = many >= 100 * BEYOND
    series["p99_ns"].append(latencies[-(-99 * many // 100) - 1] if latencies and enough else None)
