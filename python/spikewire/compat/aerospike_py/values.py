"""Values that were read, in aerospike-py's form, and keys to send."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire._native import NamedRecords, _plain_keys
from spikewire.compat.aerospike_info import FOREVER, text_key
from spikewire.compat.aerospike_py.failures import code_of
from spikewire.compat.aerospike_py.types import AerospikeKey, BatchRecord, Record, RecordMetadata
from spikewire.compat.aerospike_py.write_results import LazyWriteRecord

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "incoming",
    "incoming_bins",
    "meta_of",
    "named",
    "named_records",
    "record_of",
    "sent_key",
    "sent_keys",
    "stepped",
]

_SCALARS = frozenset({int, str, float, bytes, bool, type(None)})
_new = tuple.__new__  # What `__new__` of named tuples calls.


def incoming_bins(bins: dict[str, Any]) -> dict[str, Any]:
    """Converts the bins of a record, in place."""
    if _SCALARS.issuperset(map(type, bins.values())):
        return bins
    for name, value in bins.items():
        if type(value) not in _SCALARS:
            bins[name] = incoming(value)
    return bins


def incoming(value: Any) -> Any:
    """Converts one value that was read."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [item if type(item) in _SCALARS else incoming(item) for item in value]
    if isinstance(value, dict):  # Or a subclass of it, if the other drop-in is in use as well.
        return {
            name: item if type(item) in _SCALARS else incoming(item) for name, item in value.items()
        }
    if kind is spikewire.GeoJSON:
        return value.text
    if kind is spikewire.HyperLogLog:
        return bytes(value)
    return value


def named(key: Any, digest: bytes) -> AerospikeKey:
    """A requested key."""
    return _new(AerospikeKey, (key[0], key[1], key[2], digest))


def meta_of(record: Any) -> RecordMetadata:
    """Generation and time to live."""
    ttl = record.ttl
    return _new(RecordMetadata, (record.generation, FOREVER if ttl is None else ttl))


named_records = NamedRecords(
    key=AerospikeKey,
    meta=RecordMetadata,
    record=Record,
    row=BatchRecord,
    late=LazyWriteRecord,
    incoming=incoming,
    code=code_of,
)
"""Makes named tuples of what the engine gives, without a step of Python's for each row."""

#: A record that was requested by key.
record_of: Callable[[Any, Any], Record] = named_records.record
#: A record that was requested by key, with the results of operations on these bins.
stepped: Callable[[Any, Any, list[str]], Record] = named_records.stepped


def sent_key(key: Any) -> Any:
    """Checks a key to send."""
    if not isinstance(key, tuple):
        message = f"a key must be a tuple, not {type(key).__name__}"
        raise TypeError(message)
    if len(key) not in (3, 4):
        message = f"a key has 3 or 4 items (namespace, set, key[, digest]), not {len(key)}"
        raise ValueError(message)
    return _of_bytes(key) if type(key[2]) is bytes else key


def _of_bytes(key: tuple[Any, ...]) -> tuple[Any, ...]:
    if len(key) == 4 and key[3] is not None:
        return key[0], key[1], None, key[3]
    return text_key(*key[:3])


def sent_keys(keys: list[Any]) -> list[Any]:
    """The keys of a batch, which the engine checks."""
    return keys if _plain_keys(keys) else [sent_key(each) for each in keys]
