"""Implements ``spikewire.exp.path``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.aerospike.exp.types import Operand
    from spikewire.types import Path, PathReturn, Where

__all__ = ["modify", "remove", "select"]


def select(
    on: Operand, path: Path, *, returning: PathReturn = "value", no_fail: bool = False
) -> Expression:
    """The elements at the end of a path: a list, or for ``returning="tree"`` a list or map like
    ``on``."""
    return Expression.path("select", on, path, returning, no_fail=no_fail)


def modify(on: Operand, path: Path, value: Where, *, no_fail: bool = False) -> Expression:
    """The list or map with each element at the end of a path replaced by the value of an
    expression about it."""
    return Expression.path("modify", on, path, None, value, no_fail=no_fail)


def remove(on: Operand, path: Path, *, no_fail: bool = False) -> Expression:
    """The list or map without the elements at the end of a path."""
    return Expression.path("remove", on, path, no_fail=no_fail)


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)
