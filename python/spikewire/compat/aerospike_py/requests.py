"""Converts calls to the engine's, for the blocking and the asyncio client alike.

Each function checks arguments and returns a ``Request``; the clients only differ in how they run
it.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import spikewire
from spikewire import op
from spikewire.compat.aerospike_info import odd_in_info
from spikewire.compat.aerospike_py.exception import ClientError
from spikewire.compat.aerospike_py.failures import NAMELESS, of_code
from spikewire.compat.aerospike_py.operations import merge_results, prepare
from spikewire.compat.aerospike_py.policies import single_options
from spikewire.compat.aerospike_py.types import (
    BinTuple,
    ExistsResult,
    OperateOrderedResult,
    Record,
)
from spikewire.compat.aerospike_py.values import incoming, meta_of, named, record_of, sent_key

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Request", "absent_result", "append", "apply", "exists", "exists_result", "get", "increment",
    "module_name", "operate", "operate_ordered", "prepend", "put", "remove", "remove_bin", "select",
    "touch", "truncation", "udf_put",
]  # fmt: skip


_new = tuple.__new__  # What `__new__` of named tuples calls.


class Request(NamedTuple):
    """A call of a verb."""

    verb: str
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    finish: Callable[[Any], Any]
    """Converts the result."""
    absent: Callable[[spikewire.RecordNotFound], Any] | None = None
    """Returns the result for a record that does not exist, if that is not a failure."""


def _nothing(_: Any) -> None:
    return None


def get(key: Any, policy: Any) -> Request:
    """Reads a record."""
    options = {} if policy is None else single_options("read", policy)
    return Request("get", (sent_key(key),), options, lambda record: record_of(key, record))


def select(key: Any, bins: Any, policy: Any) -> Request:
    """Reads some bins."""
    if not isinstance(bins, list):
        message = f"bins must be a list, not {type(bins).__name__}"
        raise TypeError(message)
    if not bins:
        raise of_code(4, "no bins to read")
    arguments = sent_key(key), bins
    options = single_options("read", policy)
    return Request("get", arguments, options, lambda record: record_of(key, record))


def exists(key: Any, policy: Any) -> Request:
    """Reads a record without its bins."""
    options = {} if policy is None else single_options("read", policy)
    results = partial(exists_result, key), partial(absent_result, key)
    return Request("get", (sent_key(key), []), options, *results)


def exists_result(key: Any, record: Any) -> ExistsResult:
    """The result if the record exists."""
    return _new(ExistsResult, record_of(key, record)[:2])


def absent_result(key: Any, error: spikewire.RecordNotFound) -> ExistsResult:
    """The result if it does not."""
    digest = error.key.digest if error.key is not None else b""
    return ExistsResult(named(key, digest), None)


def put(key: Any, bins: Any, meta: Any, policy: Any) -> Request:
    """Writes bins."""
    if not isinstance(bins, dict):
        message = f"bins must be a dict, not {type(bins).__name__}"
        raise TypeError(message)
    if not bins:
        raise of_code(4, "no bins to write")
    if "" in bins:
        raise ValueError(NAMELESS)
    return Request("put", (sent_key(key), bins), single_options("write", policy, meta), _nothing)


def remove(key: Any, meta: Any, policy: Any) -> Request:
    """Deletes a record."""

    def finish(existed: bool) -> None:
        if not existed:
            raise of_code(2, "there is no such record")

    return Request("delete", (sent_key(key),), single_options("remove", policy, meta), finish)


def touch(key: Any, val: Any, meta: Any, policy: Any) -> Request:
    """Resets the time to live."""
    options = single_options("write", policy, meta)
    if isinstance(val, bool) or not isinstance(val, int):
        message = f"val must be an int, not {type(val).__name__}"
        raise TypeError(message)
    if val:
        options["ttl"] = val
    if options.keys() & {"exists", "durable"}:
        return Request("operate", (sent_key(key), [op.touch()]), options, _nothing)
    return Request("touch", (sent_key(key),), options, _nothing)


def _concatenate(kind: str, key: Any, bin: Any, val: Any, meta: Any, policy: Any) -> Request:
    if isinstance(val, (str, bytes, bytearray)):
        arguments = sent_key(key), {bin: val}
        return Request(kind, arguments, single_options("write", policy, meta), _nothing)
    # The error that a server would return for it.
    raise of_code(12, f"{type(val).__name__} cannot be appended or prepended to a bin")


def append(key: Any, bin: Any, val: Any, meta: Any, policy: Any) -> Request:
    """Appends to text or bytes."""
    return _concatenate("append", key, bin, val, meta, policy)


def prepend(key: Any, bin: Any, val: Any, meta: Any, policy: Any) -> Request:
    """Prepends to text or bytes."""
    return _concatenate("prepend", key, bin, val, meta, policy)


def increment(key: Any, bin: Any, offset: Any, meta: Any, policy: Any) -> Request:
    """Adds to a number."""
    if isinstance(offset, bool) or not isinstance(offset, (int, float)):
        message = f"offset must be an int or float, not {type(offset).__name__}"
        raise TypeError(message)
    arguments = sent_key(key), {bin: offset}
    return Request("add", arguments, single_options("write", policy, meta), _nothing)


def remove_bin(key: Any, bin_names: Any, meta: Any, policy: Any) -> Request:
    """Removes bins of an existing record."""
    if not isinstance(bin_names, list):
        message = f"bin_names must be a list, not {type(bin_names).__name__}"
        raise TypeError(message)
    if not bin_names:
        raise of_code(4, "no bins to remove")
    options = single_options("write", policy, meta)
    options.setdefault("exists", "update")
    return Request("put", (sent_key(key), dict.fromkeys(bin_names)), options, _nothing)


def _operating(key: Any, ops: Any, meta: Any, policy: Any, finish: Any) -> Request:
    plan = prepare(ops)
    if not plan.operations:
        raise of_code(4, "no operations")
    options = single_options("operate", policy, meta)
    if plan.writes:
        options.pop("read_mode", None)
        options.pop("read_touch", None)
    else:
        for name in ("ttl", "generation", "exists", "durable", "send_key"):
            options.pop(name, None)
    arguments = sent_key(key), plan.operations
    return Request("operate", arguments, options, lambda record: finish(plan, record))


def operate(key: Any, ops: Any, meta: Any, policy: Any) -> Request:
    """Runs several operations. A bin with several results gets a list of them."""

    def finish(plan: Any, record: Any) -> Record:
        return Record(
            named(key, record.key.digest), meta_of(record), by_bin(merge_results(plan, record))
        )

    return _operating(key, ops, meta, policy, finish)


def operate_ordered(key: Any, ops: Any, meta: Any, policy: Any) -> Request:
    """Like ``operate``, with pairs of bin and result in the order of the operations."""

    def finish(plan: Any, record: Any) -> OperateOrderedResult:
        pairs = [BinTuple(*pair) for pair in merge_results(plan, record)]
        return OperateOrderedResult(named(key, record.key.digest), meta_of(record), pairs)

    return _operating(key, ops, meta, policy, finish)


def by_bin(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Results by bin, with a list for bins with several."""
    bins: dict[str, Any] = {}
    several: set[str] = set()
    for name, value in pairs:
        if name not in bins:
            bins[name] = value
        elif name in several:
            bins[name].append(value)
        else:
            bins[name] = [bins[name], value]
            several.add(name)
    return bins


def apply(key: Any, module: Any, function: Any, args: Any, policy: Any) -> Request:
    """Runs a function of a registered module on one record."""
    if args is not None and not isinstance(args, list):
        message = f"args must be a list, not {type(args).__name__}"
        raise TypeError(message)
    arguments = sent_key(key), module, function, args or []
    return Request("apply", arguments, single_options("apply", policy), incoming)


def udf_put(filename: Any, udf_type: Any) -> tuple[str, str]:
    """Name and source of the module in a file."""
    if not isinstance(filename, str):
        message = f"filename must be a str, not {type(filename).__name__}"
        raise TypeError(message)
    if udf_type != 0:
        raise ClientError("only modules in Lua (udf_type=0) can be registered")
    try:
        return Path(filename).name, Path(filename).read_text(encoding="utf-8")
    except OSError as error:
        raise ClientError(f"cannot read {filename!r}: {error.strerror}") from None


def module_name(module: Any) -> str:
    """The module name for a file."""
    if not isinstance(module, str):
        message = f"module must be a str, not {type(module).__name__}"
        raise TypeError(message)
    return module if module.endswith(".lua") else f"{module}.lua"


def truncation(namespace: Any, set_name: Any, nanos: Any) -> str:
    """The info command that truncates a set or namespace."""
    for name, value in (("namespace", namespace), ("set_name", set_name)):
        if not isinstance(value, str):
            message = f"{name} must be a str, not {type(value).__name__}"
            raise TypeError(message)
        odd = odd_in_info(name, value)
        if odd is not None:
            raise ValueError(odd)
    if isinstance(nanos, bool) or not isinstance(nanos, int):
        message = f"nanos must be an int, not {type(nanos).__name__}"
        raise TypeError(message)
    start = f"truncate:namespace={namespace};set={set_name}"
    if not set_name:
        start = f"truncate-namespace:namespace={namespace}"
    return start + (f";lut={nanos}" if nanos else "")
