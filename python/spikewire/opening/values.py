"""Converts the text of an option, from a URL or a variable, to the option's type.

Types come from the options' ``TypedDict``, so there is no second table of options. The client
checks the values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["convert_option", "display", "is_secret", "kind"]

_SPAN = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ms|s|min)?")
_UNITS: dict[str | None, float] = {"ms": 0.001, "s": 1.0, "min": 60.0, None: 1.0}
_FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


def is_secret(name: str) -> bool:
    """Whether an option's value must never be shown."""
    return "password" in name or "private_key" in name


def display(name: str, value: object) -> str:
    """An option's value for display, without secrets."""
    if is_secret(name):
        return repr("***")
    if not isinstance(value, Mapping):
        return repr(value)
    parts = cast("Mapping[object, object]", value).items()
    return "{" + ", ".join(f"{key!r}: {display(str(key), it)}" for key, it in parts) + "}"


def kind(annotation: object) -> tuple[str, bool]:
    """An option's type in source form without ``None``, and whether it can be ``None``."""
    written = str(getattr(annotation, "__forward_arg__", annotation))
    return written.removesuffix(" | None"), written.endswith(" | None")


def convert_option(name: str, text: str, options: Mapping[str, Any], where: str) -> Any:
    """Converts an option's value. Raises ``ValueError`` that names its source, ``where``."""
    if name not in options:
        names = ", ".join(sorted(options))
        message = f"{where}: there is no option {name!r}; there are: {names}"
        raise ValueError(message)
    written, may_be_none = kind(options[name])
    if may_be_none and text == "none":
        return None
    convert = _CONVERTERS.get(written, _text if written.startswith("Literal[") else None)
    if convert is None:
        message = f"{where}: it takes an object, not text; pass it as a keyword"
        raise ValueError(message)
    try:
        return convert(text)
    except ValueError as error:
        detail = "" if is_secret(name) else f", not {text!r}"
        message = f"{where}: it must be {error}{detail}"
        raise ValueError(message) from None


def _text(text: str) -> str:
    return text


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,20}", text):
        message = "a whole number"
        raise ValueError(message)
    return int(text)


def _number(text: str) -> float:
    if not re.fullmatch(r"\d+(?:\.\d*)?|\.\d+", text):
        message = "a number"
        raise ValueError(message)
    return float(text)


def _flag(text: str) -> bool:
    if text.lower() not in _FLAGS:
        message = "true or false"
        raise ValueError(message)
    return _FLAGS[text.lower()]


def _seconds(text: str) -> float:
    m = _SPAN.fullmatch(text)
    if m is None:
        message = "a time in seconds, or with a unit: 0.25, 250ms, 2s, 5min"
        raise ValueError(message)
    return float(m[1]) * _UNITS[m[2]]


def _hedge(text: str) -> float | str:
    return text if text.startswith("p") else _seconds(text)


def _two_spans(text: str) -> tuple[float, float]:
    parts = text.split(",")
    if len(parts) != 2:
        message = "two times separated by a comma, such as 100ms,30s"
        raise ValueError(message)
    return _seconds(parts[0]), _seconds(parts[1])


def _numbers(text: str) -> list[int]:
    try:
        return [_whole(part) for part in text.split(",")]
    except ValueError:
        message = "whole numbers separated by commas"
        raise ValueError(message) from None


def _pairs(text: str) -> dict[str, str]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(left and equals and right for left, equals, right in pairs):
        message = "pairs separated by commas, such as 10.0.0.1=192.0.2.1,10.0.0.2=192.0.2.2"
        raise ValueError(message)
    return {left: right for left, _, right in pairs}


#: Converters by type; options of other types take objects and cannot be set by text.
_CONVERTERS: dict[str, Callable[[str], Any]] = {
    "str": _text,
    "Replica": _text,
    "ReadMode": _text,
    "ShareReads": _text,
    "CommitLevel": _text,
    "DetailLevel": _text,
    "Auth": _text,
    "str | PathLike[str] | bytes": _text,
    "str | PathLike[str] | bytes | list[str | PathLike[str] | bytes]": _text,
    "Consistency": _text,
    "SerialConsistency": _text,
    "int": _whole,
    "float": _number,
    "bool": _flag,
    "bool | TlsOptions": _flag,
    "Seconds": _seconds,
    "Hedge": _hedge,
    "tuple[Seconds, Seconds]": _two_spans,
    "list[int]": _numbers,
    "dict[str, str]": _pairs,
}
