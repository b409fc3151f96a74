"""What the drivers know of time, in one place: a self-check puts a clock of its own here."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..open.alarm import Alarm, alarm

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager


def _as_given(stop: Sequence[bool], _seconds: float) -> Sequence[bool]:
    return stop


def _nothing(_instant: int) -> None:
    pass


@dataclass(frozen=True)
class Timing:
    """The clock that latencies are read from, and how threads wait for it."""

    clock: Callable[[], int] = time.perf_counter_ns
    """Nanoseconds; that of the calling thread where time is only played."""
    sleep: Callable[[float], None] = time.sleep
    """Seconds, of the calling thread."""
    turn: Callable[[], AbstractContextManager[object]] = threading.Lock
    """Makes what lets one thread at a time take the next of what they share."""
    taking_part: Callable[[int], AbstractContextManager[object]] = nullcontext
    """What a thread of that number is in as long as it takes turns."""
    until: Callable[[Sequence[bool], float], Sequence[bool]] = _as_given
    """What a closed loop asks whether to stop: the list that is filled after so many seconds."""
    alarm: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], Alarm] = alarm
    """How an event loop waits for it."""
    begin: Callable[[int], object] = _nothing
    """What a thread calls with the instant at which all threads begin: a clock of its own goes on
    from there."""


REAL = Timing()
