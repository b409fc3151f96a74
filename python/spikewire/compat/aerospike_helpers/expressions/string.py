"""Expressions on text, which are not supported: calling one raises an error with an alternative."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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


__all__ = list(_NAMES)  # pyright: ignore[reportUnsupportedDunderAll]


def _absent(name: str, *given: object, **named: object) -> Any:
    from spikewire.compat.aerospike.failures import missing

    del given, named
    missing(f"expressions.string.{name}")


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _NAMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return partial(_absent, name)


def __dir__() -> list[str]:
    return _NAMES
