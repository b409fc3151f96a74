"""Implements ``spikewire.query``."""

# The native module calls the functions at the end.
# pyright: reportUnusedFunction=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from spikewire import errors as _errors
from spikewire._imports import import_late
from spikewire._native import IndexRange
from spikewire.tasks import begun

if TYPE_CHECKING:
    from asyncio import Future
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from spikewire._native import AsyncQuery, Expression, GeoJSON, Page, Query, Record
    from spikewire.types import ArrowSchema, Path

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
    """Integers from ``low`` to ``high``, inclusive. ``of``: the elements of a list, or the keys or
    values of a map, instead of the bin's value. ``name``: the name of the index, instead of the
    bin, which is ``None`` then. ``ctx``: the path to a nested list or map, as given when the index
    was created. ``bin`` may be an expression, for an index on one.

    Raises ``TypeError``, ``ValueError`` or ``OverflowError`` for values that an index cannot hold.
    """
    return IndexRange("between", bin, [low, high], of, name, ctx)


def equal(
    bin: str | Expression | None,  # noqa: A002
    value: int | str | bytes,
    *,
    name: str | None = None,
    ctx: Path | None = None,
) -> IndexRange:
    """This value: a 64-bit int, or a str or bytes of less than 2048 bytes. ``name`` and ``ctx`` as
    in ``between``.
    """
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


# --- Awaitables of a query ---------------------------------------------------------------------


async def _records(refill: Awaitable[Iterable[T] | None]) -> AsyncIterator[T]:
    while (ready := await refill) is not None:
        for record in ready:
            yield record


async def _next(refill: Awaitable[Iterable[T] | None]) -> T:
    while (ready := await refill) is not None:
        for record in ready:
            return record
    raise StopAsyncIteration


async def _batches(step: Awaitable[T | None]) -> AsyncIterator[T]:
    while (batch := await step) is not None:
        yield batch


def _page(step: Awaitable[Page]) -> Future[Page]:
    return begun(_settled(step))


async def _settled(step: Awaitable[T]) -> T:
    return await step


async def _enter(query: AsyncQuery) -> AsyncQuery:
    return query


async def _exit(query: AsyncQuery) -> None:
    query.close()


# --- Results in one call: these close the query ------------------------------------------------


def _first(query: Query) -> Record:
    return _there(_first_or_none(query))


def _first_or_none(query: Query) -> Record | None:
    with query:
        return next(query, None)


def _to_list(query: Query) -> list[Record]:
    with query:
        return list(query)


def _count(query: Query) -> int:
    with query:
        return sum(1 for _ in query)


def _to_numpy(
    query: Query,
    dtype: Any,
    key: str | None,
    generation: str | None,
    ttl: str | None,
    missing: Literal["mask", "raise"],
) -> Any:
    arrays: Any = query.numpy_batches(
        dtype, None, key=key, generation=generation, ttl=ttl, missing=missing
    )
    with query:
        return _one_array(list(arrays), dtype, missing)


def _to_arrow(
    query: Query,
    schema: ArrowSchema | None,
    key: str | None,
    generation: str | None,
    ttl: str | None,
) -> Any:
    arrow = _pyarrow("to_arrow")
    tables = query.arrow_batches(schema=schema, key=key, generation=generation, ttl=ttl)
    with query:
        return _one_table(arrow, list(tables), schema)


def _to_pandas(query: Query, key: str | None, generation: str | None, ttl: str | None) -> Any:
    arrow, pandas = _pyarrow("to_pandas"), _pandas()
    tables = query.arrow_batches(key=key, generation=generation, ttl=ttl)
    with query:
        return _frame(arrow, pandas, _one_table(arrow, list(tables), None))


# --- The same, for asyncio ---------------------------------------------------------------------


def _first_soon(query: AsyncQuery) -> Future[Record]:
    return begun(_first_later(query))


def _first_or_none_soon(query: AsyncQuery) -> Future[Record | None]:
    return begun(_first_or_none_later(query))


def _to_list_soon(query: AsyncQuery) -> Future[list[Record]]:
    return begun(_to_list_later(query))


def _count_soon(query: AsyncQuery) -> Future[int]:
    return begun(_count_later(query))


def _to_numpy_soon(
    query: AsyncQuery,
    dtype: Any,
    key: str | None,
    generation: str | None,
    ttl: str | None,
    missing: Literal["mask", "raise"],
) -> Future[Any]:
    arrays: Any = query.numpy_batches(
        dtype, None, key=key, generation=generation, ttl=ttl, missing=missing
    )
    return begun(_joined_later(query, arrays, lambda parts: _one_array(parts, dtype, missing)))


def _to_arrow_soon(
    query: AsyncQuery,
    schema: ArrowSchema | None,
    key: str | None,
    generation: str | None,
    ttl: str | None,
) -> Future[Any]:
    arrow = _pyarrow("to_arrow")
    tables = query.arrow_batches(schema=schema, key=key, generation=generation, ttl=ttl)
    return begun(_joined_later(query, tables, lambda parts: _one_table(arrow, parts, schema)))


def _to_pandas_soon(
    query: AsyncQuery, key: str | None, generation: str | None, ttl: str | None
) -> Future[Any]:
    arrow, pandas = _pyarrow("to_pandas"), _pandas()
    tables = query.arrow_batches(key=key, generation=generation, ttl=ttl)

    def joined(parts: list[Any]) -> Any:
        return _frame(arrow, pandas, _one_table(arrow, parts, None))

    return begun(_joined_later(query, tables, joined))


async def _first_later(query: AsyncQuery) -> Record:
    return _there(await _first_or_none_later(query))


async def _first_or_none_later(query: AsyncQuery) -> Record | None:
    async with query:
        return await anext(query, None)


async def _to_list_later(query: AsyncQuery) -> list[Record]:
    async with query:
        return [record async for record in query]


async def _count_later(query: AsyncQuery) -> int:
    count = 0
    async with query:
        async for _ in query:
            count += 1
    return count


async def _joined_later(
    query: AsyncQuery, batches: AsyncIterator[Any], joined: Callable[[list[Any]], T]
) -> T:
    async with query:
        return joined([batch async for batch in batches])


# --- Shared by both ----------------------------------------------------------------------------


def _there(record: Record | None) -> Record:
    if record is None:
        raise _errors._absent(2, None)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return record


def _one_array(arrays: list[Any], dtype: Any, missing: Literal["mask", "raise"]) -> Any:
    np: Any = import_late("numpy")
    if len(arrays) == 1:
        return arrays[0]
    if missing == "raise":
        return np.concatenate(arrays) if arrays else np.empty(0, dtype)
    if arrays:
        return np.ma.concatenate(arrays)
    return np.ma.masked_array(np.empty(0, dtype))


def _pyarrow(what: str) -> Any:
    try:
        return import_late("pyarrow")
    except ImportError as error:
        message = (
            f"{what} of a query needs pyarrow: pip install pyarrow; without it, "
            "arrow_batches() gives tables for any library that reads Arrow"
        )
        raise ImportError(message) from error


def _pandas() -> Any:
    try:
        return import_late("pandas")
    except ImportError as error:
        raise ImportError("to_pandas needs pandas: pip install pandas") from error


def _one_table(arrow: Any, tables: list[Any], schema: Any) -> Any:
    if tables:
        parts = [arrow.table(table) for table in tables]
        try:
            return arrow.concat_tables(parts, promote_options="default")
        except (arrow.ArrowInvalid, arrow.ArrowTypeError) as error:
            raise TypeError(f"a bin has values of different types: {error}") from error
    return arrow.schema(schema or []).empty_table()


def _frame(arrow: Any, pandas: Any, table: Any) -> Any:
    types = {
        arrow.int64(): pandas.Int64Dtype(),
        arrow.float64(): pandas.Float64Dtype(),
        arrow.bool_(): pandas.BooleanDtype(),
        arrow.string(): pandas.StringDtype(),
    }
    return table.to_pandas(types_mapper=types.get)
