"""Waiting for the engine's threads, also in programs whose threads gevent or eventlet replaced.

The engine completes statements in a thread of the operating system. Locks and events that
``monkey.patch_all()`` put in place of those of ``threading`` do not wake up waiters in another such
thread. So waiting here uses the unpatched ones, and under gevent what wakes up its event loop:
other greenlets run in the meantime.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections import deque
from typing import Any, Protocol

__all__ = ["Lock", "Room", "Signal", "is_cooperative", "new_lock", "new_room", "new_signal"]


class Lock(Protocol):
    """A lock for ``with``."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: object) -> None: ...


class Signal(Protocol):
    """What ``threading.Event`` is."""

    def is_set(self) -> bool: ...

    def set(self) -> None: ...

    def clear(self) -> None: ...

    def wait(self) -> Any: ...


class Room(Protocol):
    """What ``threading.Semaphore`` is."""

    def acquire(self) -> Any: ...

    def release(self) -> Any: ...


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
    made: Lock = _unpatched().Lock()
    return made


def new_signal() -> Signal:
    """An event that any thread may set."""
    if is_cooperative():
        return _GreenSignal()
    made: Signal = _unpatched().Event()
    return made


def new_room(places: int) -> Room:
    """A semaphore that any thread may release."""
    if is_cooperative():
        return _GreenRoom(places)
    made: Room = _unpatched().Semaphore(places)
    return made


class _GreenSignal:
    """An event for greenlets, set by any thread."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._is_set = False
        self._wakers: list[Any] = []

    def is_set(self) -> bool:
        return self._is_set

    def clear(self) -> None:
        self._is_set = False

    def set(self) -> None:
        with self._lock:
            self._is_set = True
            wakers, self._wakers = self._wakers, []
            # Within the lock, because a waiter that goes on closes its own.
            for waker in wakers:
                waker.send()

    def wait(self) -> None:
        hub: Any = importlib.import_module("gevent").get_hub()
        waiter: Any = importlib.import_module("gevent.hub").Waiter(hub)
        waker = hub.loop.async_()
        waker.start(waiter.switch, None)
        try:
            with self._lock:
                if self._is_set:
                    return
                self._wakers.append(waker)
            waiter.get()
        finally:
            with self._lock:
                if waker in self._wakers:
                    self._wakers.remove(waker)
                waker.stop()
                waker.close()


class _GreenRoom:
    """A semaphore for greenlets, released by any thread."""

    def __init__(self, places: int) -> None:
        self._lock = new_lock()
        self._free = places
        self._queue: deque[_GreenSignal] = deque()

    def acquire(self) -> None:
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = _GreenSignal()
            self._queue.append(turn)
        turn.wait()

    def release(self) -> None:
        with self._lock:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._free += 1
