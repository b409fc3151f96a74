"""Expressions: nested dictionaries for the ``filter_expression`` of policies.

    from spikewire.compat.aerospike_py import exp

    older = exp.gt(exp.int_bin("age"), exp.int_val(28))
    client.get(key, policy={"filter_expression": older})

They are converted to expressions of the engine when a call uses them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Expr: TypeAlias = dict[str, Any]

EXP_TYPE_NIL = 0
EXP_TYPE_BOOL = 1
EXP_TYPE_INT = 2
EXP_TYPE_STRING = 3
EXP_TYPE_LIST = 4
EXP_TYPE_MAP = 5
EXP_TYPE_BLOB = 6
EXP_TYPE_FLOAT = 7
EXP_TYPE_GEO = 8
EXP_TYPE_HLL = 9

__all__ = [
    "EXP_TYPE_BLOB",
    "EXP_TYPE_BOOL",
    "EXP_TYPE_FLOAT",
    "EXP_TYPE_GEO",
    "EXP_TYPE_HLL",
    "EXP_TYPE_INT",
    "EXP_TYPE_LIST",
    "EXP_TYPE_MAP",
    "EXP_TYPE_NIL",
    "EXP_TYPE_STRING",
    "Expr",
    "and_",
    "bin_exists",
    "bin_type",
    "blob_bin",
    "blob_val",
    "bool_bin",
    "bool_val",
    "cond",
    "def_",
    "digest_modulo",
    "eq",
    "float_bin",
    "float_val",
    "ge",
    "geo_bin",
    "geo_compare",
    "geo_val",
    "gt",
    "hll_bin",
    "infinity",
    "int_and",
    "int_arshift",
    "int_bin",
    "int_count",
    "int_lscan",
    "int_lshift",
    "int_not",
    "int_or",
    "int_rscan",
    "int_rshift",
    "int_val",
    "int_xor",
    "is_tombstone",
    "key",
    "key_exists",
    "last_update",
    "le",
    "let_",
    "list_bin",
    "list_val",
    "lt",
    "map_bin",
    "map_val",
    "max_",
    "min_",
    "ne",
    "nil",
    "not_",
    "num_abs",
    "num_add",
    "num_ceil",
    "num_div",
    "num_floor",
    "num_log",
    "num_mod",
    "num_mul",
    "num_pow",
    "num_sub",
    "or_",
    "record_size",
    "regex_compare",
    "set_name",
    "since_update",
    "string_bin",
    "string_val",
    "to_float",
    "to_int",
    "ttl",
    "var",
    "void_time",
    "wildcard",
    "xor_",
]


def int_val(val: int) -> Expr:
    """An integer."""
    return {"__expr__": "int_val", "val": val}


def float_val(val: float) -> Expr:
    """A float."""
    return {"__expr__": "float_val", "val": val}


def string_val(val: str) -> Expr:
    """Text."""
    return {"__expr__": "string_val", "val": val}


def bool_val(val: bool) -> Expr:
    """True or false."""
    return {"__expr__": "bool_val", "val": val}


def blob_val(val: bytes) -> Expr:
    """Bytes."""
    return {"__expr__": "blob_val", "val": val}


def list_val(val: list[Any]) -> Expr:
    """A list."""
    return {"__expr__": "list_val", "val": val}


def map_val(val: dict[Any, Any]) -> Expr:
    """A map."""
    return {"__expr__": "map_val", "val": val}


def geo_val(val: str) -> Expr:
    """GeoJSON, as text."""
    return {"__expr__": "geo_val", "val": val}


def nil() -> Expr:
    """No value."""
    return {"__expr__": "nil"}


def infinity() -> Expr:
    """Greater than every value."""
    return {"__expr__": "infinity"}


def wildcard() -> Expr:
    """Equals every value."""
    return {"__expr__": "wildcard"}


def int_bin(name: str) -> Expr:
    """A bin that contains an integer."""
    return {"__expr__": "int_bin", "name": name}


def float_bin(name: str) -> Expr:
    """A bin that contains a float."""
    return {"__expr__": "float_bin", "name": name}


def string_bin(name: str) -> Expr:
    """A bin that contains text."""
    return {"__expr__": "string_bin", "name": name}


def bool_bin(name: str) -> Expr:
    """A bin that contains true or false."""
    return {"__expr__": "bool_bin", "name": name}


def blob_bin(name: str) -> Expr:
    """A bin that contains bytes."""
    return {"__expr__": "blob_bin", "name": name}


def list_bin(name: str) -> Expr:
    """A bin that contains a list."""
    return {"__expr__": "list_bin", "name": name}


def map_bin(name: str) -> Expr:
    """A bin that contains a map."""
    return {"__expr__": "map_bin", "name": name}


def geo_bin(name: str) -> Expr:
    """A bin that contains GeoJSON."""
    return {"__expr__": "geo_bin", "name": name}


def hll_bin(name: str) -> Expr:
    """A bin that contains a sketch."""
    return {"__expr__": "hll_bin", "name": name}


def bin_exists(name: str) -> Expr:
    """Whether the record has a bin."""
    return {"__expr__": "bin_exists", "name": name}


def bin_type(name: str) -> Expr:
    """The particle type of a bin."""
    return {"__expr__": "bin_type", "name": name}


def key(exp_type: int) -> Expr:
    """The user key, if it is stored with the record."""
    return {"__expr__": "key", "exp_type": exp_type}


def key_exists() -> Expr:
    """Whether the user key is stored with the record."""
    return {"__expr__": "key_exists"}


def set_name() -> Expr:
    """The name of the record's set."""
    return {"__expr__": "set_name"}


def record_size() -> Expr:
    """The size of the record in bytes."""
    return {"__expr__": "record_size"}


def last_update() -> Expr:
    """When the record was last written, in ns since 1970."""
    return {"__expr__": "last_update"}


def since_update() -> Expr:
    """Milliseconds since the record was last written."""
    return {"__expr__": "since_update"}


def void_time() -> Expr:
    """When the record expires, in ns since 1970."""
    return {"__expr__": "void_time"}


def ttl() -> Expr:
    """Seconds until the record expires."""
    return {"__expr__": "ttl"}


def is_tombstone() -> Expr:
    """Whether the record is a tombstone."""
    return {"__expr__": "is_tombstone"}


def digest_modulo(modulo: int) -> Expr:
    """The digest modulo a number."""
    return {"__expr__": "digest_modulo", "modulo": modulo}


def eq(left: Expr, right: Expr) -> Expr:
    """Equal."""
    return {"__expr__": "eq", "left": left, "right": right}


def ne(left: Expr, right: Expr) -> Expr:
    """Not equal."""
    return {"__expr__": "ne", "left": left, "right": right}


def gt(left: Expr, right: Expr) -> Expr:
    """Greater."""
    return {"__expr__": "gt", "left": left, "right": right}


def ge(left: Expr, right: Expr) -> Expr:
    """Greater or equal."""
    return {"__expr__": "ge", "left": left, "right": right}


def lt(left: Expr, right: Expr) -> Expr:
    """Less."""
    return {"__expr__": "lt", "left": left, "right": right}


def le(left: Expr, right: Expr) -> Expr:
    """Less or equal."""
    return {"__expr__": "le", "left": left, "right": right}


def and_(*exprs: Expr) -> Expr:
    """All are true."""
    return {"__expr__": "and", "exprs": list(exprs)}


def or_(*exprs: Expr) -> Expr:
    """At least one is true."""
    return {"__expr__": "or", "exprs": list(exprs)}


def not_(expr: Expr) -> Expr:
    """It is not true."""
    return {"__expr__": "not", "expr": expr}


def xor_(*exprs: Expr) -> Expr:
    """Exactly one is true."""
    return {"__expr__": "xor", "exprs": list(exprs)}


def num_add(*exprs: Expr) -> Expr:
    """The sum."""
    return {"__expr__": "num_add", "exprs": list(exprs)}


def num_sub(*exprs: Expr) -> Expr:
    """The first minus the others."""
    return {"__expr__": "num_sub", "exprs": list(exprs)}


def num_mul(*exprs: Expr) -> Expr:
    """The product."""
    return {"__expr__": "num_mul", "exprs": list(exprs)}


def num_div(*exprs: Expr) -> Expr:
    """The first divided by the others."""
    return {"__expr__": "num_div", "exprs": list(exprs)}


def num_mod(numerator: Expr, denominator: Expr) -> Expr:
    """The remainder."""
    return {"__expr__": "num_mod", "exprs": [numerator, denominator]}


def num_pow(base: Expr, exponent: Expr) -> Expr:
    """The power."""
    return {"__expr__": "num_pow", "exprs": [base, exponent]}


def num_log(num: Expr, base: Expr) -> Expr:
    """The logarithm."""
    return {"__expr__": "num_log", "exprs": [num, base]}


def num_abs(value: Expr) -> Expr:
    """The absolute value."""
    return {"__expr__": "num_abs", "exprs": [value]}


def num_floor(num: Expr) -> Expr:
    """Rounded down."""
    return {"__expr__": "num_floor", "exprs": [num]}


def num_ceil(num: Expr) -> Expr:
    """Rounded up."""
    return {"__expr__": "num_ceil", "exprs": [num]}


def to_int(num: Expr) -> Expr:
    """As an integer."""
    return {"__expr__": "to_int", "exprs": [num]}


def to_float(num: Expr) -> Expr:
    """As a float."""
    return {"__expr__": "to_float", "exprs": [num]}


def min_(*exprs: Expr) -> Expr:
    """The smallest."""
    return {"__expr__": "min", "exprs": list(exprs)}


def max_(*exprs: Expr) -> Expr:
    """The largest."""
    return {"__expr__": "max", "exprs": list(exprs)}


def int_and(*exprs: Expr) -> Expr:
    """Bitwise AND."""
    return {"__expr__": "int_and", "exprs": list(exprs)}


def int_or(*exprs: Expr) -> Expr:
    """Bitwise OR."""
    return {"__expr__": "int_or", "exprs": list(exprs)}


def int_xor(*exprs: Expr) -> Expr:
    """Bitwise exclusive OR."""
    return {"__expr__": "int_xor", "exprs": list(exprs)}


def int_not(expr: Expr) -> Expr:
    """Bitwise NOT."""
    return {"__expr__": "int_not", "exprs": [expr]}


def int_lshift(value: Expr, shift: Expr) -> Expr:
    """Shifted left."""
    return {"__expr__": "int_lshift", "exprs": [value, shift]}


def int_rshift(value: Expr, shift: Expr) -> Expr:
    """Shifted right and filled with zeros."""
    return {"__expr__": "int_rshift", "exprs": [value, shift]}


def int_arshift(value: Expr, shift: Expr) -> Expr:
    """Shifted right, keeping the sign."""
    return {"__expr__": "int_arshift", "exprs": [value, shift]}


def int_count(expr: Expr) -> Expr:
    """The number of bits that are 1."""
    return {"__expr__": "int_count", "exprs": [expr]}


def int_lscan(value: Expr, search: Expr) -> Expr:
    """The position of the first bit with this value, from the left."""
    return {"__expr__": "int_lscan", "exprs": [value, search]}


def int_rscan(value: Expr, search: Expr) -> Expr:
    """The position of the first bit with this value, from the right."""
    return {"__expr__": "int_rscan", "exprs": [value, search]}


def regex_compare(regex: str, flags: int, bin_expr: Expr) -> Expr:
    """Whether text matches a pattern; ``flags`` are of ``REGEX_*``."""
    return {"__expr__": "regex_compare", "regex": regex, "flags": flags, "bin": bin_expr}


def geo_compare(left: Expr, right: Expr) -> Expr:
    """Whether a point lies in a region."""
    return {"__expr__": "geo_compare", "left": left, "right": right}


def cond(*exprs: Expr) -> Expr:
    """``cond(test, value, test, value, ..., default)``: the value for the first test that is
    true."""
    return {"__expr__": "cond", "exprs": list(exprs)}


def var(name: str) -> Expr:
    """The value of a variable of ``let_``."""
    return {"__expr__": "var", "name": name}


def def_(name: str, value: Expr) -> Expr:
    """A variable, for ``let_``."""
    return {"__expr__": "def", "name": name, "value": value}


def let_(*exprs: Expr) -> Expr:
    """Variables, and at the end the expression in which they are defined."""
    return {"__expr__": "let", "exprs": list(exprs)}
