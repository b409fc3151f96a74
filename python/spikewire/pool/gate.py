"""What a thread waits at until another one opens it."""

from __future__ import annotations

import threading
from contextlib import suppress

__all__ = ["SIGNALS_EVERY", "Gate"]

#: How long a thread waits before it looks for signals, in seconds.
SIGNALS_EVERY = 0.1


class Gate:
    """Closed until ``open``, for one thread that waits.

    A ``threading.Event`` takes a lock in ``with``; on CPython 3.14 an interrupt of the main thread
    there can leave it taken for ever, and the thread that sets the event waits as long.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def open(self) -> None:
        """Lets the waiting thread go on; from any thread."""
        with suppress(RuntimeError):  # It is open.
            self._lock.release()

    def wait(self, timeout: float) -> bool:
        """Whether it was opened within this time, in seconds."""
        return self._lock.acquire(timeout=timeout)
