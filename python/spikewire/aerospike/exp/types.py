"""The types that expressions are made of."""

from __future__ import annotations

from typing import TypeAlias

from spikewire._native import Expression, GeoJSON, HyperLogLog

__all__ = ["Kind", "Operand"]

#: What an operator takes: an expression, or a value that becomes a constant.
Operand: TypeAlias = (
    Expression
    | bool
    | int
    | float
    | str
    | bytes
    | GeoJSON
    | HyperLogLog
    | list[object]
    | tuple[object, ...]
    | dict[object, object]
    | None
)

#: The type of a bin, of an element, or of a key.
Kind: TypeAlias = type[
    int | float | str | bytes | list[object] | dict[object, object] | GeoJSON | HyperLogLog
]
