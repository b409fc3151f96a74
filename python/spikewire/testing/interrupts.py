"""Interrupts that wait while something is made that must not be lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType

__all__ = ["interrupts_wait"]


@contextlib.contextmanager
def interrupts_wait() -> Generator[None, None, None]:
    """SIGINT and SIGTERM that arrive in the block are handled at its end.

    For a few statements that start a process and note it, or make a file and note it: an exception
    between the two would leave what nothing ends. Handlers run in the main thread only, so that
    elsewhere this does nothing, and neither where Python does not handle the signal. Signals are
    not blocked, which processes started in the block would inherit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # One inside the other: a handler that raises once it is back does not keep the other away.
    with _waits(signal.SIGINT), _waits(signal.SIGTERM):
        yield


@contextlib.contextmanager
def _waits(number: signal.Signals) -> Generator[None, None, None]:
    handler = signal.getsignal(number)
    if not callable(handler):
        yield
        return
    arrived: list[FrameType | None] = []
    try:
        signal.signal(number, lambda _number, frame: arrived.append(frame))
        yield
    finally:
        signal.signal(number, handler)
        if arrived:
            handler(number, arrived[0])
