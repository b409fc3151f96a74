"""Implements ``spikewire.exp``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire._native import Expression
from spikewire.aerospike.exp import bit, hll, list, loop, map, path, string  # noqa: A004

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spikewire.aerospike.exp.types import Kind, Operand

__all__ = [
    "Expression",
    "bin",
    "bin_exists",
    "bin_type",
    "bit",
    "bit_count",
    "bit_scan",
    "cond",
    "device_size",
    "digest_modulo",
    "exclusive",
    "hll",
    "is_tombstone",
    "key",
    "key_exists",
    "last_update",
    "let",
    "list",
    "log",
    "loop",
    "map",
    "map_keys",
    "map_values",
    "maximum",
    "memory_size",
    "minimum",
    "path",
    "record_size",
    "set_name",
    "since_update",
    "string",
    "text",
    "ttl",
    "unknown",
    "value",
    "var",
    "void_time",
    "within",
]


def bin(name: str, kind: Kind | None = None) -> Expression:  # noqa: A001
    """The value of a bin; ``kind`` is ``int``, ``float``, ``str``, ``bool``, ``bytes``, ``list``,
    ``dict``, ``GeoJSON`` or ``HyperLogLog``."""
    return Expression.bin(name, kind)


def bin_type(name: str) -> Expression:
    """The particle type of a bin: 1 int, 2 float, 3 str, 4 bytes, 17 bool, 18 HyperLogLog,
    19 dict, 20 list, 23 GeoJSON; 0 if it is missing."""
    return Expression.bin_type(name)


def bin_exists(name: str) -> Expression:
    """Whether the record has this bin."""
    return Expression.apply("!=", (Expression.bin_type(name), 0))


def value(value: Operand) -> Expression:
    """A constant. Operands that are not expressions become constants automatically; this is for
    cases where neither operand is one."""
    return Expression.value(value)


def unknown() -> Expression:
    """A value that is neither true nor false, for a branch of ``cond`` that must not match."""
    return Expression.unknown()


def text(text: str, *parameters: Operand) -> Expression:
    """Parses ``$.age > ?0 and $.country == 'US'``; ``?0`` stands for the first parameter. With
    ``?`` instead, each takes the next one. Errors show the position."""
    return Expression.text(text, parameters)


def key(kind: type[int | str | bytes]) -> Expression:
    """The user key, if one of this type is stored with the record (``send_key``)."""
    return Expression.key(kind)


def key_exists() -> Expression:
    """Whether the user key is stored with the record."""
    return Expression.meta("keyExists")


def set_name() -> Expression:
    """The name of the record's set."""
    return Expression.meta("setName")


def ttl() -> Expression:
    """Seconds until the record expires; -1 for never."""
    return Expression.meta("ttl")


def void_time() -> Expression:
    """When the record expires, in ns since 1970; -1 for never."""
    return Expression.meta("voidTime")


def last_update() -> Expression:
    """When the record was last written, in ns since 1970."""
    return Expression.meta("lastUpdate")


def since_update() -> Expression:
    """Milliseconds since the record was last written."""
    return Expression.meta("sinceUpdate")


def record_size() -> Expression:
    """The size of the record in bytes."""
    return Expression.meta("recordSize")


def device_size() -> Expression:
    """The size of the record on a device, in bytes. Newer servers prefer ``record_size``."""
    return Expression.meta("deviceSize")


def memory_size() -> Expression:
    """The size of the record in memory, in bytes. Newer servers prefer ``record_size``."""
    return Expression.meta("memorySize")


def is_tombstone() -> Expression:
    """Whether the record is a tombstone."""
    return Expression.meta("isTombstone")


def digest_modulo(divisor: int) -> Expression:
    """The last four bytes of the digest modulo ``divisor``, to select a stable share of records."""
    return Expression.digest_modulo(divisor)


def exclusive(*operands: Operand) -> Expression:
    """Whether exactly one is true."""
    return Expression.apply("exclusive", operands)


def cond(*operands: Operand) -> Expression:
    """``cond(test, value, test, value, ..., default)``: the value after the first true test."""
    return Expression.apply("when", operands)


def let(definitions: Mapping[str, Operand], scope: Operand) -> Expression:
    """Computes values once and uses them in ``scope`` through ``var``. Later definitions see
    earlier ones."""
    return Expression.let_(dict(definitions), scope)


def var(name: str) -> Expression:
    """The value of a variable of ``let``."""
    return Expression.var(name)


def minimum(*operands: Operand) -> Expression:
    """The smallest of numbers of one type."""
    return Expression.apply("min", operands)


def maximum(*operands: Operand) -> Expression:
    """The largest of numbers of one type."""
    return Expression.apply("max", operands)


def log(number: Operand, base: Operand) -> Expression:
    """The logarithm of a float."""
    return Expression.apply("log", (number, base))


def bit_count(number: Operand) -> Expression:
    """The number of bits of an integer that are set."""
    return Expression.apply("countOneBits", (number,))


def bit_scan(number: Operand, bit: Operand, *, from_right: bool = False) -> Expression:
    """The position of the first bit equal to ``bit``, from the most significant; -1 if none."""
    return Expression.apply("findBitRight" if from_right else "findBitLeft", (number, bit))


def map_keys(operand: Operand) -> Expression:
    """The keys of a map, as a list (servers from 8.1.1)."""
    return Expression.apply("mapKeys", (operand,))


def map_values(operand: Operand) -> Expression:
    """The values of a map, as a list (servers from 8.1.1)."""
    return Expression.apply("mapValues", (operand,))


def within(point: Operand, region: Operand) -> Expression:
    """Whether a GeoJSON point lies in a GeoJSON region (``Polygon``, ``MultiPolygon`` or
    ``AeroCircle``), in either order."""
    return Expression.apply("geoCompare", (point, region))


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)
