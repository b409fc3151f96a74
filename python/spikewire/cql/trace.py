"""What a cluster did for one request: its trace, if requested with ``tracing=True``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import datetime as dt
    import ipaddress
    import uuid
    from collections.abc import Generator

__all__ = ["Trace", "TraceEvent"]

_SESSION = "SELECT * FROM system_traces.sessions WHERE session_id = ?"
_EVENTS = "SELECT * FROM system_traces.events WHERE session_id = ?"
_PAUSES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)


class TraceEvent(NamedTuple):
    """One step of a traced request."""

    #: What was done.
    activity: str
    #: The node that did it.
    source: ipaddress.IPv4Address | ipaddress.IPv6Address
    #: Microseconds since the request reached that node; ``None`` if unknown.
    elapsed: int | None
    #: The thread that did it.
    thread: str | None
    #: The time, as a version 1 UUID, which sorts chronologically.
    event_id: uuid.UUID


class Trace(NamedTuple):
    """The trace of one request."""

    #: Its id, as in ``rows.tracing_ids``.
    trace_id: uuid.UUID
    #: The kind of request, such as ``"Execute CQL3 query"``.
    request: str
    #: The coordinator's address.
    coordinator: ipaddress.IPv4Address | ipaddress.IPv6Address
    #: The address of the client as seen by the coordinator.
    client: ipaddress.IPv4Address | ipaddress.IPv6Address | None
    #: Its duration in microseconds.
    duration: int
    #: When it started.
    started_at: dt.datetime
    #: The text of the statement, its consistency and others, by name.
    parameters: dict[str, str]
    #: The steps, in chronological order.
    events: list[TraceEvent]

    @property
    def nodes(self) -> set[ipaddress.IPv4Address | ipaddress.IPv6Address]:
        """All nodes that took part in it."""
        return {event.source for event in self.events} | {self.coordinator}


def the_id(result: Any) -> uuid.UUID:
    """The id of a result's trace, or the id itself."""
    ids = getattr(result, "tracing_ids", None)
    if ids is None:
        trace_id: uuid.UUID = result
        return trace_id
    if not ids:
        raise ValueError("the result has no trace: execute the statement with tracing=True")
    last: uuid.UUID = ids[-1]
    return last


def pauses(timeout: float) -> Generator[float, None, None]:
    """The pauses between attempts, until the time is up."""
    total = 0.0
    yield from _PAUSES
    total += sum(_PAUSES)
    while total < timeout:
        total += _PAUSES[-1]
        yield _PAUSES[-1]


def late(trace_id: uuid.UUID, timeout: float) -> TimeoutError:
    """The error for a trace that is not complete in time."""
    return TimeoutError(f"the trace {trace_id} is not complete after {timeout} s")


def statements() -> tuple[str, str]:
    """The queries for the request and for its steps."""
    return _SESSION, _EVENTS


def from_rows(trace_id: uuid.UUID, session: Any, events: Any) -> Trace:
    """Builds a trace from its rows."""
    steps = [
        TraceEvent(row.activity, row.source, row.source_elapsed, row.thread, row.event_id)
        for row in events
    ]
    return Trace(
        trace_id,
        session.request,
        session.coordinator,
        session.get("client"),
        session.duration,
        session.started_at,
        dict(session.parameters or {}),
        steps,
    )
