"""CQL values that the standard library has no class for, and names for annotations."""

from __future__ import annotations

import datetime as dt
import decimal
import ipaddress
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from spikewire.cql._native import Batch, BoundStatement, Mark, Prepared, Row

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "Date",
    "Duration",
    "Node",
    "Parameters",
    "Statement",
    "Time",
    "Timestamp",
    "Value",
]

#: The types of a parameter. Which of them is valid depends on the column: an ``int`` accepts no
#: ``str``, and a ``timestamp`` no ``datetime`` without a time zone. ``Any`` stands for lists, sets,
#: dicts, tuples and instances of user-defined types, which contain such values, and for arrays.
Value: TypeAlias = (
    bool
    | int
    | float
    | str
    | bytes
    | bytearray
    | memoryview
    | decimal.Decimal
    | uuid.UUID
    | dt.datetime
    | dt.date
    | dt.time
    | dt.timedelta
    | ipaddress.IPv4Address
    | ipaddress.IPv6Address
    | Mark
    | Any
    | None
)

#: The parameters of a statement: by position (tuple, list), or by name (dict or another mapping, a
#: row, a dataclass instance). A named tuple is positional.
Parameters: TypeAlias = Sequence[Value] | Mapping[str, Value] | Row | Any

#: Anything that can be executed.
Statement: TypeAlias = str | Prepared | BoundStatement | Batch


class Duration(NamedTuple):
    """A ``duration``: months, days and nanoseconds, which are not converted into one another. All
    have the same sign.
    """

    months: int = 0
    days: int = 0
    nanoseconds: int = 0


class Node(NamedTuple):
    """A node of the cluster, as ``session.nodes`` lists it."""

    #: Its address with the port, as in errors and ``rows.node``.
    address: str
    #: Its datacenter.
    datacenter: str
    #: Its rack.
    rack: str
    #: Its release of Cassandra.
    release: str
    #: Whether it is considered alive.
    up: bool


class Time(dt.time):
    """A ``time`` with nanoseconds, returned if ``datetime.time``, which has microseconds, would
    lose digits.
    """

    __slots__ = ("_nanosecond",)
    _nanosecond: int

    def __new__(cls, hour: int = 0, minute: int = 0, second: int = 0, nanosecond: int = 0) -> Self:
        if not 0 <= nanosecond < 1_000_000_000:
            message = f"nanosecond must be from 0 to 999999999, got {nanosecond}"
            raise ValueError(message)
        self = super().__new__(cls, hour, minute, second, nanosecond // 1000)
        self._nanosecond = nanosecond
        return self

    @property
    def nanosecond(self) -> int:
        """Nanoseconds of the second, 0 to 999,999,999."""
        return self._nanosecond

    def _key(self) -> tuple[int, int, int, int]:
        return self.hour, self.minute, self.second, self._nanosecond

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Time):
            return self._key() == other._key()
        if isinstance(other, dt.time):
            return self._nanosecond % 1000 == 0 and super().__eq__(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._key()) if self._nanosecond % 1000 else super().__hash__()

    def __repr__(self) -> str:
        return f"Time({self.hour}, {self.minute}, {self.second}, {self._nanosecond})"

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}:{self.second:02}.{self._nanosecond:09}"

    def __reduce__(self) -> tuple[object, ...]:
        return Time, self._key()


class Date(int):
    """A ``date`` outside the years 1 to 9999: days since 1970-01-01."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Date({int(self)})"


class Timestamp(int):
    """A ``timestamp`` outside the years 1 to 9999: milliseconds since the beginning of 1970,
    UTC.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Timestamp({int(self)})"
