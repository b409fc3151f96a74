"""Implements ``spikewire.ctx``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression, Step

if TYPE_CHECKING:
    from spikewire.types import BinValue, Keys, ListOrder, MapKey, MapOrder, Where

__all__ = [
    "Step",
    "all_children",
    "and_where",
    "index",
    "list_index",
    "list_index_create",
    "list_rank",
    "list_value",
    "map_index",
    "map_key",
    "map_key_create",
    "map_keys_in",
    "map_rank",
    "map_value",
    "rank",
    "value",
]


def index(index: int) -> Step:
    """Into a list or map, whichever is there, by index; negative from the end. For reads."""
    return Step("index", index)


def rank(rank: int) -> Step:
    """Into a list or map, whichever is there, by rank: 0 is the smallest value, -1 the largest.
    For reads."""
    return Step("rank", rank)


def value(value: BinValue) -> Step:
    """Into a list or map, whichever is there, by value: the first that equals it. For reads."""
    return Step("value", value)


def list_index(index: int) -> Step:
    """Into a list by index; negative from the end."""
    return Step("list_index", index)


def list_rank(rank: int) -> Step:
    """Into a list by rank: 0 is the smallest element, -1 the largest."""
    return Step("list_rank", rank)


def list_value(value: BinValue) -> Step:
    """Into a list by value: the first element that equals it."""
    return Step("list_value", value)


def map_index(index: int) -> Step:
    """Into a map by the index of its keys in order; negative from the end."""
    return Step("map_index", index)


def map_rank(rank: int) -> Step:
    """Into a map by the rank of its values: 0 is the smallest, -1 the largest."""
    return Step("map_rank", rank)


def map_key(key: MapKey) -> Step:
    """Into a map by key: ``str``, ``int`` or ``bytes``."""
    return Step("map_key", key)


def map_value(value: BinValue) -> Step:
    """Into a map by value: the first that equals it."""
    return Step("map_value", value)


def list_index_create(
    index: int, order: ListOrder = "unordered", *, pad: bool = False, persist_index: bool = False
) -> Step:
    """Into a list by index, created in this order if it is missing.

    ``pad``: fills an unordered list with ``None`` up to the index. ``persist_index``: stores
    an index with the list; on the first step only."""
    return Step("list_index_create", index, order, pad, persist_index)


def map_key_create(
    key: MapKey, order: MapOrder = "unordered", *, persist_index: bool = False
) -> Step:
    """Into a map by key, created in this order if it is missing.

    ``persist_index``: stores an index with the map; on the first step only."""
    return Step("map_key_create", key, order, persist_index=persist_index)


def all_children(where: Where | None = None) -> Step:
    """Into all elements of a list or map, or those for which ``where`` is true. For paths.

    ``where``: an expression of ``spikewire.exp`` with ``exp.loop``, or a text in which ``@`` is
    the element, ``@key`` its key and ``@index`` its index, as in ``"@.price < 10"``; or a tuple
    of a text and its parameters."""
    if where is None:
        return Step.several("all_children")
    return Expression.filter_step("all_children", where)


def map_keys_in(keys: Keys) -> Step:
    """Into the values of a map at these keys, in the order of the map; keys that are not there
    count for nothing. For paths, on servers from 8.1.2."""
    return Step.several("map_keys_in", keys)


def and_where(where: Where) -> Step:
    """Only those elements that the step before names for which ``where`` is true, as in
    ``all_children``. It cannot follow ``all_children``, or another filter. For paths, on servers
    from 8.1.2."""
    return Expression.filter_step("and_where", where)
