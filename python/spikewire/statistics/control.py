"""Control of a client's counters and events: ``client.metrics``."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import weakref
from functools import partial
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING

from spikewire._native import Signals
from spikewire.statistics.events import Event, Listener, SlowCommand, call_safely
from spikewire.statistics.log import log_event, logger_of
from spikewire.statistics.stats import Stats, stats_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from spikewire.aerospike.client import AsyncClient, Client
    from spikewire.cql.session import AsyncSession, Session
    from spikewire.types import Seconds

    AnyClient: TypeAlias = Client | AsyncClient | Session | AsyncSession

_listeners: weakref.WeakKeyDictionary[AnyClient, Listener] = weakref.WeakKeyDictionary()
_logs: weakref.WeakKeyDictionary[AnyClient, Callable[[], None]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def _after_fork() -> None:
    """Called in a forked child: threads stayed with the parent, and one may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _listeners.clear()
    _logs.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def stats(client: AnyClient) -> Stats:
    """The statistics of a client or session."""
    return stats_of(Signals(client).stats())


class Metrics:
    """Switches the counting of a client on and off, and reports events; ``client.metrics``.

    Counting is off by default. In the child of a fork it is off again, without callbacks. When on,
    it adds a few percent to the cost of commands; when off, next to nothing.

    All methods raise ``ClientClosed`` after the client was closed.
    """

    __slots__ = ("_client", "_signals")

    def __init__(self, client: AnyClient) -> None:
        self._client = client
        self._signals = Signals(client)

    @property
    def enabled(self) -> bool:
        """Whether commands are counted."""
        return self._signals.is_on()

    @property
    def stages(self) -> bool:
        """Whether the stages of commands are timed, too."""
        return self._signals.times_stages()

    def enable(self, *, stages: bool = False) -> None:
        """Counts every command from now on. ``stages`` also times the stages of commands
        (``stats().stages``), which costs a few percent more: composing the request, waiting to be
        sent, waiting for the reply, handing it over, and resuming the caller.
        """
        self._signals.time_stages(stages)
        self._signals.turn(True)

    def disable(self) -> None:
        """Stops counting; the counters stay until ``reset()``."""
        self._signals.turn(False)
        self._signals.time_stages(False)

    def reset(self) -> None:
        """Resets the counters to zero."""
        self._signals.reset()

    def __repr__(self) -> str:
        try:
            state = "off" if not self.enabled else "on, with stages" if self.stages else "on"
        except Exception:  # noqa: BLE001
            # Not connected, or closed, as the client's own repr says.
            return f"<Metrics of {self._client!r}>"
        return f"<Metrics of {self._client!r}, {state}>"

    def on_event(self, callback: Callable[[Event], object]) -> Callable[[], None]:
        """Calls ``callback`` with every event from now on; returns a function that stops this.

        Events are nodes joining and leaving (``NodeUp``, ``NodeDown``; for Cassandra whether they
        answer, and ``NodeAdded``, ``NodeRemoved`` and ``SchemaChanged``), ``MapChanged``, circuit
        breakers (``BreakerOpened``, ``BreakerClosed``) and ``SlowCommand``. The callback runs on
        the event loop running here, if any, otherwise on a thread for events. Commands never wait
        for it. Its exceptions are logged by ``spikewire.metrics`` and have no other effect. If
        callbacks are so slow that thousands of events wait, some are lost, which ``EventsLost``
        reports.

        Raises ``TypeError`` for a coroutine function, because nothing would await it.
        """
        if not callable(callback) or iscoroutinefunction(callback):
            raise TypeError(f"callback must be a plain function of an event, not {callback!r}")
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._listener().add(callback)

        def called(event: Event) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(call_safely, callback, event)

        return self._listener().add(called)

    def log_events(self, logger: logging.Logger | None = None) -> Callable[[], None]:
        """Logs nodes joining and leaving, and circuit breakers, from now on; returns a function
        that stops this.

        Losses have the level ``WARNING``, recoveries ``INFO``, and changes of the partition map
        ``DEBUG``; for slow commands use ``log_slow``. The default ``logger`` is
        ``spikewire.events``. Log records are created on the thread for events, and only if the
        logger is enabled for them; their ``event`` attribute is the event.
        """
        return self._listener().add(partial(log_event, logger_of(logger, "spikewire.events")))

    def log_slow(
        self,
        slower_than: Seconds | None,
        *,
        logger: logging.Logger | None = None,
        level: int = logging.WARNING,
    ) -> None:
        """Logs every command that takes longer than this (seconds, or a timedelta); ``None``: none.

        Needs ``enable()``. The default ``logger`` is ``spikewire.slow``. Log records are created on
        the thread for events, and only if the logger is enabled for them; their ``event`` attribute
        is the ``SlowCommand``.
        """
        logger = logger_of(logger, "spikewire.slow")
        if not isinstance(level, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"level must be an int such as logging.WARNING, not {level!r}")
        self._signals.report_slower_than(slower_than)
        with _lock:
            stop = _logs.pop(self._client, None)
        if stop is not None:
            stop()
        if slower_than is None:
            return

        def log(event: Event) -> None:
            if isinstance(event, SlowCommand) and logger.isEnabledFor(level):
                logger.log(
                    level,
                    "%s in %s took %.6f s: %s by %s (records=%d, attempts=%d)",
                    event.operation,
                    event.namespace or "-",
                    event.seconds,
                    event.result,
                    event.node or "no node",
                    event.records,
                    event.attempts,
                    extra={"event": event},
                )

        stop = self._listener().add(log)
        with _lock:
            _logs[self._client] = stop

    def _listener(self) -> Listener:
        with _lock:
            listener = _listeners.get(self._client)
            if listener is None:
                listener = _listeners[self._client] = Listener(self._signals)
                weakref.finalize(self._client, listener.stop)
            return listener
