"""Operations on HyperLogLog sketches. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

# The entries of the dictionaries.
BIN_KEY = "bin"
HLL_POLICY_KEY = "hll_policy"
INDEX_BIT_COUNT_KEY = "index_bit_count"
MH_BIT_COUNT_KEY = "mh_bit_count"
OP_KEY = "op"
VALUE_LIST_KEY = "value_list"


def hll_add(
    bin_name: str,
    values: Any,
    index_bit_count: Any = None,
    mh_bit_count: Any = None,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``hll_add``."""
    return operation_dict(
        {
            "op": codes.OP_HLL_ADD,
            "bin": bin_name,
            "value_list": values,
            "index_bit_count": -1 if index_bit_count is None else index_bit_count,
            "mh_bit_count": -1 if mh_bit_count is None else mh_bit_count,
        },
        hll_policy=policy,
    )


def hll_describe(bin_name: str) -> dict[str, Any]:
    """The operation ``hll_describe``."""
    return {"op": codes.OP_HLL_DESCRIBE, "bin": bin_name}


def hll_fold(bin_name: str, index_bit_count: Any) -> dict[str, Any]:
    """The operation ``hll_fold``."""
    return {"op": codes.OP_HLL_FOLD, "bin": bin_name, "index_bit_count": index_bit_count}


def hll_get_count(bin_name: str) -> dict[str, Any]:
    """The operation ``hll_get_count``."""
    return {"op": codes.OP_HLL_GET_COUNT, "bin": bin_name}


def hll_get_intersect_count(bin_name: str, hll_list: Any) -> dict[str, Any]:
    """The operation ``hll_get_intersect_count``."""
    return {"op": codes.OP_HLL_GET_INTERSECT_COUNT, "bin": bin_name, "value_list": hll_list}


def hll_get_similarity(bin_name: str, hll_list: Any) -> dict[str, Any]:
    """The operation ``hll_get_similarity``."""
    return {"op": codes.OP_HLL_GET_SIMILARITY, "bin": bin_name, "value_list": hll_list}


def hll_get_union(bin_name: str, hll_list: Any) -> dict[str, Any]:
    """The operation ``hll_get_union``."""
    return {"op": codes.OP_HLL_GET_UNION, "bin": bin_name, "value_list": hll_list}


def hll_get_union_count(bin_name: str, hll_list: Any) -> dict[str, Any]:
    """The operation ``hll_get_union_count``."""
    return {"op": codes.OP_HLL_GET_UNION_COUNT, "bin": bin_name, "value_list": hll_list}


def hll_init(
    bin_name: str,
    index_bit_count: Any = None,
    mh_bit_count: Any = None,
    policy: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The operation ``hll_init``."""
    return operation_dict(
        {
            "op": codes.OP_HLL_INIT,
            "bin": bin_name,
            "index_bit_count": -1 if index_bit_count is None else index_bit_count,
            "mh_bit_count": -1 if mh_bit_count is None else mh_bit_count,
        },
        hll_policy=policy,
    )


def hll_refresh_count(bin_name: str) -> dict[str, Any]:
    """The operation ``hll_refresh_count``."""
    return {"op": codes.OP_HLL_REFRESH_COUNT, "bin": bin_name}


def hll_set_union(
    bin_name: str, hll_list: Any, policy: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The operation ``hll_set_union``."""
    return operation_dict(
        {"op": codes.OP_HLL_SET_UNION, "bin": bin_name, "value_list": hll_list}, hll_policy=policy
    )
