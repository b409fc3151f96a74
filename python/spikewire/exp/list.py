"""Lists inside expressions: ``exp.list``.

    from spikewire import exp

    exp.list.size(exp.bin("log")) > 100
    exp.list.get_by_rank(exp.bin("scores"), -1) > 90  # the largest
    exp.list.get_by_value(exp.bin("tags"), "new", returning="exists")

The first argument is the list: a bin, or what another call gives. What modifies gives the list as
it would be; nothing is written. Arguments may be expressions too. ``returning``, ``inverted``, the
flags and ``ctx`` are those of ``spikewire.op.list``. ``kind`` is the type of an element that is
read, where its use does not tell: ``int``, ``float``, ``str``, ``bool``, ``bytes``, ``list``,
``dict``, ``GeoJSON`` or ``HyperLogLog``. An element that is missing or of another type makes the
whole unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.exp.types import Kind, Operand
    from spikewire.types import ByIndex, ByValue, ListOrder, ListReturn, Path

__all__ = [
    "append",
    "append_items",
    "clear",
    "get",
    "get_by_index",
    "get_by_index_range",
    "get_by_rank",
    "get_by_rank_range",
    "get_by_value",
    "get_by_value_list",
    "get_by_value_range",
    "get_by_value_relative_rank",
    "get_range",
    "increment",
    "insert",
    "insert_items",
    "remove_by_index",
    "remove_by_index_range",
    "remove_by_rank",
    "remove_by_rank_range",
    "remove_by_value",
    "remove_by_value_list",
    "remove_by_value_range",
    "remove_by_value_relative_rank",
    "set",
    "size",
    "sort",
]


def size(
    on: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """How many elements the list has."""
    return Expression.call("list", "size", on, (), ctx)


def get(
    on: Operand,
    index: Operand,
    *,
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The element at an index; negative from the end."""
    return Expression.call("list", "get", on, (index,), ctx, kind)


def get_range(
    on: Operand,
    index: Operand,
    count: Operand = None,
    *,
    ctx: Path | None = None,
) -> Expression:
    """``count`` elements from an index on; to the end by default."""
    return Expression.call("list", "get_range", on, (index, count), ctx)


def append(
    on: Operand,
    value: Operand,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Appends a value; into an ordered list, at its place."""
    return Expression.call(
        "list", "append", on, (value, order, persist_index, unique, no_fail), ctx
    )


def append_items(
    on: Operand,
    items: Operand,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Appends several values."""
    return Expression.call(
        "list", "append_items", on, (items, order, persist_index, unique, no_fail, partial), ctx
    )


def insert(
    on: Operand,
    index: Operand,
    value: Operand,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Inserts a value before an index."""
    return Expression.call("list", "insert", on, (index, value, unique, bounded, no_fail), ctx)


def insert_items(
    on: Operand,
    index: Operand,
    items: Operand,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Inserts several values before an index."""
    return Expression.call(
        "list", "insert_items", on, (index, items, unique, bounded, no_fail, partial), ctx
    )


def set(  # noqa: A001
    on: Operand,
    index: Operand,
    value: Operand,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Replaces the element at an index."""
    return Expression.call("list", "set", on, (index, value, unique, bounded, no_fail), ctx)


def increment(
    on: Operand,
    index: Operand,
    delta: Operand = 1,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Adds to the number at an index."""
    return Expression.call(
        "list", "increment", on, (index, delta, order, persist_index, unique, bounded, no_fail), ctx
    )


def clear(
    on: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """Removes every element; the order stays."""
    return Expression.call("list", "clear", on, (), ctx)


def sort(
    on: Operand,
    *,
    descending: bool = False,
    drop_duplicates: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Sorts the elements; an ordered list stays ascending. ``drop_duplicates`` keeps one of several
    equal ones; servers refuse it together with ``descending``."""
    return Expression.call("list", "sort", on, (descending, drop_duplicates), ctx)


def get_by_index(
    on: Operand,
    index: Operand,
    *,
    returning: ByIndex = "value",
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The element at an index; negative from the end."""
    return Expression.call("list", "get_by_index", on, (index, returning), ctx, kind)


def get_by_index_range(
    on: Operand,
    index: Operand,
    count: Operand = None,
    *,
    returning: ByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` elements from an index on; to the end by default."""
    return Expression.call(
        "list", "get_by_index_range", on, (index, count, returning, inverted), ctx
    )


def get_by_rank(
    on: Operand,
    rank: Operand,
    *,
    returning: ByValue = "value",
    kind: Kind | None = None,
    ctx: Path | None = None,
) -> Expression:
    """The element at a rank: 0 is the smallest, -1 the largest."""
    return Expression.call("list", "get_by_rank", on, (rank, returning), ctx, kind)


def get_by_rank_range(
    on: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` elements from a rank on, from the smallest to the largest; to
    the end by default."""
    return Expression.call("list", "get_by_rank_range", on, (rank, count, returning, inverted), ctx)


def get_by_value(
    on: Operand,
    value: Operand,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Every element that equals a value."""
    return Expression.call("list", "get_by_value", on, (value, returning, inverted), ctx)


def get_by_value_list(
    on: Operand,
    values: Operand,
    *,
    returning: ListReturn = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """Every element that equals one of some values."""
    return Expression.call("list", "get_by_value_list", on, (values, returning, inverted), ctx)


def get_by_value_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The elements from ``begin`` on and less than ``end``; without an end by
    default. ``None`` is the smallest value."""
    return Expression.call("list", "get_by_value_range", on, (begin, end, returning, inverted), ctx)


def get_by_value_relative_rank(
    on: Operand,
    value: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """``count`` elements by rank, where rank 0 is the smallest element that is
    not less than ``value``; to the end by default."""
    return Expression.call(
        "list", "get_by_value_relative_rank", on, (value, rank, count, returning, inverted), ctx
    )


def remove_by_index(
    on: Operand,
    index: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """The list without the element at an index; negative from the end."""
    return Expression.call("list", "remove_by_index", on, (index, "none"), ctx)


def remove_by_index_range(
    on: Operand,
    index: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without ``count`` elements from an index on; to the end by default."""
    return Expression.call(
        "list", "remove_by_index_range", on, (index, count, "none", inverted), ctx
    )


def remove_by_rank(
    on: Operand,
    rank: Operand,
    *,
    ctx: Path | None = None,
) -> Expression:
    """The list without the element at a rank: 0 is the smallest, -1 the largest."""
    return Expression.call("list", "remove_by_rank", on, (rank, "none"), ctx)


def remove_by_rank_range(
    on: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without ``count`` elements from a rank on, from the smallest to the largest; to
    the end by default."""
    return Expression.call("list", "remove_by_rank_range", on, (rank, count, "none", inverted), ctx)


def remove_by_value(
    on: Operand,
    value: Operand,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without every element that equals a value."""
    return Expression.call("list", "remove_by_value", on, (value, "none", inverted), ctx)


def remove_by_value_list(
    on: Operand,
    values: Operand,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without every element that equals one of some values."""
    return Expression.call("list", "remove_by_value_list", on, (values, "none", inverted), ctx)


def remove_by_value_range(
    on: Operand,
    begin: Operand,
    end: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without the elements from ``begin`` on and less than ``end``; without an end by
    default. ``None`` is the smallest value."""
    return Expression.call("list", "remove_by_value_range", on, (begin, end, "none", inverted), ctx)


def remove_by_value_relative_rank(
    on: Operand,
    value: Operand,
    rank: Operand,
    count: Operand = None,
    *,
    inverted: bool = False,
    ctx: Path | None = None,
) -> Expression:
    """The list without ``count`` elements by rank, where rank 0 is the smallest element that is
    not less than ``value``; to the end by default."""
    return Expression.call(
        "list", "remove_by_value_relative_rank", on, (value, rank, count, "none", inverted), ctx
    )
