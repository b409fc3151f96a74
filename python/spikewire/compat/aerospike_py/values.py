"""Values that were read, as aerospike-py gives them, and keys that are sent."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

from typing import Any

import spikewire
from spikewire.compat.aerospike_py.types import AerospikeKey, Record, RecordMetadata

__all__ = ["incoming", "incoming_bins", "meta_of", "named", "record_of", "sent_key"]

_SCALARS = frozenset({int, str, float, bytes, bool, type(None)})
_FOREVER = 0xFFFFFFFF
_new = tuple.__new__  # What the named tuples' own `__new__` calls.


def incoming_bins(bins: dict[str, Any]) -> dict[str, Any]:
    """The bins of a record; changes them in place."""
    for name, value in bins.items():
        if type(value) not in _SCALARS:
            bins[name] = incoming(value)
    return bins


def incoming(value: Any) -> Any:
    """One value that was read."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [item if type(item) in _SCALARS else incoming(item) for item in value]
    if kind is dict:
        return {
            name: item if type(item) in _SCALARS else incoming(item) for name, item in value.items()
        }
    if kind is spikewire.GeoJSON:
        return value.text
    if kind is spikewire.HyperLogLog:
        return bytes(value)
    return value


def named(key: Any, digest: bytes) -> AerospikeKey:
    """A key that was asked for."""
    return _new(AerospikeKey, (key[0], key[1], key[2], digest))


def meta_of(record: Any) -> RecordMetadata:
    """Generation and time to live."""
    ttl = record.ttl
    return _new(RecordMetadata, (record.generation, _FOREVER if ttl is None else ttl))


def record_of(key: Any, record: Any) -> Record:
    """A record that was asked for by a key."""
    ttl = record.ttl
    return _new(
        Record,
        (
            _new(AerospikeKey, (key[0], key[1], key[2], record.key.digest)),
            _new(RecordMetadata, (record.generation, _FOREVER if ttl is None else ttl)),
            incoming_bins(record.bins),
        ),
    )


def sent_key(key: Any) -> Any:
    """A key after its checks."""
    if not isinstance(key, tuple):
        message = f"a key must be a tuple, not {type(key).__name__}"
        raise TypeError(message)
    if len(key) not in (3, 4):
        message = f"a key has 3 or 4 items (namespace, set, key[, digest]), not {len(key)}"
        raise ValueError(message)
    return key
