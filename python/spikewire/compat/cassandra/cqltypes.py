"""The types of ``cassandra.cqltypes``, as objects instead of classes.

Types of columns (``ResultSet.column_types``, ``PreparedStatement.column_metadata``) are such
objects, too: with ``typename``, ``cassname``, ``subtypes``, ``cql_parameterized_type()``,
``serialize`` and ``deserialize``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from spikewire import cql
from spikewire.compat.cassandra.column_types import COLLECTIONS, NATIVE, ColumnType, type_of
from spikewire.compat.cassandra.missing_errors import resolve_name

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "EMPTY",
    "AsciiType",
    "BooleanType",
    "ByteType",
    "BytesType",
    "CassandraType",
    "CounterColumnType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "DurationType",
    "FloatType",
    "InetAddressType",
    "Int32Type",
    "IntegerType",
    "ListType",
    "LongType",
    "MapType",
    "SetType",
    "ShortType",
    "SimpleDateType",
    "TimeType",
    "TimeUUIDType",
    "TimestampType",
    "TupleType",
    "UTF8Type",
    "UUIDType",
    "UserType",
    "VarcharType",
    "VectorType",
    "cql_typename",
    "lookup_casstype",
]

#: The value of no bytes that some types have.
EMPTY: Final = cql.EMPTY

AsciiType = type_of("AsciiType")
BooleanType = type_of("BooleanType")
ByteType = type_of("ByteType")
BytesType = type_of("BytesType")
CounterColumnType = type_of("CounterColumnType")
DateType = TimestampType = type_of("TimestampType")
DecimalType = type_of("DecimalType")
DoubleType = type_of("DoubleType")
DurationType = type_of("DurationType")
FloatType = type_of("FloatType")
InetAddressType = type_of("InetAddressType")
Int32Type = type_of("Int32Type")
IntegerType = type_of("IntegerType")
ListType = type_of("ListType")
LongType = type_of("LongType")
MapType = type_of("MapType")
SetType = type_of("SetType")
ShortType = type_of("ShortType")
TimeType = type_of("TimeType")
TimeUUIDType = type_of("TimeUUIDType")
TupleType = type_of("TupleType")
UTF8Type = VarcharType = type_of("UTF8Type")
UUIDType = type_of("UUIDType")
VectorType = type_of("VectorType")


#: What types are instances of.
CassandraType = _CassandraType = ColumnType


class _DateType(ColumnType):
    #: What the wire has for 1970-01-01.
    EPOCH_OFFSET_DAYS = 1 << 31


SimpleDateType = _DateType(**vars(type_of("SimpleDateType")))


class UserType:
    """User-defined types."""

    @classmethod
    def make_udt_class(
        cls,
        keyspace: str,
        udt_name: str,
        field_names: Sequence[str],
        field_types: Sequence[ColumnType],
    ) -> ColumnType:
        """The type with these fields."""
        return ColumnType(
            udt_name, tuple(field_types), keyspace, tuple(field_names), server_class="UserType"
        )


#: Types by their names in CQL.
_cqltypes = {cql_name: type_of(name) for name, cql_name in (NATIVE | COLLECTIONS).items()}
_cqltypes["varchar"] = _cqltypes["text"]
_cqltypes["date"] = SimpleDateType


def lookup_casstype(casstype: str | ColumnType) -> ColumnType:
    """The type for a class name of the server. A type is returned as it is."""
    return casstype if isinstance(casstype, ColumnType) else type_of(casstype)


def cql_typename(casstypename: str) -> str:
    """A class name of the server in the spelling of CQL."""
    return lookup_casstype(casstypename).cql_parameterized_type()


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
