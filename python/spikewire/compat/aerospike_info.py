"""What both drop-ins for Aerospike know about servers."""

from __future__ import annotations

from typing import Any, Final

from spikewire._native import _raw_text_digest  # pyright: ignore[reportPrivateUsage]

#: The time to live, in seconds, that stands for records that never expire.
FOREVER: Final = 0xFFFFFFFF
#: The number of partitions of a namespace.
PARTITIONS: Final = 4096


def odd_in_info(what: str, name: str) -> str | None:
    """Why a name cannot be part of an info command, where ``;`` begins another parameter and a
    line break another command; ``None`` if it can.
    """
    if any(sign == ";" or sign < " " for sign in name):
        return f"{what} must have no ';' and no line break in an info command, got {name!r}"
    return None


def text_key(namespace: Any, set_name: Any, name: bytes) -> tuple[Any, ...]:
    """The key for a user key of type ``bytes``, which both clients treat as the text that these
    bytes represent. If they are not valid text, the key is identified by its digest."""
    try:
        return namespace, set_name, name.decode()
    except UnicodeDecodeError:
        return namespace, set_name, None, _raw_text_digest(set_name, name)
