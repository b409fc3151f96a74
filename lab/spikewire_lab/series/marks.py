"""What the worker of a closed loop records at the border of two intervals.

The loop reads its clock for each call that it times, and only then compares it with the end of the
interval: this comparison is the whole cost.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NEVER = 1 << 62


class NoMarks:
    """For a loop without a record of intervals, as in the warm-up."""

    edge = NEVER

    def passed(
        self, _before: int, _held: int, _had: int, _now: int, _tried: int, _sampled: int
    ) -> int:
        return NEVER

    def ended(
        self, _before: int, _held: int, _had: int, now: int, _tried: int, _sampled: int
    ) -> int:
        return now


NO_MARKS = NoMarks()


class Marks(NoMarks):
    """The number of calls one worker had tried, and of latencies it had taken, at instants from
    which the numbers at the end of every interval are derived."""

    def __init__(
        self,
        began: Callable[[], int],
        interval: int,
        samples: Sequence[int],
        errors: array[int],
        timeouts: array[int],
    ) -> None:
        """The buffer of latencies is a ring. Errors and timeouts are the instants at which they
        occurred; both may still grow, as may the marks."""
        self._began, self._interval = began, interval
        self._samples = samples
        self._errors, self._timeouts = errors, timeouts
        self._instants, self._tried, self._sampled = array("q"), array("q"), array("q")

    @property
    def edge(self) -> int:  # type: ignore[override]
        """The end of the first interval."""
        return self._began() + self._interval

    def passed(self, before: int, held: int, had: int, now: int, tried: int, sampled: int) -> int:
        """An interval has ended since the timed call that began at `before`, when `held` calls had
        been tried and `had` latencies taken; that call may have lasted for several intervals.
        Returns the end of the current interval."""
        self.ended(before, held, had, now, tried, sampled)
        began = self._began()
        return began + ((now - began) // self._interval + 1) * self._interval

    def ended(self, before: int, held: int, had: int, now: int, tried: int, sampled: int) -> int:
        """The same at the end of the loop; returns the loop's result."""
        if before:
            self._note(before, held, had)
        if sampled > had:
            last = abs(self._samples[(sampled - 1) % len(self._samples)])
            self._note(before + last, held + 1, sampled)
        self._note(now, tried, sampled)
        return now

    def _note(self, instant: int, tried: int, sampled: int) -> None:
        # Last, since readers in other threads look for the instant first.
        self._tried.append(tried)
        self._sampled.append(sampled)
        self._instants.append(instant)

    def counts(self, instant: int) -> tuple[int, int, int]:
        """Calls tried, errors and timeouts by then, as far as they are known."""
        return (
            self._tried_by(instant),
            bisect_right(self._errors, instant),
            bisect_right(self._timeouts, instant),
        )

    def _tried_by(self, instant: int) -> int:
        instants, tried = self._instants, self._tried
        known = len(instants)
        at = bisect_right(instants, instant, 0, known)
        if at == known:
            return tried[at - 1] if at else 0
        begun, so_far = (instants[at - 1], tried[at - 1]) if at else (self._began(), 0)
        part, whole = instant - begun, instants[at] - begun
        return so_far + (tried[at] - so_far) * part // whole if part > 0 else so_far

    def latencies(self, start: int, end: int) -> Sequence[int] | None:
        """Latencies of calls that ended after `start` and by `end`, negative for writes; None if
        some have been overwritten."""
        first, last = self._sampled_by(start), self._sampled_by(end)
        size = len(self._samples)
        if first == last:
            return ()
        if first < (self._sampled[-1] if self._sampled else 0) - size:
            return None
        return [self._samples[at % size] for at in range(first, last)]

    def _sampled_by(self, instant: int) -> int:
        at = bisect_right(self._instants, instant, 0, len(self._instants))
        return self._sampled[at - 1] if at else 0
