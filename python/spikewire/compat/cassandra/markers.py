"""Parameters of statements that are not prepared: ``%s`` and ``%(name)s``."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.type_checks import is_a

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["by_position", "literals", "question_marks"]


_PARTS = re.compile(
    r"'[^']*'|\"[^\"]*\"|--[^\n]*|//[^\n]*|/\*.*?\*/|%%|(?P<plain>%s)|%\((?P<name>[^)]*)\)s",
    re.DOTALL,
)


@functools.lru_cache(4096)
def _read(text: str) -> tuple[str, int, tuple[str, ...]]:
    """The text with named markers replaced by ``%s``, how many ``%s`` it had, and the names in
    order."""
    plain = 0
    names: list[str] = []

    def place(match: re.Match[str]) -> str:
        nonlocal plain
        if match["plain"]:
            plain += 1
        elif match["name"] is not None:
            names.append(match["name"])
            return "%s"
        return match[0]

    return _PARTS.sub(place, text), plain, tuple(names)


def by_position(text: str, parameters: Any) -> tuple[str, tuple[Any, ...]]:
    """A statement whose parameters are all ``%s``, and their values in order."""
    changed, plain, names = _read(text)
    if is_a(parameters, Mapping):
        if plain:
            message = "the statement has %s, so its parameters must be a sequence, not a dictionary"
            raise TypeError(message)
        return changed, tuple(parameters[name] for name in names)
    if names:
        message = "the statement has %(name)s, so its parameters must be a dictionary"
        raise TypeError(message)
    values = tuple(parameters)
    if len(values) < plain:
        message = f"not enough parameters for the statement: {plain} are needed, not {len(values)}"
        raise TypeError(message)
    if len(values) > plain:
        message = f"too many parameters for the statement: {plain} are needed, not {len(values)}"
        raise TypeError(message)
    return changed, values


def literals(text: str, written: Sequence[str]) -> str:
    """A statement with the ``%s`` markers replaced by literals."""
    left = iter(written)

    def place(match: re.Match[str]) -> str:
        return next(left) if match["plain"] else match[0].replace("%%", "%")

    return _PARTS.sub(place, text)


@functools.lru_cache(4096)
def question_marks(text: str) -> str:
    """A statement with the ``%s`` markers converted to those of CQL. ``%%`` is a percent sign, also
    in literals."""

    def place(match: re.Match[str]) -> str:
        return "?" if match["plain"] else match[0].replace("%%", "%")

    return _PARTS.sub(place, text)
