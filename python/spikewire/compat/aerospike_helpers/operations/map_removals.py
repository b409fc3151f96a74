"""Operations that remove entries of maps. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

__all__ = [
    "map_remove_by_index",
    "map_remove_by_index_range",
    "map_remove_by_key",
    "map_remove_by_key_index_range_relative",
    "map_remove_by_key_list",
    "map_remove_by_key_range",
    "map_remove_by_rank",
    "map_remove_by_rank_range",
    "map_remove_by_value",
    "map_remove_by_value_list",
    "map_remove_by_value_range",
    "map_remove_by_value_rank_range_relative",
]


def map_remove_by_key(
    bin_name: str, key: Any, return_type: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``map_remove_by_key``."""
    return operation_dict(
        {"op": codes.OP_MAP_REMOVE_BY_KEY, "bin": bin_name, "key": key, "return_type": return_type},
        ctx=ctx,
    )


def map_remove_by_key_list(
    bin_name: str,
    key_list: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_key_list``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_KEY_LIST,
            "bin": bin_name,
            "val": key_list,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_key_range(
    bin_name: str,
    key_range_start: Any,
    key_range_end: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_key_range``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_KEY_RANGE,
            "bin": bin_name,
            "key": key_range_start,
            "val": key_range_end,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_value(
    bin_name: str,
    value: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_value``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_VALUE,
            "bin": bin_name,
            "val": value,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_value_list(
    bin_name: str,
    value_list: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_value_list``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_VALUE_LIST,
            "bin": bin_name,
            "val": value_list,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_value_range(
    bin_name: str,
    value_start: Any,
    value_end: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_value_range``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_VALUE_RANGE,
            "bin": bin_name,
            "val": value_start,
            "range": value_end,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_index(
    bin_name: str, index: Any, return_type: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``map_remove_by_index``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_INDEX,
            "bin": bin_name,
            "index": index,
            "return_type": return_type,
        },
        ctx=ctx,
    )


def map_remove_by_index_range(
    bin_name: str,
    index_start: Any,
    remove_amt: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_index_range``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_INDEX_RANGE,
            "bin": bin_name,
            "index": index_start,
            "val": remove_amt,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_rank(
    bin_name: str, rank: Any, return_type: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``map_remove_by_rank``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_RANK,
            "bin": bin_name,
            "index": rank,
            "return_type": return_type,
        },
        ctx=ctx,
    )


def map_remove_by_rank_range(
    bin_name: str,
    rank_start: Any,
    remove_amt: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_rank_range``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_RANK_RANGE,
            "bin": bin_name,
            "index": rank_start,
            "val": remove_amt,
            "return_type": return_type,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def map_remove_by_value_rank_range_relative(
    bin_name: str,
    value: Any,
    offset: Any,
    return_type: Any,
    count: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_value_rank_range_relative``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_VALUE_RANK_RANGE_REL,
            "bin": bin_name,
            "val": value,
            "rank": offset,
            "return_type": return_type,
        },
        count=count,
        inverted=inverted or None,
        ctx=ctx,
    )


def map_remove_by_key_index_range_relative(
    bin_name: str,
    key: Any,
    offset: Any,
    return_type: Any,
    count: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_remove_by_key_index_range_relative``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_REMOVE_BY_KEY_INDEX_RANGE_REL,
            "bin": bin_name,
            "key": key,
            "index": offset,
            "return_type": return_type,
        },
        count=count,
        inverted=inverted or None,
        ctx=ctx,
    )
