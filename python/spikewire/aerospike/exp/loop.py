"""Implements ``spikewire.exp.loop``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression

if TYPE_CHECKING:
    from spikewire.aerospike.exp.types import Kind

__all__ = ["index", "key", "value"]


def value(kind: Kind | None = None) -> Expression:
    """The value of the element."""
    return Expression.loop_var("value", kind)


def key(kind: type[int | str | bytes] | None = None) -> Expression:
    """The key of the element, in a map; unknown in a list."""
    return Expression.loop_var("key", kind)


def index() -> Expression:
    """The index of the element, in a list; unknown in a map."""
    return Expression.loop_var("index")


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)
