"""A gate at which a thread waits until another one opens it."""

from __future__ import annotations

import threading
from contextlib import suppress

__all__ = ["SIGNALS_EVERY", "Gate"]

#: How often a waiting thread checks for signals, in seconds.
SIGNALS_EVERY = 0.1


class Gate:
    """A gate that is closed until ``open``, for one waiting thread.

    Not a ``threading.Event``, which takes a lock in ``with``: on CPython 3.14 an interrupt of the
    main thread there can leave the lock taken for ever, and the thread that sets the event blocked.
    """

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def open(self) -> None:
        """Lets the waiting thread continue; callable from any thread."""
        with suppress(RuntimeError):  # Already open.
            self._lock.release()

    def wait(self, timeout: float) -> bool:
        """Waits; returns whether it was opened within this time, in seconds."""
        return self._lock.acquire(timeout=timeout)
