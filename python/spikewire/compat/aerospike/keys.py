"""Keys: what programs pass, and what is wrong with it."""

# Programs pass anything: what it is is looked at here.
# pyright: basic

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.failures import refuse

__all__ = ["checked_key", "key_tuple"]

_DIGEST = 20


def key_tuple(key: Any) -> tuple[Any, ...]:
    """A key as a tuple: it may be a dictionary of ``ns``, ``set``, ``key`` and ``digest``."""
    if isinstance(key, tuple):
        return key
    if not isinstance(key, dict):
        refuse("key is invalid")
    found: dict[str, Any] = key
    if "ns" not in found:
        refuse("namespace is required")
    digest = found.get("digest")
    made = found.get("ns"), found.get("set"), found.get("key")
    return made if digest is None or made[2] is not None else (*made, digest)


def checked_key(key: Any) -> tuple[Any, ...]:
    """A key after its checks, as a tuple."""
    found = key_tuple(key)
    if len(found) not in (3, 4):
        refuse("key tuple must be (Namespace, Set, Key) or (Namespace, Set, None, Digest)")
    namespace, of, name = found[:3]
    digest = found[3] if len(found) > 3 else None
    if not isinstance(namespace, str):
        refuse("namespace must be a string")
    if of is not None and not isinstance(of, str):
        refuse("set must be a string")
    if name is not None:
        if not isinstance(name, (str, int, bytes, bytearray)):
            refuse("key is invalid")
        if not isinstance(name, (str, int)) and not name:
            refuse("Byte array size cannot be 0")
        if isinstance(name, int) and not -(1 << 63) <= name < 1 << 63:
            refuse("integer value for KEY exceeds sys.maxsize")
    elif digest is None:
        refuse("either key or digest is required")
    elif not isinstance(digest, bytearray):
        refuse("digest is invalid. expected a bytearray")
    elif len(digest) != _DIGEST:
        refuse(f"digest size is invalid. should be {_DIGEST} bytes, but received {len(digest)}")
    return found
