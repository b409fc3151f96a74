"""Map operations: ``op.map``.

    from spikewire import ctx, op

    op.map.put("cart", "apples", 3, order="key")
    op.map.get_by_key_list("cart", ["apples", "pears"], returning="key_value")
    op.map.increment("stats", "visits", ctx=[ctx.map_key_create("today")])

Keys are ``str``, ``int`` or ``bytes``. Indexes count the entries by key from 0, negative ones from
the end. Ranks count them by value: 0 is the smallest, -1 the largest.

``returning``: what to give of the chosen entries: ``"value"``, ``"key"``, ``"key_value"`` (a dict
in the order they were found), ``"ordered_map"`` (by key), ``"unordered_map"``, ``"count"``,
``"exists"`` (whether there are any), ``"index"``, ``"reverse_index"`` (from the end), ``"rank"``,
``"reverse_rank"`` (from the largest), a range as ``[first, count]`` (``"index_range"``,
``"reverse_index_range"`` by key or index; ``"rank_range"``, ``"reverse_rank_range"`` by rank or
value), or ``"none"``. One entry gives one item, several give a list.
``inverted``: all entries but the chosen ones.
``order``: ``"unordered"`` (default), ``"key"`` or ``"key_value"``, for a map that has to be made.
``persist_index``: keeps an index with a map at the top of a bin: faster in large ones.
``create_only``: refuses keys that are there (``ElementExists``). ``update_only``: refuses keys that
are not (``ElementNotFound``). ``no_fail``: leaves the map as it is instead of failing. ``partial``:
with ``no_fail``, applies the entries that are not refused.
``ctx``: the path to a nested map, see ``spikewire.ctx``.

A map that is missing is made by what adds to it; what removes does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import (
        BinValue,
        Entries,
        Keys,
        MapByIndex,
        MapByKeys,
        MapByValue,
        MapKey,
        MapOrder,
        MapReturn,
        Path,
        Sought,
        Values,
    )

__all__ = [
    "clear",
    "create",
    "decrement",
    "get_by_index",
    "get_by_index_range",
    "get_by_key",
    "get_by_key_list",
    "get_by_key_range",
    "get_by_key_relative_index",
    "get_by_rank",
    "get_by_rank_range",
    "get_by_value",
    "get_by_value_list",
    "get_by_value_range",
    "get_by_value_relative_rank",
    "increment",
    "put",
    "put_items",
    "remove_by_index",
    "remove_by_index_range",
    "remove_by_key",
    "remove_by_key_list",
    "remove_by_key_range",
    "remove_by_key_relative_index",
    "remove_by_rank",
    "remove_by_rank_range",
    "remove_by_value",
    "remove_by_value_list",
    "remove_by_value_range",
    "remove_by_value_relative_rank",
    "set_order",
    "size",
]


def size(
    bin: str,  # noqa: A002
    *,
    ctx: Path | None = None,
) -> Operation:
    """How many entries the map has."""
    return Operation.map("size", bin, (), ctx)


def put(
    bin: str,  # noqa: A002
    key: MapKey,
    value: BinValue,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Sets a key. Gives the new size."""
    return Operation.map(
        "put", bin, (key, value, order, persist_index, create_only, update_only, no_fail), ctx
    )


def put_items(
    bin: str,  # noqa: A002
    items: Entries,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Sets several keys, from a dict. Gives the new size."""
    return Operation.map(
        "put_items",
        bin,
        (items, order, persist_index, create_only, update_only, no_fail, partial),
        ctx,
    )


def increment(
    bin: str,  # noqa: A002
    key: MapKey,
    delta: float = 1,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Adds to the number at a key; a missing one counts as 0. Gives the new value."""
    return Operation.map("increment", bin, (key, delta, order, persist_index), ctx)


def decrement(
    bin: str,  # noqa: A002
    key: MapKey,
    delta: float = 1,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Subtracts from the number at a key; a missing one counts as 0. Gives the new value."""
    return Operation.map("decrement", bin, (key, delta, order, persist_index), ctx)


def clear(
    bin: str,  # noqa: A002
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes every entry; the order stays."""
    return Operation.map("clear", bin, (), ctx)


def set_order(
    bin: str,  # noqa: A002
    order: MapOrder,
    *,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Gives the map another order."""
    return Operation.map("set_order", bin, (order, persist_index), ctx)


def create(
    bin: str,  # noqa: A002
    order: MapOrder = "unordered",
    *,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Makes an empty map where none is: in the bin, or at the end of ``ctx``."""
    return Operation.map("create", bin, (order, persist_index), ctx)


def get_by_key(
    bin: str,  # noqa: A002
    key: MapKey,
    *,
    returning: MapByIndex = "value",
    ctx: Path | None = None,
) -> Operation:
    """Reads the entry with a key."""
    return Operation.map("get_by_key", bin, (key, returning), ctx)


def get_by_key_list(
    bin: str,  # noqa: A002
    keys: Keys,
    *,
    returning: MapByKeys = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads the entries with one of some keys."""
    return Operation.map("get_by_key_list", bin, (keys, returning, inverted), ctx)


def get_by_key_range(
    bin: str,  # noqa: A002
    begin: MapKey,
    end: MapKey = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads the entries whose key is from ``begin`` on and less than ``end``; without
    an end by default."""
    return Operation.map("get_by_key_range", bin, (begin, end, returning, inverted), ctx)


def get_by_key_relative_index(
    bin: str,  # noqa: A002
    key: MapKey,
    index: int,
    count: int | None = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` entries by index, where index 0 is the first entry whose key is
    not less than ``key``; to the end by default."""
    return Operation.map(
        "get_by_key_relative_index", bin, (key, index, count, returning, inverted), ctx
    )


def get_by_index(
    bin: str,  # noqa: A002
    index: int,
    *,
    returning: MapByIndex = "value",
    ctx: Path | None = None,
) -> Operation:
    """Reads the entry at an index of the keys in order; negative from the end. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.map("get_by_index", bin, (index, returning), ctx)


def get_by_index_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` entries from an index on; to the end by default."""
    return Operation.map("get_by_index_range", bin, (index, count, returning, inverted), ctx)


def get_by_rank(
    bin: str,  # noqa: A002
    rank: int,
    *,
    returning: MapByValue = "value",
    ctx: Path | None = None,
) -> Operation:
    """Reads the entry at a rank of the values: 0 is the smallest, -1 the largest. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.map("get_by_rank", bin, (rank, returning), ctx)


def get_by_rank_range(
    bin: str,  # noqa: A002
    rank: int,
    count: int | None = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` entries from a rank on, from the smallest to the largest; to
    the end by default."""
    return Operation.map("get_by_rank_range", bin, (rank, count, returning, inverted), ctx)


def get_by_value(
    bin: str,  # noqa: A002
    value: Sought,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads every entry whose value equals a value."""
    return Operation.map("get_by_value", bin, (value, returning, inverted), ctx)


def get_by_value_list(
    bin: str,  # noqa: A002
    values: Values,
    *,
    returning: MapReturn = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads every entry whose value equals one of some values."""
    return Operation.map("get_by_value_list", bin, (values, returning, inverted), ctx)


def get_by_value_range(
    bin: str,  # noqa: A002
    begin: Sought,
    end: Sought = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads the entries whose value is from ``begin`` on and less than ``end``; without
    an end by default. ``None`` is the smallest value."""
    return Operation.map("get_by_value_range", bin, (begin, end, returning, inverted), ctx)


def get_by_value_relative_rank(
    bin: str,  # noqa: A002
    value: Sought,
    rank: int,
    count: int | None = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` entries by rank, where rank 0 is the entry with the smallest value that is
    not less than ``value``; to the end by default."""
    return Operation.map(
        "get_by_value_relative_rank", bin, (value, rank, count, returning, inverted), ctx
    )


def remove_by_key(
    bin: str,  # noqa: A002
    key: MapKey,
    *,
    returning: MapByIndex = "none",
    ctx: Path | None = None,
) -> Operation:
    """Removes the entry with a key."""
    return Operation.map("remove_by_key", bin, (key, returning), ctx)


def remove_by_key_list(
    bin: str,  # noqa: A002
    keys: Keys,
    *,
    returning: MapByKeys = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes the entries with one of some keys."""
    return Operation.map("remove_by_key_list", bin, (keys, returning, inverted), ctx)


def remove_by_key_range(
    bin: str,  # noqa: A002
    begin: MapKey,
    end: MapKey = None,
    *,
    returning: MapByIndex = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes the entries whose key is from ``begin`` on and less than ``end``; without
    an end by default."""
    return Operation.map("remove_by_key_range", bin, (begin, end, returning, inverted), ctx)


def remove_by_key_relative_index(
    bin: str,  # noqa: A002
    key: MapKey,
    index: int,
    count: int | None = None,
    *,
    returning: MapByIndex = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` entries by index, where index 0 is the first entry whose key is
    not less than ``key``; to the end by default."""
    return Operation.map(
        "remove_by_key_relative_index", bin, (key, index, count, returning, inverted), ctx
    )


def remove_by_index(
    bin: str,  # noqa: A002
    index: int,
    *,
    returning: MapByIndex = "none",
    ctx: Path | None = None,
) -> Operation:
    """Removes the entry at an index of the keys in order; negative from the end. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.map("remove_by_index", bin, (index, returning), ctx)


def remove_by_index_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    returning: MapByIndex = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` entries from an index on; to the end by default."""
    return Operation.map("remove_by_index_range", bin, (index, count, returning, inverted), ctx)


def remove_by_rank(
    bin: str,  # noqa: A002
    rank: int,
    *,
    returning: MapByValue = "none",
    ctx: Path | None = None,
) -> Operation:
    """Removes the entry at a rank of the values: 0 is the smallest, -1 the largest. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.map("remove_by_rank", bin, (rank, returning), ctx)


def remove_by_rank_range(
    bin: str,  # noqa: A002
    rank: int,
    count: int | None = None,
    *,
    returning: MapByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` entries from a rank on, from the smallest to the largest; to
    the end by default."""
    return Operation.map("remove_by_rank_range", bin, (rank, count, returning, inverted), ctx)


def remove_by_value(
    bin: str,  # noqa: A002
    value: Sought,
    *,
    returning: MapByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes every entry whose value equals a value."""
    return Operation.map("remove_by_value", bin, (value, returning, inverted), ctx)


def remove_by_value_list(
    bin: str,  # noqa: A002
    values: Values,
    *,
    returning: MapReturn = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes every entry whose value equals one of some values."""
    return Operation.map("remove_by_value_list", bin, (values, returning, inverted), ctx)


def remove_by_value_range(
    bin: str,  # noqa: A002
    begin: Sought,
    end: Sought = None,
    *,
    returning: MapByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes the entries whose value is from ``begin`` on and less than ``end``; without
    an end by default. ``None`` is the smallest value."""
    return Operation.map("remove_by_value_range", bin, (begin, end, returning, inverted), ctx)


def remove_by_value_relative_rank(
    bin: str,  # noqa: A002
    value: Sought,
    rank: int,
    count: int | None = None,
    *,
    returning: MapByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` entries by rank, where rank 0 is the entry with the smallest value that is
    not less than ``value``; to the end by default."""
    return Operation.map(
        "remove_by_value_relative_rank", bin, (value, rank, count, returning, inverted), ctx
    )
