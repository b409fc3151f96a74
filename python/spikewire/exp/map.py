"""Maps inside expressions: ``exp.map``.

    from spikewire import exp

    exp.map.get_by_key(exp.bin("cart"), "apples") > 2
    exp.map.get_by_key_list(exp.bin("cart"), ["apples", "pears"], returning="count") == 2
    exp.map.size(exp.map.remove_by_value(exp.bin("cart"), 0)) > 0

The first argument is the map: a bin, or what another call gives. What modifies gives the map as it
would be; nothing is written. Arguments may be expressions too. ``returning``, ``inverted``, the
flags and ``ctx`` are those of ``spikewire.op.map``. ``kind`` is the type of a key or value that is
read, where its use does not tell: ``int``, ``float``, ``str``, ``bool``, ``bytes``, ``list``,
``dict``, ``GeoJSON`` or ``HyperLogLog``. An entry that is missing or of another type makes the
whole unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.exp.types import Kind, Operand
    from spikewire.types import (
        MapByIndex,
        MapByKeys,
        MapByValue,
        MapOrder,
        MapReturn,
        Path,
    )

__all__ = [
    "clear",
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
    "size",
]


def size(
    on: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """How many entries the map has."""
    return Expression.call("map", "size", on, (), ctx)


def put(
    on: Operand,
    key: Operand,
    value: Operand,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Sets a key."""
    return Expression.call(
        "map", "put", on, (key, value, order, persist_index, create_only, update_only, no_fail), ctx
    )


def put_items(
    on: Operand,
    items: Operand,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Sets several keys, from a dict."""
    return Expression.call(
        "map",
        "put_items",
        on,
        (items, order, persist_index, create_only, update_only, no_fail, partial),
        ctx,
    )


def increment(
    on: Operand,
    key: Operand,
    delta: Operand = 1,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Adds to the number at a key; a missing one counts as 0."""
    return Expression.call("map", "increment", on, (key, delta, order, persist_index), ctx)


def decrement(
    on: Operand,
    key: Operand,
    delta: Operand = 1,
    *,
    order: MapOrder | None = None,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Subtracts from the number at a key; a missing one counts as 0."""
    return Expression.call("map", "decrement", on, (key, delta, order, persist_index), ctx)


def clear(
    on: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """Removes every entry; the order stays."""
    return Expression.call("map", "clear", on, (), ctx)


def get_by_key(
    on: Operand,
    key: Operand,
    *,
    returning: MapByIndex = "value",
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The entry with a key."""
    return Expression.call("map", "get_by_key", on, (key, returning), ctx, kind)


def get_by_key_list(
    on: Operand,
    keys: Operand,
    *,
    returning: MapByKeys = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The entries with one of some keys."""
    return Expression.call("map", "get_by_key_list", on, (keys, returning, inverted), ctx)


def get_by_key_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The entries whose key is from ``begin`` on and less than ``end``; without
    an end by default."""
    return Expression.call("map", "get_by_key_range", on, (begin, end, returning, inverted), ctx)


def get_by_key_relative_index(
    on: Operand,
    key: Operand,
    index: Operand,
    count: Operand = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` entries by index, where index 0 is the first entry whose key is
    not less than ``key``; to the end by default."""
    return Expression.call(
        "map", "get_by_key_relative_index", on, (key, index, count, returning, inverted), ctx
    )


def get_by_index(
    on: Operand,
    index: Operand,
    *,
    returning: MapByIndex = "value",
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The entry at an index of the keys in order; negative from the end."""
    return Expression.call("map", "get_by_index", on, (index, returning), ctx, kind)


def get_by_index_range(
    on: Operand,
    index: Operand,
    count: Operand = None,
    *,
    returning: MapByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` entries from an index on; to the end by default."""
    return Expression.call(
        "map", "get_by_index_range", on, (index, count, returning, inverted), ctx
    )


def get_by_rank(
    on: Operand,
    rank: Operand,
    *,
    returning: MapByValue = "value",
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The entry at a rank of the values: 0 is the smallest, -1 the largest."""
    return Expression.call("map", "get_by_rank", on, (rank, returning), ctx, kind)


def get_by_rank_range(
    on: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` entries from a rank on, from the smallest to the largest; to
    the end by default."""
    return Expression.call("map", "get_by_rank_range", on, (rank, count, returning, inverted), ctx)


def get_by_value(
    on: Operand,
    value: Operand,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Every entry whose value equals a value."""
    return Expression.call("map", "get_by_value", on, (value, returning, inverted), ctx)


def get_by_value_list(
    on: Operand,
    values: Operand,
    *,
    returning: MapReturn = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Every entry whose value equals one of some values."""
    return Expression.call("map", "get_by_value_list", on, (values, returning, inverted), ctx)


def get_by_value_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The entries whose value is from ``begin`` on and less than ``end``; without
    an end by default. ``None`` is the smallest value."""
    return Expression.call("map", "get_by_value_range", on, (begin, end, returning, inverted), ctx)


def get_by_value_relative_rank(
    on: Operand,
    value: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    returning: MapByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` entries by rank, where rank 0 is the entry with the smallest value that is
    not less than ``value``; to the end by default."""
    return Expression.call(
        "map", "get_by_value_relative_rank", on, (value, rank, count, returning, inverted), ctx
    )


def remove_by_key(
    on: Operand,
    key: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entry with a key."""
    return Expression.call("map", "remove_by_key", on, (key, "none"), ctx)


def remove_by_key_list(
    on: Operand,
    keys: Operand,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entries with one of some keys."""
    return Expression.call("map", "remove_by_key_list", on, (keys, "none", inverted), ctx)


def remove_by_key_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entries whose key is from ``begin`` on and less than ``end``; without
    an end by default."""
    return Expression.call("map", "remove_by_key_range", on, (begin, end, "none", inverted), ctx)


def remove_by_key_relative_index(
    on: Operand,
    key: Operand,
    index: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without ``count`` entries by index, where index 0 is the first entry whose key is
    not less than ``key``; to the end by default."""
    return Expression.call(
        "map", "remove_by_key_relative_index", on, (key, index, count, "none", inverted), ctx
    )


def remove_by_index(
    on: Operand,
    index: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entry at an index of the keys in order; negative from the end."""
    return Expression.call("map", "remove_by_index", on, (index, "none"), ctx)


def remove_by_index_range(
    on: Operand,
    index: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without ``count`` entries from an index on; to the end by default."""
    return Expression.call(
        "map", "remove_by_index_range", on, (index, count, "none", inverted), ctx
    )


def remove_by_rank(
    on: Operand,
    rank: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entry at a rank of the values: 0 is the smallest, -1 the largest."""
    return Expression.call("map", "remove_by_rank", on, (rank, "none"), ctx)


def remove_by_rank_range(
    on: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without ``count`` entries from a rank on, from the smallest to the largest; to
    the end by default."""
    return Expression.call("map", "remove_by_rank_range", on, (rank, count, "none", inverted), ctx)


def remove_by_value(
    on: Operand,
    value: Operand,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without every entry whose value equals a value."""
    return Expression.call("map", "remove_by_value", on, (value, "none", inverted), ctx)


def remove_by_value_list(
    on: Operand,
    values: Operand,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without every entry whose value equals one of some values."""
    return Expression.call("map", "remove_by_value_list", on, (values, "none", inverted), ctx)


def remove_by_value_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without the entries whose value is from ``begin`` on and less than ``end``; without
    an end by default. ``None`` is the smallest value."""
    return Expression.call("map", "remove_by_value_range", on, (begin, end, "none", inverted), ctx)


def remove_by_value_relative_rank(
    on: Operand,
    value: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The map without ``count`` entries by rank, where rank 0 is the entry with the smallest value
    that is not less than ``value``; to the end by default."""
    return Expression.call(
        "map", "remove_by_value_relative_rank", on, (value, rank, count, "none", inverted), ctx
    )
