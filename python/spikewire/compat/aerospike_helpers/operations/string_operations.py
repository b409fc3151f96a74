"""Operations on text, which are not supported: calling one raises an error with an alternative."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.failures import missing
from spikewire.compat.aerospike_helpers.expressions.hints import TypeCTX as TypeCTX
from spikewire.compat.aerospike_helpers.string_helpers import NumericType as NumericType
from spikewire.compat.aerospike_helpers.string_helpers import RegexFlags as RegexFlags
from spikewire.compat.aerospike_helpers.string_helpers import StringPolicy as StringPolicy

if TYPE_CHECKING:
    from collections.abc import Callable

_NAMES = [
    "append",
    "base64_decode",
    "byte_length",
    "casefold",
    "char_at",
    "concat",
    "contains",
    "ends_with",
    "find",
    "insert",
    "is_lower",
    "is_numeric",
    "is_upper",
    "lower",
    "normalize_nfc",
    "overwrite",
    "pad_end",
    "pad_start",
    "prepend",
    "regex_compare",
    "regex_replace",
    "repeat",
    "replace",
    "replace_all",
    "snip",
    "split",
    "split_separator",
    "starts_with",
    "strlen",
    "substr",
    "substr_range",
    "to_blob",
    "to_double",
    "to_integer",
    "to_string",
    "trim",
    "trim_end",
    "trim_start",
    "upper",
]


__all__ = list(_NAMES)  # pyright: ignore[reportUnsupportedDunderAll]


def _absent(name: str, *args: object, **named: object) -> Any:
    del args, named
    missing(f"string_operations.{name}")


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _NAMES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return partial(_absent, name)


def __dir__() -> list[str]:
    return [*_NAMES, "NumericType", "RegexFlags", "StringPolicy", "TypeCTX"]
