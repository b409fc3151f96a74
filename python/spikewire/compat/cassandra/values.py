"""Converts values between the other driver's form and that of ``spikewire.cql``.

Parameters are converted by the types of a prepared statement, results by the types of their
columns, as the server sent them. Values that do not differ are not touched.
"""

from __future__ import annotations

import datetime as dt
import functools
import ipaddress
import operator
import socket
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, cast

from spikewire import cql
from spikewire.compat.cassandra.special_values import UNSET_VALUE
from spikewire.compat.cassandra.type_checks import is_a
from spikewire.compat.cassandra.user_types import UserTypes
from spikewire.compat.cassandra.util import (
    Date,
    Duration,
    OrderedMapSerializedKey,
    SortedSet,
    Time,
)
from spikewire.cql._native import decode_value, encode_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spikewire.compat.cassandra.column_types import ColumnType

__all__ = ["Binder", "decoded", "encoded", "row_reader"]

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
        message = "expected a number"
        raise TypeError(message)
    return float(value)


def _boolean(value: Any) -> bool:
    # Text and collections have a truth value, too: "false" is true.
    number = operator.index(value)
    if not -128 <= number <= 127:
        message = f"a boolean is True or False, not {value!r}"
        raise TypeError(message)
    return number != 0


def _decimal(value: Any) -> Any:
    if is_a(value, float):
        return Decimal(repr(value))
    if not is_a(value, str):
        return value
    try:
        return Decimal(value)
    except InvalidOperation:
        message = f"not a decimal number: {value!r}"
        raise TypeError(message) from None


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
        address = ipaddress.ip_address(value)
    except ValueError as error:
        raise TypeError(str(error)) from None
    if getattr(address, "scope_id", None) is not None:
        message = f"an inet cannot store the scope of {value!r}"
        raise TypeError(message)
    return address


def _iterable(value: Any) -> Iterable[Any]:
    if is_a(value, (str, bytes, Mapping)) or not is_a(value, Iterable):
        message = f"{type(value).__name__} is not a collection"
        raise TypeError(message)
    items: Iterable[Any] = value
    return items


class _Entries(Mapping[Any, Any]):
    """The entries of a map, for the engine: unlike a dictionary, with any keys."""

    def __init__(self, entries: list[tuple[Any, Any]]) -> None:
        self._entries = entries

    def items(self) -> ItemsView[Any, Any]:
        """All entries, in order."""
        return cast("ItemsView[Any, Any]", self._entries)

    def __getitem__(self, key: Any) -> Any:
        return next(value for known, value in self._entries if known == key)

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._entries)

    def __len__(self) -> int:
        return len(self._entries)


_ENCODERS: dict[str, Change] = {
    "tinyint": _integer,
    "smallint": _integer,
    "int": _integer,
    "bigint": _integer,
    "counter": _integer,
    "varint": _integer,
    "float": _float,
    "double": _float,
    "decimal": _decimal,
    "boolean": _boolean,
    "timestamp": _timestamp,
    "date": _date,
    "time": _time,
    "duration": _duration,
    "inet": _inet,
}


def _same(value: Any) -> Any:
    return value


def _encoder(of: ColumnType) -> Change:
    """The converter for parameters of a type."""
    known = None if of.is_user_type else _ENCODERS.get(of.name)
    if known is not None:
        return known
    within = [_encoder(one) for one in of.subtypes]
    if of.is_user_type:
        return functools.partial(_user_type, of, within)
    if of.name in ("list", "set", "vector"):
        one = within[0]
        return lambda value: [item if item is None else one(item) for item in _iterable(value)]
    if of.name == "map":
        key, item = within
        return lambda value: _Entries(
            [(key(k), v if v is None else item(v)) for k, v in value.items()]
        )
    if of.name == "tuple":
        return functools.partial(_tuple, within)
    return _same


def _tuple(within: list[Change], value: Any) -> tuple[Any, ...]:
    """A tuple. Components that are missing at its end are null."""
    parts = tuple(_iterable(value))
    if len(parts) > len(within):
        message = f"Expected {len(within)} items in a tuple, but got {len(parts)}: {value}"
        raise ValueError(message)
    items = [
        part if part is None else turn(part) for turn, part in zip(within, parts, strict=False)
    ]
    return tuple(items + [None] * (len(within) - len(parts)))


def _user_type(of: ColumnType, within: list[Change], value: Any) -> Any:
    fields = of.fieldnames
    parts: dict[str, Any]
    if is_a(value, Mapping):
        unknown = [str(name) for name in value if name not in fields]
        if unknown:
            message = f"the type {of.keyspace}.{of.name} has no field {', '.join(unknown)}"
            raise ValueError(message)
        parts = dict(value)
    elif is_a(value, (tuple, list)):
        if len(value) > len(fields):
            message = (
                f"Expected {len(fields)} items for the type {of.keyspace}.{of.name}, but got "
                f"{len(value)}: {value}"
            )
            raise ValueError(message)
        parts = dict(zip(fields, value, strict=False))
    elif is_a(value, (str, bytes)) or not any(hasattr(value, field) for field in fields):
        message = f"{type(value).__name__} has no field of the type {of.keyspace}.{of.name}"
        raise TypeError(message)
    else:
        parts = {field: getattr(value, field, None) for field in fields}
    for field, turn in zip(fields, within, strict=True):
        part = parts.get(field)
        if part is not None:
            parts[field] = turn(part)
    return parts


class Binder:
    """Converts the parameters of one prepared statement; ``types`` are their types."""

    def __init__(self, prepared: Any, types: Sequence[ColumnType]) -> None:
        self._key: list[int] = list(prepared.partition_key)
        columns: list[tuple[str, str, str, str]] = prepared.parameter_columns
        #: Keyspace and table of each parameter.
        self.places = [(keyspace, table) for keyspace, table, _, _ in columns]
        self.names = [name for _, _, name, _ in columns]
        self.types = list(types)
        self._changes = list(map(_encoder, self.types))

    def __call__(self, values: Any) -> tuple[Any, ...]:
        """The values in order. Those that are missing are unset."""
        if values is None:
            values = ()
        if is_a(values, Mapping):
            named = values
            values = [named.get(name, UNSET_VALUE) for name in self.names]
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
    if value is cql.EMPTY:
        return None
    return Date(value if is_a(value, dt.date) else int(value))


def _time_of_day(value: Any) -> Any:
    if is_a(value, cql.Time):
        seconds = value.hour * 3600 + value.minute * 60 + value.second
        return Time(seconds * 1_000_000_000 + value.nanosecond)
    return None if value is cql.EMPTY else Time(value)


def _span(value: Any) -> Any:
    return None if value is cql.EMPTY else Duration(*value)


def _address(value: Any) -> Any:
    if value is cql.EMPTY:
        return None
    if is_a(value, ipaddress.IPv6Address):
        # Unlike str(), this writes addresses of IPv4 inside IPv6 with dots.
        return socket.inet_ntop(socket.AF_INET6, value.packed)
    return str(value)


_DECODERS: dict[str, Change] = {
    "timestamp": _naive,
    "date": _day,
    "time": _time_of_day,
    "duration": _span,
    "inet": _address,
}


def _pairs(value: Any) -> Any:
    """The entries of a map, which is a tuple of pairs if it was itself a key."""
    return value.items() if is_a(value, dict) else value


def _decoder(of: ColumnType, user_types: UserTypes) -> Change | None:
    """The converter for values of a type; ``None`` if nothing has to be converted."""
    within = [_decoder(one, user_types) or _same for one in of.subtypes]
    if of.is_user_type:
        make = user_types.maker(of)
        return lambda value: make(_parts(within, value))
    known = _DECODERS.get(of.name)
    if known is not None or not within:
        return known
    one = within[0]
    if of.name == "list":
        return lambda value: [item if item is None else one(item) for item in value]
    if of.name == "vector":
        return lambda value: [one(item) for item in value]
    if of.name == "set":
        return lambda value: SortedSet([one(item) for item in value])
    if of.name == "map":
        key, item = within
        return lambda value: OrderedMapSerializedKey.of(
            [(key(k), v if v is None else item(v)) for k, v in _pairs(value)]
        )
    return lambda value: tuple(_parts(within, value))


def _parts(within: list[Change], value: Any) -> list[Any]:
    """The components of a tuple, or the fields of a user-defined type."""
    return [part if part is None else turn(part) for turn, part in zip(within, value, strict=True)]


def row_reader(types: tuple[ColumnType, ...], user_types: UserTypes) -> Callable[[Any], list[Any]]:
    """A function that creates tuples from the rows of a page whose columns have these types."""
    changes = [
        (index, change)
        for index, change in enumerate(_decoder(one, user_types) for one in types)
        if change is not None
    ]
    if not changes:
        return lambda rows: [row.as_tuple() for row in rows]

    def read(rows: Any) -> list[Any]:
        tuples: list[Any] = []
        for row in rows:
            values = list(row)
            for index, change in changes:
                value = values[index]
                if value is not None:
                    values[index] = change(value)
            tuples.append(tuple(values))
        return tuples

    return read


def encoded(of: ColumnType, value: Any) -> bytes | None:
    """The bytes of a value of a type."""
    return encode_value(of.class_name(), None if value is None else _encoder(of)(value))


def decoded(of: ColumnType, data: bytes | None) -> Any:
    """The value of a type from its bytes."""
    value = decode_value(of.class_name(), data)
    change = _decoder(of, UserTypes({}))
    return value if value is None or change is None else change(value)
