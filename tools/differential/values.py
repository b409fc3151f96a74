"""Values of lists and maps as msgpack, with the orders of containers and the order of values."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any


class Name(bytes):
    """A string without the byte of its type: names of bins and variables, and patterns."""


class Geo(str):
    """GeoJSON."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Extension:
    """A msgpack extension, such as the wildcard."""

    kind: int
    data: bytes


WILDCARD = Extension(0xFF, b"\0")
INFINITY = Extension(0xFF, b"\1")


class OrderedList(list[Any]):
    """A list that is kept in order: its elements are sorted."""

    def __repr__(self) -> str:
        return f"ordered{super().__repr__()}"


class OrderedMap(dict[Any, Any]):
    """A map ordered by key (1), or by key and value (3)."""

    flags = 1

    def __repr__(self) -> str:
        return f"ordered{self.flags}{super().__repr__()}"


def is_container(value: object) -> bool:
    """Whether the value is a list or a map."""
    return isinstance(value, (list, dict))


def order_key(value: Any) -> tuple[Any, ...]:
    """What sorts values as servers do."""
    match value:
        case None:
            return (0,)
        case bool():
            return (2 if value else 1,)
        case int():
            return (3, value)
        case Geo():
            return (9, value.encode())
        case str():
            return (4, value.encode())
        case list():
            return (5, tuple(order_key(item) for item in value))
        case dict():
            pairs = sorted((order_key(key), order_key(item)) for key, item in value.items())
            return (6, len(value), tuple(pairs))
        case bytes():
            return (7, value)
        case _:
            return (8, value)


def pack(value: Any) -> bytes:
    """The value as a server stores it: maps sorted by key."""
    match value:
        case None:
            return b"\xc0"
        case bool():
            return b"\xc3" if value else b"\xc2"
        case int():
            return _pack_integer(value)
        case float():
            return b"\xcb" + struct.pack(">d", value)
        case Name():
            return _pack_text(bytes(value))
        case Geo():
            return _pack_text(b"\x17" + value.encode())
        case str():
            return _pack_text(b"\3" + value.encode())
        case bytes():
            return _pack_text(b"\4" + value)
        case Extension() if len(value.data) == 1:
            return bytes((0xD4, value.kind)) + value.data
        case Extension():
            return bytes((0xC7, len(value.data), value.kind)) + value.data
        case OrderedList():
            header = _pack_header(0x90, 0xDC, len(value) + 1)
            return header + b"\xc7\0\1" + _pack_all(value)
        case list():
            return _pack_header(0x90, 0xDC, len(value)) + _pack_all(value)
        case OrderedMap():
            flags = bytes((0xC7, 0, value.flags, 0xC0))
            return _pack_header(0x80, 0xDE, len(value) + 1) + flags + _pack_pairs(value)
        case dict():
            return _pack_header(0x80, 0xDE, len(value)) + _pack_pairs(value)
        case _:
            raise TypeError(f"no msgpack of {type(value).__name__}")


def _pack_all(items: list[Any]) -> bytes:
    return b"".join(pack(item) for item in items)


def _pack_pairs(pairs: dict[Any, Any]) -> bytes:
    keys = sorted(pairs, key=order_key)
    return b"".join(pack(key) + pack(pairs[key]) for key in keys)


def _pack_integer(value: int) -> bytes:
    if -32 <= value < 128:
        return struct.pack(">b", value)
    for code, layout, low, high in (
        (0xCC, ">B", 0, 0xFF),
        (0xCD, ">H", 0, 0xFFFF),
        (0xCE, ">I", 0, 0xFFFFFFFF),
        (0xCF, ">Q", 0, 2**64 - 1),
        (0xD0, ">b", -(2**7), -1),
        (0xD1, ">h", -(2**15), -1),
        (0xD2, ">i", -(2**31), -1),
    ):
        if low <= value <= high:
            return bytes((code,)) + struct.pack(layout, value)
    return b"\xd3" + struct.pack(">q", value)


def _pack_text(data: bytes) -> bytes:
    if len(data) < 32:
        return bytes((0xA0 | len(data),)) + data
    if len(data) < 256:
        return bytes((0xD9, len(data))) + data
    return b"\xda" + struct.pack(">H", len(data)) + data


def _pack_header(short: int, long: int, count: int) -> bytes:
    if count < 16:
        return bytes((short | count,))
    return bytes((long,)) + struct.pack(">H", count)


def unpack(data: bytes) -> Any:
    """The value, or the bytes if they are no single one."""
    try:
        value, end = _unpack_at(data, 0)
    except (IndexError, struct.error, UnicodeDecodeError, TypeError):
        return f"broken {data.hex()}"
    return value if end == len(data) else f"{value!r} and {data[end:].hex()}"


_NUMBERS = {
    0xCA: ">f",
    0xCB: ">d",
    0xCC: ">B",
    0xCD: ">H",
    0xCE: ">I",
    0xCF: ">Q",
    0xD0: ">b",
    0xD1: ">h",
    0xD2: ">i",
    0xD3: ">q",
}
_LENGTHS = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
_COUNTS = {0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}
_SIMPLE = {0xC0: None, 0xC2: False, 0xC3: True}


def _unpack_at(data: bytes, at: int) -> tuple[Any, int]:
    code = data[at]
    at += 1
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 256), at
    if code in _SIMPLE:
        return _SIMPLE[code], at
    if layout := _NUMBERS.get(code):
        return struct.unpack_from(layout, data, at)[0], at + struct.calcsize(layout)
    if 0xA0 <= code < 0xC0:
        return _unpack_text(data, at, code & 31)
    if layout := _LENGTHS.get(code):
        length = struct.unpack_from(layout, data, at)[0]
        return _unpack_text(data, at + struct.calcsize(layout), length)
    if code in (0xD4, 0xC7):
        length = 1 if code == 0xD4 else data[at]
        at += code == 0xC7
        return Extension(data[at], data[at + 1 : at + 1 + length]), at + 1 + length
    if layout := _COUNTS.get(code):
        count = struct.unpack_from(layout, data, at)[0]
        at += struct.calcsize(layout)
        return _unpack_container(data, at, count, is_map=code >= 0xDE)
    if code < 0xA0:
        return _unpack_container(data, at, code & 15, is_map=code < 0x90)
    raise TypeError(f"code {code:#x}")


def _unpack_text(data: bytes, at: int, length: int) -> tuple[Any, int]:
    text = data[at : at + length]
    if len(text) < length:
        raise IndexError
    if text[:1] == b"\3":
        return text[1:].decode(), at + length
    return (text[1:] if text[:1] == b"\4" else Name(text)), at + length


def _unpack_container(data: bytes, at: int, count: int, *, is_map: bool) -> tuple[Any, int]:
    items = []
    for _ in range(count * 2 if is_map else count):
        item, at = _unpack_at(data, at)
        items.append(item)
    # The flags of a container are the kind of an extension without data.
    first = items[0] if items else None
    flags = first.kind if isinstance(first, Extension) and not first.data else None
    if flags is not None:
        items = items[2:] if is_map else items[1:]
    if not is_map:
        return (OrderedList(items) if flags is not None else items), at
    # Pairs as they come: a dictionary would hide keys that come twice.
    pairs = list(zip(items[::2], items[1::2], strict=True))
    return ("map" if flags is None else f"ordered{flags} map", *pairs), at
