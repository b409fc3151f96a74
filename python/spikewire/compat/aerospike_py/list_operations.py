"""Operations on lists, as dictionaries for ``operate`` and ``batch_operate``."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_py.operation_dict import operation_dict
from spikewire.compat.aerospike_py.types import ListPolicy as ListPolicy  # noqa: TC001
from spikewire.compat.aerospike_py.types import Operation as Operation  # noqa: TC001

__all__ = [
    "list_append",
    "list_append_items",
    "list_clear",
    "list_get",
    "list_get_by_index",
    "list_get_by_index_range",
    "list_get_by_rank",
    "list_get_by_rank_range",
    "list_get_by_value",
    "list_get_by_value_list",
    "list_get_by_value_range",
    "list_get_range",
    "list_increment",
    "list_insert",
    "list_insert_items",
    "list_pop",
    "list_pop_range",
    "list_remove",
    "list_remove_by_index",
    "list_remove_by_index_range",
    "list_remove_by_rank",
    "list_remove_by_rank_range",
    "list_remove_by_value",
    "list_remove_by_value_list",
    "list_remove_by_value_range",
    "list_remove_range",
    "list_set",
    "list_set_order",
    "list_size",
    "list_sort",
    "list_trim",
]


def list_append(bin: str, val: Any, policy: ListPolicy | None = None) -> Operation:
    """Appends a value."""
    return operation_dict(1001, bin, val=val, list_policy=policy)


def list_append_items(bin: str, values: list[Any], policy: ListPolicy | None = None) -> Operation:
    """Appends several values."""
    return operation_dict(1002, bin, val=values, list_policy=policy)


def list_insert(bin: str, index: int, val: Any, policy: ListPolicy | None = None) -> Operation:
    """Inserts a value before an index."""
    return operation_dict(1003, bin, index=index, val=val, list_policy=policy)


def list_insert_items(
    bin: str, index: int, values: list[Any], policy: ListPolicy | None = None
) -> Operation:
    """Inserts several values before an index."""
    return operation_dict(1004, bin, index=index, val=values, list_policy=policy)


def list_pop(bin: str, index: int) -> Operation:
    """Removes an element and returns it."""
    return operation_dict(1005, bin, index=index)


def list_pop_range(bin: str, index: int, count: int) -> Operation:
    """Removes a range of elements and returns them."""
    return operation_dict(1006, bin, index=index, count=count)


def list_remove(bin: str, index: int) -> Operation:
    """Removes an element."""
    return operation_dict(1007, bin, index=index)


def list_remove_range(bin: str, index: int, count: int) -> Operation:
    """Removes a range of elements."""
    return operation_dict(1008, bin, index=index, count=count)


def list_set(bin: str, index: int, val: Any) -> Operation:
    """Replaces an element."""
    return operation_dict(1009, bin, index=index, val=val)


def list_trim(bin: str, index: int, count: int) -> Operation:
    """Keeps a range of elements and removes the others."""
    return operation_dict(1010, bin, index=index, count=count)


def list_clear(bin: str) -> Operation:
    """Removes every element."""
    return operation_dict(1011, bin)


def list_size(bin: str) -> Operation:
    """The number of elements."""
    return operation_dict(1012, bin)


def list_get(bin: str, index: int) -> Operation:
    """Reads an element."""
    return operation_dict(1013, bin, index=index)


def list_get_range(bin: str, index: int, count: int) -> Operation:
    """Reads a range of elements."""
    return operation_dict(1014, bin, index=index, count=count)


def list_get_by_value(bin: str, val: Any, return_type: int) -> Operation:
    """Reads elements equal to a value."""
    return operation_dict(1015, bin, val=val, return_type=return_type)


def list_get_by_index(bin: str, index: int, return_type: int) -> Operation:
    """Reads the element at an index."""
    return operation_dict(1016, bin, index=index, return_type=return_type)


def list_get_by_index_range(
    bin: str, index: int, return_type: int, count: int | None = None
) -> Operation:
    """Reads elements starting at an index."""
    return operation_dict(1017, bin, index=index, return_type=return_type, count=count)


def list_get_by_rank(bin: str, rank: int, return_type: int) -> Operation:
    """Reads the element with a rank."""
    return operation_dict(1018, bin, rank=rank, return_type=return_type)


def list_get_by_rank_range(
    bin: str, rank: int, return_type: int, count: int | None = None
) -> Operation:
    """Reads elements starting at a rank."""
    return operation_dict(1019, bin, rank=rank, return_type=return_type, count=count)


def list_get_by_value_list(bin: str, values: list[Any], return_type: int) -> Operation:
    """Reads elements equal to one of the values."""
    return operation_dict(1020, bin, val=values, return_type=return_type)


def list_get_by_value_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Reads values from ``begin`` up to but not including ``end``."""
    return operation_dict(1021, bin, val=begin, val_end=end, return_type=return_type)


def list_remove_by_value(bin: str, val: Any, return_type: int) -> Operation:
    """Removes elements equal to a value."""
    return operation_dict(1022, bin, val=val, return_type=return_type)


def list_remove_by_value_list(bin: str, values: list[Any], return_type: int) -> Operation:
    """Removes elements equal to one of the values."""
    return operation_dict(1023, bin, val=values, return_type=return_type)


def list_remove_by_value_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Removes values from ``begin`` up to but not including ``end``."""
    return operation_dict(1024, bin, val=begin, val_end=end, return_type=return_type)


def list_remove_by_index(bin: str, index: int, return_type: int) -> Operation:
    """Removes the element at an index."""
    return operation_dict(1025, bin, index=index, return_type=return_type)


def list_remove_by_index_range(
    bin: str, index: int, return_type: int, count: int | None = None
) -> Operation:
    """Removes elements starting at an index."""
    return operation_dict(1026, bin, index=index, return_type=return_type, count=count)


def list_remove_by_rank(bin: str, rank: int, return_type: int) -> Operation:
    """Removes the element with a rank."""
    return operation_dict(1027, bin, rank=rank, return_type=return_type)


def list_remove_by_rank_range(
    bin: str, rank: int, return_type: int, count: int | None = None
) -> Operation:
    """Removes elements starting at a rank."""
    return operation_dict(1028, bin, rank=rank, return_type=return_type, count=count)


def list_increment(bin: str, index: int, val: int, policy: ListPolicy | None = None) -> Operation:
    """Adds to the number at an index."""
    return operation_dict(1029, bin, index=index, val=val, list_policy=policy)


def list_sort(bin: str, sort_flags: int = 0) -> Operation:
    """Sorts the elements."""
    return operation_dict(1030, bin, val=sort_flags)


def list_set_order(bin: str, list_order: int = 0) -> Operation:
    """Makes the list ordered or unordered."""
    return operation_dict(1031, bin, val=list_order)
