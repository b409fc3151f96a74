"""What is done with the records of a scan: nothing, write them to a file, or be slow.

Each gives how many records there were and the bins of the last one. Only records are looked at
one by one; of tables it is the rows that count.
"""

from __future__ import annotations

import asyncio
import importlib
import tempfile
import time
from typing import IO, TYPE_CHECKING, Protocol, cast

from .cells import FILE, NOTHING, SLEEP

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Iterable, Mapping, Sized

Read = tuple[int, object]
"""How many records came, and the bins of the last one; None where there were tables."""

BUFFER = 1 << 16
FIRST_PAUSE = 0.5
"""Seconds for which a sleeping consumer lets everything fill up, after its first record."""
PAUSE, PAUSES, PAUSED_ROWS = 0.005, 100, 500
"""It goes on to sleep this long, so many times, once in so many records. Then it only takes."""


class Record(Protocol):
    @property
    def bins(self) -> Mapping[str, object]: ...


class _Writer(Protocol):
    def write_table(self, table: object) -> None: ...

    def close(self) -> None: ...


class _Arrow(Protocol):
    def table(self, columns: object) -> object: ...


def records(rows: Iterable[Record], consumer: str) -> Read:
    """What a blocking caller does with records."""
    if consumer == NOTHING:
        return _drop(rows)
    if consumer == SLEEP:
        return _sleepy(rows)
    _known(consumer)
    with _file(BUFFER) as file:
        return _store(rows, file)


async def async_records(rows: AsyncIterable[Record], consumer: str) -> Read:
    """What a task does with records."""
    if consumer == NOTHING:
        return await _async_drop(rows)
    if consumer == SLEEP:
        return await _async_sleepy(rows)
    _known(consumer)
    with _file(0) as file:
        return await _async_store(rows, file)


def tables(batches: Iterable[Sized], consumer: str) -> Read:
    """What a blocking caller does with tables."""
    _known(consumer)
    count, drowsy, paper = 0, Drowsy(), Paper()
    with _file(BUFFER) as file:
        for batch in batches:
            count += len(batch)
            if consumer == FILE:
                paper.write(file, batch)
            elif consumer == SLEEP:
                time.sleep(drowsy.due(count))
        paper.close()
    return count, None


async def async_tables(batches: AsyncIterable[Sized], consumer: str) -> Read:
    """What a task does with tables."""
    _known(consumer)
    count, drowsy, paper = 0, Drowsy(), Paper()
    with _file(BUFFER) as file:
        async for batch in batches:
            count += len(batch)
            if consumer == FILE:
                await asyncio.to_thread(paper.write, file, batch)
            elif consumer == SLEEP:
                await asyncio.sleep(drowsy.due(count))
        paper.close()
    return count, None


def _file(buffering: int) -> IO[bytes]:
    """On disk, and gone when it is closed."""
    return cast("IO[bytes]", tempfile.TemporaryFile(buffering=buffering))


def _known(consumer: str) -> None:
    if consumer not in (NOTHING, FILE, SLEEP):
        raise ValueError(f"{consumer!r} is not a consumer of records")


def _drop(rows: Iterable[Record]) -> Read:
    count, bins = 0, None
    for row in rows:
        bins = row.bins
        count += 1
    return count, bins


async def _async_drop(rows: AsyncIterable[Record]) -> Read:
    count, bins = 0, None
    async for row in rows:
        bins = row.bins
        count += 1
    return count, bins


def _sleepy(rows: Iterable[Record]) -> Read:
    count, bins, drowsy = 0, None, Drowsy()
    for row in rows:
        bins = row.bins
        count += 1
        if count >= drowsy.next:
            time.sleep(drowsy.due(count))
    return count, bins


async def _async_sleepy(rows: AsyncIterable[Record]) -> Read:
    count, bins, drowsy = 0, None, Drowsy()
    async for row in rows:
        bins = row.bins
        count += 1
        if count >= drowsy.next:
            await asyncio.sleep(drowsy.due(count))
    return count, bins


def _store(rows: Iterable[Record], file: IO[bytes]) -> Read:
    count, bins = 0, None
    for row in rows:
        bins = row.bins
        count += 1
        file.write(_line(bins))
    return count, bins


async def _async_store(rows: AsyncIterable[Record], file: IO[bytes]) -> Read:
    """Full buffers are written in a thread, so that the loop does not wait for the disk."""
    count, bins, buffer = 0, None, bytearray()
    async for row in rows:
        bins = row.bins
        count += 1
        buffer += _line(bins)
        if len(buffer) >= BUFFER:
            await asyncio.to_thread(file.write, bytes(buffer))
            buffer.clear()
    await asyncio.to_thread(file.write, bytes(buffer))
    return count, bins


def _line(bins: Mapping[str, object]) -> bytes:
    """A record as a program might store it: names and values in Python's own notation."""
    return f"{bins!r}\n".encode()


class Drowsy:
    """When to sleep, and for how long: bounded in all, however many records there are."""

    def __init__(self) -> None:
        self.next = 1
        self._left = PAUSES

    def due(self, count: int) -> float:
        """Seconds to sleep now that so many records came; several pauses at once after a table."""
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


class Paper:
    """Tables to a file in Arrow's stream format, by pyarrow."""

    def __init__(self) -> None:
        self._writer: _Writer | None = None

    def write(self, file: IO[bytes], batch: object) -> None:
        table = cast("_Arrow", importlib.import_module("pyarrow")).table(batch)
        if self._writer is None:
            ipc = importlib.import_module("pyarrow.ipc")
            new = cast("Callable[[IO[bytes], object], _Writer]", vars(ipc)["new_stream"])
            self._writer = new(file, getattr(table, "schema"))  # noqa: B009 - has no types
        self._writer.write_table(table)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
