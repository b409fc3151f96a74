"""The path to a nested list or map, as steps from the bin inward."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.paths import CDT_CTX_ORDER_KEY as CDT_CTX_ORDER_KEY
from spikewire.compat.aerospike.paths import CDT_CTX_PAD_KEY as CDT_CTX_PAD_KEY

__all__ = [
    "cdt_ctx_all_children",
    "cdt_ctx_all_children_with_filter",
    "cdt_ctx_and_filter",
    "cdt_ctx_list_index",
    "cdt_ctx_list_index_create",
    "cdt_ctx_list_rank",
    "cdt_ctx_list_value",
    "cdt_ctx_map_index",
    "cdt_ctx_map_key",
    "cdt_ctx_map_key_create",
    "cdt_ctx_map_keys_in",
    "cdt_ctx_map_rank",
    "cdt_ctx_map_value",
    "index_datatype_string",
    "index_type_string",
]


class _cdt_ctx:
    """One step."""

    def __init__(
        self,
        *,
        id: int | None = None,
        value: Any = None,
        extra_args: dict[str, Any] | None = None,
    ) -> None:
        self.id = id
        self.value = value
        self.extra_args = extra_args


def cdt_ctx_list_index(index: Any) -> _cdt_ctx:
    """Into a list by index."""
    return _cdt_ctx(id=0x10, value=index)


def cdt_ctx_list_rank(rank: Any) -> _cdt_ctx:
    """Into a list by rank."""
    return _cdt_ctx(id=0x11, value=rank)


def cdt_ctx_list_value(value: Any) -> _cdt_ctx:
    """Into a list by value."""
    return _cdt_ctx(id=0x13, value=value)


def cdt_ctx_list_index_create(index: int, order: int = 0, pad: bool = False) -> _cdt_ctx:
    """Into a list by index, created if it is missing."""
    return _cdt_ctx(id=0x14, value=index, extra_args={"order_key": order, "pad_key": pad})


def cdt_ctx_map_index(index: Any) -> _cdt_ctx:
    """Into a map by index."""
    return _cdt_ctx(id=0x20, value=index)


def cdt_ctx_map_rank(rank: Any) -> _cdt_ctx:
    """Into a map by rank."""
    return _cdt_ctx(id=0x21, value=rank)


def cdt_ctx_map_key(key: Any) -> _cdt_ctx:
    """Into a map by key."""
    return _cdt_ctx(id=0x22, value=key)


def cdt_ctx_map_value(value: Any) -> _cdt_ctx:
    """Into a map by value."""
    return _cdt_ctx(id=0x23, value=value)


def cdt_ctx_map_key_create(key: Any, order: int = 0) -> _cdt_ctx:
    """Into a map by key, created if it is missing."""
    return _cdt_ctx(id=0x24, value=key, extra_args={"order_key": order})


def cdt_ctx_all_children() -> _cdt_ctx:
    """Into all elements; for operations by path."""
    return _cdt_ctx(id=0x04)


def cdt_ctx_all_children_with_filter(expression: Any) -> _cdt_ctx:
    """Into the elements for which a compiled expression is true; for operations by path."""
    return _cdt_ctx(id=0x04, extra_args={"filter_expr": expression})


def cdt_ctx_and_filter(expression: Any) -> _cdt_ctx:
    """Those of the step before for which a compiled expression is true; for operations by path."""
    return _cdt_ctx(id=0x204, extra_args={"filter_expr": expression})


def cdt_ctx_map_keys_in(keys: list[Any]) -> _cdt_ctx:
    """Into a map by keys; for operations by path."""
    return _cdt_ctx(id=0x2A, value=keys)


def index_type_string(index_type: int) -> str:
    """The name that info commands use for a kind of index."""
    return {0: "default", 1: "list", 2: "mapkeys", 3: "mapvalues"}.get(index_type, "invalid")


def index_datatype_string(index_datatype: int) -> str:
    """The name that info commands use for the type of an index."""
    names = {0: "string", 1: "numeric", 2: "geo2dsphere", 3: "blob", 4: "numeric"}
    return names.get(index_datatype, "invalid")
