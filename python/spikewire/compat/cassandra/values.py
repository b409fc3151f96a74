"""Converts values between the other driver's form and that of ``spikewire.cql``.

Parameters are converted by the types of a prepared statement, results by the types of their
columns. Values that do not differ are not touched.
"""

from __future__ import annotations

import datetime as dt
import functools
import ipaddress
import operator
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from spikewire import cql
from spikewire.compat.cassandra.checks import is_a
from spikewire.compat.cassandra.cqltypes import CqlType, parse
from spikewire.compat.cassandra.marks import UNSET_VALUE
from spikewire.compat.cassandra.util import (
    Date,
    Duration,
    OrderedMapSerializedKey,
    SortedSet,
    Time,
)

if TYPE_CHECKING:
    from spikewire.compat.cassandra.user_types import UserTypes

__all__ = ["Binder", "row_reader"]

Change = Callable[[Any], Any]

_UTC = dt.timezone.utc
#: Dates are unsigned numbers on the wire, with this number for 1970-01-01.
_DATE_OFFSET = 1 << 31


# Parameters.


def _integer(value: Any) -> Any:
    return value if type(value) is int else int(operator.index(value))


def _float(value: Any) -> Any:
    if is_a(value, float):
        return value
    if is_a(value, (str, bytes)) or not hasattr(value, "__float__"):
        message = "a number is needed"
        raise TypeError(message)
    return float(value)


def _decimal(value: Any) -> Any:
    return Decimal(repr(value)) if is_a(value, float) else value


def _timestamp(value: Any) -> Any:
    if is_a(value, str):
        value = dt.datetime.fromisoformat(_iso(value))
    if is_a(value, dt.datetime):
        whole = value.microsecond // 1000 * 1000
        zone = value.tzinfo or _UTC
        return value.replace(microsecond=whole, tzinfo=zone)
    if is_a(value, dt.date):
        return dt.datetime(value.year, value.month, value.day, tzinfo=_UTC)
    if is_a(value, float):
        return int(value)
    return value


def _iso(text: str) -> str:
    """The text in the form that Python 3.10 can parse."""
    if text.endswith(("Z", "z")):
        return text[:-1] + "+00:00"
    if len(text) > 5 and text[-5] in "+-" and text[-4:].isdigit() and ":" in text:
        return f"{text[:-2]}:{text[-2:]}"
    return text


def _date(value: Any) -> Any:
    if is_a(value, Date):
        return cql.Date(value.days_from_epoch)
    if is_a(value, int):
        return cql.Date(value - _DATE_OFFSET)
    return cql.Date(Date(value).days_from_epoch)


def _time(value: Any) -> Any:
    return value.nanosecond_time if is_a(value, Time) else Time(value).nanosecond_time


def _duration(value: Any) -> Any:
    return cql.Duration(value.months, value.days, value.nanoseconds)


def _inet(value: Any) -> Any:
    if not is_a(value, str):
        return value
    try:
        return ipaddress.ip_address(value)
    except ValueError as error:
        raise TypeError(str(error)) from None


def _iterable(value: Any) -> Iterable[Any]:
    if is_a(value, (str, bytes, Mapping)) or not is_a(value, Iterable):
        message = f"{type(value).__name__} is no collection"
        raise TypeError(message)
    items: Iterable[Any] = value
    return items


def _hashable(value: Any) -> Any:
    """A key of a map, in a form that a dictionary accepts."""
    if is_a(value, list):
        return tuple(_hashable(item) for item in value)
    return value


_GIVEN: dict[str, Change] = {
    "tinyint": _integer,
    "smallint": _integer,
    "int": _integer,
    "bigint": _integer,
    "counter": _integer,
    "varint": _integer,
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "boolean": bool,
    "timestamp": _timestamp,
    "date": _date,
    "time": _time,
    "duration": _duration,
    "inet": _inet,
}


def _same(value: Any) -> Any:
    return value


def _given(of: CqlType, user_types: UserTypes) -> Change:
    """The converter for parameters of a type."""
    known = _GIVEN.get(of.name)
    if known is not None:
        return known
    within = [_given(one, user_types) for one in of.of]
    if of.name in ("list", "set", "vector") and within:
        one = within[0]
        return lambda value: [item if item is None else one(item) for item in _iterable(value)]
    if of.name == "map" and within:
        key, item = within
        return lambda value: {
            _hashable(key(k)): v if v is None else item(v) for k, v in value.items()
        }
    if of.name == "tuple" and within:
        return lambda value: (
            tuple(
                item if item is None else turn(item)
                for turn, item in zip(within, _iterable(value), strict=True)
            )
            if len(value) == len(within)
            else value
        )
    if of.of or of.name in _PLAIN or of.name.startswith("'"):
        return _same
    return functools.partial(_user_type, of.name, user_types)


_PLAIN = frozenset({"ascii", "text", "varchar", "blob", "uuid", "timeuuid", "empty"})


def _user_type(name: str, user_types: UserTypes, value: Any) -> Any:
    fields = user_types.fields(name)
    if fields is None:
        return value
    parts: dict[str, Any]
    if is_a(value, Mapping):
        given = value
        parts = {field: given[field] for field, _ in fields if field in given}
    elif is_a(value, (tuple, list)):
        positions = value
        parts = {field: part for (field, _), part in zip(fields, positions, strict=False)}
    else:
        parts = {field: getattr(value, field, None) for field, _ in fields}
    for field, of in fields:
        part = parts.get(field)
        if part is not None:
            parts[field] = _given(of, user_types)(part)
    return parts


class Binder:
    """Converts the parameters of one prepared statement."""

    def __init__(
        self, parameters: list[tuple[str, str]], key: list[int], user_types: UserTypes
    ) -> None:
        self._key = key
        self.names = [name for name, _ in parameters]
        self.types = [type_ for _, type_ in parameters]
        self._changes = [_given(parse(type_), user_types) for _, type_ in parameters]

    def __call__(self, values: Any) -> tuple[Any, ...]:
        """The values in order. Those that are missing are unset."""
        if values is None:
            values = ()
        if is_a(values, Mapping):
            given = values
            values = [given.get(name, UNSET_VALUE) for name in self.names]
        if len(values) > len(self.names):
            message = (
                f"Too many arguments provided to bind() (got {len(values)}, expected "
                f"{len(self.names)})"
            )
            raise ValueError(message)
        bound: list[Any] = []
        for index, value in enumerate(values):
            if value is None or value is UNSET_VALUE:
                bound.append(value)
                continue
            try:
                bound.append(self._changes[index](value))
            except (TypeError, AttributeError, OverflowError) as error:
                message = (
                    f'Received an argument of invalid type for column "{self.names[index]}". '
                    f"Expected: {self.types[index]}, Got: {type(value)}; ({error})"
                )
                raise TypeError(message) from error
        bound.extend(UNSET_VALUE for _ in range(len(self.names) - len(bound)))
        for index in self._key:
            if bound[index] is UNSET_VALUE:
                name = self.names[index]
                message = f"Cannot bind UNSET_VALUE as a part of the routing key '{name}'"
                raise ValueError(message)
        return tuple(bound)


# Results.


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if is_a(value, dt.datetime) else value


def _day(value: Any) -> Any:
    return None if value is cql.EMPTY else Date(value)


def _time_of_day(value: Any) -> Any:
    if is_a(value, cql.Time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return Time(seconds * 1_000_000_000 + value.nanosecond)
    return None if value is cql.EMPTY else Time(value)


def _span(value: Any) -> Any:
    return None if value is cql.EMPTY else Duration(*value)


def _address(value: Any) -> Any:
    return None if value is cql.EMPTY else str(value)


_MADE: dict[str, Change] = {
    "timestamp": _naive,
    "date": _day,
    "time": _time_of_day,
    "duration": _span,
    "inet": _address,
}


def _pairs(value: Any) -> Any:
    """The entries of a map, which is a tuple of pairs if it was itself a key."""
    return value.items() if is_a(value, dict) else value


def _made(of: CqlType, user_types: UserTypes) -> Change | None:
    """The converter for values of a type; ``None`` if nothing has to be converted."""
    known = _MADE.get(of.name)
    if known is not None:
        return known
    if not of.of:
        if of.name in _GIVEN or of.name in _PLAIN or of.name.startswith("'"):
            return None
        return functools.partial(user_types.make, of.name)
    within = [_made(one, user_types) or _same for one in of.of]
    one = within[0]
    if of.name == "list":
        return lambda value: [item if item is None else one(item) for item in value]
    if of.name == "vector":
        return lambda value: [one(item) for item in value]
    if of.name == "set":
        return lambda value: SortedSet([one(item) for item in value])
    if of.name == "map":
        key, item = within
        return lambda value: OrderedMapSerializedKey(
            [(key(k), v if v is None else item(v)) for k, v in _pairs(value)]
        )
    if of.name == "tuple":
        return lambda value: tuple(
            part if part is None else turn(part) for turn, part in zip(within, value, strict=True)
        )
    return None


def row_reader(types: tuple[str, ...], user_types: UserTypes) -> Callable[[Any], list[Any]]:
    """A function that creates tuples from the rows of a page whose columns have these types."""
    changes = [
        (index, change)
        for index, change in enumerate(_made(parse(one), user_types) for one in types)
        if change is not None
    ]
    if not changes:
        return lambda rows: [row.as_tuple() for row in rows]

    def read(rows: Any) -> list[Any]:
        made: list[Any] = []
        for row in rows:
            values = list(row)
            for index, change in changes:
                value = values[index]
                if value is not None:
                    values[index] = change(value)
            made.append(tuple(values))
        return made

    return read


def made_field(value: Any, of: CqlType, user_types: UserTypes) -> Any:
    """A field of a user-defined type."""
    change = _made(of, user_types)
    return value if value is None or change is None else change(value)
