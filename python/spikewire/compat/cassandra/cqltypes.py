"""Column types, parsed from their CQL notation."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

__all__ = ["CqlType", "parse"]

_TOKEN = re.compile(r'\s*("(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'|[<>,]|[^\s<>,"\']+)')
_COLLECTIONS = frozenset({"list", "set", "map", "tuple", "vector"})


class CqlType(NamedTuple):
    """A type: its name, and its type parameters."""

    name: str
    of: tuple[CqlType, ...] = ()

    @property
    def is_collection(self) -> bool:
        """Whether it contains values of other types."""
        return self.name in _COLLECTIONS and bool(self.of)


@functools.lru_cache(1024)
def parse(text: str) -> CqlType:
    """Parses a type. ``frozen`` is ignored."""
    tokens = _TOKEN.findall(text)
    made, at = _read(tokens, 0)
    if at != len(tokens):
        message = f"no type of CQL: {text!r}"
        raise ValueError(message)
    return made


def _read(tokens: list[str], at: int) -> tuple[CqlType, int]:
    name = tokens[at]
    if name[0] == '"':
        name = name[1:-1].replace('""', '"')
    at += 1
    within: list[CqlType] = []
    if at < len(tokens) and tokens[at] == "<":
        while tokens[at] != ">":
            one, at = _read(tokens, at + 1)
            within.append(one)
        at += 1
    if name == "frozen" and within:
        return within[0], at
    return CqlType(name, tuple(within)), at
