"""Operations on maps. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike_helpers.operations.map_removals import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.operations.map_selections import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

# The entries of the dictionaries.
BIN_KEY = "bin"
COUNT_KEY = "count"
CTX_KEY = "ctx"
INDEX_KEY = "index"
INVERTED_KEY = "inverted"
KEY_KEY = "key"
MAP_ORDER_KEY = "map_order"
OP_KEY = "op"
PERSIST_INDEX_KEY = "persist_index"
POLICY_KEY = "map_policy"
RANGE_KEY = "range"
RANK_KEY = "rank"
RETURN_TYPE_KEY = "return_type"
VALUE_KEY = "val"


def map_set_policy(
    bin_name: str, policy: dict[str, Any], ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``map_set_policy``."""
    return operation_dict(
        {"op": codes.OP_MAP_SET_POLICY, "bin": bin_name, "map_policy": policy}, ctx=ctx
    )


def map_create(
    bin_name: str, map_order: Any, persist_index: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``map_create``."""
    return operation_dict(
        {
            "op": codes.OP_MAP_CREATE,
            "bin": bin_name,
            "map_order": map_order,
            "persist_index": persist_index,
        },
        ctx=ctx,
    )


def map_put(
    bin_name: str,
    key: Any,
    value: Any,
    map_policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_put``."""
    return operation_dict(
        {"op": codes.OP_MAP_PUT, "bin": bin_name, "key": key, "val": value},
        map_policy=map_policy,
        ctx=ctx,
    )


def map_put_items(
    bin_name: str,
    item_dict: Any,
    map_policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_put_items``."""
    return operation_dict(
        {"op": codes.OP_MAP_PUT_ITEMS, "bin": bin_name, "val": item_dict},
        map_policy=map_policy,
        ctx=ctx,
    )


def map_increment(
    bin_name: str,
    key: Any,
    amount: Any,
    map_policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_increment``."""
    return operation_dict(
        {"op": codes.OP_MAP_INCREMENT, "bin": bin_name, "key": key, "val": amount},
        map_policy=map_policy,
        ctx=ctx,
    )


def map_decrement(
    bin_name: str,
    key: Any,
    amount: Any,
    map_policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``map_decrement``."""
    return operation_dict(
        {"op": codes.OP_MAP_DECREMENT, "bin": bin_name, "key": key, "val": amount},
        map_policy=map_policy,
        ctx=ctx,
    )


def map_size(bin_name: str, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``map_size``."""
    return operation_dict({"op": codes.OP_MAP_SIZE, "bin": bin_name}, ctx=ctx)


def map_clear(bin_name: str, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``map_clear``."""
    return operation_dict({"op": codes.OP_MAP_CLEAR, "bin": bin_name}, ctx=ctx)
