"""Sets and maps of results, whose elements and keys need not be hashable."""

from __future__ import annotations

import bisect
import datetime as dt
import pickle
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.times import Duration
from spikewire.compat.cassandra.type_checks import is_a

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["OrderedMap", "OrderedMapSerializedKey", "SortedSet"]

#: Types whose values are all in one order.
_ORDERED = frozenset({bool, bytes, dt.date, dt.datetime, int, str, uuid.UUID})


class SortedSet:
    """A sorted set whose elements need not be hashable."""

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self._items: list[Any] = []
        self.update(iterable)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, i: Any) -> Any:
        return self._items[i]

    def __iter__(self) -> Iterator[Any]:
        yield from self._items

    def __reversed__(self) -> Iterator[Any]:
        yield from reversed(self._items)

    def __contains__(self, item: object) -> bool:
        at = self._place_of(item)
        return at < len(self._items) and bool(self._items[at] == item)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._items,)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, SortedSet):
            return self._items == other._items
        theirs: Any = other
        if not is_a(theirs, Collection):
            return NotImplemented
        items: list[Any] = list(theirs)
        return len(items) == len(self._items) and all(item in self._items for item in items)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: Any) -> bool:
        return self.issubset(other)

    def __lt__(self, other: Any) -> bool:
        return len(other) > len(self) and self.issubset(other)

    def __ge__(self, other: Any) -> bool:
        return self.issuperset(other)

    def __gt__(self, other: Any) -> bool:
        return len(self) > len(other) and self.issuperset(other)

    def __and__(self, other: Iterable[Any]) -> SortedSet:
        return self.intersection(other)

    def __or__(self, other: Iterable[Any]) -> SortedSet:
        return self.union(other)

    def __sub__(self, other: Iterable[Any]) -> SortedSet:
        return self.difference(other)

    def __xor__(self, other: Iterable[Any]) -> SortedSet:
        return self.symmetric_difference(other)

    def __rsub__(self, other: Iterable[Any]) -> SortedSet:
        return SortedSet(other) - self

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __delitem__(self, i: Any) -> None:
        del self._items[i]

    def __iand__(self, other: Iterable[Any]) -> Self:
        self._items = self.intersection(other)._items
        return self

    def __ior__(self, other: Iterable[Any]) -> Self:
        self.update(other)
        return self

    def __isub__(self, other: Iterable[Any]) -> Self:
        self._items = self.difference(other)._items
        return self

    def __ixor__(self, other: Iterable[Any]) -> Self:
        self._items = self.symmetric_difference(other)._items
        return self

    def _place_of(self, item: Any) -> int:
        """Where an element is, or is to be inserted. Those that cannot be compared with it keep
        together, before or after it."""
        items = self._items
        try:
            return bisect.bisect_left(items, item)
        except TypeError:
            pass
        has_compared = False
        for at, known in enumerate(items):
            try:
                if known == item or known >= item:
                    return at
                has_compared = True
            except TypeError:  # noqa: PERF203
                if has_compared:
                    return at
        return len(items)

    def add(self, item: Any) -> None:
        """Adds an element."""
        at = self._place_of(item)
        if at == len(self._items) or self._items[at] != item:
            self._items.insert(at, item)

    def update(self, iterable: Iterable[Any]) -> None:
        """Adds elements."""
        items = list(iterable)
        kinds = set(map(type, items))
        if not self._items and len(kinds) == 1 and kinds <= _ORDERED:
            for item in sorted(items):
                if not self._items or self._items[-1] != item:
                    self._items.append(item)
            return
        for item in items:
            self.add(item)

    def remove(self, item: Any) -> None:
        """Removes an element. Raises ``KeyError`` if it is missing."""
        at = self._place_of(item)
        if at == len(self._items) or self._items[at] != item:
            raise KeyError(repr(item))
        del self._items[at]

    def pop(self) -> Any:
        """Removes and returns the last element."""
        if not self._items:
            message = "pop from an empty set"
            raise KeyError(message)
        return self._items.pop()

    def clear(self) -> None:
        """Removes all elements."""
        self._items.clear()

    def copy(self) -> SortedSet:
        """A copy of the set."""
        return SortedSet(self._items)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Whether the sets have no element in common."""
        return not self.intersection(other)

    def issubset(self, other: Iterable[Any]) -> bool:
        """Whether all elements are in the other."""
        items = list(other)
        return all(item in items for item in self._items)

    def issuperset(self, other: Iterable[Any]) -> bool:
        """Whether all elements of the other are in this set."""
        return all(item in self._items for item in other)

    def union(self, *others: Iterable[Any]) -> SortedSet:
        """The elements in any of them."""
        result = self.copy()
        for other in others:
            result.update(other)
        return result

    def intersection(self, *others: Iterable[Any]) -> SortedSet:
        """The elements in all of them."""
        items = self._items
        for other in others:
            theirs = list(other)
            items = [item for item in items if item in theirs]
        return SortedSet(items)

    def difference(self, *others: Iterable[Any]) -> SortedSet:
        """The elements only in this set."""
        items = self._items
        for other in others:
            theirs = list(other)
            items = [item for item in items if item not in theirs]
        return SortedSet(items)

    def symmetric_difference(self, other: Iterable[Any]) -> SortedSet:
        """The elements in exactly one of the two."""
        theirs = SortedSet(other)
        return self.difference(theirs).union(theirs.difference(self))


def _frozen(key: Any) -> Any:
    """A key in hashable form. Equal keys give equal ones."""
    if is_a(key, Mapping):
        entries = key.items()
        return frozenset((_frozen(k), _frozen(v)) for k, v in entries)
    if is_a(key, (set, frozenset, SortedSet)):
        return frozenset(_frozen(item) for item in key)
    if is_a(key, (list, tuple)):
        return tuple(_frozen(item) for item in key)
    if is_a(key, Duration):
        return key.months, key.days, key.nanoseconds
    if is_a(key, bytearray):
        return bytes(key)
    try:
        hash(key)
    except TypeError:
        return pickle.dumps(key)
    return key


class OrderedMap(Mapping[Any, Any]):
    """A mapping in insertion order whose keys need not be hashable."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1:
            message = f"expected at most 1 argument, got {len(args)}"
            raise TypeError(message)
        self._entries: dict[Any, tuple[Any, Any]] = {}
        if args:
            entries = args[0]
            for key, value in entries.items() if hasattr(entries, "items") else entries:
                self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[_frozen(key)] = (key, value)

    def __getitem__(self, key: Any) -> Any:
        try:
            return self._entries[_frozen(key)][1]
        except (KeyError, TypeError):
            raise KeyError(str(key)) from None

    def __delitem__(self, key: Any) -> None:
        try:
            del self._entries[_frozen(key)]
        except KeyError:
            raise KeyError(str(key)) from None

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OrderedMap):
            return list(self._entries.values()) == list(other._entries.values())
        theirs: Any = other
        if not is_a(theirs, Mapping):
            return NotImplemented
        return len(self) == len(theirs) and all(
            key in theirs and theirs[key] == value for key, value in self.items()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        pairs = ", ".join(f"({key!r}, {value!r})" for key, value in self.items())
        return f"{type(self).__name__}([{pairs}])"

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key!r}: {value!r}" for key, value in self.items()) + "}"

    def popitem(self) -> tuple[Any, Any]:
        """Removes and returns the last entry."""
        return self._entries.popitem()[1]


class OrderedMapSerializedKey(OrderedMap):
    """The class of values of type ``map``."""

    def __init__(self, cass_type: Any = None, protocol_version: int | None = None) -> None:
        super().__init__()
        self.cass_key_type = cass_type
        self.protocol_version = protocol_version

    @classmethod
    def of(cls, entries: Iterable[tuple[Any, Any]]) -> Self:
        """A map with these entries."""
        result = cls()
        for key, value in entries:
            result[key] = value
        return result

    def _insert_unchecked(self, key: Any, flat_key: Any, value: Any) -> None:  # noqa: ARG002
        self[key] = value
