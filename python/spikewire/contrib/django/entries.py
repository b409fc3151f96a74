"""What the methods of a cache do to its records, written once for calling threads and event loops.

An entry is a record. Its bin holds an integer as such, so that ``increase`` is one atomic command,
and anything else as bytes. A method is a generator: it yields the calls to make, each a function of
a dataset's verbs, is sent their results, and returns what the method returns.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

from spikewire import op
from spikewire.errors import FilteredOut, GenerationMismatch, RecordExists, RecordNotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from spikewire.types import UserKey

    _T = TypeVar("_T")
    Bins: TypeAlias = Mapping[str, int | bytes]
    Steps: TypeAlias = Generator[Callable[[Any], Any], Any, _T]

__all__ = ["Entries", "PickleSerializer", "Serializer", "Ttl"]

#: Seconds to live; 0: do not cache.
Ttl: TypeAlias = int | Literal["never"]

BIN = "v"
LEAST, MOST = -(2**63), 2**63 - 1
#: How often to retry an update of a value that others keep changing.
ATTEMPTS = 100


class Serializer(Protocol):
    """Stores values other than integers as bytes."""

    def dumps(self, value: Any, /) -> bytes:
        """A value as bytes."""
        ...

    def loads(self, data: bytes, /) -> Any:
        """The value again."""
        ...


class PickleSerializer:
    """The default serializer."""

    def dumps(self, value: Any, /) -> bytes:
        """A value as bytes."""
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)

    def loads(self, data: bytes, /) -> Any:
        """The value again."""
        return pickle.loads(data)  # noqa: S301


class Entries:
    """The steps of each method."""

    def __init__(self, serializer: Serializer) -> None:
        self._serializer = serializer

    def stored(self, value: Any) -> Bins:
        """The bins to store for a value."""
        # Subclasses of int, such as bool, must be restored as they were.
        if type(value) is int and LEAST <= value <= MOST:
            return {BIN: value}
        return {BIN: self._serializer.dumps(value)}

    def _loaded(self, record: Any) -> Any:
        stored = record[BIN]
        return stored if isinstance(stored, int) else self._serializer.loads(stored)

    def get(self, key: UserKey, default: Any) -> Steps[Any]:
        """The value, or the default."""
        record = yield lambda verbs: verbs.get(key, [BIN], default=None)
        return default if record is None else self._loaded(record)

    def put(self, key: UserKey, bins: Bins, ttl: Ttl) -> Steps[None]:
        """Writes a value."""
        if ttl == 0:
            yield lambda verbs: verbs.delete(key)
        else:
            yield lambda verbs: verbs.put(key, bins, ttl=ttl)

    def add(self, key: UserKey, bins: Bins, ttl: Ttl) -> Steps[bool]:
        """Writes a value if none exists; returns whether it was written."""
        if ttl == 0:
            is_there: bool = yield lambda verbs: verbs.exists(key)
            return not is_there
        try:
            yield lambda verbs: verbs.put(key, bins, exists="create", ttl=ttl)
        except RecordExists:
            return False
        return True

    def touch(self, key: UserKey, ttl: Ttl) -> Steps[bool]:
        """Changes a value's time to live; returns whether the value exists."""
        if ttl == 0:
            return (yield from self.delete(key))
        try:
            yield lambda verbs: verbs.touch(key, ttl=ttl)
        except RecordNotFound:
            return False
        return True

    def delete(self, key: UserKey) -> Steps[bool]:
        """Removes a value; returns whether it existed."""
        existed: bool = yield lambda verbs: verbs.delete(key)
        return existed

    def has(self, key: UserKey) -> Steps[bool]:
        """Whether the value exists."""
        is_there: bool = yield lambda verbs: verbs.exists(key)
        return is_there

    def get_many(self, names: Mapping[UserKey, Any]) -> Steps[dict[Any, Any]]:
        """The existing values, by the names for the keys."""
        if not names:
            return {}
        records = yield lambda verbs: verbs.get_many(list(names), [BIN])
        rows = zip(names.values(), records, strict=True)
        return {name: self._loaded(record) for name, record in rows if record is not None}

    def put_many(self, rows: Mapping[UserKey, Bins], ttl: Ttl) -> Steps[list[int]]:
        """Writes values; returns the numbers of those that could not be written."""
        if not rows:
            return []
        if ttl == 0:
            done = yield lambda verbs: verbs.delete_many(list(rows))
        else:
            done = yield lambda verbs: verbs.put_many(rows, ttl=ttl)
        return sorted(done.errors)

    def delete_many(self, keys: list[UserKey]) -> Steps[None]:
        """Removes values."""
        if keys:
            done = yield lambda verbs: verbs.delete_many(keys)
            done.raise_for_errors()

    def increase(self, key: UserKey, delta: Any) -> Steps[Any]:
        """Adds to a value and returns the sum; the time to live is unchanged.

        Raises ``RecordNotFound`` if there is no value.
        """
        if type(delta) is int and LEAST <= delta <= MOST:
            # Servers add in 64 bits and wrap on overflow.
            fits = ("$.v <= ?", MOST - delta) if delta >= 0 else ("$.v >= ?", LEAST - delta)
            steps = [op.add(BIN, delta), op.get(BIN)]
            try:
                record = yield lambda verbs: verbs.operate(
                    key, steps, where=fits, exists="update", ttl="unchanged"
                )
            except FilteredOut:
                pass
            else:
                return self._loaded(record)
        return (yield from self._increase_other(key, delta))

    def _increase_other(self, key: UserKey, delta: Any) -> Steps[Any]:
        """``increase`` if the value is not a 64-bit integer, before or after."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return (yield from self._replaced(key, delta))
            except GenerationMismatch:  # noqa: PERF203
                # The value was changed meanwhile.
                if attempt == ATTEMPTS:
                    raise
        raise AssertionError

    def _replaced(self, key: UserKey, delta: Any) -> Steps[Any]:
        record = yield lambda verbs: verbs.get(key, [BIN])
        value = self._loaded(record) + delta
        bins, generation = self.stored(value), record.generation
        yield lambda verbs: verbs.put(
            key, bins, exists="update", generation=generation, ttl="unchanged"
        )
        return value
