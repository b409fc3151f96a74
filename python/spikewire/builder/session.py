"""Where chains begin: the session of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from spikewire._native import AsyncDataset, Dataset, Key
from spikewire.builder.step import keys_of

if TYPE_CHECKING:
    from spikewire.builder.rows import Face

__all__ = ["Start"]

_PLACEHOLDER = Key("-", None, 0)
_DATASETS = (Dataset, AsyncDataset)


class Start:
    """The beginnings of chains. What is common to the sessions of both faces."""

    __slots__ = ("_verbs",)

    #: The steps on one key.
    _read_one: ClassVar[type[Any]]
    _write_one: ClassVar[type[Any]]
    _delete_one: ClassVar[type[Any]]
    _touch_one: ClassVar[type[Any]]
    _exists_one: ClassVar[type[Any]]
    #: Those on several, and on a dataset.
    _many: ClassVar[Face]
    _scan: ClassVar[type[Any]]
    _dataset: ClassVar[type[Any]]

    def __init__(self, verbs: Any) -> None:
        self._verbs = verbs

    # The beginnings on one key are written out: a call more would be felt.

    def query(self, key: Any, *more: Any) -> Any:
        """Reads records by their keys, or those of a dataset."""
        if type(key) is Key and not more:
            step = self._read_one()
            step._verbs = self._verbs
            step._keys = key
            step._options = step._bins = step._ops = None
            return step
        if not more and isinstance(getattr(key, "_target", key), _DATASETS):
            return self._scan(self._verbs, self._own(key))
        return self._several("query", self._many.read, key, more)

    def insert(self, key: Any, *more: Any) -> Any:
        """Creates records; fails with ``RecordExists`` where there is one."""
        if type(key) is Key and not more:
            step = self._write_one()
            step._verbs = self._verbs
            step._keys = key
            step._exists = "create"
            step._options = step._bins = step._ops = step._ttl = None
            return step
        return self._several("insert", self._many.write, key, more, "create")

    def upsert(self, key: Any, *more: Any) -> Any:
        """Creates records or changes the bins that are named."""
        if type(key) is Key and not more:
            step = self._write_one()
            step._verbs = self._verbs
            step._keys = key
            step._exists = None
            step._options = step._bins = step._ops = step._ttl = None
            return step
        return self._several("upsert", self._many.write, key, more, None)

    def update(self, key: Any, *more: Any) -> Any:
        """Changes the bins that are named; ``RecordNotFound`` where there is no record."""
        if type(key) is Key and not more:
            step = self._write_one()
            step._verbs = self._verbs
            step._keys = key
            step._exists = "update"
            step._options = step._bins = step._ops = step._ttl = None
            return step
        return self._several("update", self._many.write, key, more, "update")

    def replace(self, key: Any, *more: Any) -> Any:
        """Creates records or replaces all their bins."""
        if type(key) is Key and not more:
            step = self._write_one()
            step._verbs = self._verbs
            step._keys = key
            step._exists = "replace"
            step._options = step._bins = step._ops = step._ttl = None
            return step
        return self._several("replace", self._many.write, key, more, "replace")

    def replace_if_exists(self, key: Any, *more: Any) -> Any:
        """Replaces all bins of records; ``RecordNotFound`` where there is none."""
        if type(key) is Key and not more:
            step = self._write_one()
            step._verbs = self._verbs
            step._keys = key
            step._exists = "replace_only"
            step._options = step._bins = step._ops = step._ttl = None
            return step
        return self._several("replace_if_exists", self._many.write, key, more, "replace_only")

    def delete(self, key: Any, *more: Any) -> Any:
        """Deletes records."""
        if type(key) is Key and not more:
            step = self._delete_one()
            step._verbs = self._verbs
            step._keys = key
            step._options = None
            return step
        return self._several("delete", self._many.delete, key, more)

    def touch(self, key: Any, *more: Any) -> Any:
        """Renews the time to live of records; ``RecordNotFound`` where there is none."""
        if type(key) is Key and not more:
            step = self._touch_one()
            step._verbs = self._verbs
            step._keys = key
            step._options = None
            return step
        return self._several("touch", self._many.touch, key, more)

    def exists(self, key: Any, *more: Any) -> Any:
        """Asks which records exist."""
        if type(key) is Key and not more:
            step = self._exists_one()
            step._verbs = self._verbs
            step._keys = key
            step._options = None
            return step
        return self._several("exists", self._many.exists, key, more)

    def _several(self, verb: str, many: type[Any], key: Any, more: Any, *rule: Any) -> Any:
        """A step on what is no single ``Key``."""
        keys, single = keys_of(verb, key, more)
        if single:  # A tuple of namespace, set and key.
            step = getattr(self, verb)(_PLACEHOLDER)
            step._keys = keys
            return step
        return many()._begun(self._verbs, keys, False, None, *rule)

    def _own(self, dataset: Any) -> Any:
        """A dataset of this client. A view stands for its set: the profile is the session's."""
        native = getattr(dataset, "_target", dataset)
        if not isinstance(native, self._dataset) or not self._verbs._owns(native):
            raise ValueError(f"{dataset!r} is a dataset of another client")
        return native

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._verbs!r}>"
