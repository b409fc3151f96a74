"""Operations on HyperLogLog sketches, as dictionaries for ``operate`` and ``batch_operate``."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_py.operation_dict import operation_dict
from spikewire.compat.aerospike_py.types import HLLPolicy as HLLPolicy  # noqa: TC001
from spikewire.compat.aerospike_py.types import Operation as Operation  # noqa: TC001

__all__ = [
    "hll_add",
    "hll_describe",
    "hll_fold",
    "hll_get_count",
    "hll_get_intersect_count",
    "hll_get_similarity",
    "hll_get_union",
    "hll_get_union_count",
    "hll_init",
    "hll_set_union",
]


def hll_init(
    bin: str,
    index_bit_count: int,
    minhash_bit_count: int | None = None,
    *,
    policy: HLLPolicy | None = None,
) -> Operation:
    """Creates an empty sketch."""
    return operation_dict(
        3001,
        bin,
        index_bit_count=index_bit_count,
        minhash_bit_count=minhash_bit_count,
        hll_policy=policy,
    )


def hll_add(
    bin: str,
    values: list[Any],
    index_bit_count: int | None = None,
    minhash_bit_count: int | None = None,
    *,
    policy: HLLPolicy | None = None,
) -> Operation:
    """Adds values to a sketch. Returns how many of them were new."""
    return operation_dict(
        3002,
        bin,
        val=values,
        index_bit_count=index_bit_count,
        minhash_bit_count=minhash_bit_count,
        hll_policy=policy,
    )


def hll_get_count(bin: str) -> Operation:
    """The estimated number of different values in a sketch."""
    return operation_dict(3003, bin)


def hll_get_union(bin: str, values: list[Any]) -> Operation:
    """The union with other sketches."""
    return operation_dict(3004, bin, val=values)


def hll_get_union_count(bin: str, values: list[Any]) -> Operation:
    """The estimated number of different values in the union."""
    return operation_dict(3005, bin, val=values)


def hll_get_intersect_count(bin: str, values: list[Any]) -> Operation:
    """The estimated number of values that are in all sketches."""
    return operation_dict(3006, bin, val=values)


def hll_get_similarity(bin: str, values: list[Any]) -> Operation:
    """The similarity of the sketches, from 0 to 1."""
    return operation_dict(3007, bin, val=values)


def hll_describe(bin: str) -> Operation:
    """The numbers of index bits and of minhash bits."""
    return operation_dict(3008, bin)


def hll_fold(bin: str, index_bit_count: int) -> Operation:
    """Reduces the precision of a sketch."""
    return operation_dict(3009, bin, index_bit_count=index_bit_count)


def hll_set_union(bin: str, values: list[Any], *, policy: HLLPolicy | None = None) -> Operation:
    """Adds the values of other sketches."""
    return operation_dict(3010, bin, val=values, hll_policy=policy)
