"""Values of other types that are stored as plain ones: NumPy scalars, enum members, buffers."""

from __future__ import annotations

import array
import ctypes
import enum
import mmap
import re
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import ctx, op

numpy = pytest.importorskip("numpy")


def named(value: object) -> str:
    """The value in a test id, which must be the same in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:40]


if TYPE_CHECKING:
    from apis import Caller


class Level(enum.IntEnum):
    HIGH = 3


class Colour(enum.Enum):
    RED = "red"
    RGB = (255, 0, 0)


class Flags(enum.Flag):
    A = 1
    B = 2


class Riddle(enum.Enum):
    INNER = Colour.RED


KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

#: A value and what it is stored as.
STORED: list[tuple[Any, object]] = [
    *((numpy.dtype(kind).type(numpy.iinfo(kind).max >> (kind == "uint64")),
       int(numpy.iinfo(kind).max) >> (kind == "uint64")) for kind in KINDS),
    *((numpy.dtype(kind).type(numpy.iinfo(kind).min),
       int(numpy.iinfo(kind).min)) for kind in KINDS),
    (numpy.float16(0.5), 0.5),
    (numpy.float32(0.1), float(numpy.float32(0.1))),
    (numpy.float64(0.1), 0.1),
    (numpy.bool_(True), True),
    (numpy.bool_(False), False),
    (numpy.str_("é"), "é"),
    (numpy.bytes_(b"\0x"), b"\0x"),
    (Level.HIGH, 3),
    (Colour.RED, "red"),
    (Colour.RGB, [255, 0, 0]),
    (Flags.A | Flags.B, 3),
    ((1, (2, None)), [1, [2, None]]),
    (bytearray(b"ab"), b"ab"),
    (memoryview(b"abcd")[1:3], b"bc"),
    (memoryview(b"abcdef")[::2], b"ace"),
    (memoryview(b""), b""),
    (memoryview(array.array("i", [1, 2])), array.array("i", [1, 2]).tobytes()),
    (memoryview(numpy.arange(6, dtype="u1").reshape(2, 3)[:, ::2]), bytes([0, 2, 3, 5])),
    (array.array("B", [1, 2]), b"\x01\x02"),
    ((ctypes.c_ubyte * 3)(1, 2, 3), b"\x01\x02\x03"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "stored"), STORED, ids=named)
def test_values_are_stored_as_their_builtin_type(data: Caller, value: Any, stored: object) -> None:
    data.put(1, {"v": value, "list": [value], "map": {"k": value}})
    bins = data.get(1).bins
    assert bins == {"v": stored, "list": [stored], "map": {"k": stored}}
    assert type(bins["v"]) is type(bins["list"][0]) is type(stored)
    data.operate(1, [op.put("o", value)])
    assert data.get(1)["o"] == stored


def test_memory_mapped_files_are_stored_as_bytes(data: Caller) -> None:
    with mmap.mmap(-1, 5) as area:
        area[:] = b"hello"
        data.put(1, {"v": area})
    assert data.get(1)["v"] == b"hello"


def test_keys_of_maps_are_stored_as_their_builtin_type(data: Caller) -> None:
    data.put(1, {"m": {numpy.int16(5): 1, Colour.RED: 2, Level.HIGH: 3, numpy.str_("s"): 4}})
    assert data.get(1)["m"] == {5: 1, "red": 2, 3: 3, "s": 4}


@pytest.mark.parametrize(
    ("key", "same"),
    [
        (b"k", b"k"),
        (bytearray(b"k"), b"k"),
        (memoryview(b"k"), b"k"),
        (memoryview(array.array("i", [7])), array.array("i", [7]).tobytes()),
        (numpy.int16(5), 5),
        (Colour.RED, "red"),
    ],
)
def test_keys_of_map_operations_may_be_such_types(data: Caller, key: Any, same: object) -> None:
    """What can be the key of a map that is stored can be that of an operation, and of a path."""
    data.put(1, {"m": {}})
    data.operate(1, [op.map.put("m", key, 1), op.map.increment("m", key, 1)])
    assert data.get(1)["m"] == {same: 2}
    assert data.operate(1, [op.map.get_by_key("m", key)]).results == (2,)
    data.operate(
        1, [op.map.put("m", key, {"a": 1}), op.map.put("m", "b", 2, ctx=[ctx.map_key(key)])]
    )
    assert data.get(1)["m"] == {same: {"a": 1, "b": 2}}


def test_bytes_like_map_keys_are_stored_as_bytes(data: Caller) -> None:
    data.put(1, {"m": {memoryview(b"k"): [{memoryview(b"l"): 1}]}})
    assert data.get(1)["m"] == {b"k": [{b"l": 1}]}


REFUSED: list[tuple[object, type[Exception], str]] = [
    (numpy.uint64(1 << 63), OverflowError, r'bin "v".*9223372036854775808.*64 bits'),
    (numpy.datetime64("2026-01-01"), TypeError, r'bin "v".*datetime64.*int64'),
    (numpy.timedelta64(1, "s"), TypeError, r'bin "v".*timedelta64.*int64'),
    (numpy.complex64(1), TypeError, r'bin "v".*complex64'),
    (numpy.longdouble(1), TypeError, r'bin "v".*longdouble.*float\(value\)'),
    (numpy.arange(3), TypeError, r'bin "v".*ndarray.*tolist.*tobytes'),
    (numpy.arange(3, dtype="u1"), TypeError, r'bin "v".*ndarray.*tolist.*tobytes'),
    (numpy.array([object()]), TypeError, r'bin "v".*ndarray'),
    (numpy.array(["2026"], "M8[s]"), TypeError, r'bin "v".*ndarray'),
    (array.array("d", [1.0]), TypeError, r'bin "v".*array.array.*tolist.*tobytes'),
    (Riddle.INNER, TypeError, r'bin "v".*Riddle.*enum member'),
]


@pytest.mark.parametrize(("value", "error", "message"), REFUSED, ids=named)
def test_unsupported_values_raise(
    data: Caller, value: object, error: type[Exception], message: str
) -> None:
    data.put(1, {"a": 0})
    with pytest.raises(error, match=message):
        data.put(1, {"v": value})
    with pytest.raises(error, match=message.replace('"v"', r'"v"\[\'k\'\]\[0\]')):
        data.put(1, {"v": {"k": [value]}})
    assert data.get(1).bins == {"a": 0}
