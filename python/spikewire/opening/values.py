"""The values of options for display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

__all__ = ["display", "is_secret"]


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
