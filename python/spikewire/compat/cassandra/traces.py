"""Traces of statements, as servers store them."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.util import datetime_from_uuid1

if TYPE_CHECKING:
    import uuid

__all__ = ["QueryTrace", "TraceEvent", "TraceUnavailable"]


_LATE = (
    "Trace information was not available within {} seconds. Consider raising "
    "Session.max_trace_wait."
)


class TraceUnavailable(Exception):
    """The server has not stored the trace in time."""


class TraceEvent:
    """One step of a traced statement."""

    def __init__(
        self,
        description: str,
        timeuuid: uuid.UUID,
        source: str,
        source_elapsed: int | None,
        thread_name: str,
    ) -> None:
        self.description = description
        self.datetime = datetime_from_uuid1(timeuuid)
        self.source = source
        self.source_elapsed = (
            None if source_elapsed is None else dt.timedelta(microseconds=source_elapsed)
        )
        self.thread_name = thread_name

    def __str__(self) -> str:
        return f"{self.description} on {self.source}[{self.thread_name}] at {self.datetime}"


class QueryTrace:
    """The trace of a statement, as stored by the server."""

    def __init__(self, trace_id: uuid.UUID, session: Any) -> None:
        self.trace_id = trace_id
        self.request_type: str | None = None
        self.duration: dt.timedelta | None = None
        self.client: str | None = None
        self.coordinator: str | None = None
        self.parameters: Any = None
        self.started_at: dt.datetime | None = None
        self.events: tuple[TraceEvent, ...] = ()
        self._session = session

    def populate(
        self,
        max_wait: float | None = 2.0,
        wait_for_complete: bool = True,
        query_cl: int | None = None,
    ) -> None:
        """Reads the trace. The server stores it slightly later than it replies."""
        if max_wait is not None and max_wait < 0:
            raise TraceUnavailable(_LATE.format(max_wait))
        ends = None if max_wait is None else time.monotonic() + max_wait
        pause = 0.003
        while True:
            row = self._read("sessions", query_cl)
            if row and not (wait_for_complete and row[0]["duration"] is None):
                break
            if ends is not None and time.monotonic() + pause > ends:
                raise TraceUnavailable(_LATE.format(max_wait))
            time.sleep(pause)
            pause = min(pause * 2, 0.2)
        about = row[0]
        duration = about["duration"]
        self.request_type = about["request"]
        self.duration = None if duration is None else dt.timedelta(microseconds=duration)
        self.started_at = about["started_at"]
        self.coordinator = about["coordinator"]
        self.parameters = about["parameters"]
        self.client = about.get("client")
        self.events = tuple(
            TraceEvent(
                row["activity"],
                row["event_id"],
                row["source"],
                row["source_elapsed"],
                row["thread"],
            )
            for row in self._read("events", query_cl)
        )

    def _read(self, table: str, level: int | None) -> list[dict[str, Any]]:
        query = f"SELECT * FROM system_traces.{table} WHERE session_id = %s"  # noqa: S608
        rows: list[dict[str, Any]] = self._session._read(query, (self.trace_id,), level)
        return rows

    def __str__(self) -> str:
        return (
            f"{self.request_type} [{self.trace_id}] coordinator: {self.coordinator}, started at: "
            f"{self.started_at}, duration: {self.duration}, parameters: {self.parameters}"
        )
