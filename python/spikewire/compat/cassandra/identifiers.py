"""Names that Python accepts, for names of columns and fields that it does not."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["attributes", "by_position"]

_START = re.compile(r"^[^a-zA-Z0-9]*")
_END = re.compile(r"[^a-zA-Z0-9_]*$")
_OTHERS = re.compile(r"[^a-zA-Z0-9]")


def attributes(columns: Iterable[str]) -> list[str]:
    """Attribute names for the columns of a row: other characters become ``_`` or, at the edges, are
    left out. Names that are still not valid are ``field_N_`` by position, and repeated ones get
    ``_`` at the end."""
    clean = [_OTHERS.sub("_", _START.sub("", _END.sub("", name))) for name in columns]
    if _are_fields(clean):
        return clean
    names = by_position(clean)
    seen: set[str] = set()
    for at, name in enumerate(names):
        unique = name
        while unique in seen:
            unique += "_"
        seen.add(unique)
        names[at] = unique
    return names


def by_position(names: Sequence[str]) -> list[str]:
    """The names, with ``field_N_`` for those that are not valid."""
    return [name if _is_field(name) else f"field_{at}_" for at, name in enumerate(names)]


def _is_field(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_"


def _are_fields(names: list[str]) -> bool:
    """Whether a named tuple takes them as they are."""
    return len(set(names)) == len(names) and all(
        name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_" for name in names
    )
