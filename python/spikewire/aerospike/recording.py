"""Implements ``spikewire.recording``."""

from __future__ import annotations

import asyncio
import warnings
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from spikewire._native import RecordingCore
from spikewire._native import read_trace as read_fields

if TYPE_CHECKING:
    import os
    from types import TracebackType
    from typing import TypeAlias

    from typing_extensions import Self

    from spikewire.aerospike.client import AsyncClient, Client

    #: How a recording stands.
    State: TypeAlias = Literal["running", "stopped", "full", "closed", "failed"]

__all__ = ["AsyncRecording", "Recording", "RecordingSummary", "Trace", "read_trace"]


@dataclass(frozen=True)
class RecordingSummary:
    """What a recording holds."""

    path: str
    """The file."""
    state: State
    """``running``, or how it ended: ``stopped``, ``full`` at ``max_bytes``, ``closed`` with its
    client, or ``failed`` because the file could not be written."""
    calls: int
    """Calls in the file. A batch counts once for each of its requests, as in ``client.stats()``."""
    dropped: int
    """Calls that were to be recorded and are missing: the thread that writes could not keep up, or
    the file was full."""
    bytes: int
    """Bytes in the file."""
    seconds: float
    """How long it has been going on, or did."""


class _AnyRecording:
    """What recordings of both clients have in common."""

    __slots__ = ("_core", "_has_ended", "_path")

    def __init__(
        self,
        client: Client | AsyncClient,
        path: str | os.PathLike[str],
        share: float,
        max_bytes: int,
        overwrite: bool,
    ) -> None:
        self._core = RecordingCore(client, path, share, max_bytes, overwrite)
        self._path = str(path)
        self._has_ended = False

    @property
    def summary(self) -> RecordingSummary:
        """What it holds so far."""
        return RecordingSummary(self._path, *self._core.summary())

    def _stop(self) -> RecordingSummary:
        summary = RecordingSummary(self._path, *self._core.stop())
        is_first, self._has_ended = not self._has_ended, True
        if is_first and summary.dropped:
            warnings.warn(
                f"{summary.dropped} calls are missing in {self._path}, {summary.calls} are there:"
                " a smaller share would have lost none",
                RuntimeWarning,
                stacklevel=3,
            )
        return summary

    def __repr__(self) -> str:
        summary = self.summary
        return f"<{type(self).__name__} {self._path!r}, {summary.state}, {summary.calls} calls>"


class Recording(_AnyRecording):
    """A recording of a client's calls, from ``Client.record``. Leaving its ``with`` block stops
    it, and so does closing the client.
    """

    __slots__ = ()

    def stop(self) -> RecordingSummary:
        """Ends the recording and returns what it holds. Stopping again has no effect.

        Waits some milliseconds until the file is complete. Warns with a ``RuntimeWarning`` if calls
        are missing in it. Raises ``OSError`` if it could not be written. In the child of a fork,
        where nothing is recorded, it does nothing.
        """
        return self._stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


class AsyncRecording(_AnyRecording):
    """A recording of a client's calls, from ``AsyncClient.record``. Leaving its ``async with``
    block stops it, and so does closing the client.
    """

    __slots__ = ()

    async def stop(self) -> RecordingSummary:
        """Like ``Recording.stop``; waits in a thread."""
        return await asyncio.get_running_loop().run_in_executor(None, self._stop)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.stop()


class Trace:
    """A recording, read back. Its calls are columns of equal length, sorted by arrival: arrays of
    integers, which ``numpy.asarray`` takes without a copy.
    """

    __slots__ = (
        "arrival",
        "began",
        "dropped",
        "key",
        "labels",
        "latency",
        "operation",
        "reply",
        "request",
        "result",
        "rows",
        "seconds",
        "set",
        "sets",
        "share",
        "state",
        "version",
        "writes",
    )

    def __init__(self, path: str | os.PathLike[str], partial: bool) -> None:
        fields = read_fields(path, partial)
        self.share: float = fields["share"]
        """The share of all calls that was recorded."""
        self.began: float = fields["began"]
        """When it began, in seconds since 1970."""
        self.version: str = fields["version"]
        """The version of the client that recorded it."""
        self.labels: list[str] = fields["labels"]
        """Names of operations and results."""
        self.sets: list[int] = fields["sets"]
        """The number of each set's namespace."""
        self.dropped: int = fields["dropped"]
        """Calls that are missing."""
        self.seconds: float = fields["seconds"]
        """How long it took."""
        self.state: State = fields["state"]
        """How it ended; ``running`` if its end is missing."""
        self.arrival: array[int] = array("Q", fields["arrival"])
        """Microseconds from the beginning of the recording to the call."""
        self.latency: array[int] = array("Q", fields["latency"])
        """Microseconds from the call to its end."""
        self.operation: array[int] = array("I", fields["operation"])
        """What it was: an index into ``labels``."""
        self.result: array[int] = array("I", fields["result"])
        """How it ended: an index into ``labels``; ``ok`` or the kind of error."""
        self.writes: array[int] = array("I", fields["writes"])
        """1 if it may have changed records, else 0."""
        self.set: array[int] = array("I", fields["set"])
        """Its set: an index into ``sets``."""
        self.rows: array[int] = array("I", fields["rows"])
        """Its number of records."""
        self.request: array[int] = array("I", fields["request"])
        """Bytes of its request."""
        self.reply: array[int] = array("I", fields["reply"])
        """Bytes of its reply; 0 without one."""
        self.key: array[int] = array("Q", fields["key"])
        """A number that stands for its record, or for one of its records; 0 for none. It is the
        same for all calls of a trace about this record, and says nothing about the key."""

    def __len__(self) -> int:
        return len(self.arrival)

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} calls in {self.seconds:.3f} s, share {self.share:g}>"


def read_trace(path: str | os.PathLike[str], *, partial: bool = False) -> Trace:
    """Reads the file of a recording.

    A trace whose end is missing, because the recording goes on or its process was killed, is an
    error unless ``partial``: then what is there is read, which lacks at most the last second.

    Raises ``OSError`` if the file cannot be read, and ``ValueError`` that says why it is no trace
    to be read here: something else, written by a later version, cut off, damaged.
    """
    return Trace(path, partial)
