"""Operations on maps, as dictionaries for ``operate`` and ``batch_operate``."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_py.operation_dict import operation_dict
from spikewire.compat.aerospike_py.types import MapPolicy as MapPolicy  # noqa: TC001
from spikewire.compat.aerospike_py.types import Operation as Operation  # noqa: TC001

__all__ = [
    "map_clear",
    "map_decrement",
    "map_get_by_index",
    "map_get_by_index_range",
    "map_get_by_key",
    "map_get_by_key_list",
    "map_get_by_key_range",
    "map_get_by_rank",
    "map_get_by_rank_range",
    "map_get_by_value",
    "map_get_by_value_list",
    "map_get_by_value_range",
    "map_increment",
    "map_put",
    "map_put_items",
    "map_remove_by_index",
    "map_remove_by_index_range",
    "map_remove_by_key",
    "map_remove_by_key_list",
    "map_remove_by_key_range",
    "map_remove_by_rank",
    "map_remove_by_rank_range",
    "map_remove_by_value",
    "map_remove_by_value_list",
    "map_remove_by_value_range",
    "map_set_order",
    "map_size",
]


def map_set_order(bin: str, map_order: int) -> Operation:
    """Sets the order of the map."""
    return operation_dict(2001, bin, val=map_order)


def map_put(bin: str, key: Any, val: Any, policy: MapPolicy | None = None) -> Operation:
    """Sets the value of a key."""
    return operation_dict(2002, bin, map_key=key, val=val, map_policy=policy)


def map_put_items(bin: str, items: dict[str, Any], policy: MapPolicy | None = None) -> Operation:
    """Sets the values of several keys."""
    return operation_dict(2003, bin, val=items, map_policy=policy)


def map_increment(bin: str, key: Any, incr: Any, policy: MapPolicy | None = None) -> Operation:
    """Adds to the number of a key."""
    return operation_dict(2004, bin, map_key=key, val=incr, map_policy=policy)


def map_decrement(bin: str, key: Any, decr: Any, policy: MapPolicy | None = None) -> Operation:
    """Subtracts from the number of a key."""
    return operation_dict(2005, bin, map_key=key, val=decr, map_policy=policy)


def map_clear(bin: str) -> Operation:
    """Removes every entry."""
    return operation_dict(2006, bin)


def map_remove_by_key(bin: str, key: Any, return_type: int) -> Operation:
    """Removes a key."""
    return operation_dict(2007, bin, map_key=key, return_type=return_type)


def map_remove_by_key_list(bin: str, keys: list[Any], return_type: int) -> Operation:
    """Removes several keys."""
    return operation_dict(2008, bin, val=keys, return_type=return_type)


def map_remove_by_key_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Removes keys from ``begin`` up to but not including ``end``."""
    return operation_dict(2009, bin, val=begin, val_end=end, return_type=return_type)


def map_remove_by_value(bin: str, val: Any, return_type: int) -> Operation:
    """Removes entries with a value."""
    return operation_dict(2010, bin, val=val, return_type=return_type)


def map_remove_by_value_list(bin: str, values: list[Any], return_type: int) -> Operation:
    """Removes entries with one of the values."""
    return operation_dict(2011, bin, val=values, return_type=return_type)


def map_remove_by_value_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Removes entries with values from ``begin`` up to but not including ``end``."""
    return operation_dict(2012, bin, val=begin, val_end=end, return_type=return_type)


def map_remove_by_index(bin: str, index: int, return_type: int) -> Operation:
    """Removes the entry at an index."""
    return operation_dict(2013, bin, index=index, return_type=return_type)


def map_remove_by_index_range(
    bin: str, index: int, return_type: int, count: int | None = None
) -> Operation:
    """Removes entries starting at an index."""
    return operation_dict(2014, bin, index=index, return_type=return_type, count=count)


def map_remove_by_rank(bin: str, rank: int, return_type: int) -> Operation:
    """Removes the entry with a rank."""
    return operation_dict(2015, bin, rank=rank, return_type=return_type)


def map_remove_by_rank_range(
    bin: str, rank: int, return_type: int, count: int | None = None
) -> Operation:
    """Removes entries starting at a rank."""
    return operation_dict(2016, bin, rank=rank, return_type=return_type, count=count)


def map_size(bin: str) -> Operation:
    """The number of entries."""
    return operation_dict(2017, bin)


def map_get_by_key(bin: str, key: Any, return_type: int) -> Operation:
    """Reads a key."""
    return operation_dict(2018, bin, map_key=key, return_type=return_type)


def map_get_by_key_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Reads keys from ``begin`` up to but not including ``end``."""
    return operation_dict(2019, bin, val=begin, val_end=end, return_type=return_type)


def map_get_by_value(bin: str, val: Any, return_type: int) -> Operation:
    """Reads entries with a value."""
    return operation_dict(2020, bin, val=val, return_type=return_type)


def map_get_by_value_range(bin: str, begin: Any, end: Any, return_type: int) -> Operation:
    """Reads entries with values from ``begin`` up to but not including ``end``."""
    return operation_dict(2021, bin, val=begin, val_end=end, return_type=return_type)


def map_get_by_index(bin: str, index: int, return_type: int) -> Operation:
    """Reads the entry at an index."""
    return operation_dict(2022, bin, index=index, return_type=return_type)


def map_get_by_index_range(
    bin: str, index: int, return_type: int, count: int | None = None
) -> Operation:
    """Reads entries starting at an index."""
    return operation_dict(2023, bin, index=index, return_type=return_type, count=count)


def map_get_by_rank(bin: str, rank: int, return_type: int) -> Operation:
    """Reads the entry with a rank."""
    return operation_dict(2024, bin, rank=rank, return_type=return_type)


def map_get_by_rank_range(
    bin: str, rank: int, return_type: int, count: int | None = None
) -> Operation:
    """Reads entries starting at a rank."""
    return operation_dict(2025, bin, rank=rank, return_type=return_type, count=count)


def map_get_by_key_list(bin: str, keys: list[Any], return_type: int) -> Operation:
    """Reads several keys."""
    return operation_dict(2026, bin, val=keys, return_type=return_type)


def map_get_by_value_list(bin: str, values: list[Any], return_type: int) -> Operation:
    """Reads entries with one of the values."""
    return operation_dict(2027, bin, val=values, return_type=return_type)
