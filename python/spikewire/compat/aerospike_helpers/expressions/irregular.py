"""Expressions on the contents of bins that are not calls of an operation."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import (
    Call,
    Operator,
    list_of,
    map_of,
    text_of,
)

__all__ = [
    "BitB64Encode",
    "InList",
    "ListJoin",
    "MapGetKeys",
    "MapGetValues",
    "ToString",
    "str_ops",
]


class _LateModule(ModuleType):
    """A module that is imported when a program uses it: expressions need no operations."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


str_ops = _LateModule("spikewire.compat.aerospike_helpers.operations.string_operations")


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


class ListJoin(Call):
    """The strings of a list, joined."""

    _operation = "list", "join"

    def __init__(self, ctx: Any, separator: str | None, bin: Any) -> None:
        super().__init__(bin, ctx, separator=separator or None)


class BitB64Encode(Call):
    """Bytes as base64."""

    _operation = "bit", "base64"

    def __init__(
        self, byte_offset: int, byte_size: int | None, invert_size: bool, bin: Any
    ) -> None:
        super().__init__(
            bin, None, byte_offset=byte_offset, byte_size=byte_size, invert_size=invert_size
        )


class ToString(Operator):
    """The text of a number, a text or bytes."""

    def __init__(self, bin: Any) -> None:
        super().__init__("toString", text_of(bin))
