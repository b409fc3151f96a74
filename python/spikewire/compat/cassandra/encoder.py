"""Values as text in CQL. Statements do not need that here: their values are bound.

``Session.encoder`` is for programs that write values into statements themselves.
"""

from __future__ import annotations

import calendar
import datetime as dt
import ipaddress
import math
import types
import uuid
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.missing_errors import resolve_name
from spikewire.compat.cassandra.names import quoted
from spikewire.compat.cassandra.util import Date, Duration, OrderedMap, SortedSet, Time

__all__ = ["Encoder", "ValueSequence", "cql_quote"]


class ValueSequence(list[Any]):
    """Values for ``IN %s``. Any list or tuple can be used."""


def cql_quote(term: Any) -> str:
    """Text in quotes; anything else as ``str`` writes it."""
    if isinstance(term, str):
        doubled = term.replace("'", "''")
        return f"'{doubled}'"
    return str(term)


class _Mapping(dict[type, Callable[[Any], str]]):
    """Encoders by type. Values are bound by the types of their columns, so another encoder would
    have no effect."""

    def __setitem__(self, kind: type, encode: Callable[[Any], str]) -> None:
        if kind is tuple and getattr(encode, "__name__", "") in _OF_TUPLES:
            super().__setitem__(kind, encode)
        else:
            DIFFERENCES.missing("Encoder.mapping")


_OF_TUPLES = ("cql_encode_tuple", "cql_encode_sequence", "cql_encode_list_collection")


class Encoder:
    """Writes values as literals of CQL."""

    def __init__(self) -> None:
        #: The fields of user-defined types for which classes are registered, by class.
        self.user_types: Mapping[type, Sequence[str]] = {}
        plain = self.cql_encode_object
        self.mapping = _Mapping(
            {
                type(None): self.cql_encode_none,
                str: self.cql_encode_str,
                bytes: self.cql_encode_bytes,
                bytearray: self.cql_encode_bytes,
                memoryview: self.cql_encode_bytes,
                bool: plain,
                int: plain,
                float: self.cql_encode_float,
                Decimal: self.cql_encode_decimal,
                uuid.UUID: plain,
                Duration: plain,
                dt.datetime: self.cql_encode_datetime,
                dt.date: self.cql_encode_date,
                dt.time: self.cql_encode_time,
                Date: self.cql_encode_date_ext,
                Time: self.cql_encode_time,
                ipaddress.IPv4Address: self.cql_encode_ipaddress,
                ipaddress.IPv6Address: self.cql_encode_ipaddress,
                dict: self.cql_encode_map_collection,
                list: self.cql_encode_list_collection,
                tuple: self.cql_encode_list_collection,
                types.GeneratorType: self.cql_encode_list_collection,
                set: self.cql_encode_set_collection,
                frozenset: self.cql_encode_set_collection,
                SortedSet: self.cql_encode_set_collection,
                ValueSequence: self.cql_encode_sequence,
            }
        )

    def cql_encode_all_types(self, val: object, as_text_type: bool = False) -> str:  # noqa: ARG002
        """A value of any type; ``str`` of it if its type is unknown."""
        fields = self.user_types.get(type(val))
        if fields is not None:
            return self._user_type(val, fields)
        encode = self.mapping.get(type(val))
        if encode is None and isinstance(val, (OrderedMap, Mapping)):
            encode = self.cql_encode_map_collection
        return (encode or self.cql_encode_object)(val)

    def _user_type(self, val: object, fields: Sequence[str]) -> str:
        """``{a: 1, b: 2}``."""
        parts = [(name, getattr(val, name, None)) for name in fields]
        encode = self.cql_encode_all_types
        return "{" + ", ".join(f"{quoted(name)}: {encode(part)}" for name, part in parts) + "}"

    def cql_encode_none(self, val: Any) -> str:  # noqa: ARG002
        """``NULL``."""
        return "NULL"

    def cql_encode_str(self, val: str) -> str:
        """Text in quotes."""
        return cql_quote(val)

    def cql_encode_bytes(self, val: bytes) -> str:
        """Bytes in hexadecimal."""
        return f"0x{bytes(val).hex()}"

    def cql_encode_object(self, val: Any) -> str:
        """What ``str`` says."""
        return str(val)

    def cql_encode_float(self, val: float) -> str:
        """A number with all its digits."""
        if math.isinf(val):
            return "Infinity" if val > 0 else "-Infinity"
        return "NaN" if math.isnan(val) else repr(val)

    def cql_encode_decimal(self, val: Decimal) -> str:
        """A decimal number."""
        return self.cql_encode_float(float(val)) if not val.is_finite() else str(val)

    def cql_encode_datetime(self, val: dt.datetime) -> str:
        """Milliseconds since 1970; naive values are UTC."""
        return str(calendar.timegm(val.utctimetuple()) * 1000 + val.microsecond // 1000)

    def cql_encode_date(self, val: dt.date) -> str:
        """``'YYYY-MM-DD'``."""
        return f"'{val.isoformat()}'"

    def cql_encode_date_ext(self, val: Date) -> str:
        """A date as the number on the wire."""
        return str(val.days_from_epoch + (1 << 31))

    def cql_encode_time(self, val: Any) -> str:
        """``'HH:MM:SS.nnnnnnnnn'``."""
        return f"'{val}'"

    def cql_encode_ipaddress(self, val: Any) -> str:
        """An address in quotes."""
        return f"'{val.compressed}'"

    def _items(self, val: Any) -> str:
        return ", ".join(map(self.cql_encode_all_types, val))

    def cql_encode_sequence(self, val: Any) -> str:
        """``(a, b)``."""
        return f"({self._items(val)})"

    cql_encode_tuple = cql_encode_sequence

    def cql_encode_list_collection(self, val: Any) -> str:
        """``[a, b]``."""
        return f"[{self._items(val)}]"

    def cql_encode_set_collection(self, val: Any) -> str:
        """``{a, b}``."""
        return "{" + self._items(val) + "}"

    def cql_encode_map_collection(self, val: Any) -> str:
        """``{a: b}``."""
        encode = self.cql_encode_all_types
        return "{" + ", ".join(f"{encode(k)}: {encode(v)}" for k, v in val.items()) + "}"


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
