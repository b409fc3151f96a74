"""Consumers of a scan's records: drop them, write them to a file, or be slow.

Each returns the number of records and the bins of the last one. The loop over the records is
generated with the client's own source for a record's bins, so that no client pays for a function of
an adapter. For tables the rows count.
"""

from __future__ import annotations

import asyncio
import importlib
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import IO, TYPE_CHECKING, Protocol, cast

from ..worker.loop import compiled, indented
from .cells import FILE, NOTHING, SLEEP

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterable,
        Awaitable,
        Callable,
        Generator,
        Iterable,
        Mapping,
        Sized,
    )

    from typing_extensions import Self

    from .check import Check

    Consumer = str | Check
    """A consumer by its name, or a check of each record."""

Read = tuple[int, object]
"""The number of records, and the bins of the last one; None for tables."""

BUFFER = 1 << 16
FIRST_PAUSE = 0.5
"""Seconds that a sleeping consumer sleeps after its first record, so that all buffers fill up."""
PAUSE, PAUSES, PAUSED_ROWS = 0.005, 100, 500
"""After that it sleeps this long, this many times, once per this many records; then it only
reads."""


@dataclass(frozen=True)
class Row:
    """Source for the bins and the digest of a record called `row`."""

    bins: str = "row.bins"
    digest: str = "row.key.digest"


class _Writer(Protocol):
    def write_table(self, table: object) -> None: ...

    def close(self) -> None: ...


class _Arrow(Protocol):
    def table(self, columns: object) -> object: ...


class _Scan(Protocol):
    def __call__(self, rows: object, sink: object) -> object: ...


_ITERATING = """
def bind(line, sleep, to_thread):
    {kind}def scan(rows, sink):
        count, bins, buffer = 0, None, bytearray()
        {kind}for row in rows:
            bins = {bins}
            count += 1
            {each}
        {end}
        return count, bins
    return scan
"""
_CALLED = """
def bind(line, sleep, to_thread):
    {kind}def scan(rows, sink):
        count, bins = 0, None
        def take(row):
            nonlocal count, bins
            bins = {bins}
            count += 1
            {each}
        {wait}rows(take)
        return count, bins
    return scan
"""
_CHECK = "check"
_EACH = {
    NOTHING: "",
    FILE: "sink.write(line(bins))",
    SLEEP: "if count >= sink.next:\n    {wait}sleep(sink.due(count))",
    _CHECK: "sink.record({digest}, bins)",
}
_BUFFERED = f"""buffer += line(bins)
if len(buffer) >= {BUFFER}:
    await to_thread(sink.write, bytes(buffer))
    buffer.clear()"""
"""Full buffers are written in a thread, so that the loop does not wait for the disk."""
_FLUSHED = "await to_thread(sink.write, bytes(buffer))"


def records(rows: Iterable[object], consumer: Consumer, row: Row = Row()) -> Read:
    """The loop of a blocking caller over records."""
    with _sink(consumer) as (name, sink):
        return cast("Read", _scan(_ITERATING, name, row)(rows, sink))


async def async_records(rows: AsyncIterable[object], consumer: Consumer, row: Row = Row()) -> Read:
    """The loop of a task over records."""
    with _sink(consumer, 0) as (name, sink):
        scan = _scan(_ITERATING, name, row, asynchronous=True)
        return await cast("Awaitable[Read]", scan(rows, sink))


def called(foreach: Callable[..., object], consumer: Consumer, row: Row = Row()) -> Read:
    """The callback that a blocking caller passes for records."""
    with _sink(consumer) as (name, sink):
        return cast("Read", _scan(_CALLED, name, row)(foreach, sink))


async def async_called(
    foreach: Callable[..., Awaitable[object]], consumer: Consumer, row: Row = Row()
) -> Read:
    """The same for a task. A callback cannot wait: it writes to the file itself."""
    if consumer == SLEEP:
        raise ValueError(f"consumer {SLEEP!r}: a callback of a task has no way to wait")
    with _sink(consumer) as (name, sink):
        scan = _scan(_CALLED, name, row, asynchronous=True)
        return await cast("Awaitable[Read]", scan(foreach, sink))


def tables(batches: Iterable[Sized], consumer: Consumer) -> Read:
    """The loop of a blocking caller over tables."""
    count, slow, file = 0, SlowConsumer(), FileConsumer()
    with _sink(consumer) as (name, sink), file:
        for batch in batches:
            count += len(batch)
            if name == FILE:
                file.write(cast("IO[bytes]", sink), batch)
            elif name == SLEEP:
                time.sleep(slow.due(count))
            elif name == _CHECK:
                cast("Check", sink).table(batch)
    return count, None


async def async_tables(batches: AsyncIterable[Sized], consumer: Consumer) -> Read:
    """The loop of a task over tables."""
    count, slow, file = 0, SlowConsumer(), FileConsumer()
    with _sink(consumer) as (name, sink), file:
        async for batch in batches:
            count += len(batch)
            if name == FILE:
                await asyncio.to_thread(file.write, cast("IO[bytes]", sink), batch)
            elif name == SLEEP:
                await asyncio.sleep(slow.due(count))
            elif name == _CHECK:
                cast("Check", sink).table(batch)
    return count, None


@contextmanager
def _sink(consumer: Consumer, buffering: int = BUFFER) -> Generator[tuple[str, object], None, None]:
    """The destination of records, and the name of the consumer."""
    if not isinstance(consumer, str):
        yield _CHECK, consumer
    elif consumer == FILE:
        # On disk, and deleted when it is closed.
        with tempfile.TemporaryFile(buffering=buffering) as file:
            yield consumer, file
    elif consumer == SLEEP:
        yield consumer, SlowConsumer()
    elif consumer == NOTHING:
        yield consumer, None
    else:
        raise ValueError(f"{consumer!r} is not a consumer of records")


@cache
def _scan(template: str, consumer: str, row: Row, *, asynchronous: bool = False) -> _Scan:
    """The loop for this consumer and these rows."""
    iterating = template == _ITERATING
    wait = "await " if asynchronous else ""
    each = _EACH[consumer].format(wait=wait, digest=row.digest)
    buffered = asynchronous and iterating and consumer == FILE
    source = template.format(
        kind="async " if asynchronous else "",
        wait=wait,
        bins=row.bins,
        each=indented(_BUFFERED if buffered else each, 12),
        end=_FLUSHED if buffered else "",
    )
    names = {
        "line": _line,
        "sleep": asyncio.sleep if asynchronous else time.sleep,
        "to_thread": asyncio.to_thread,
    }
    return cast("_Scan", compiled(source.strip(), f"<bench scan: {row}, {consumer}>", names))


def _line(bins: Mapping[str, object]) -> bytes:
    """A record as a program might store it: names and values in Python notation."""
    return f"{bins!r}\n".encode()


class SlowConsumer:
    """When to sleep and for how long, bounded in total regardless of the number of records."""

    def __init__(self) -> None:
        self.next = 1
        self._left = PAUSES

    def due(self, count: int) -> float:
        """Seconds to sleep after this many records; several pauses at once after a table."""
        if count < self.next:
            return 0.0
        if self.next == 1:
            self.next = 1 + PAUSED_ROWS
            return FIRST_PAUSE
        times = min(self._left, 1 + (count - self.next) // PAUSED_ROWS)
        self._left -= times
        self.next += times * PAUSED_ROWS
        if not self._left:
            self.next = 1 << 62
        return times * PAUSE


class FileConsumer:
    """Writes tables to a file in Arrow's stream format, by pyarrow."""

    def __init__(self) -> None:
        self._writer: _Writer | None = None

    def write(self, file: IO[bytes], batch: object) -> None:
        table = cast("_Arrow", importlib.import_module("pyarrow")).table(batch)
        if self._writer is None:
            ipc = importlib.import_module("pyarrow.ipc")
            new = cast("Callable[[IO[bytes], object], _Writer]", vars(ipc)["new_stream"])
            self._writer = new(file, getattr(table, "schema"))  # noqa: B009 - has no types
        self._writer.write_table(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._writer is not None:
            self._writer.close()
