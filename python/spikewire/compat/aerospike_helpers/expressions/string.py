"""Expressions on text, which are not supported: calling one raises an error with an alternative."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any

from spikewire.compat.aerospike.failures import missing
from spikewire.compat.aerospike_helpers.expressions.base import StrBin as StrBin
from spikewire.compat.aerospike_helpers.expressions.hints import TypeBinName as TypeBinName
from spikewire.compat.aerospike_helpers.string_helpers import NumericType as NumericType
from spikewire.compat.aerospike_helpers.string_helpers import RegexFlags as RegexFlags
from spikewire.compat.aerospike_helpers.string_helpers import StringPolicy as StringPolicy

_NAMES = [
    "Append",
    "Base64Decode",
    "ByteLength",
    "CaseFold",
    "CharAt",
    "Concat",
    "Contains",
    "EndsWith",
    "Find",
    "Insert",
    "IsLower",
    "IsNumeric",
    "IsUpper",
    "Lower",
    "NormalizeNFC",
    "Overwrite",
    "PadEnd",
    "PadStart",
    "Prepend",
    "RegexCompare",
    "RegexReplace",
    "Repeat",
    "Replace",
    "ReplaceAll",
    "Snip",
    "Split",
    "SplitSeparator",
    "StartsWith",
    "StrLen",
    "SubStr",
    "SubStrRange",
    "ToBlob",
    "ToDouble",
    "ToInteger",
    "ToString",
    "Trim",
    "TrimEnd",
    "TrimStart",
    "Upper",
]


_OTHERS = ["NumericType", "RegexFlags", "StrBin", "StringPolicy", "TypeBinName", "str_ops"]

__all__ = [*_NAMES, *_OTHERS]  # pyright: ignore[reportUnsupportedDunderAll]


def _absent(name: str, *args: object, **named: object) -> Any:
    del args, named
    missing(f"expressions.string.{name}")


def __getattr__(name: str) -> Any:
    if name == "str_ops":  # Only programs use it: expressions need no operations.
        return import_module("spikewire.compat.aerospike_helpers.operations.string_operations")
    if name not in _NAMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return partial(_absent, name)


def __dir__() -> list[str]:
    return [*_NAMES, *_OTHERS]
