"""Type checks that do not narrow what a type checker knows about the value."""

from __future__ import annotations

from typing import Any

__all__ = ["is_a"]


def is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """``isinstance``, without narrowing the type of the value."""
    return isinstance(value, kinds)
