"""The index ranges of queries, and what is awaited of them.

    import spikewire

    users.query(index=spikewire.between("age", 20, 30))

An index has to be there for a query to use it; without one, a filter does the same at the cost of
looking at every record: ``users.query(where=exp.bin("age") >= 20)``.
"""

# The native half calls the functions at the end.
# pyright: reportUnusedFunction=false

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from spikewire._native import IndexRange

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterable

    from spikewire._native import AsyncQuery, Expression, GeoJSON
    from spikewire.types import Path

T = TypeVar("T")

__all__ = ["IndexRange", "around", "between", "contains", "equal", "within"]

#: What of a list or map is indexed.
Of = Literal["list", "mapkeys", "mapvalues"]


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


async def _records(refill: Awaitable[Iterable[T] | None]) -> AsyncIterator[T]:
    while (ready := await refill) is not None:
        for record in ready:
            yield record


async def _batches(step: Awaitable[T | None]) -> AsyncIterator[T]:
    while (batch := await step) is not None:
        yield batch


async def _page(step: Awaitable[T]) -> T:
    return await step


async def _enter(query: AsyncQuery) -> AsyncQuery:
    return query


async def _exit(query: AsyncQuery) -> None:
    query.close()
