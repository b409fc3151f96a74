"""The bits of integers."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike_helpers.expressions.hints import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_helpers.expressions.resources import Operator


class IntAnd(Operator):
    """``&``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("&", *exprs)


class IntOr(Operator):
    """``|``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("|", *exprs)


class IntXOr(Operator):
    """``^``."""

    def __init__(self, *exprs: Any) -> None:
        super().__init__("^", *exprs)


class IntNot(Operator):
    """``~``."""

    def __init__(self, expr: Any) -> None:
        super().__init__("~", expr)


class IntLeftShift(Operator):
    """``<<``."""

    def __init__(self, value: Any, shift: Any) -> None:
        super().__init__("<<", value, shift)


class IntRightShift(Operator):
    """``>>>``."""

    def __init__(self, value: Any, shift: Any) -> None:
        super().__init__(">>>", value, shift)


class IntArithmeticRightShift(Operator):
    """``>>``."""

    def __init__(self, value: Any, shift: Any) -> None:
        super().__init__(">>", value, shift)


class IntCount(Operator):
    """``countOneBits``."""

    def __init__(self, value: Any) -> None:
        super().__init__("countOneBits", value)


class IntLeftScan(Operator):
    """``findBitLeft``."""

    def __init__(self, value: Any, search: Any) -> None:
        super().__init__("findBitLeft", value, search)


class IntRightScan(Operator):
    """``findBitRight``."""

    def __init__(self, value: Any, search: Any) -> None:
        super().__init__("findBitRight", value, search)
