"""Bits inside expressions: ``exp.bit``.

    from spikewire import exp

    exp.bit.count(exp.bin("flags"), 0, 64) > 10
    exp.bit.get_int(exp.bit.add(exp.bin("counters"), 0, 8, 1), 0, 8) == 7

The first argument is the bytes: a bin, or what another call gives. What modifies gives the bytes
as they would be; nothing is written. Arguments may be expressions too; the flags are those of
``spikewire.op.bit``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.exp.types import Operand
    from spikewire.types import Overflow

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
    on: Operand,
    size: Operand,
    *,
    from_front: bool = False,
    grow_only: bool = False,
    shrink_only: bool = False,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Gives the bytes a size, with zeros for what is new.

    ``from_front``: at the front instead of the end. ``grow_only``, ``shrink_only``: refuses a
    smaller, a larger size."""
    return Expression.call(
        "bit",
        "resize",
        on,
        (size, from_front, grow_only, shrink_only, create_only, update_only, no_fail),
    )


def insert(
    on: Operand,
    offset: Operand,
    data: Operand,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Inserts bytes before a byte offset."""
    return Expression.call("bit", "insert", on, (offset, data, create_only, update_only, no_fail))


def remove(
    on: Operand,
    offset: Operand,
    size: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Removes ``size`` bytes from a byte offset on."""
    return Expression.call("bit", "remove", on, (offset, size, update_only, no_fail, partial))


def set(  # noqa: A001
    on: Operand,
    offset: Operand,
    size: Operand,
    data: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Puts the first bits of ``data`` in place of these."""
    return Expression.call("bit", "set", on, (offset, size, data, update_only, no_fail, partial))


def or_(
    on: Operand,
    offset: Operand,
    size: Operand,
    data: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Combines the bits with the first ones of ``data`` by or."""
    return Expression.call("bit", "or_", on, (offset, size, data, update_only, no_fail, partial))


def xor(
    on: Operand,
    offset: Operand,
    size: Operand,
    data: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Combines the bits with the first ones of ``data`` by exclusive or."""
    return Expression.call("bit", "xor", on, (offset, size, data, update_only, no_fail, partial))


def and_(
    on: Operand,
    offset: Operand,
    size: Operand,
    data: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Combines the bits with the first ones of ``data`` by and."""
    return Expression.call("bit", "and_", on, (offset, size, data, update_only, no_fail, partial))


def not_(
    on: Operand,
    offset: Operand,
    size: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Turns every bit over."""
    return Expression.call("bit", "not_", on, (offset, size, update_only, no_fail, partial))


def lshift(
    on: Operand,
    offset: Operand,
    size: Operand,
    by: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Shifts the bits to the left within their area; zeros follow."""
    return Expression.call("bit", "lshift", on, (offset, size, by, update_only, no_fail, partial))


def rshift(
    on: Operand,
    offset: Operand,
    size: Operand,
    by: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
    partial: bool = False,
) -> Expression:
    """Shifts the bits to the right within their area; zeros follow."""
    return Expression.call("bit", "rshift", on, (offset, size, by, update_only, no_fail, partial))


def add(
    on: Operand,
    offset: Operand,
    size: Operand,
    value: Operand,
    *,
    signed: bool = False,
    overflow: Overflow = "fail",
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Adds to the integer that the bits are, at most 64 of them.

    ``overflow``: ``"fail"``, ``"saturate"`` (the largest or smallest) or ``"wrap"``."""
    return Expression.call(
        "bit", "add", on, (offset, size, value, signed, overflow, update_only, no_fail)
    )


def subtract(
    on: Operand,
    offset: Operand,
    size: Operand,
    value: Operand,
    *,
    signed: bool = False,
    overflow: Overflow = "fail",
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Subtracts from the integer that the bits are, at most 64. ``overflow`` as in ``add``."""
    return Expression.call(
        "bit", "subtract", on, (offset, size, value, signed, overflow, update_only, no_fail)
    )


def set_int(
    on: Operand,
    offset: Operand,
    size: Operand,
    value: Operand,
    *,
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Sets the bits, at most 64, to an integer."""
    return Expression.call("bit", "set_int", on, (offset, size, value, update_only, no_fail))


def get(
    on: Operand,
    offset: Operand,
    size: Operand,
) -> Expression:
    """The bits, as bytes from the first bit on."""
    return Expression.call("bit", "get", on, (offset, size))


def count(
    on: Operand,
    offset: Operand,
    size: Operand,
) -> Expression:
    """How many of the bits are 1."""
    return Expression.call("bit", "count", on, (offset, size))


def lscan(
    on: Operand,
    offset: Operand,
    size: Operand,
    bit: bool,
) -> Expression:
    """Where the first bit like ``bit`` is, counted from ``offset``; -1 if none."""
    return Expression.call("bit", "lscan", on, (offset, size, bit))


def rscan(
    on: Operand,
    offset: Operand,
    size: Operand,
    bit: bool,
) -> Expression:
    """Where the last bit like ``bit`` is, counted from ``offset``; -1 if none."""
    return Expression.call("bit", "rscan", on, (offset, size, bit))


def get_int(
    on: Operand,
    offset: Operand,
    size: Operand,
    *,
    signed: bool = False,
) -> Expression:
    """The integer that the bits are, at most 64 of them."""
    return Expression.call("bit", "get_int", on, (offset, size, signed))
