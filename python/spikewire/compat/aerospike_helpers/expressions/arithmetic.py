"""Arithmetic."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Operator


class Add(Operator):
    """``+``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("+", *args)


class Sub(Operator):
    """``-``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("-", *args)


class Mul(Operator):
    """``*``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("*", *args)


class Div(Operator):
    """``/``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("/", *args)


class Pow(Operator):
    """``**``."""

    def __init__(self, base: Any, exponent: Any) -> None:
        super().__init__("**", base, exponent)


class Log(Operator):
    """``log``."""

    def __init__(self, num: Any, base: Any) -> None:
        super().__init__("log", num, base)


class Mod(Operator):
    """``%``."""

    def __init__(self, numerator: Any, denominator: Any) -> None:
        super().__init__("%", numerator, denominator)


class Abs(Operator):
    """``abs``."""

    def __init__(self, value: Any) -> None:
        super().__init__("abs", value)


class Floor(Operator):
    """``floor``."""

    def __init__(self, value: Any) -> None:
        super().__init__("floor", value)


class Ceil(Operator):
    """``ceil``."""

    def __init__(self, value: Any) -> None:
        super().__init__("ceil", value)


class ToInt(Operator):
    """``toInt``."""

    def __init__(self, value: Any) -> None:
        super().__init__("toInt", value)


class ToFloat(Operator):
    """``toFloat``."""

    def __init__(self, value: Any) -> None:
        super().__init__("toFloat", value)


class Min(Operator):
    """``min``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("min", *args)


class Max(Operator):
    """``max``."""

    def __init__(self, *args: Any) -> None:
        super().__init__("max", *args)
