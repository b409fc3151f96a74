"""Deferring interrupts while something is created that must not be lost."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType


@contextlib.contextmanager
def interrupts_wait() -> Generator[None, None, None]:
    """Defers SIGINT and SIGTERM that arrive in the block to its end.

    For a few statements that create a process or a file and record it: an exception in between
    would orphan it. Signal handlers run only in the main thread, so this does nothing in others,
    nor if Python does not handle the signal. Signals are not blocked, since processes started in
    the block would inherit that.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Nested, so that both are restored even if the first deferred handler raises.
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
