"""User-defined types: the classes of their values."""

from __future__ import annotations

import keyword
from collections import namedtuple
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.identifiers import by_position

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.compat.cassandra.column_types import ColumnType

__all__ = ["UserTypes"]


class UserTypes:
    """The classes for values of user-defined types: those that programs registered, by keyspace and
    name, and named tuples for the others."""

    def __init__(self, classes: dict[tuple[str, str], Any]) -> None:
        self._classes = classes
        self._tuples: dict[ColumnType, Callable[..., Any]] = {}

    def maker(self, of: ColumnType) -> Callable[[list[Any]], Any]:
        """A function that creates values of a type from those of their fields."""
        key = (of.keyspace or "", of.name)
        fields = of.fieldnames
        classes = self._classes
        if of not in self._tuples:
            self._tuples[of] = _tuple_class(of.name, fields)
        unregistered = self._tuples[of]

        def make(parts: list[Any]) -> Any:
            registered = classes.get(key)
            if registered is None:
                return unregistered(*parts)
            return registered(**dict(zip(fields, parts, strict=True)))

        return make


def _tuple_class(name: str, fields: tuple[str, ...]) -> Callable[..., Any]:
    """A class of named tuples. Fields whose names are not valid in Python are named by position; if
    the type's own name is not valid, its values are plain tuples."""
    names = by_position(fields)
    if not name.isidentifier() or keyword.iskeyword(name) or len(set(names)) < len(names):
        return _plain_tuple
    return namedtuple(name, names)  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]


def _plain_tuple(*parts: Any) -> tuple[Any, ...]:
    return parts
