"""Operations on HyperLogLog sketches: ``op.hll``.

    from spikewire import op

    op.hll.add("visitors", ["ann", "bob"], index_bits=12)
    op.hll.get_count("visitors")

A sketch tells about how many different values were added to it. ``index_bits`` (4 to 16) are its
precision: it has 2 to this many registers. ``minhash_bits`` (0, or 4 to 51) make similarities of
sketches more precise.
``create_only``: refuses a sketch that is there (``BinExists``). ``update_only``: refuses to make
one (``BinNotFound``). ``no_fail``: does nothing instead of failing. Sketches to compare with are a
list of ``HyperLogLog`` values that were read before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import Sketches, Values

__all__ = [
    "add",
    "describe",
    "fold",
    "get_count",
    "get_intersect_count",
    "get_similarity",
    "get_union",
    "get_union_count",
    "init",
    "may_contain",
    "refresh_count",
    "set_union",
]


def init(
    bin: str,  # noqa: A002
    index_bits: int | None = None,
    minhash_bits: int | None = None,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Makes an empty sketch with these bits, or empties the one that is there."""
    return Operation.hll("init", bin, (index_bits, minhash_bits, create_only, update_only, no_fail))


def add(
    bin: str,  # noqa: A002
    values: Values,
    index_bits: int | None = None,
    minhash_bits: int | None = None,
    *,
    create_only: bool = False,
    no_fail: bool = False,
) -> Operation:
    """Adds values; the bits are for a sketch that has to be made. Gives how many changed it."""
    return Operation.hll("add", bin, (values, index_bits, minhash_bits, create_only, no_fail))


def set_union(
    bin: str,  # noqa: A002
    sketches: Sketches,
    *,
    create_only: bool = False,
    update_only: bool = False,
    no_fail: bool = False,
    allow_fold: bool = False,
) -> Operation:
    """Makes the sketch the union of itself and others. ``allow_fold``: even if that makes it less
    precise."""
    return Operation.hll(
        "set_union", bin, (sketches, create_only, update_only, no_fail, allow_fold)
    )


def refresh_count(
    bin: str,  # noqa: A002
) -> Operation:
    """Counts, and keeps the result with the sketch. Gives the count."""
    return Operation.hll("refresh_count", bin, ())


def fold(
    bin: str,  # noqa: A002
    index_bits: int,
) -> Operation:
    """Makes the sketch smaller and less precise."""
    return Operation.hll("fold", bin, (index_bits,))


def get_count(
    bin: str,  # noqa: A002
) -> Operation:
    """About how many different values were added."""
    return Operation.hll("get_count", bin, ())


def get_union(
    bin: str,  # noqa: A002
    sketches: Sketches,
) -> Operation:
    """The union with other sketches, a ``HyperLogLog``."""
    return Operation.hll("get_union", bin, (sketches,))


def get_union_count(
    bin: str,  # noqa: A002
    sketches: Sketches,
) -> Operation:
    """About how many different values the union has."""
    return Operation.hll("get_union_count", bin, (sketches,))


def get_intersect_count(
    bin: str,  # noqa: A002
    sketches: Sketches,
) -> Operation:
    """About how many values are in all the sketches."""
    return Operation.hll("get_intersect_count", bin, (sketches,))


def get_similarity(
    bin: str,  # noqa: A002
    sketches: Sketches,
) -> Operation:
    """Which share of the union is in all the sketches, from 0.0 to 1.0."""
    return Operation.hll("get_similarity", bin, (sketches,))


def describe(
    bin: str,  # noqa: A002
) -> Operation:
    """``[index bits, minhash bits]``."""
    return Operation.hll("describe", bin, ())


def may_contain(
    bin: str,  # noqa: A002
    values: Values,
) -> Operation:
    """1 if all the values may have been added, 0 if one was not."""
    return Operation.hll("may_contain", bin, (values,))
