"""Waiting for the engine's threads, also in programs whose threads gevent or eventlet replaced.

The engine completes statements in a thread of the operating system, which must not wait for a lock
that others can hold: a thread that was interrupted while it held one, or whose signal handler waits
for another statement, would stop all statements. So ``Signal.set`` and ``Slots.release`` take none.
What is shared are containers whose single operations are atomic; who takes a waiter out of one
wakes it up.

Locks and events that ``monkey.patch_all()`` put in place of those of ``threading`` do not wake up
waiters in a thread of the operating system. So waiting here uses the unpatched ones, and under
gevent what wakes up its event loop: other greenlets run in the meantime.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
from collections import deque
from typing import Any, Protocol, TypeVar

__all__ = ["Lock", "Signal", "Slots", "is_cooperative", "new_lock", "new_signal"]

T = TypeVar("T")


class Lock(Protocol):
    """What ``threading.Lock`` is."""

    def acquire(self, blocking: bool = True) -> bool: ...

    def release(self) -> None: ...

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...


class Signal(Protocol):
    """An event that is set once."""

    def is_set(self) -> bool: ...

    def set(self) -> None: ...

    def wait(self) -> None: ...


def is_cooperative() -> bool:
    """Whether gevent has replaced the threads of this process."""
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("threading"))


def _unpatched() -> Any:
    """The module ``threading``, as it is without eventlet's patches."""
    patcher = sys.modules.get("eventlet.patcher")
    if patcher is not None and patcher.is_monkey_patched("thread"):
        return patcher.original("threading")
    return threading


def new_lock() -> Lock:
    """A lock that all threads of the operating system may take."""
    if is_cooperative():
        lock: Lock = sys.modules["gevent.monkey"].get_original("_thread", "allocate_lock")()
        return lock
    unpatched: Lock = _unpatched().Lock()
    return unpatched


def new_signal() -> Signal:
    """An event that any thread may set."""
    return _GreenSignal() if is_cooperative() else _PlainSignal()


class Slots:
    """A semaphore that any thread may release."""

    def __init__(self, places: int) -> None:
        self._free = deque(range(places))
        self._waiting: deque[Signal] = deque()

    def acquire(self) -> None:
        """Waits for a free place."""
        while True:
            if _pop_first(self._free) is not None:
                return
            turn = new_signal()
            self._waiting.append(turn)
            # One may have become free before that.
            if not self._free:
                turn.wait()

    def release(self) -> None:
        """Gives a place back. Those who wait look again, all of them: some may be gone."""
        self._free.append(0)
        while (turn := _pop_first(self._waiting)) is not None:
            turn.set()


def _pop_first(items: deque[T]) -> T | None:
    """Removes and returns the first item; ``None`` if there is none."""
    try:
        return items.popleft()
    except IndexError:
        return None


class _PlainSignal:
    """An event for threads: each that waits has a lock of its own."""

    __slots__ = ("_is_set", "_waiting")

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: deque[Lock] = deque()

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        while (turn := _pop_first(self._waiting)) is not None:
            turn.release()

    def wait(self) -> None:
        if self._is_set:
            return
        turn = _unpatched().Lock()
        turn.acquire()
        self._waiting.append(turn)
        if not self._is_set:
            turn.acquire()


class _GreenSignal:
    """An event for greenlets, set by any thread."""

    __slots__ = ("_is_set", "_waiting")

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: deque[tuple[Any, Any]] = deque()

    def is_set(self) -> bool:
        return self._is_set

    def set(self) -> None:
        self._is_set = True
        while (waiting := _pop_first(self._waiting)) is not None:
            _switch_back(*waiting)

    def wait(self) -> None:
        if self._is_set:
            return
        hub: Any = importlib.import_module("gevent").get_hub()
        waiter: Any = importlib.import_module("gevent.hub").Waiter(hub)
        # Nobody sends this: a loop with nothing to wait for would end.
        awake = hub.loop.async_()
        awake.start(_nothing)
        try:
            self._waiting.append((hub.loop, waiter))
            if not self._is_set:
                waiter.get()
        finally:
            awake.stop()
            awake.close()


def _nothing() -> None:
    """Is never called."""


def _switch_back(loop: Any, waiter: Any) -> None:
    """Lets a greenlet go on, in its own thread, unless that has ended."""
    with contextlib.suppress(ValueError):
        loop.run_callback_threadsafe(waiter.switch, None)
