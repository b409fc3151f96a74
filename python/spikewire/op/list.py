"""List operations: ``op.list``.

    from spikewire import ctx, op

    op.list.append("log", "in")
    op.list.get_by_rank_range("scores", -3)  # the three largest
    op.list.remove_by_value("tags", "old", returning="count", ctx=[ctx.map_key("meta")])

Indexes count from 0, negative ones from the end. Ranks count the elements by value: 0 is the
smallest, -1 the largest. Values of different types have an order too: None, bool, int, str, list,
dict, bytes, float.

``returning``: what to give of the chosen elements: ``"value"``, ``"count"``, ``"exists"`` (whether
there are any), ``"index"``, ``"reverse_index"`` (from the end), ``"rank"``, ``"reverse_rank"``
(from the largest), a range as ``[first, count]`` (``"index_range"``, ``"reverse_index_range"`` by
index; ``"rank_range"``, ``"reverse_rank_range"`` by rank or value), or ``"none"``. One element
gives one item, several give a list.
``inverted``: all elements but the chosen ones.
``order``: ``"unordered"`` (default) or ``"ordered"``, for a list that has to be made.
``persist_index``: keeps an index with a list at the top of a bin: faster in large ones.
``unique``: refuses values that are there (``ElementExists``). ``bounded``: refuses an index beyond
the end, which would fill the gap with ``None``. ``no_fail``: leaves the list as it is instead of
failing. ``partial``: with ``no_fail``, applies the values that are not refused.
``ctx``: the path to a nested list, see ``spikewire.ctx``.

A list that is missing is made by what adds to it; what removes does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import (
        BinValue,
        ByIndex,
        ByValue,
        ListOrder,
        ListReturn,
        Path,
        Sought,
        Values,
    )

__all__ = [
    "append",
    "append_items",
    "clear",
    "create",
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
    "pop",
    "pop_range",
    "remove",
    "remove_by_index",
    "remove_by_index_range",
    "remove_by_rank",
    "remove_by_rank_range",
    "remove_by_value",
    "remove_by_value_list",
    "remove_by_value_range",
    "remove_by_value_relative_rank",
    "remove_range",
    "set",
    "set_order",
    "size",
    "sort",
    "trim",
]


def size(
    bin: str,  # noqa: A002
    *,
    ctx: Path | None = None,
) -> Operation:
    """How many elements the list has."""
    return Operation.list("size", bin, (), ctx)


def get(
    bin: str,  # noqa: A002
    index: int,
    *,
    ctx: Path | None = None,
) -> Operation:
    """The element at an index; negative from the end. Fails with ``OpNotApplicable`` where there is
    none."""
    return Operation.list("get", bin, (index,), ctx)


def get_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    ctx: Path | None = None,
) -> Operation:
    """``count`` elements from an index on; to the end by default."""
    return Operation.list("get_range", bin, (index, count), ctx)


def append(
    bin: str,  # noqa: A002
    value: BinValue,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Appends a value; into an ordered list, at its place. Gives the new size."""
    return Operation.list("append", bin, (value, order, persist_index, unique, no_fail), ctx)


def append_items(
    bin: str,  # noqa: A002
    items: Values,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Appends several values. Gives the new size."""
    return Operation.list(
        "append_items", bin, (items, order, persist_index, unique, no_fail, partial), ctx
    )


def insert(
    bin: str,  # noqa: A002
    index: int,
    value: BinValue,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Inserts a value before an index. Gives the new size."""
    return Operation.list("insert", bin, (index, value, unique, bounded, no_fail), ctx)


def insert_items(
    bin: str,  # noqa: A002
    index: int,
    items: Values,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    partial: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Inserts several values before an index. Gives the new size."""
    return Operation.list(
        "insert_items", bin, (index, items, unique, bounded, no_fail, partial), ctx
    )


def set(  # noqa: A001
    bin: str,  # noqa: A002
    index: int,
    value: BinValue,
    *,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Replaces the element at an index."""
    return Operation.list("set", bin, (index, value, unique, bounded, no_fail), ctx)


def increment(
    bin: str,  # noqa: A002
    index: int,
    delta: float = 1,
    *,
    order: ListOrder | None = None,
    persist_index: bool = False,
    unique: bool = False,
    bounded: bool = False,
    no_fail: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Adds to the number at an index. Gives the new value."""
    return Operation.list(
        "increment", bin, (index, delta, order, persist_index, unique, bounded, no_fail), ctx
    )


def pop(
    bin: str,  # noqa: A002
    index: int,
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes the element at an index and gives it."""
    return Operation.list("pop", bin, (index,), ctx)


def pop_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` elements from an index on, to the end by default, and gives them."""
    return Operation.list("pop_range", bin, (index, count), ctx)


def remove(
    bin: str,  # noqa: A002
    index: int,
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes the element at an index. Gives how many were removed."""
    return Operation.list("remove", bin, (index,), ctx)


def remove_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` elements from an index on, to the end by default. Gives how many."""
    return Operation.list("remove_range", bin, (index, count), ctx)


def trim(
    bin: str,  # noqa: A002
    index: int,
    count: int,
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes all but ``count`` elements from an index on. Gives how many were removed."""
    return Operation.list("trim", bin, (index, count), ctx)


def clear(
    bin: str,  # noqa: A002
    *,
    ctx: Path | None = None,
) -> Operation:
    """Removes every element; the order stays."""
    return Operation.list("clear", bin, (), ctx)


def sort(
    bin: str,  # noqa: A002
    *,
    descending: bool = False,
    drop_duplicates: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Sorts the elements; an ordered list stays ascending. ``drop_duplicates`` keeps one of several
    equal ones; servers refuse it together with ``descending``."""
    return Operation.list("sort", bin, (descending, drop_duplicates), ctx)


def set_order(
    bin: str,  # noqa: A002
    order: ListOrder,
    *,
    persist_index: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Makes the list ordered, which sorts it, or unordered."""
    return Operation.list("set_order", bin, (order, persist_index), ctx)


def create(
    bin: str,  # noqa: A002
    order: ListOrder = "unordered",
    *,
    persist_index: bool = False,
    pad: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Makes an empty list where none is: in the bin, or at the end of ``ctx``.

    ``pad``: fills the list that the path ends in with ``None`` up to the index."""
    return Operation.list("create", bin, (order, persist_index), ctx, pad=pad)


def get_by_index(
    bin: str,  # noqa: A002
    index: int,
    *,
    returning: ByIndex = "value",
    ctx: Path | None = None,
) -> Operation:
    """Reads the element at an index; negative from the end. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.list("get_by_index", bin, (index, returning), ctx)


def get_by_index_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    returning: ByIndex = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` elements from an index on; to the end by default."""
    return Operation.list("get_by_index_range", bin, (index, count, returning, inverted), ctx)


def get_by_rank(
    bin: str,  # noqa: A002
    rank: int,
    *,
    returning: ByValue = "value",
    ctx: Path | None = None,
) -> Operation:
    """Reads the element at a rank: 0 is the smallest, -1 the largest. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.list("get_by_rank", bin, (rank, returning), ctx)


def get_by_rank_range(
    bin: str,  # noqa: A002
    rank: int,
    count: int | None = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` elements from a rank on, from the smallest to the largest; to
    the end by default."""
    return Operation.list("get_by_rank_range", bin, (rank, count, returning, inverted), ctx)


def get_by_value(
    bin: str,  # noqa: A002
    value: Sought,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads every element that equals a value."""
    return Operation.list("get_by_value", bin, (value, returning, inverted), ctx)


def get_by_value_list(
    bin: str,  # noqa: A002
    values: Values,
    *,
    returning: ListReturn = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads every element that equals one of some values."""
    return Operation.list("get_by_value_list", bin, (values, returning, inverted), ctx)


def get_by_value_range(
    bin: str,  # noqa: A002
    begin: Sought,
    end: Sought = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads the elements from ``begin`` on and less than ``end``; without an end by
    default. ``None`` is the smallest value."""
    return Operation.list("get_by_value_range", bin, (begin, end, returning, inverted), ctx)


def get_by_value_relative_rank(
    bin: str,  # noqa: A002
    value: Sought,
    rank: int,
    count: int | None = None,
    *,
    returning: ByValue = "value",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Reads ``count`` elements by rank, where rank 0 is the smallest element that is
    not less than ``value``; to the end by default."""
    return Operation.list(
        "get_by_value_relative_rank", bin, (value, rank, count, returning, inverted), ctx
    )


def remove_by_index(
    bin: str,  # noqa: A002
    index: int,
    *,
    returning: ByIndex = "none",
    ctx: Path | None = None,
) -> Operation:
    """Removes the element at an index; negative from the end. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.list("remove_by_index", bin, (index, returning), ctx)


def remove_by_index_range(
    bin: str,  # noqa: A002
    index: int,
    count: int | None = None,
    *,
    returning: ByIndex = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` elements from an index on; to the end by default."""
    return Operation.list("remove_by_index_range", bin, (index, count, returning, inverted), ctx)


def remove_by_rank(
    bin: str,  # noqa: A002
    rank: int,
    *,
    returning: ByValue = "none",
    ctx: Path | None = None,
) -> Operation:
    """Removes the element at a rank: 0 is the smallest, -1 the largest. Fails with
    ``OpNotApplicable`` where there is none."""
    return Operation.list("remove_by_rank", bin, (rank, returning), ctx)


def remove_by_rank_range(
    bin: str,  # noqa: A002
    rank: int,
    count: int | None = None,
    *,
    returning: ByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` elements from a rank on, from the smallest to the largest; to
    the end by default."""
    return Operation.list("remove_by_rank_range", bin, (rank, count, returning, inverted), ctx)


def remove_by_value(
    bin: str,  # noqa: A002
    value: Sought,
    *,
    returning: ByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes every element that equals a value."""
    return Operation.list("remove_by_value", bin, (value, returning, inverted), ctx)


def remove_by_value_list(
    bin: str,  # noqa: A002
    values: Values,
    *,
    returning: ListReturn = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes every element that equals one of some values."""
    return Operation.list("remove_by_value_list", bin, (values, returning, inverted), ctx)


def remove_by_value_range(
    bin: str,  # noqa: A002
    begin: Sought,
    end: Sought = None,
    *,
    returning: ByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes the elements from ``begin`` on and less than ``end``; without an end by
    default. ``None`` is the smallest value."""
    return Operation.list("remove_by_value_range", bin, (begin, end, returning, inverted), ctx)


def remove_by_value_relative_rank(
    bin: str,  # noqa: A002
    value: Sought,
    rank: int,
    count: int | None = None,
    *,
    returning: ByValue = "none",
    inverted: bool = False,
    ctx: Path | None = None,
) -> Operation:
    """Removes ``count`` elements by rank, where rank 0 is the smallest element that is
    not less than ``value``; to the end by default."""
    return Operation.list(
        "remove_by_value_relative_rank", bin, (value, rank, count, returning, inverted), ctx
    )
