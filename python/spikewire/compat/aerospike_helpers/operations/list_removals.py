"""Operations that remove items of lists. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

__all__ = [
    "list_remove_by_index",
    "list_remove_by_index_range",
    "list_remove_by_rank",
    "list_remove_by_rank_range",
    "list_remove_by_value",
    "list_remove_by_value_list",
    "list_remove_by_value_range",
    "list_remove_by_value_rank_range_relative",
]


def list_remove_by_index(
    bin_name: str, index: Any, return_type: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_remove_by_index``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_INDEX,
            "bin": bin_name,
            "return_type": return_type,
            "index": index,
        },
        ctx=ctx,
    )


def list_remove_by_index_range(
    bin_name: str,
    index: Any,
    return_type: Any,
    count: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_index_range``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_INDEX_RANGE,
            "bin": bin_name,
            "return_type": return_type,
            "index": index,
            "inverted": inverted,
        },
        count=count,
        ctx=ctx,
    )


def list_remove_by_rank(
    bin_name: str, rank: Any, return_type: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_remove_by_rank``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_RANK,
            "bin": bin_name,
            "return_type": return_type,
            "rank": rank,
        },
        ctx=ctx,
    )


def list_remove_by_rank_range(
    bin_name: str,
    rank: Any,
    return_type: Any,
    count: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_rank_range``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_RANK_RANGE,
            "bin": bin_name,
            "return_type": return_type,
            "rank": rank,
            "inverted": inverted,
        },
        count=count,
        ctx=ctx,
    )


def list_remove_by_value(
    bin_name: str,
    value: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_value``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_VALUE,
            "bin": bin_name,
            "return_type": return_type,
            "val": value,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def list_remove_by_value_list(
    bin_name: str,
    value_list: Any,
    return_type: Any,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_value_list``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_VALUE_LIST,
            "bin": bin_name,
            "return_type": return_type,
            "value_list": value_list,
            "inverted": inverted,
        },
        ctx=ctx,
    )


def list_remove_by_value_range(
    bin_name: str,
    return_type: Any,
    value_begin: Any = None,
    value_end: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_value_range``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_VALUE_RANGE,
            "bin": bin_name,
            "return_type": return_type,
            "inverted": inverted,
        },
        value_begin=value_begin,
        value_end=value_end,
        ctx=ctx,
    )


def list_remove_by_value_rank_range_relative(
    bin_name: str,
    value: Any,
    offset: Any,
    return_type: Any,
    count: Any = None,
    inverted: bool = False,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_remove_by_value_rank_range_relative``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_REMOVE_BY_VALUE_RANK_RANGE_REL,
            "bin": bin_name,
            "val": value,
            "rank": offset,
            "return_type": return_type,
            "inverted": inverted,
        },
        count=count,
        ctx=ctx,
    )
