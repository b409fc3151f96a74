"""Keys as programs pass them, and their checks."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.failures import reject
from spikewire.compat.aerospike_info import text_key

__all__ = ["checked_key", "key_tuple"]

_DIGEST = 20


def key_tuple(key: Any) -> tuple[Any, ...]:
    """A key as a tuple. It may be a dictionary with ``ns``, ``set``, ``key`` and ``digest``."""
    if type(key) is tuple and len(key) == 3:
        # Most keys, for which the engine and the official client compute the same digest.
        kind = type(key[2])
        if kind is int or (kind is str and "\0" not in key[2]):
            return key
    return checked_key(key)


def _items_of(key: Any) -> tuple[Any, ...]:
    if isinstance(key, tuple):
        return key
    if not isinstance(key, dict):
        reject("key is invalid")
    entries: dict[str, Any] = key
    if "ns" not in entries:
        reject("namespace is required")
    digest = entries.get("digest")
    items = entries.get("ns"), entries.get("set"), entries.get("key")
    return items if digest is None or items[2] is not None else (*items, digest)


def checked_key(key: Any) -> tuple[Any, ...]:
    """Checks a key and returns it as a tuple."""
    if type(key) is tuple and len(key) == 3 and type(key[0]) is type(key[1]) is str:
        name = key[2]
        kind = type(name)
        if (kind is bytearray and name) or (kind is int and -(1 << 63) <= name < 1 << 63):
            return key
    items = _items_of(key)
    if len(items) not in (3, 4):
        reject("key tuple must be (Namespace, Set, Key) or (Namespace, Set, None, Digest)")
    namespace, of, name = items[:3]
    digest = items[3] if len(items) > 3 else None
    if not isinstance(namespace, str):
        reject("namespace must be a string")
    if of is not None and not isinstance(of, str):
        reject("set must be a string")
    if name is not None:
        if not isinstance(name, (str, int, bytes, bytearray)):
            reject("key is invalid")
        if isinstance(name, bytearray) and not name:
            reject("Byte array size cannot be 0")
        if isinstance(name, int) and not -(1 << 63) <= name < 1 << 63:
            reject("integer value for KEY exceeds sys.maxsize")
    elif digest is None:
        reject("either key or digest is required")
    elif not isinstance(digest, bytearray):
        reject("digest is invalid. expected a bytearray")
    elif len(digest) != _DIGEST:
        reject(f"digest size is invalid. should be {_DIGEST} bytes, but received {len(digest)}")
    # In the official client, a text ends at its first NUL, and `bytes` are a text; a `bytearray` is
    # a bytes key.
    if isinstance(name, str) and "\0" in name:
        return (namespace, of, name.split("\0", 1)[0], *items[3:])
    if isinstance(name, bytes):
        return (*text_key(namespace, of, name.split(b"\0", 1)[0]), *items[3:])[:4]
    return (*items[:2], int(name), *items[3:]) if isinstance(name, bool) else items
