"""Types of columns and parameters, from the server's class names.

A class name holds what the CQL spelling lacks: the keyspace and the fields of user-defined types.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.values import decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COLLECTIONS", "NATIVE", "ColumnType", "columns_of", "has_user_types", "type_of"]

_PACKAGE = "org.apache.cassandra.db.marshal."
_TOKEN = re.compile(r"\s*([(),:]|[^\s(),:]+)")
#: Classes of the server, and how CQL spells them.
NATIVE = {
    "AsciiType": "ascii",
    "BooleanType": "boolean",
    "ByteType": "tinyint",
    "BytesType": "blob",
    "CounterColumnType": "counter",
    "DateType": "timestamp",
    "DecimalType": "decimal",
    "DoubleType": "double",
    "DurationType": "duration",
    "EmptyType": "empty",
    "FloatType": "float",
    "InetAddressType": "inet",
    "Int32Type": "int",
    "IntegerType": "varint",
    "LongType": "bigint",
    "ShortType": "smallint",
    "SimpleDateType": "date",
    "TimeType": "time",
    "TimeUUIDType": "timeuuid",
    "TimestampType": "timestamp",
    "UTF8Type": "text",
    "UUIDType": "uuid",
}
COLLECTIONS = {
    "ListType": "list",
    "MapType": "map",
    "SetType": "set",
    "TupleType": "tuple",
    "VectorType": "vector",
}
#: What the other driver calls these, where that differs from the class of the server.
_OTHER_NAMES = {"text": "varchar", "timestamp": "timestamp"}
_OTHER_CLASSES = {"text": "VarcharType", "timestamp": "DateType"}


@dataclasses.dataclass(frozen=True)
class ColumnType:
    """A type: its name in CQL, its type parameters, and what a user-defined type adds."""

    name: str
    subtypes: tuple[ColumnType, ...] = ()
    #: The keyspace of a user-defined type; ``None`` for all other types.
    keyspace: str | None = None
    #: The fields of a user-defined type; ``subtypes`` are their types.
    fieldnames: tuple[str, ...] = ()
    #: The class of the server, without its package.
    server_class: str = ""
    #: The number of elements of a vector.
    dimension: int | None = None

    @property
    def is_user_type(self) -> bool:
        """Whether it is a user-defined type."""
        return self.keyspace is not None

    @property
    def typename(self) -> str:
        """The name, as the other driver spells it."""
        return self.name if self.is_user_type else _OTHER_NAMES.get(self.name, self.name)

    @property
    def cassname(self) -> str:
        """The class, as the other driver calls it."""
        known = None if self.is_user_type else _OTHER_CLASSES.get(self.name)
        return known or self.server_class

    @property
    def __name__(self) -> str:
        """What the other driver calls the class of this type."""
        if self.is_user_type or not self.subtypes:
            return self.name if self.is_user_type else self.cassname
        inner = [one.__name__ for one in self.subtypes]
        inner += [] if self.dimension is None else [str(self.dimension)]
        return f"{self.cassname}({', '.join(inner)})"

    def cql_parameterized_type(self) -> str:
        """The type in CQL."""
        if self.is_user_type:
            return f"frozen<{self.name}>"
        inner = [one.cql_parameterized_type() for one in self.subtypes]
        if self.dimension is not None:
            inner.append(str(self.dimension))
        if not inner:
            return self.name
        text = f"{self.name}<{', '.join(inner)}>"
        return f"frozen<{text}>" if self.name == "tuple" else text

    def class_name(self) -> str:
        """The server's class name."""
        inner = [one.class_name() for one in self.subtypes]
        if self.keyspace is not None:
            names = [name.encode().hex() for name in self.fieldnames]
            fields = [f"{name}:{of}" for name, of in zip(names, inner, strict=True)]
            inner = [self.keyspace, self.name.encode().hex(), *fields]
        if self.dimension is not None:
            inner.append(str(self.dimension))
        arguments = f"({','.join(inner)})" if inner else ""
        return f"{_PACKAGE}{self.server_class}{arguments}"

    def cass_parameterized_type(self, full: bool = False) -> str:
        """The server's class name, in short unless ``full``."""
        name = self.class_name()
        return name if full else name.replace(_PACKAGE, "")

    def apply_parameters(self, subtypes: Sequence[ColumnType], names: Any = None) -> ColumnType:  # noqa: ARG002
        """A collection with these types of elements."""
        return dataclasses.replace(self, subtypes=tuple(subtypes))

    def serialize(self, value: Any, protocol_version: int = 5) -> bytes | None:  # noqa: ARG002
        """The bytes of a value."""
        return encoded(self, value)

    def deserialize(self, byts: bytes | None, protocol_version: int = 5) -> Any:  # noqa: ARG002
        """The value of some bytes."""
        return decoded(self, byts)

    to_binary = serialize
    from_binary = deserialize

    def __str__(self) -> str:
        return self.cql_parameterized_type()


@functools.lru_cache(4096)
def type_of(class_name: str) -> ColumnType:
    """Parses a class name. Classes without a spelling in CQL have it in quotes as their name."""
    tokens = _TOKEN.findall(class_name)
    column_type, at = _read(tokens, 0)
    if column_type is None or at != len(tokens):
        return _opaque(class_name)
    return column_type


def columns_of(class_names: tuple[str, ...]) -> tuple[ColumnType, ...]:
    """The types of several columns."""
    return tuple(map(type_of, class_names))


def has_user_types(of: ColumnType) -> bool:
    """Whether values of a type contain some of user-defined types."""
    return of.is_user_type or any(map(has_user_types, of.subtypes))


def _opaque(class_name: str) -> ColumnType:
    short = class_name.removeprefix(_PACKAGE)
    return ColumnType(f"'{class_name}'", server_class=short)


def _read(tokens: list[str], at: int) -> tuple[ColumnType | None, int]:
    """The type that begins at a token, and where the next one begins; ``None`` if CQL has no such
    type."""
    name = tokens[at].removeprefix(_PACKAGE)
    at += 1
    if name in NATIVE:
        return ColumnType(NATIVE[name], server_class=name), at
    if at >= len(tokens) or tokens[at] != "(":
        kind = COLLECTIONS.get(name)
        return (kind and ColumnType(kind, server_class=name)) or None, at
    if name == "UserType":
        return _read_user_type(tokens, at)
    within: list[Any] = []
    dimension = None
    while tokens[at] != ")":
        at += 1
        if tokens[at] == ")":
            break
        if name == "VectorType" and within:
            dimension = int(tokens[at])
            at += 1
            continue
        one, at = _read(tokens, at)
        if one is None:
            return None, at
        within.append(one)
    at += 1
    if name in ("FrozenType", "ReversedType"):
        return within[0], at
    kind = COLLECTIONS.get(name)
    if kind is None:
        return None, at
    return ColumnType(kind, tuple(within), server_class=name, dimension=dimension), at


def _read_user_type(tokens: list[str], at: int) -> tuple[ColumnType | None, int]:
    keyspace, name = tokens[at + 1], bytes.fromhex(tokens[at + 3]).decode()
    at += 4
    fields: list[str] = []
    types: list[ColumnType] = []
    while tokens[at] == ",":
        fields.append(bytes.fromhex(tokens[at + 1]).decode())
        one, at = _read(tokens, at + 3)
        if one is None:
            return None, at
        types.append(one)
    return ColumnType(name, tuple(types), keyspace, tuple(fields), "UserType"), at + 1
