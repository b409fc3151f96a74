"""The calls of an open loop by when they ended: the loop records all of their times anyway."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_YET = -1
FAILED, LATE = 1, 2
"""Values for a failed call: an error, and an error that is a timeout."""
AHEAD = 64
"""Calls of one event loop or process may be this far behind those of the others among which they
are dealt out, or never begin."""


class CallTimes(Protocol):
    """A call of each number; -1 for what has not happened. Threads may still add to it."""

    begun: array[int]
    ended: array[int]
    failures: bytearray

    def response(self, at: int) -> int:
        """Response time in nanoseconds, negative for a write."""
        ...


class EndedCalls:
    """Looks only at calls that had not ended at the last look."""

    def __init__(self, calls: CallTimes) -> None:
        self._calls = calls
        self._open: list[int] = []
        self._next = 0
        self._passed: list[int] = []
        self._good, self._responses = array("q"), array("q")
        self._errors, self._late = array("q"), array("q")

    def counts(self, instant: int) -> tuple[int, int, int]:
        """Calls tried, errors and timeouts by then, as far as they are known."""
        self._look()
        errors = bisect_right(self._errors, instant)
        tried = bisect_right(self._good, instant) + errors
        return tried, errors, bisect_right(self._late, instant)

    def latencies(self, start: int, end: int) -> Sequence[int]:
        """Response times of calls that ended after `start` and by `end`, negative for writes."""
        self._look()
        return self._responses[bisect_right(self._good, start) : bisect_right(self._good, end)]

    def _look(self) -> None:
        calls = self._calls
        many = len(calls.begun)
        begun = [at for at in self._passed if calls.begun[at] != NOT_YET]
        if begun:
            self._open += begun
            self._passed = [at for at in self._passed if calls.begun[at] == NOT_YET]
        while self._next < many:
            if calls.begun[self._next] != NOT_YET:
                self._open.append(self._next)
            elif any(at != NOT_YET for at in calls.begun[self._next + 1 : self._next + AHEAD]):
                self._passed.append(self._next)
            else:
                break
            self._next += 1
        over = [at for at in self._open if calls.ended[at] != NOT_YET]
        if not over:
            return
        self._open = [at for at in self._open if calls.ended[at] == NOT_YET]
        for at in sorted(over, key=calls.ended.__getitem__):
            instant, failure = calls.ended[at], calls.failures[at]
            if not failure:
                self._good.append(instant)
                self._responses.append(calls.response(at))
                continue
            self._errors.append(instant)
            if failure == LATE:
                self._late.append(instant)
