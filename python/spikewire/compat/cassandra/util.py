"""Values of results for which the other driver has classes of its own."""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import time as clock
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from spikewire.compat.cassandra.checks import is_a

__all__ = [
    "Date",
    "Duration",
    "OrderedMap",
    "OrderedMapSerializedKey",
    "SortedSet",
    "Time",
    "datetime_from_timestamp",
    "datetime_from_uuid1",
    "max_uuid_from_time",
    "min_uuid_from_time",
    "ms_timestamp_from_datetime",
    "sortedset",
    "unix_time_from_uuid1",
    "uuid_from_time",
]

_EPOCH = dt.datetime(1970, 1, 1)
#: 100-nanosecond intervals from the beginning of the Gregorian calendar to 1970.
_UUID_OFFSET = 0x01B21DD213814000
_DAY = 86_400
_SECOND = 1_000_000_000


def datetime_from_timestamp(timestamp: float) -> dt.datetime:
    """The naive UTC ``datetime`` at these seconds since 1970."""
    return _EPOCH + dt.timedelta(seconds=timestamp)


def ms_timestamp_from_datetime(dt: dt.datetime) -> int:
    """Milliseconds since 1970; naive values are UTC."""
    return calendar.timegm(dt.utctimetuple()) * 1000 + dt.microsecond // 1000


def unix_time_from_uuid1(uuid_arg: uuid.UUID) -> float:
    """Seconds since 1970 of a time-based UUID."""
    return (uuid_arg.time - _UUID_OFFSET) / 1e7


def datetime_from_uuid1(uuid_arg: uuid.UUID) -> dt.datetime:
    """The naive UTC ``datetime`` of a time-based UUID."""
    return datetime_from_timestamp(unix_time_from_uuid1(uuid_arg))


def min_uuid_from_time(timestamp: float | dt.datetime) -> uuid.UUID:
    """The smallest time-based UUID at a time, in Cassandra's order."""
    return uuid_from_time(timestamp, 0x808080808080, 0x80)


def max_uuid_from_time(timestamp: float | dt.datetime) -> uuid.UUID:
    """The largest time-based UUID at a time, in Cassandra's order."""
    return uuid_from_time(timestamp, 0x7F7F7F7F7F7F, 0x3F7F)


def uuid_from_time(
    time_arg: float | dt.datetime, node: int | None = None, clock_seq: int | None = None
) -> uuid.UUID:
    """A time-based UUID at a time."""
    if isinstance(time_arg, dt.datetime):
        seconds = calendar.timegm(time_arg.utctimetuple())
        microseconds = seconds * 1_000_000 + time_arg.microsecond
    else:
        microseconds = int(time_arg * 1e6)
    made = uuid.uuid1(node, clock_seq)
    if clock_seq is not None and clock_seq > 0x3FFF:
        message = f"clock_seq must be below 0x4000, got {clock_seq:#x}"
        raise ValueError(message)
    steps = microseconds * 10 + _UUID_OFFSET
    low, middle, high = steps & 0xFFFFFFFF, (steps >> 32) & 0xFFFF, (steps >> 48) & 0x0FFF
    sequence = made.fields[3] & 0x3F if clock_seq is None else (clock_seq >> 8) & 0x3F
    last = made.fields[4] if clock_seq is None else clock_seq & 0xFF
    fields = (low, middle, high, sequence, last, made.node if node is None else node)
    return uuid.UUID(fields=fields, version=1)


@functools.total_ordering
class Time:
    """A time of day with nanoseconds."""

    MICRO = 1_000
    MILLI = 1_000_000
    SECOND = _SECOND
    MINUTE = 60 * _SECOND
    HOUR = 3600 * _SECOND
    DAY = _DAY * _SECOND

    def __init__(self, value: int | dt.time | str) -> None:
        if isinstance(value, int):
            if value >= self.DAY:
                message = f"nanoseconds of a day are below {self.DAY}, got {value}"
                raise ValueError(message)
            self.nanosecond_time = value
        elif isinstance(value, dt.time):
            seconds = value.hour * 3600 + value.minute * 60 + value.second
            self.nanosecond_time = seconds * _SECOND + value.microsecond * 1000
        elif isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            whole, _, part = value.partition(".")
            try:
                parsed = clock.strptime(whole, "%H:%M:%S")
                nanoseconds = int(part.ljust(9, "0")) if part else 0
            except ValueError:
                message = f"no time of day: {value!r}"
                raise ValueError(message) from None
            seconds = parsed.tm_hour * 3600 + parsed.tm_min * 60 + parsed.tm_sec
            self.nanosecond_time = seconds * _SECOND + nanoseconds
        else:
            message = "a Time is made of an int, a dt.time or a str"
            raise TypeError(message)

    @property
    def hour(self) -> int:
        """0 to 23."""
        return self.nanosecond_time // self.HOUR

    @property
    def minute(self) -> int:
        """0 to 59."""
        return self.nanosecond_time // self.MINUTE % 60

    @property
    def second(self) -> int:
        """0 to 59."""
        return self.nanosecond_time // _SECOND % 60

    @property
    def nanosecond(self) -> int:
        """Nanoseconds within the second."""
        return self.nanosecond_time % _SECOND

    def time(self) -> dt.time:
        """As ``dt.time``; digits below microseconds are truncated."""
        return dt.time(self.hour, self.minute, self.second, self.nanosecond // 1000)

    def __hash__(self) -> int:
        return self.nanosecond_time

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Time):
            return self.nanosecond_time == other.nanosecond_time
        if isinstance(other, int):
            return self.nanosecond_time == other
        return self.nanosecond_time % 1000 == 0 and self.time() == other

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Time):
            return NotImplemented
        return self.nanosecond_time < other.nanosecond_time

    def __repr__(self) -> str:
        return f"Time({self.nanosecond_time})"

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}:{self.second:02}.{self.nanosecond:09}"


@functools.total_ordering
class Date:
    """A date, with a wider range of years than ``dt.date``."""

    date_format = "%Y-%m-%d"

    def __init__(self, value: int | dt.date | str) -> None:
        if isinstance(value, int):
            self.days_from_epoch = value
        elif isinstance(value, dt.date):
            self.days_from_epoch = calendar.timegm(value.timetuple()) // _DAY
        elif isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            parsed = dt.datetime.strptime(value.removeprefix("+"), self.date_format)
            self.days_from_epoch = (parsed - _EPOCH).days
        else:
            message = "a Date is made of an int, a dt.date or a str"
            raise TypeError(message)

    @property
    def seconds(self) -> int:
        """Seconds since 1970 at its start."""
        return self.days_from_epoch * _DAY

    def date(self) -> dt.date:
        """As ``dt.date``. Raises ``ValueError`` if that does not support the year."""
        try:
            return _EPOCH.date() + dt.timedelta(days=self.days_from_epoch)
        except OverflowError:
            message = f"{self!r} is outside of the years of dt.date"
            raise ValueError(message) from None

    def __hash__(self) -> int:
        return self.days_from_epoch

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Date):
            return self.days_from_epoch == other.days_from_epoch
        if isinstance(other, int):
            return self.days_from_epoch == other
        try:
            return self.date() == other
        except ValueError:
            return False

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Date):
            return NotImplemented
        return self.days_from_epoch < other.days_from_epoch

    def __repr__(self) -> str:
        return f"Date({self.days_from_epoch})"

    def __str__(self) -> str:
        try:
            return self.date().isoformat()
        except ValueError:
            return str(self.days_from_epoch)


class Duration:
    """Months, days and nanoseconds, which are not converted to one another."""

    __slots__ = ("days", "months", "nanoseconds")

    def __init__(self, months: int = 0, days: int = 0, nanoseconds: int = 0) -> None:
        self.months = months
        self.days = days
        self.nanoseconds = nanoseconds

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Duration)
            and self.months == other.months
            and self.days == other.days
            and self.nanoseconds == other.nanoseconds
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Duration({self.months}, {self.days}, {self.nanoseconds})"

    def __str__(self) -> str:
        sign = "-" if min(self.months, self.days, self.nanoseconds) < 0 else ""
        return f"{sign}{abs(self.months)}mo{abs(self.days)}d{abs(self.nanoseconds)}ns"


class SortedSet:
    """A sorted set whose elements need not be hashable."""

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self._items: list[Any] = []
        try:
            items = sorted(iterable)
        except TypeError:
            items = list(iterable)
        for item in items:
            if not self._items or self._items[-1] != item:
                self._items.append(item)

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, i: Any) -> Any:
        return self._items[i]

    def __iter__(self) -> Iterator[Any]:
        yield from self._items

    def __reversed__(self) -> Iterator[Any]:
        yield from reversed(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

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

    def add(self, item: Any) -> None:
        """Adds an element."""
        if item not in self._items:
            self._items = SortedSet([*self._items, item])._items

    def update(self, iterable: Iterable[Any]) -> None:
        """Adds elements."""
        for item in iterable:
            self.add(item)

    def remove(self, item: Any) -> None:
        """Removes an element. Raises ``KeyError`` if it is missing."""
        try:
            self._items.remove(item)
        except ValueError:
            raise KeyError(repr(item)) from None

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
        made = self.copy()
        for other in others:
            made.update(other)
        return made

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


sortedset = SortedSet


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
    return key


class OrderedMap(Mapping[Any, Any]):
    """A mapping in insertion order whose keys need not be hashable."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1:
            message = f"expected at most 1 argument, got {len(args)}"
            raise TypeError(message)
        self._entries: dict[Any, tuple[Any, Any]] = {}
        if args:
            given = args[0]
            for key, value in given.items() if hasattr(given, "items") else given:
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
