"""Bit operations on bytes: ``op.bit``.

    from spikewire import op

    op.bit.resize("flags", 8)
    op.bit.add("counters", 16, 8, 1, overflow="saturate")  # the third byte
    op.bit.count("flags", 0, 64)

Bits count from the most significant one of the first byte, negative offsets from the end.
``create_only``: refuses bytes that are there (``BinExists``). ``update_only``: refuses to make them
(``BinNotFound``). ``no_fail``: does nothing instead of failing. ``partial``: stops at the end of
the bytes instead of failing. What modifies gives nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import BytesLike, Overflow

__all__ = [
    "add",
    "and_",
    "count",
    "get",
    "get_int",
    "insert",
    "lscan",
    "lshift",
    "not_",
    "or_",
    "remove",
    "resize",
    "rscan",
    "rshift",
    "set",
    "set_int",
    "subtract",
    "xor",
]


def resize(
    bin: str,  # noqa: A002
    size: int,
    *,
    from_front: bool = False,
    grow_only: bool = False,
    shrink_only: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Gives the bytes a size, with zeros for what is new.

    ``from_front``: at the front instead of the end. ``grow_only``, ``shrink_only``: refuses a
    smaller, a larger size."""
    return Operation.bit(
        "resize", bin, (size, from_front, grow_only, shrink_only, create_only, update_only, no_fail)
    )


def insert(
    bin: str,  # noqa: A002
    offset: int,
    data: BytesLike,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Inserts bytes before a byte offset."""
    return Operation.bit("insert", bin, (offset, data, create_only, update_only, no_fail))


def remove(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Removes ``size`` bytes from a byte offset on."""
    return Operation.bit("remove", bin, (offset, size, update_only, no_fail, partial))


def set(  # noqa: A001
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    data: BytesLike,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Puts the first bits of ``data`` in place of these."""
    return Operation.bit("set", bin, (offset, size, data, update_only, no_fail, partial))


def or_(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    data: BytesLike,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Combines the bits with the first ones of ``data`` by or."""
    return Operation.bit("or_", bin, (offset, size, data, update_only, no_fail, partial))


def xor(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    data: BytesLike,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Combines the bits with the first ones of ``data`` by exclusive or."""
    return Operation.bit("xor", bin, (offset, size, data, update_only, no_fail, partial))


def and_(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    data: BytesLike,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Combines the bits with the first ones of ``data`` by and."""
    return Operation.bit("and_", bin, (offset, size, data, update_only, no_fail, partial))


def not_(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Turns every bit over."""
    return Operation.bit("not_", bin, (offset, size, update_only, no_fail, partial))


def lshift(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    by: int,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Shifts the bits to the left within their area; zeros follow."""
    return Operation.bit("lshift", bin, (offset, size, by, update_only, no_fail, partial))


def rshift(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    by: int,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Operation:
    """Shifts the bits to the right within their area; zeros follow."""
    return Operation.bit("rshift", bin, (offset, size, by, update_only, no_fail, partial))


def add(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    value: int,
    *,
    signed: bool = False,
    overflow: Overflow = "fail",
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Adds to the integer that the bits are, at most 64 of them.

    ``overflow``: ``"fail"``, ``"saturate"`` (the largest or smallest) or ``"wrap"``."""
    return Operation.bit("add", bin, (offset, size, value, signed, overflow, update_only, no_fail))


def subtract(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    value: int,
    *,
    signed: bool = False,
    overflow: Overflow = "fail",
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Subtracts from the integer that the bits are, at most 64. ``overflow`` as in ``add``."""
    return Operation.bit(
        "subtract", bin, (offset, size, value, signed, overflow, update_only, no_fail)
    )


def set_int(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    value: int,
    *,
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Sets the bits, at most 64, to an integer."""
    return Operation.bit("set_int", bin, (offset, size, value, update_only, no_fail))


def get(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
) -> Operation:
    """The bits, as bytes from the first bit on."""
    return Operation.bit("get", bin, (offset, size))


def count(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
) -> Operation:
    """How many of the bits are 1."""
    return Operation.bit("count", bin, (offset, size))


def lscan(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    bit: bool,
) -> Operation:
    """Where the first bit like ``bit`` is, counted from ``offset``; -1 if none."""
    return Operation.bit("lscan", bin, (offset, size, bit))


def rscan(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    bit: bool,
) -> Operation:
    """Where the last bit like ``bit`` is, counted from ``offset``; -1 if none."""
    return Operation.bit("rscan", bin, (offset, size, bit))


def get_int(
    bin: str,  # noqa: A002
    offset: int,
    size: int,
    *,
    signed: bool = False,
) -> Operation:
    """The integer that the bits are, at most 64 of them."""
    return Operation.bit("get_int", bin, (offset, size, signed))
