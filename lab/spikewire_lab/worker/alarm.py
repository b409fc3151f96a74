"""Wakes an event loop at an exact instant: its own timers have a resolution of milliseconds."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

_MONOTONIC, _NONBLOCK_CLOEXEC, _ABSOLUTE = 1, os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0), 1
_SLACK = 29
_NS = 1_000_000_000


class Alarm(Protocol):
    """Calls a function on the loop's thread at the instant set last."""

    def at(self, instant: int) -> None:
        """Sets the instant in nanoseconds of the clock; one in the past fires at once."""

    def off(self) -> None: ...

    def close(self) -> None: ...


class LoopAlarm:
    """Uses the loop's own timers."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        call: Callable[[], None],
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._loop, self._call, self._clock = loop, call, clock
        self._handle: asyncio.TimerHandle | None = None

    def at(self, instant: int) -> None:
        self.off()
        delay = max(0, instant - self._clock()) / _NS
        self._handle = self._loop.call_later(delay, self._call)

    def off(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def close(self) -> None:
        self.off()


class TimerAlarm:
    """Uses a Linux timer that the loop polls like a socket. Its clock is that of
    `time.perf_counter`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
        self._loop = loop
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._set = self._libc.timerfd_settime
        self._fd = self._libc.timerfd_create(_MONOTONIC, _NONBLOCK_CLOEXEC)
        if self._fd < 0:
            raise OSError(ctypes.get_errno(), "no timer could be made")
        self._when = (ctypes.c_long * 4)()  # the interval, which stays 0, then the first instant
        loop.add_reader(self._fd, call)

    def at(self, instant: int) -> None:
        """Setting the timer makes it unreadable until it fires, so there is nothing to read."""
        when = self._when
        when[2], when[3] = divmod(max(1, instant), _NS)
        self._set(self._fd, _ABSOLUTE, when, None)

    def off(self) -> None:
        when = self._when
        when[2] = when[3] = 0
        self._set(self._fd, _ABSOLUTE, when, None)

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)


def alarm(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> Alarm:
    """The most exact alarm that the system supports."""
    if sys.platform == "linux":
        return TimerAlarm(loop, call)
    return LoopAlarm(loop, call)


def sleep_exactly() -> None:
    """Makes the calling thread's sleeps end on time: by default Linux adds up to 50
    microseconds."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SLACK, 1, 0, 0, 0)
