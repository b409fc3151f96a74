"""Names of types for annotations, under which the official client has them."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.resources import _BaseExpr

__all__ = [
    "TypeBinName",
    "TypeBitValue",
    "TypeBool",
    "TypeCTX",
    "TypeComparisonArg",
    "TypeCount",
    "TypeFloat",
    "TypeGeo",
    "TypeIndex",
    "TypeInteger",
    "TypeKey",
    "TypeKeyList",
    "TypeListValue",
    "TypeNumber",
    "TypePolicy",
    "TypeRank",
    "TypeValue",
]

TypeBinName = _BaseExpr | str
TypeBitValue = bytes | bytearray
TypeBool = _BaseExpr | bool
TypeComparisonArg = _BaseExpr | Any
TypeCount = _BaseExpr | int | Any
TypeCTX = list[Any] | None
TypeFloat = _BaseExpr | float
TypeGeo = _BaseExpr | Any
TypeIndex = _BaseExpr | int | Any
TypeInteger = _BaseExpr | int
TypeKey = _BaseExpr | Any
TypeKeyList = _BaseExpr | list[Any]
TypeListValue = _BaseExpr | list[Any]
TypeNumber = _BaseExpr | int | float
TypePolicy = dict[str, Any] | None
TypeRank = _BaseExpr | int | Any
TypeValue = _BaseExpr | Any
