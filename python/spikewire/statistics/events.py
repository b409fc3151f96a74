"""Rare events, and the thread that reports them."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from spikewire.statistics.closed_errors import closed_errors

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire._native import Signals

_log = logging.getLogger("spikewire.metrics")

#: How often the waiting thread checks whether the client was closed, in seconds.
_WAIT = 0.5


@dataclass(frozen=True)
class NodeUp:
    """A node joined the cluster, as the client sees it."""

    node: str


@dataclass(frozen=True)
class NodeDown:
    """A node left it."""

    node: str


@dataclass(frozen=True)
class NodeAdded:
    """A node became part of a Cassandra cluster; ``NodeUp`` follows when it answers."""

    node: str


@dataclass(frozen=True)
class NodeRemoved:
    """A node is no part of a Cassandra cluster any more."""

    node: str


@dataclass(frozen=True)
class MapChanged:
    """Another node holds a partition now."""


@dataclass(frozen=True)
class SchemaChanged:
    """Cassandra: the schema was changed, by this session or another."""


@dataclass(frozen=True)
class BreakerOpened:
    """A node failed so often (``max_error_rate``) that commands avoid it."""

    node: str


@dataclass(frozen=True)
class BreakerClosed:
    """Commands use the node again."""

    node: str


@dataclass(frozen=True)
class SlowCommand:
    """A command took longer than the threshold of ``client.metrics.log_slow``."""

    operation: str
    namespace: str
    node: str
    result: str
    seconds: float
    records: int
    attempts: int


@dataclass(frozen=True)
class EventsLost:
    """The number of events that were lost because callbacks were too slow."""

    count: int


#: The events passed to callbacks.
Event: TypeAlias = (
    NodeUp
    | NodeDown
    | NodeAdded
    | NodeRemoved
    | MapChanged
    | SchemaChanged
    | BreakerOpened
    | BreakerClosed
    | SlowCommand
    | EventsLost
)

_CLASSES: dict[str, Callable[..., Event]] = {
    "node_up": NodeUp,
    "node_down": NodeDown,
    "node_added": NodeAdded,
    "node_removed": NodeRemoved,
    "map_changed": MapChanged,
    "schema_changed": SchemaChanged,
    "breaker_opened": BreakerOpened,
    "breaker_closed": BreakerClosed,
    "slow_command": SlowCommand,
}


def call_safely(callback: Callable[[Event], object], event: Event) -> None:
    """Calls a callback on an event loop; its exceptions are logged."""
    try:
        callback(event)
    except (Exception, asyncio.CancelledError):  # noqa: BLE001
        _log.exception("a callback failed on %r", event)


class Listener:
    """The callbacks of a client, called by a thread that exists while there are any."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._callbacks: dict[object, Callable[[Event], object]] = {}
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process = os.getpid()

    def add(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """Calls ``callback`` with every event from now on; returns a function that stops this."""
        mark = object()
        with self._lock:
            self._signals.listen(True)
            self._callbacks[mark] = callback
            if self._thread is None:
                name = "spikewire-events"
                self._thread = threading.Thread(target=self._listen, name=name, daemon=True)
                self._thread.start()
                _listeners.add(self)

        def remove() -> None:
            with self._lock:
                self._callbacks.pop(mark, None)
                if not self._callbacks:
                    self._hush()

        return remove

    def stop(self) -> None:
        """Ends the thread; must be called from another thread."""
        if self._process != os.getpid():
            return  # The thread stayed in the parent process, and may have held the lock.
        with self._lock:
            self._callbacks.clear()
            self._hush()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _hush(self) -> None:
        try:
            self._signals.listen(False)
        except closed_errors():
            return  # The client is closed, and nothing waits.

    def _listen(self) -> None:
        while True:
            try:
                reported, lost = self._signals.wait(_WAIT)
            except closed_errors():
                reported, lost = [], 0
                with self._lock:
                    self._callbacks.clear()
            with self._lock:
                callbacks = list(self._callbacks.values())
                if not callbacks:
                    self._thread = None
                    return
            events: list[Event] = [_CLASSES[name](*fields) for name, *fields in reported]
            if lost:
                events.append(EventsLost(lost))
            for event in events:
                for callback in callbacks:
                    try:
                        callback(event)
                    except BaseException:  # noqa: BLE001, PERF203
                        # The thread must survive for the other callbacks.
                        _log.exception("a callback failed on %r", event)


_listeners: weakref.WeakSet[Listener] = weakref.WeakSet()


@atexit.register
def _stop_all() -> None:
    """Stops all threads, which must not be waiting in the engine at interpreter exit."""
    for listener in list(_listeners):
        listener.stop()
