"""User-defined types: their fields, and the classes that programs registered for them."""

from __future__ import annotations

import threading
from collections import namedtuple
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.cqltypes import CqlType, parse

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["UserTypes"]

Fields = list[tuple[str, CqlType]]

_QUERY = "SELECT keyspace_name, type_name, field_names, field_types FROM system_schema.types"


class UserTypes:
    """The user-defined types that a session has seen. They are looked up when the first one
    appears."""

    def __init__(self, execute: Callable[[str], Any], classes: dict[tuple[str, str], Any]) -> None:
        self._execute = execute
        self._classes = classes
        self._lock = threading.Lock()
        self._known: dict[str, list[tuple[str, Fields]]] | None = None
        self._tuples: dict[tuple[str, tuple[str, ...]], Any] = {}
        #: The session's keyspace, for types whose name exists in several.
        self.keyspace: str | None = None

    def _load(self) -> dict[str, list[tuple[str, Fields]]]:
        known: dict[str, list[tuple[str, Fields]]] = {}
        for keyspace, name, names, types in self._execute(_QUERY):
            fields = [(field, parse(of)) for field, of in zip(names, types, strict=True)]
            known.setdefault(name, []).append((keyspace, fields))
        with self._lock:
            self._known = known
        return known

    def _find(self, name: str, fields: list[str] | None) -> tuple[str, Fields] | None:
        for known in (self._known, None):
            candidates = (self._load() if known is None else known).get(name, [])
            if fields is not None:
                candidates = [it for it in candidates if [field for field, _ in it[1]] == fields]
            for candidate in candidates:
                if candidate[0] == self.keyspace:
                    return candidate
            if candidates:
                return candidates[0]
        return None

    def fields(self, name: str) -> Fields | None:
        """Names and types of the fields; ``None`` if the type does not exist."""
        found = self._find(name, None)
        return None if found is None else found[1]

    def make(self, name: str, value: Any) -> Any:
        """A value as an instance of the class registered for it, or else as a named tuple."""
        from spikewire.compat.cassandra.values import made_field

        names = list(value.keys())
        found = self._find(name, names)
        parts = list(value)
        keyspace = self.keyspace
        if found is not None:
            keyspace, fields = found
            typed = zip(parts, fields, strict=True)
            parts = [made_field(part, of, self) for part, (_, of) in typed]
        registered = self._classes.get((keyspace or "", name))
        if registered is not None:
            return registered(**dict(zip(names, parts, strict=True)))
        key = (name, tuple(names))
        made = self._tuples.get(key)
        if made is None:
            made = self._tuples[key] = _tuple_class(name, names)
        return made(*parts)


def _tuple_class(name: str, fields: list[str]) -> Any:
    return namedtuple(name, fields, rename=True)  # noqa: PYI024  # pyright: ignore[reportUntypedNamedTuple]
