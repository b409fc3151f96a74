"""Checks of classes that leave what a type checker knows of a value as it is."""

from __future__ import annotations

from typing import Any

__all__ = ["is_a"]


def is_a(value: Any, kinds: type | tuple[type, ...]) -> bool:
    """``isinstance``, for values of which nothing is known but that."""
    return isinstance(value, kinds)
