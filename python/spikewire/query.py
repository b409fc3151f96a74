"""The index ranges of queries, and how queries wait on an event loop.

    import spikewire

    users.query(index=spikewire.between("age", 20, 30))

An index has to be there for a query to use it; without one, a filter does the same at the cost of
looking at every record: ``users.query(where=exp.bin("age") >= 20)``.
"""

# The native half keeps to itself what only this module needs.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false, reportUnusedFunction=false

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Literal, TypeVar
from weakref import WeakKeyDictionary

from spikewire._native import IndexRange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from spikewire._native import AsyncQuery, Expression, GeoJSON, Page, QueryBatches, Record
    from spikewire.types import Path

T = TypeVar("T")

__all__ = ["IndexRange", "around", "between", "contains", "equal", "within"]

#: What of a list or map is indexed.
Of = Literal["list", "mapkeys", "mapvalues"]

#: After this many refills without waiting, other tasks have their turn.
_FAIR = 4


def between(
    bin: str | Expression | None,  # noqa: A002
    low: int,
    high: int,
    *,
    of: Of | None = None,
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """Integers from ``low`` to ``high``, both included. ``of``: the elements of a list, or the
    keys or values of a map, instead of the bin's value. ``name``: the index itself, instead of the
    bin, which is ``None`` then. ``ctx``: the way to a nested list or map, as the index was made
    with. ``bin`` may be the expression of an index on one.

    Raises ``TypeError``, ``ValueError`` or ``OverflowError`` for what no index can hold."""
    return IndexRange("between", bin, [low, high], of, name, ctx)


def equal(
    bin: str | Expression | None,  # noqa: A002
    value: int | str | bytes,
    *,
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """This value: an int of 64 bits, or a str or bytes of less than 2048 bytes. ``name`` and
    ``ctx`` as in ``between``."""
    return IndexRange("equal", bin, [value], None, name, ctx)


def contains(
    bin: str | Expression | None,  # noqa: A002
    value: int | str | bytes,
    *,
    of: Of = "list",
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """A list with this element, or a map with this key or value; ``value`` as in ``equal``, ``of``,
    ``name`` and ``ctx`` as in ``between``."""
    return IndexRange("contains", bin, [value], of, name, ctx)


def within(
    bin: str | Expression | None,  # noqa: A002
    region: GeoJSON,
    *,
    of: Of | None = None,
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """Points within this polygon or circle; ``of``, ``name`` and ``ctx`` as in ``between``."""
    return IndexRange("within", bin, [region], of, name, ctx)


def around(
    bin: str | Expression | None,  # noqa: A002
    point: GeoJSON,
    *,
    of: Of | None = None,
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """Polygons and circles around this point; ``of``, ``name`` and ``ctx`` as in ``between``."""
    return IndexRange("around", bin, [point], of, name, ctx)


async def _records(query: AsyncQuery) -> AsyncIterator[Record]:
    ready = query._ready
    refills = 0
    while True:
        for record in ready:
            yield record
        if query._is_crowded:
            await _turn()
        elif (refills := refills + 1) % _FAIR == 0:
            await asyncio.sleep(0)
        step = query._advance(page=False)
        if step == "over":
            return
        if step == "wait":
            await _wait(query)


async def _page(query: AsyncQuery) -> Page:
    while (step := query._advance(page=True)) in ("wait", "again"):
        if step == "wait":
            await _wait(query)
        else:
            await _turn()
    return query._take_page()


async def _batches(query: AsyncQuery, batches: QueryBatches[T]) -> AsyncIterator[T]:
    while (step := batches._advance()) != "over":
        if step == "ready":
            yield batches._take()
        elif step == "wait":
            await _wait(query)
        elif query._is_crowded:
            await _turn()
        else:
            await asyncio.sleep(0)


#: The queries of each loop that wait for their turn.
_lines: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[asyncio.Future[None]]] = (
    WeakKeyDictionary()
)


async def _turn() -> None:
    """Until it is this query's turn: one has it each time the loop comes round, so that a command
    on a single record waits for one of them and not for all."""
    loop = asyncio.get_running_loop()
    line = _lines.setdefault(loop, deque())
    turn: asyncio.Future[None] = loop.create_future()
    line.append(turn)
    if len(line) == 1:
        loop.call_soon(_next, loop, line)
    await turn


def _next(loop: asyncio.AbstractEventLoop, line: deque[asyncio.Future[None]]) -> None:
    while line:
        turn = line.popleft()
        if not turn.done():
            turn.set_result(None)
            break
    if line:
        loop.call_soon(_next, loop, line)


async def _wait(query: AsyncQuery) -> None:
    """Until the query's descriptor is readable, or it is time to look at its deadlines."""
    loop = asyncio.get_running_loop()
    descriptor, patience = query._awaits()
    readable: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, _wake, readable)
    timer = loop.call_later(patience, _wake, readable)
    try:
        await readable
    finally:
        timer.cancel()
        loop.remove_reader(descriptor)


def _wake(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


async def _enter(query: AsyncQuery) -> AsyncQuery:
    return query


async def _exit(query: AsyncQuery) -> None:
    query.close()
