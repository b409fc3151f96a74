"""Values of results for which the other driver has classes of its own."""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import random
import uuid
from collections import OrderedDict
from typing import Any
from weakref import WeakSet

from spikewire.compat.cassandra.containers import OrderedMap, OrderedMapSerializedKey, SortedSet
from spikewire.compat.cassandra.missing_errors import resolve_name
from spikewire.compat.cassandra.times import Date, Duration, Time

__all__ = [
    "DATETIME_EPOC",
    "HIGHEST_TIME_UUID",
    "LOWEST_TIME_UUID",
    "UTC_DATETIME_EPOC",
    "Date",
    "Duration",
    "OrderedDict",
    "OrderedMap",
    "OrderedMapSerializedKey",
    "SortedSet",
    "Time",
    "Version",
    "WeakSet",
    "datetime_from_timestamp",
    "datetime_from_uuid1",
    "max_uuid_from_time",
    "min_uuid_from_time",
    "ms_timestamp_from_datetime",
    "sortedset",
    "unix_time_from_uuid1",
    "utc_datetime_from_ms_timestamp",
    "uuid_from_time",
]

DATETIME_EPOC = _EPOCH = dt.datetime(1970, 1, 1)
UTC_DATETIME_EPOC = _EPOCH.replace(tzinfo=dt.timezone.utc)
#: The smallest and the largest time-based UUID, in Cassandra's order.
LOWEST_TIME_UUID = uuid.UUID("00000000-0000-1000-8080-808080808080")
HIGHEST_TIME_UUID = uuid.UUID("ffffffff-ffff-1fff-bf7f-7f7f7f7f7f7f")
#: 100-nanosecond intervals from the beginning of the Gregorian calendar to 1970.
_UUID_OFFSET = 0x01B21DD213814000
_DAY = 86_400
_SECOND = 1_000_000_000


def datetime_from_timestamp(timestamp: float) -> dt.datetime:
    """The naive UTC ``datetime`` at these seconds since 1970."""
    return _EPOCH + dt.timedelta(seconds=timestamp)


def utc_datetime_from_ms_timestamp(timestamp: float) -> dt.datetime:
    """The ``datetime`` at these milliseconds since 1970, with the time zone UTC."""
    return UTC_DATETIME_EPOC + dt.timedelta(milliseconds=timestamp)


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
    """A time-based UUID at a time. Node (48 bits) and clock sequence (14 bits) are random unless
    they are given, so UUIDs of the same time differ."""
    if isinstance(time_arg, dt.datetime):
        seconds = calendar.timegm(time_arg.utctimetuple())
        microseconds = seconds * 1_000_000 + time_arg.microsecond
    else:
        microseconds = int(time_arg * 1e6)
    if clock_seq is None:
        clock_seq = random.getrandbits(14)
    elif clock_seq > 0x3FFF:
        message = f"clock_seq must be below 0x4000, got {clock_seq:#x}"
        raise ValueError(message)
    if node is None:
        node = random.getrandbits(48)
    steps = microseconds * 10 + _UUID_OFFSET
    low, middle, high = steps & 0xFFFFFFFF, (steps >> 32) & 0xFFFF, (steps >> 48) & 0x0FFF
    fields = (low, middle, high, (clock_seq >> 8) & 0x3F, clock_seq & 0xFF, node)
    return uuid.UUID(fields=fields, version=1)


sortedset = SortedSet


@functools.total_ordering
class Version:
    """A version of the server: up to four numbers, and a name after ``-`` that comes before the
    release without one."""

    def __init__(self, version: str) -> None:
        self._text = version
        numbers, _, name = version.partition("-")
        parts: list[Any] = numbers.split(".")[:4]
        try:
            parts[:3] = [int(part) for part in parts[:3]]
        except ValueError:
            message = f"Couldn't parse version {version}. Version should start with a number"
            raise ValueError(message) from None
        parts += [0] * (4 - len(parts))
        self.major, self.minor, self.patch, self.build = parts
        if str(self.build).isdigit():
            self.build = int(self.build)
        self.prerelease: str | int = name or 0

    def _key(self) -> tuple[Any, ...]:
        build, name = self.build, self.prerelease
        return (
            (self.major, self.minor, self.patch),
            (0, build, "") if isinstance(build, int) else (1, 0, build),
            (name == 0, str(name)),
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Version) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._key() < other._key() if isinstance(other, Version) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        numbers = f"Version({self.major}, {self.minor}, {self.patch}"
        more = "".join(f", {part}" for part in (self.build, self.prerelease) if part)
        return f"{numbers}{more})"


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
