"""What both drop-ins for Aerospike know of servers."""

from __future__ import annotations

from typing import Any, Final

from spikewire._native import _raw_text_digest  # pyright: ignore[reportPrivateUsage]

#: The seconds to live of records that never expire.
FOREVER: Final = 0xFFFFFFFF
#: How many parts a namespace has.
PARTITIONS: Final = 4096


def text_key(namespace: Any, set_name: Any, name: bytes) -> tuple[Any, ...]:
    """A key of ``bytes``, which both take for the text that these bytes are. Where they are none,
    it is known by its digest."""
    try:
        return namespace, set_name, name.decode()
    except UnicodeDecodeError:
        return namespace, set_name, None, _raw_text_digest(set_name, name)
