"""Forwards the bytes of one direction of one connection, with faults."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.faults import Faults

if TYPE_CHECKING:
    from typing import TypeAlias

    from spikewire.testing.cassandra.faults import Direction, ProxyStats

__all__ = ["Cut", "Way", "pump"]

PIECE = 1 << 16
#: The maximum number of delayed pieces.
WAITING = 64

Waiting: TypeAlias = "asyncio.Queue[tuple[float, bytes]]"
"""When pieces are due, and what they are; an empty one is the end."""


class Cut(Exception):  # noqa: N818
    """The connection must be cut."""

    def __init__(self, *, reset: bool) -> None:
        super().__init__()
        self.reset = reset


@dataclass(eq=False)
class Way:
    """A direction of all connections, with its current faults."""

    name: Direction
    stats: ProxyStats
    faults: Faults = field(default_factory=Faults)

    def replace(self, faults: Faults) -> None:
        """Replaces the faults."""
        former, self.faults = self.faults, faults
        former.replaced.set()


async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: Way) -> None:
    """Forwards until the end of the source, which is forwarded as well. Raises ``Cut``."""
    waiting: Waiting = asyncio.Queue(WAITING)
    both = [
        asyncio.ensure_future(_read(source, waiting, way)),
        asyncio.ensure_future(_write(waiting, sink, way)),
    ]
    try:
        await asyncio.gather(*both)
    finally:
        for one in both:
            one.cancel()
        await asyncio.gather(*both, return_exceptions=True)


async def _read(source: asyncio.StreamReader, waiting: Waiting, way: Way) -> None:
    loop = asyncio.get_running_loop()
    data = b"?"
    while data:
        await _while_held(way)
        data = await source.read(PIECE)
        await _while_held(way)
        await waiting.put((loop.time() + way.faults.delay, data))


async def _while_held(way: Way) -> None:
    while way.faults.hold:
        await way.faults.replaced.wait()


async def _write(waiting: Waiting, sink: asyncio.StreamWriter, way: Way) -> None:
    loop = asyncio.get_running_loop()
    faults, passed = way.faults, 0
    while True:
        due, data = await waiting.get()
        await asyncio.sleep(max(0.0, due - loop.time()))
        if not data:
            if sink.can_write_eof():
                sink.write_eof()
            return
        if faults is not way.faults:
            # Bytes are counted from the injection of these faults.
            faults, passed = way.faults, 0
        if faults.swallow:
            way.stats["swallowed"] += len(data)
            continue
        data, cut = _harm(data, faults, passed, way.stats)
        for piece in _pieces(data, faults):
            sink.write(piece)
            await sink.drain()
            way.stats[way.name] += len(piece)
            if faults.drip is not None:
                await asyncio.sleep(faults.drip[1])
        passed += len(data)
        if cut:
            await _flushed(sink)
            raise Cut(reset=faults.cut_by == "reset")


def _harm(data: bytes, faults: Faults, passed: int, stats: ProxyStats) -> tuple[bytes, bool]:
    """Applies faults to data; returns the remaining data, and whether to cut the connection after
    it.
    """
    if faults.corrupt is not None:
        at = faults.corrupt[0] - passed
        if 0 <= at < len(data) and faults.strikes():
            stats["struck"] += 1
            changed = bytearray(data)
            changed[at] ^= faults.corrupt[1]
            data = bytes(changed)
    if faults.cut is not None and passed + len(data) > faults.cut and faults.strikes():
        stats["struck"] += 1
        return data[: max(0, faults.cut - passed)], True
    return data, False


def _pieces(data: bytes, faults: Faults) -> list[bytes]:
    if faults.drip is None:
        return [data]
    size = faults.drip[0]
    return [data[at : at + size] for at in range(0, len(data), size)]


async def _flushed(sink: asyncio.StreamWriter) -> None:
    """Waits until everything is sent, so that the other side receives it before a cut."""
    sink.transport.set_write_buffer_limits(0)
    await sink.drain()
