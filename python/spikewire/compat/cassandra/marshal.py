"""Numbers as bytes, as the native protocol has them: ``int32_pack(7)``, ``int32_unpack(bytes)``."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.missing_errors import resolve_name

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "double_pack",
    "double_unpack",
    "float_pack",
    "float_unpack",
    "int8_pack",
    "int8_unpack",
    "int16_pack",
    "int16_unpack",
    "int32_pack",
    "int32_unpack",
    "int64_pack",
    "int64_unpack",
    "uint8_pack",
    "uint8_unpack",
    "uint16_pack",
    "uint16_unpack",
    "uint32_pack",
    "uint32_unpack",
    "uint64_pack",
    "uint64_unpack",
    "varint_pack",
    "varint_unpack",
]


def _both(code: str) -> tuple[Callable[[Any], bytes], Callable[[bytes], Any]]:
    one = struct.Struct(f">{code}")
    return one.pack, lambda data: one.unpack(data)[0]


double_pack, double_unpack = _both("d")
float_pack, float_unpack = _both("f")
int8_pack, int8_unpack = _both("b")
int16_pack, int16_unpack = _both("h")
int32_pack, int32_unpack = _both("i")
int64_pack, int64_unpack = _both("q")
uint8_pack, uint8_unpack = _both("B")
uint16_pack, uint16_unpack = _both("H")
uint32_pack, uint32_unpack = _both("I")
uint64_pack, uint64_unpack = _both("Q")


def varint_pack(big: int) -> bytes:
    """An integer of any size, in as few bytes as it takes."""
    bits = (big if big >= 0 else -big - 1).bit_length()
    return big.to_bytes(bits // 8 + 1, "big", signed=True)


def varint_unpack(term: bytes) -> int:
    """An integer of any size."""
    return int.from_bytes(term, "big", signed=True)


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
