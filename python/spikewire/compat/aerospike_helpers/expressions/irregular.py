"""Expressions on the contents of bins that are not calls of an operation."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import (
    Absent,
    Operator,
    list_of,
    map_of,
)

__all__ = ["BitB64Encode", "InList", "ListJoin", "MapGetKeys", "MapGetValues"]


class InList(Operator):
    """Whether a list contains a value."""

    def __init__(self, value: Any, bin: Any) -> None:
        super().__init__("in", value, list_of(bin))


class MapGetKeys(Operator):
    """The keys of a map."""

    def __init__(self, map_value: Any) -> None:
        super().__init__("mapKeys", map_of(map_value))


class MapGetValues(Operator):
    """The values of a map."""

    def __init__(self, map_value: Any) -> None:
        super().__init__("mapValues", map_of(map_value))


class ListJoin(Absent):
    """Not supported."""


class BitB64Encode(Absent):
    """Not supported."""
