"""Implements ``spikewire.op.path``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Operation

if TYPE_CHECKING:
    from spikewire.types import Path, PathReturn, Where

__all__ = ["modify", "remove", "select"]


def select(
    bin: str,  # noqa: A002
    path: Path,
    *,
    returning: PathReturn = "value",
    no_fail: bool = False,
) -> Operation:
    """Returns the elements at the end of a path; an empty list if there are none.

    ``returning``: a list of their values (``"value"``), of their keys in maps (``"key"``), of keys
    and values by turns (``"key_value"``), or the list or map itself with nothing but what leads to
    them (``"tree"``)."""
    return Operation.path("select", bin, path, returning, no_fail=no_fail)


def modify(
    bin: str,  # noqa: A002
    path: Path,
    value: Where,
    *,
    no_fail: bool = False,
) -> Operation:
    """Replaces each element at the end of a path by the value of an expression: one of
    ``spikewire.exp``, a text, or a tuple of a text and its parameters. Returns nothing.

    In a text the element is ``@``, its key ``@key``, its index ``@index``; in ``spikewire.exp``
    they are ``exp.loop.value()``, ``exp.loop.key()`` and ``exp.loop.index()``."""
    return Operation.path("modify", bin, path, None, value, no_fail=no_fail)


def remove(bin: str, path: Path, *, no_fail: bool = False) -> Operation:  # noqa: A002
    """Removes the elements at the end of a path. Returns nothing."""
    return Operation.path("remove", bin, path, no_fail=no_fail)


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)
