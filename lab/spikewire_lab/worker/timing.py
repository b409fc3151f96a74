"""The drivers' use of time, in one place: self-checks substitute a clock of their own."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .alarm import Alarm, alarm

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager


def _unchanged(stop: Sequence[bool], _seconds: float) -> Sequence[bool]:
    return stop


def _nothing(_instant: int) -> None:
    pass


@dataclass(frozen=True)
class Timing:
    """The clock that latencies are read from, and the ways in which threads wait for it."""

    clock: Callable[[], int] = time.perf_counter_ns
    """Nanoseconds; in simulated time those of the calling thread."""
    sleep: Callable[[float], None] = time.sleep
    """Seconds; in simulated time it advances the calling thread's clock."""
    turn: Callable[[], AbstractContextManager[object]] = threading.Lock
    """Returns a context in which one thread at a time takes the next of what threads share."""
    taking_part: Callable[[int], AbstractContextManager[object]] = nullcontext
    """Returns the context of a thread of that number for as long as it takes turns."""
    until: Callable[[Sequence[bool], float], Sequence[bool]] = _unchanged
    """Returns what a closed loop checks to stop: the list that is filled after this many
    seconds."""
    alarm: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], Alarm] = alarm
    """How an event loop waits for an instant."""
    begin: Callable[[int], object] = _nothing
    """Called by a thread with the instant at which all threads begin, from which a simulated clock
    continues."""


REAL = Timing()
