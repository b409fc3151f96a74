"""Where chains begin: the session of a client."""

from __future__ import annotations

from typing import Any, ClassVar

from spikewire._native import AsyncDataset, Dataset, Key
from spikewire.builder.rows import Face
from spikewire.builder.step import is_one, keys_of

__all__ = ["Start"]

_WRITE, _DELETE, _TOUCH, _EXISTS = map(Face._fields.index, ("write", "delete", "touch", "exists"))


class Start:
    """The beginnings of chains. What is common to the sessions of both faces."""

    __slots__ = ("_verbs",)

    #: The steps on one key, on several, and on a dataset.
    _one: ClassVar[Face]
    _many: ClassVar[Face]
    _scan: ClassVar[type[Any]]
    _dataset: ClassVar[type[Any]]

    def __init__(self, verbs: Any) -> None:
        self._verbs = verbs

    def query(self, key: Any, *more: Any) -> Any:
        """Reads records by their keys, or those of a dataset."""
        if type(key) is Key and not more:
            return self._one.read(self._verbs, key)
        # That of a view stands for its set: the profile is the session's.
        key = getattr(key, "_target", key)
        if isinstance(key, (Dataset, AsyncDataset)) and not more:
            if not isinstance(key, self._dataset) or not self._verbs._owns(key):
                raise ValueError(f"{key!r} is a dataset of another client")
            return self._scan(self._verbs, key)
        return self._many.read(self._verbs, *keys_of("query", key, more))

    def insert(self, key: Any, *more: Any) -> Any:
        """Creates records; fails with ``RecordExists`` where there is one."""
        return self._begin("insert", _WRITE, key, more, "create")

    def upsert(self, key: Any, *more: Any) -> Any:
        """Creates records or changes the bins that are named."""
        if type(key) is Key and not more:
            return self._one.write(self._verbs, key)
        return self._begin("upsert", _WRITE, key, more)

    def update(self, key: Any, *more: Any) -> Any:
        """Changes the bins that are named; ``RecordNotFound`` where there is no record."""
        return self._begin("update", _WRITE, key, more, "update")

    def replace(self, key: Any, *more: Any) -> Any:
        """Creates records or replaces all their bins."""
        return self._begin("replace", _WRITE, key, more, "replace")

    def replace_if_exists(self, key: Any, *more: Any) -> Any:
        """Replaces all bins of records; ``RecordNotFound`` where there is none."""
        return self._begin("replace_if_exists", _WRITE, key, more, "replace_only")

    def delete(self, key: Any, *more: Any) -> Any:
        """Deletes records."""
        return self._begin("delete", _DELETE, key, more)

    def touch(self, key: Any, *more: Any) -> Any:
        """Renews the time to live of records; ``RecordNotFound`` where there is none."""
        return self._begin("touch", _TOUCH, key, more)

    def exists(self, key: Any, *more: Any) -> Any:
        """Asks which records exist."""
        return self._begin("exists", _EXISTS, key, more)

    def _begin(self, verb: str, kind: int, key: Any, more: Any, *rule: str) -> Any:
        if not more and is_one(key):
            return self._one[kind](self._verbs, key, True, None, *rule)
        return self._many[kind](self._verbs, *keys_of(verb, key, more), None, *rule)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._verbs!r}>"
