"""Calls of an open loop by when they ended: all that is known of them is noted anyway."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

NOT_YET = -1
FAILED, LATE = 1, 2
"""Of a call's failure: an error, and one that is a timeout."""
AHEAD = 64
"""Where calls are dealt out, to event loops or processes, those of one may be so far behind
those of the others, or never begin."""


class Noted(Protocol):
    """A call of each number; -1 for what has not happened. Threads may still add to it."""

    begun: array[int]
    ended: array[int]
    failures: bytearray

    def response(self, at: int) -> int:
        """Nanoseconds, of a write negative."""
        ...


class Ended:
    """Looks only at those that had not ended when it looked last."""

    def __init__(self, calls: Noted) -> None:
        self._calls = calls
        self._open: list[int] = []
        self._next = 0
        self._passed: list[int] = []
        self._good, self._responses = array("q"), array("q")
        self._errors, self._late = array("q"), array("q")

    def counts(self, instant: int) -> tuple[int, int, int]:
        """Calls tried, errors and timeouts until then, as far as is known by now."""
        self._look()
        errors = bisect_right(self._errors, instant)
        tried = bisect_right(self._good, instant) + errors
        return tried, errors, bisect_right(self._late, instant)

    def latencies(self, start: int, end: int) -> Sequence[int]:
        """Response times of calls that ended after `start` and by `end`, of writes negative."""
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
