"""Operations on lists. The dictionaries are those of the official client."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike import opcodes as codes
from spikewire.compat.aerospike.failures import missing
from spikewire.compat.aerospike_helpers.operations.list_removals import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.operations.list_selections import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.operations.operation_dict import operation_dict

# The entries of the dictionaries.
BIN_KEY = "bin"
COUNT_KEY = "count"
CTX_KEY = "ctx"
INDEX_KEY = "index"
INVERTED_KEY = "inverted"
LIST_ORDER_KEY = "list_order"
LIST_POLICY_KEY = "list_policy"
OP_KEY = "op"
PAD_KEY = "pad"
PERSIST_INDEX_KEY = "persist_index"
RANK_KEY = "rank"
RETURN_TYPE_KEY = "return_type"
SORT_FLAGS_KEY = "sort_flags"
VALUE_BEGIN_KEY = "value_begin"
VALUE_END_KEY = "value_end"
VALUE_KEY = "val"
VALUE_LIST_KEY = "value_list"


def list_create(
    bin_name: str, list_order: Any, pad: Any, persist_index: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_create``."""
    return operation_dict(
        {
            "op": codes.OP_LIST_CREATE,
            "bin": bin_name,
            "list_order": list_order,
            "pad": pad,
            "persist_index": persist_index,
        },
        ctx=ctx,
    )


def list_append(
    bin_name: str, value: Any, policy: dict[str, Any] | None = None, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_append``."""
    return operation_dict(
        {"op": codes.OP_LIST_APPEND, "bin": bin_name, "val": value}, list_policy=policy, ctx=ctx
    )


def list_append_items(
    bin_name: str, values: Any, policy: dict[str, Any] | None = None, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_append_items``."""
    return operation_dict(
        {"op": codes.OP_LIST_APPEND_ITEMS, "bin": bin_name, "val": values},
        list_policy=policy,
        ctx=ctx,
    )


def list_insert(
    bin_name: str,
    index: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_insert``."""
    return operation_dict(
        {"op": codes.OP_LIST_INSERT, "bin": bin_name, "index": index, "val": value},
        list_policy=policy,
        ctx=ctx,
    )


def list_insert_items(
    bin_name: str,
    index: Any,
    values: Any,
    policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_insert_items``."""
    return operation_dict(
        {"op": codes.OP_LIST_INSERT_ITEMS, "bin": bin_name, "index": index, "val": values},
        list_policy=policy,
        ctx=ctx,
    )


def list_increment(
    bin_name: str,
    index: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_increment``."""
    return operation_dict(
        {"op": codes.OP_LIST_INCREMENT, "bin": bin_name, "index": index, "val": value},
        list_policy=policy,
        ctx=ctx,
    )


def list_pop(bin_name: str, index: Any, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_pop``."""
    return operation_dict({"op": codes.OP_LIST_POP, "bin": bin_name, "index": index}, ctx=ctx)


def list_pop_range(
    bin_name: str, index: Any, count: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_pop_range``."""
    return operation_dict(
        {"op": codes.OP_LIST_POP_RANGE, "bin": bin_name, "index": index, "val": count}, ctx=ctx
    )


def list_remove(bin_name: str, index: Any, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_remove``."""
    return operation_dict({"op": codes.OP_LIST_REMOVE, "bin": bin_name, "index": index}, ctx=ctx)


def list_remove_range(
    bin_name: str, index: Any, count: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_remove_range``."""
    return operation_dict(
        {"op": codes.OP_LIST_REMOVE_RANGE, "bin": bin_name, "index": index, "val": count}, ctx=ctx
    )


def list_clear(bin_name: str, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_clear``."""
    return operation_dict({"op": codes.OP_LIST_CLEAR, "bin": bin_name}, ctx=ctx)


def list_set(
    bin_name: str,
    index: Any,
    value: Any,
    policy: dict[str, Any] | None = None,
    ctx: list[Any] | None = None,
) -> dict[str, Any]:
    """The operation ``list_set``."""
    return operation_dict(
        {"op": codes.OP_LIST_SET, "bin": bin_name, "index": index, "val": value},
        list_policy=policy,
        ctx=ctx,
    )


def list_get(bin_name: str, index: Any, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_get``."""
    return operation_dict({"op": codes.OP_LIST_GET, "bin": bin_name, "index": index}, ctx=ctx)


def list_get_range(
    bin_name: str, index: Any, count: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_get_range``."""
    return operation_dict(
        {"op": codes.OP_LIST_GET_RANGE, "bin": bin_name, "index": index, "val": count}, ctx=ctx
    )


def list_trim(
    bin_name: str, index: Any, count: Any, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """The operation ``list_trim``."""
    return operation_dict(
        {"op": codes.OP_LIST_TRIM, "bin": bin_name, "index": index, "val": count}, ctx=ctx
    )


def list_size(bin_name: str, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_size``."""
    return operation_dict({"op": codes.OP_LIST_SIZE, "bin": bin_name}, ctx=ctx)


def list_set_order(bin_name: str, list_order: Any, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_set_order``."""
    return operation_dict(
        {"op": codes.OP_LIST_SET_ORDER, "bin": bin_name, "list_order": list_order}, ctx=ctx
    )


def list_sort(bin_name: str, sort_flags: Any = 0, ctx: list[Any] | None = None) -> dict[str, Any]:
    """The operation ``list_sort``."""
    return operation_dict(
        {"op": codes.OP_LIST_SORT, "bin": bin_name, "sort_flags": sort_flags}, ctx=ctx
    )


def list_join(
    bin_name: str, separator: str | None = None, ctx: list[Any] | None = None
) -> dict[str, Any]:
    """Not supported."""
    del bin_name, separator, ctx
    missing("list_operations.list_join")
