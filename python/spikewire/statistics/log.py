"""Events as records of ``logging``."""

from __future__ import annotations

import logging

from spikewire.statistics.events import (
    BreakerClosed,
    BreakerOpened,
    Event,
    EventsLost,
    MapChanged,
    NodeAdded,
    NodeDown,
    NodeRemoved,
    NodeUp,
    SchemaChanged,
)

__all__ = ["log_event", "logger_of"]

_LINES: dict[type, tuple[int, str]] = {
    NodeUp: (logging.INFO, "node %s is up"),
    NodeDown: (logging.WARNING, "node %s is down"),
    NodeAdded: (logging.INFO, "node %s was added to the cluster"),
    NodeRemoved: (logging.WARNING, "node %s was removed from the cluster"),
    BreakerOpened: (logging.WARNING, "node %s failed too often: its circuit breaker is open"),
    BreakerClosed: (logging.INFO, "the circuit breaker of node %s is closed again"),
    MapChanged: (logging.DEBUG, "the partition map changed"),
    SchemaChanged: (logging.DEBUG, "the schema changed"),
    EventsLost: (
        logging.WARNING,
        "%d events were lost: they arrived faster than callbacks handled them",
    ),
}


def logger_of(candidate: logging.Logger | None, name: str) -> logging.Logger:
    """This logger, or the one with this name."""
    if candidate is None:
        return logging.getLogger(name)
    if not hasattr(candidate, "isEnabledFor"):
        raise TypeError(f"logger must be a logging.Logger, not {candidate!r}")
    return candidate


def log_event(logger: logging.Logger, event: Event) -> None:
    """Logs an event, except slow commands."""
    level, text = _LINES.get(type(event), (logging.NOTSET, ""))
    if text and logger.isEnabledFor(level):
        logger.log(level, text, *vars(event).values(), extra={"event": event})
