"""HyperLogLog sketches inside expressions: ``exp.hll``.

    from spikewire import HyperLogLog, exp

    exp.hll.get_count(exp.bin("visitors")) > 1000
    exp.hll.get_similarity(exp.bin("today"), exp.bin("yesterday", HyperLogLog)) > 0.5

The first argument is the sketch: a bin, or what another call gives. What modifies gives the sketch
as it would be; nothing is written. Other sketches are a list of ``HyperLogLog`` values, or an
expression that gives one sketch. The flags are those of ``spikewire.op.hll``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.exp.types import Operand

__all__ = [
    "add",
    "describe",
    "get_count",
    "get_intersect_count",
    "get_similarity",
    "get_union",
    "get_union_count",
    "init",
    "may_contain",
    "set_union",
]


def init(
    on: Operand,
    index_bits: int | None = None,
    minhash_bits: int | None = None,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Makes an empty sketch with these bits, or empties the one that is there."""
    return Expression.call(
        "hll", "init", on, (index_bits, minhash_bits, create_only, update_only, no_fail)
    )


def add(
    on: Operand,
    values: Operand,
    index_bits: int | None = None,
    minhash_bits: int | None = None,
    *,
    create_only: bool = False,
    no_fail: bool = False,
) -> Expression:
    """Adds values; the bits are for a sketch that has to be made."""
    return Expression.call(
        "hll", "add", on, (values, index_bits, minhash_bits, create_only, no_fail)
    )


def set_union(
    on: Operand,
    sketches: Operand,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    allow_fold: bool = False,
) -> Expression:
    """Makes the sketch the union of itself and others. ``allow_fold``: even if that makes it less
    precise."""
    return Expression.call(
        "hll", "set_union", on, (sketches, create_only, update_only, no_fail, allow_fold)
    )


def get_count(
    on: Operand,
) -> Expression:
    """About how many different values were added."""
    return Expression.call("hll", "get_count", on, ())


def get_union(
    on: Operand,
    sketches: Operand,
) -> Expression:
    """The union with other sketches, a ``HyperLogLog``."""
    return Expression.call("hll", "get_union", on, (sketches,))


def get_union_count(
    on: Operand,
    sketches: Operand,
) -> Expression:
    """About how many different values the union has."""
    return Expression.call("hll", "get_union_count", on, (sketches,))


def get_intersect_count(
    on: Operand,
    sketches: Operand,
) -> Expression:
    """About how many values are in all the sketches."""
    return Expression.call("hll", "get_intersect_count", on, (sketches,))


def get_similarity(
    on: Operand,
    sketches: Operand,
) -> Expression:
    """Which share of the union is in all the sketches, from 0.0 to 1.0."""
    return Expression.call("hll", "get_similarity", on, (sketches,))


def describe(
    on: Operand,
) -> Expression:
    """``[index bits, minhash bits]``."""
    return Expression.call("hll", "describe", on, ())


def may_contain(
    on: Operand,
    values: Operand,
) -> Expression:
    """1 if all the values may have been added, 0 if one was not."""
    return Expression.call("hll", "may_contain", on, (values,))
