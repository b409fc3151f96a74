"""Converts the dictionaries of operations to operations of the engine.

The parameters of operations are in the tables of ``compat.aerospike``. This module renames the
entries to the names used there.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any, NamedTuple

import spikewire
from spikewire import Operation
from spikewire._native import OfficialOperations, _plain_steps
from spikewire.compat.aerospike import exception as official
from spikewire.compat.aerospike.operation_arguments import arguments_of
from spikewire.compat.aerospike_py.failures import missing
from spikewire.compat.aerospike_py.values import incoming

__all__ = ["PreparedOperations", "merge_results", "plain", "prepare"]

_PLAIN = {1: "get", 2: "put", 5: "add", 9: "append", 10: "prepend", 11: "touch", 12: "delete"}
_DEFAULTS = {5: 1, 9: "", 10: ""}
_LIST_RETURNS = frozenset({0, 1, 2, 3, 4, 5, 7, 13})
_MAP_RETURNS = _LIST_RETURNS | {6, 8}

#: The engine's operation, required entries, and entries with other names: official=own.
_LIST: dict[int, tuple[str, str, str]] = {
    1001: ("append", "", "val=val"),
    1002: ("append_items", "", "val=val"),
    1003: ("insert", "index", "val=val"),
    1004: ("insert_items", "index", "val=val"),
    1005: ("pop", "index", ""),
    1006: ("pop_range", "index", "val=count"),
    1007: ("remove", "index", ""),
    1008: ("remove_range", "index", "val=count"),
    1009: ("set", "index", "val=val"),
    1010: ("trim", "index count", "val=count"),
    1011: ("clear", "", ""),
    1012: ("size", "", ""),
    1013: ("get", "index", ""),
    1014: ("get_range", "index", "val=count"),
    1015: ("get_by_value", "return_type", "val=val"),
    1016: ("get_by_index", "index return_type", ""),
    1017: ("get_by_index_range", "index return_type", ""),
    1018: ("get_by_rank", "rank return_type", ""),
    1019: ("get_by_rank_range", "rank return_type", ""),
    1020: ("get_by_value_list", "return_type", "value_list=val"),
    1021: ("get_by_value_range", "return_type", "value_begin=val value_end=val_end"),
    1022: ("remove_by_value", "return_type", "val=val"),
    1023: ("remove_by_value_list", "return_type", "value_list=val"),
    1024: ("remove_by_value_range", "return_type", "value_begin=val value_end=val_end"),
    1025: ("remove_by_index", "index return_type", ""),
    1026: ("remove_by_index_range", "index return_type", ""),
    1027: ("remove_by_rank", "rank return_type", ""),
    1028: ("remove_by_rank_range", "rank return_type", ""),
    1029: ("increment", "index", "val=val"),
    1030: ("sort", "", "sort_flags=val"),
    1031: ("set_order", "", "list_order=val"),
}
_MAP: dict[int, tuple[str, str, str]] = {
    2001: ("set_order", "", "map_order=val"),
    2002: ("put", "map_key", "key=map_key val=val"),
    2003: ("put_items", "val", "val=val"),
    2004: ("increment", "map_key", "key=map_key val=val"),
    2005: ("decrement", "map_key", "key=map_key val=val"),
    2006: ("clear", "", ""),
    2007: ("remove_by_key", "map_key return_type", "key=map_key"),
    2008: ("remove_by_key_list", "return_type", "val=val"),
    2009: ("remove_by_key_range", "return_type", "key=val val=val_end range=val_end"),
    2010: ("remove_by_value", "return_type", "val=val"),
    2011: ("remove_by_value_list", "return_type", "val=val"),
    2012: ("remove_by_value_range", "return_type", "val=val range=val_end"),
    2013: ("remove_by_index", "index return_type", ""),
    2014: ("remove_by_index_range", "index return_type", "val=count"),
    2015: ("remove_by_rank", "rank return_type", "index=rank"),
    2016: ("remove_by_rank_range", "rank return_type", "index=rank val=count"),
    2017: ("size", "", ""),
    2018: ("get_by_key", "map_key return_type", "key=map_key"),
    2019: ("get_by_key_range", "return_type", "key=val val=val_end range=val_end"),
    2020: ("get_by_value", "return_type", "val=val"),
    2021: ("get_by_value_range", "return_type", "val=val range=val_end"),
    2022: ("get_by_index", "index return_type", ""),
    2023: ("get_by_index_range", "index return_type", "val=count"),
    2024: ("get_by_rank", "rank return_type", "index=rank"),
    2025: ("get_by_rank_range", "rank return_type", "index=rank val=count"),
    2026: ("get_by_key_list", "return_type", "val=val"),
    2027: ("get_by_value_list", "return_type", "val=val"),
}
_HLL: dict[int, tuple[str, str, str]] = {
    3001: ("init", "index_bit_count", "mh_bit_count=minhash_bit_count"),
    3002: ("add", "val", "value_list=val mh_bit_count=minhash_bit_count"),
    3003: ("get_count", "", ""),
    3004: ("get_union", "val", "value_list=val"),
    3005: ("get_union_count", "val", "value_list=val"),
    3006: ("get_intersect_count", "val", "value_list=val"),
    3007: ("get_similarity", "val", "value_list=val"),
    3008: ("describe", "", ""),
    3009: ("fold", "index_bit_count", ""),
    3010: ("set_union", "val", "value_list=val"),
}
_BITS = "bit_offset bit_size"
_BIT: dict[int, tuple[str, str, str]] = {
    4001: ("resize", "byte_size", ""),
    4002: ("insert", "byte_offset val", "value=val"),
    4003: ("remove", "byte_offset byte_size", ""),
    4004: ("set", f"{_BITS} val", "value=val"),
    4005: ("or_", f"{_BITS} val", "value=val"),
    4006: ("xor", f"{_BITS} val", "value=val"),
    4007: ("and_", f"{_BITS} val", "value=val"),
    4008: ("not_", _BITS, ""),
    4009: ("lshift", f"{_BITS} shift", "value=shift"),
    4010: ("rshift", f"{_BITS} shift", "value=shift"),
    4011: ("add", f"{_BITS} val", "value=val sign=signed"),
    4012: ("subtract", f"{_BITS} val", "value=val sign=signed"),
    4013: ("set_int", f"{_BITS} val", "value=val"),
    4050: ("get", _BITS, ""),
    4051: ("count", _BITS, ""),
    4052: ("lscan", f"{_BITS} val", "value=val"),
    4053: ("rscan", f"{_BITS} val", "value=val"),
    4054: ("get_int", _BITS, "sign=signed"),
}
_FAMILIES = (("list", _LIST), ("map", _MAP), ("hll", _HLL), ("bit", _BIT))
_OF_CODE: dict[int, tuple[str, str, list[str], list[tuple[str, str]]]] = {
    code: (
        family,
        kind,
        required.split(),
        [(theirs, own) for theirs, _, own in (each.partition("=") for each in entries.split())],
    )
    for family, table in _FAMILIES
    for code, (kind, required, entries) in table.items()
}
#: Defaults of entries that the engine requires, by their official names.
_ABSENT: dict[str, dict[str, Any]] = {
    "pop_range": {"val": 1}, "remove_range": {"val": 1}, "get_range": {"val": 1},
    "increment": {"val": 1}, "decrement": {"val": 1},
    "sort": {"sort_flags": 0}, "set_order": {"list_order": 0, "map_order": 0},
}  # fmt: skip
_READS = frozenset({1}) | {
    code
    for code, (_, kind, _, _) in _OF_CODE.items()
    if kind.startswith(("get", "size", "count", "lscan", "rscan", "describe"))
}
_SKETCHES = frozenset({3004, 3005, 3006, 3007, 3010})
_KEY_VALUE = 8


#: Operations on whole bins, which need no other entries.
_WHOLE = OfficialOperations(_PLAIN, bools=True)


def plain(operations: Any) -> tuple[list[Operation], list[str]] | None:
    """The operations of a list of dictionaries that need no conversion, and their bins."""
    return _plain_steps(_WHOLE, operations) if type(operations) is list else None


class PreparedOperations(NamedTuple):
    """Operations, and what is known about their results."""

    operations: list[Operation]
    bins: list[str | None]
    pairs: list[bool]
    writes: bool
    whole: bool
    """Whether every bin is read, so that results stand among the bins."""


def prepare(operations: Any) -> PreparedOperations:
    """Checks a list of dictionaries and converts it to operations."""
    if not isinstance(operations, list):
        message = f"operations must be a list, not {type(operations).__name__}"
        raise TypeError(message)
    converted: list[Operation] = []
    bins: list[str | None] = []
    pairs: list[bool] = []
    writes = whole = False
    for each in operations:
        if not isinstance(each, dict):
            message = f"an operation must be a dict, not {type(each).__name__}"
            raise TypeError(message)
        of: dict[str, Any] = each
        code = _integer("op", of["op"]) if "op" in of else None
        if code is None:
            message = "an operation requires 'op'"
            raise ValueError(message)
        name = of.get("bin")
        converted.append(_plain(code, name, of) if code in _PLAIN else _nested(code, name, of))
        bins.append(name)
        pairs.append(of.get("return_type") == _KEY_VALUE)
        writes = writes or code not in _READS
        whole = whole or (code == 1 and name is None)
    if whole and any(
        code["op"] in _OF_CODE or (code["op"] == 1 and code.get("bin")) for code in operations
    ):
        missing("operation.read")
    return PreparedOperations(converted, bins, pairs, writes, whole)


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        message = f"{name} must be an int, not {type(value).__name__}"
        raise TypeError(message)
    return value


def _plain(code: int, name: Any, of: dict[str, Any]) -> Operation:
    kind = _PLAIN[code]
    if code in (11, 12):
        return Operation(kind)
    if code == 1:
        return Operation("get") if name is None else Operation("get", name)
    if name is None:
        message = f"{kind} requires 'bin'"
        raise ValueError(message)
    value: Any = of.get("val")
    if value is None:
        value = _DEFAULTS.get(code)
    return Operation(kind, name, value)


def _nested(code: int, name: Any, of: dict[str, Any]) -> Operation:
    description = _OF_CODE.get(code)
    if description is None:
        message = f"there is no operation {code}"
        raise ValueError(message)
    family, kind, required, entries = description
    if name is None:
        message = f"{family}_{kind} requires 'bin'"
        raise ValueError(message)
    for needed in required:
        if needed not in of and not (needed == "rank" and "index" in of):
            message = f"{family}_{kind} requires {needed!r}"
            raise ValueError(message)
    returns = of.get("return_type")
    if returns is not None:
        allowed = _LIST_RETURNS if family == "list" else _MAP_RETURNS
        if _integer("return_type", returns) not in allowed:
            message = f"return_type must be one of the constants, not {returns}"
            raise ValueError(message)
    try:
        arguments = arguments_of(family, kind, _renamed(code, kind, of, entries))
    except official.AerospikeError as error:
        raise TypeError(str(error.msg)) from None
    make: Any = getattr(Operation, family)
    operation: Operation = make(kind, name, arguments)
    return operation


def _renamed(
    code: int, kind: str, of: dict[str, Any], names: list[tuple[str, str]]
) -> dict[str, Any]:
    """The dictionary as the official client would have it."""
    entries = {name: value for name, value in of.items() if name not in ("op", "bin", "val")}
    if "rank" not in entries and "index" in entries:
        entries["rank"] = entries["index"]
    for official_name, own in names:
        source = "index" if own == "rank" and "rank" not in of else own
        entries[official_name] = of.get(source)
    for name, value in _ABSENT.get(kind, {}).items():
        if entries.get(name) is None:
            entries[name] = value
    if entries.get("count", 0) is None:
        del entries["count"]
    if code in _SKETCHES:
        entries["value_list"] = [
            spikewire.HyperLogLog(bytes(each)) if isinstance(each, (bytes, bytearray)) else each
            for each in entries["value_list"]
        ]
    policy = _policy(of)
    for name in ("list_policy", "map_policy", "hll_policy"):
        entries.pop(name, None)
    return entries | policy


def _policy(of: dict[str, Any]) -> dict[str, Any]:
    """The policies of the entries, by official names."""
    policies = {name: of.get(name) for name in ("list_policy", "map_policy", "hll_policy")}
    for name, value in policies.items():
        if value is not None and not isinstance(value, dict):
            message = f"{name} must be a dict, not {type(value).__name__}"
            raise TypeError(message)
    converted: dict[str, Any] = {}
    if policies["list_policy"]:
        own = policies["list_policy"]
        converted["list_policy"] = {
            "list_order": own.get("order", 0),
            "write_flags": own.get("flags", 0),
        }
    if policies["map_policy"]:
        own = policies["map_policy"]
        converted["map_policy"] = {
            "map_order": own.get("order", 0),
            "map_write_flags": own.get("write_mode", 0),
        }
    if policies["hll_policy"]:
        converted["hll_policy"] = {"flags": policies["hll_policy"].get("flags", 0)}
    if of.get("bit_policy") is not None:
        converted["policy"] = {"bit_write_flags": of["bit_policy"]}
    return converted


def merge_results(
    plan: PreparedOperations, record: Any, *, silent: bool = False
) -> list[tuple[str, Any]]:
    """Bins and results in the order of the operations. ``silent`` also keeps those of writes."""
    if plan.whole:
        return [(name, incoming(value)) for name, value in record.bins.items()]
    pairs: list[tuple[str, Any]] = []
    results = record.results
    for at, name in enumerate(plan.bins):
        if name is None or at >= len(results):
            continue
        value = results[at]
        if value is None and not silent:
            continue
        if plan.pairs[at] and isinstance(value, dict):
            pairs.append((name, [(incoming(key), incoming(each)) for key, each in value.items()]))
        else:
            pairs.append((name, incoming(value)))
    return pairs
