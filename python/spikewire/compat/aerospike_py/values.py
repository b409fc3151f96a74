"""Values that were read, as aerospike-py gives them, and keys that are sent."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

import hashlib
from itertools import chain
from operator import itemgetter
from typing import Any

import spikewire
from spikewire.compat.aerospike_py.failures import missing
from spikewire.compat.aerospike_py.types import AerospikeKey, Record, RecordMetadata

__all__ = [
    "incoming",
    "incoming_bins",
    "incoming_rows",
    "meta_of",
    "named",
    "plain_key",
    "record_of",
    "sent_key",
    "sent_keys",
]

_SCALARS = frozenset({int, str, float, bytes, bool, type(None)})
_FOREVER = 0xFFFFFFFF
_USER_KEY = itemgetter(2)
_new = tuple.__new__  # What the named tuples' own `__new__` calls.


def incoming_bins(bins: dict[str, Any]) -> dict[str, Any]:
    """The bins of a record; changes them in place."""
    if _SCALARS.issuperset(map(type, bins.values())):
        return bins
    for name, value in bins.items():
        if type(value) not in _SCALARS:
            bins[name] = incoming(value)
    return bins


def incoming_rows(rows: list[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    """The bins of many records; changes them in place."""
    found = [bins for bins in rows if bins] if None in rows else rows
    kinds = set(map(type, chain.from_iterable(map(dict.values, found))))  # type: ignore[arg-type]
    if not kinds <= _SCALARS:
        for bins in found:
            incoming_bins(bins)  # type: ignore[arg-type]
    return rows


def incoming(value: Any) -> Any:
    """One value that was read."""
    kind = type(value)
    if kind in _SCALARS:
        return value
    if kind is list:
        return [item if type(item) in _SCALARS else incoming(item) for item in value]
    if isinstance(value, dict):  # or a subclass of it, where the other drop-in is at work, too
        return {
            name: item if type(item) in _SCALARS else incoming(item) for name, item in value.items()
        }
    if kind is spikewire.GeoJSON:
        return value.text
    if kind is spikewire.HyperLogLog:
        return bytes(value)
    return value


def plain_key(key: Any) -> bool:
    """Whether the engine takes the key as it is."""
    return type(key) is tuple and len(key) == 3 and type(key[2]) is not bytes


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
    return _of_bytes(key) if type(key[2]) is bytes else key


def _of_bytes(key: tuple[Any, ...]) -> tuple[Any, ...]:
    """A key of bytes, which is the key of a text with these bytes; a ``bytearray`` is one of its
    own."""
    if len(key) == 4 and key[3] is not None:
        return key[0], key[1], None, key[3]
    try:
        return key[0], key[1], key[2].decode()
    except UnicodeDecodeError:
        pass
    try:
        hashed = hashlib.new("ripemd160", usedforsecurity=False)
    except ValueError:
        missing("keys of bytes")
    hashed.update((key[1] or "").encode() + b"\3" + key[2])
    return key[0], key[1], None, hashed.digest()


def sent_keys(keys: list[Any]) -> list[Any]:
    """The keys of a batch, which are checked by the engine."""
    try:
        some_bytes = bytes in set(map(type, map(_USER_KEY, keys)))
    except (TypeError, IndexError):
        return keys  # The engine says what is wrong with one of them.
    return [sent_key(each) for each in keys] if some_bytes else keys
