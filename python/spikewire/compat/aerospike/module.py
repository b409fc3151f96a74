"""The functions of the module itself."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.compat.aerospike.c_errors import with_c_errors
from spikewire.compat.aerospike.failures import reject
from spikewire.compat.aerospike.values import serializers

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "calc_digest",
    "get_partition_id",
    "set_deserializer",
    "set_serializer",
    "unset_serializers",
]


@with_c_errors
def calc_digest(ns: str, set: str | None, key: Any) -> bytearray:
    """The digest of a key."""
    message = ""
    if not isinstance(ns, str):
        message = "Namespace should be a string"
    elif set is not None and not isinstance(set, str):
        message = "Set should be a string or unicode"
    elif not isinstance(key, (str, int, bytearray)):
        message = "Key is invalid"
    if message:
        raise TypeError(message)
    if isinstance(key, bytearray) and not key:
        reject("Byte array size cannot be 0")
    try:
        plain = int(key) if isinstance(key, bool) else key
        if isinstance(plain, str):
            plain = plain.split("\0", 1)[0]
        return bytearray(spikewire.Key(ns, set, plain).digest)
    except (TypeError, ValueError, OverflowError) as error:
        reject(str(error))


def get_partition_id(digest: Any) -> int:
    """The partition of a digest."""
    if not isinstance(digest, str):
        message = f"argument 1 must be str, not {type(digest).__name__}"
        raise TypeError(message)
    data = digest.encode("latin-1")
    return int.from_bytes(data[:2], "little") & 0xFFF


def _callable(value: Any) -> None:
    if not callable(value):
        reject("Parameter must be a callable")


def set_serializer(callback: Callable[[Any], Any]) -> int:
    """Sets the function that converts unsupported values to text, used by ``put`` with
    ``SERIALIZER_USER``."""
    _callable(callback)
    serializers.serializer = callback
    return 0


def set_deserializer(callback: Callable[[Any], Any]) -> int:
    """Sets the function that converts text back to values, for all bytes values that any client
    reads."""
    _callable(callback)
    serializers.deserializer = callback
    return 0


def unset_serializers() -> int:
    """Removes both."""
    serializers.serializer = serializers.deserializer = None
    return 0
