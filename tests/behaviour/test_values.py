"""Values are read as they were written, bit for bit."""

from __future__ import annotations

import enum
import math
import struct
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import GeoJSON, HyperLogLog

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

if TYPE_CHECKING:
    from apis import Caller

LEAST, MOST = -(1 << 63), (1 << 63) - 1

settings = hypothesis.settings(max_examples=60)

integers = st.one_of(st.integers(LEAST, MOST), st.sampled_from([LEAST, MOST, -1, 0, 127, 128, 255]))
scalars = st.one_of(
    integers, st.booleans(), st.floats(), st.text(max_size=40), st.binary(max_size=40)
)
map_keys = st.one_of(integers, st.text(max_size=10), st.binary(max_size=10))
nested = st.recursive(
    st.one_of(scalars, st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=5), st.dictionaries(map_keys, inner, max_size=5)
    ),
    max_leaves=15,
)
collections = st.one_of(st.lists(nested, max_size=6), st.dictionaries(map_keys, nested, max_size=6))


def same(actual: Any, value: Any) -> bool:
    """Equal in type and, for floats, in every bit."""
    if type(actual) is not type(value):
        return False
    if isinstance(value, float):
        return struct.pack(">d", actual) == struct.pack(">d", value)
    if isinstance(value, list):
        return len(actual) == len(value) and all(map(same, actual, value))
    if isinstance(value, dict):
        return actual.keys() == value.keys() and all(same(actual[k], value[k]) for k in value)
    return bool(actual == value)


@settings
@hypothesis.given(st.one_of(scalars, collections))
def test_values_round_trip(data: Caller, value: object) -> None:
    data.put(1, {"v": value}, exists="replace")
    assert same(data.get(1)["v"], value)


@settings
@hypothesis.given(st.dictionaries(st.text(min_size=1, max_size=3), nested, min_size=1, max_size=8))
def test_records_of_any_values_round_trip(data: Caller, bins: dict[str, object]) -> None:
    names = [name.encode("utf-8", "surrogatepass") for name in bins]
    hypothesis.assume(all(len(name) <= 15 and b"\0" not in name for name in names))
    entries = {name: value for name, value in bins.items() if value is not None}
    hypothesis.assume(entries)
    data.delete(1)
    data.put(1, bins)
    assert same(data.get(1).bins, entries)


@pytest.mark.parametrize("value", [LEAST, LEAST + 1, -1, 0, 1, 2**31, 2**32, MOST])
def test_integers_round_trip(data: Caller, value: int) -> None:
    data.put(1, {"bin": value, "list": [value], "map": {value: value}})
    assert data.get(1).bins == {"bin": value, "list": [value], "map": {value: value}}


@pytest.mark.parametrize(
    "bits",
    [
        0x0000000000000000,
        0x8000000000000000,  # -0.0
        0x0000000000000001,  # the smallest subnormal
        0x7FEFFFFFFFFFFFFF,
        0x7FF0000000000000,
        0xFFF0000000000000,
        0x7FF8000000000000,
        0xFFF8000000000001,  # a NaN with a payload
        0x7FF0000000000001,  # a signalling NaN
    ],
)
def test_floats_keep_their_bits(data: Caller, bits: int) -> None:
    (value,) = struct.unpack(">d", bits.to_bytes(8, "big"))
    data.put(1, {"bin": value, "list": [value]})
    record = data.get(1)
    assert same(record["bin"], value)
    assert same(record["list"], [value])


@pytest.mark.parametrize(
    "text", ["", "é", "日本語", "😀" * 100, "a\0b", "\u202e", "\uffff", "x" * 70_000]
)
def test_text_round_trips(data: Caller, text: str) -> None:
    data.put(1, {"bin": text, "list": [text], "map": {text: text}})
    assert data.get(1).bins == {"bin": text, "list": [text], "map": {text: text}}


def test_none_in_a_collection_round_trips(data: Caller) -> None:
    data.put(1, {"list": [None, 1], "map": {"a": None}})
    assert data.get(1).bins == {"list": [None, 1], "map": {"a": None}}


def test_booleans_are_not_integers(data: Caller) -> None:
    data.put(1, {"a": True, "b": 1, "c": [True, 1, False, 0]})
    bins = data.get(1).bins
    assert bins["a"] is True
    assert bins["b"] is not True
    assert [type(item) for item in bins["c"]] == [bool, int, bool, int]


def test_bytes_like_objects_are_stored_as_bytes(data: Caller) -> None:
    plain = bytes(range(256))
    shapes = {
        "bytes": plain,
        "bytearray": bytearray(plain),
        "view": memoryview(plain),
        "slice": memoryview(plain + plain)[::2],
        "list": [bytearray(plain), memoryview(plain)],
    }
    data.put(1, shapes)
    record = data.get(1)
    assert record["bytes"] == record["bytearray"] == record["view"] == plain
    assert record["slice"] == (plain + plain)[::2]
    assert record["list"] == [plain, plain]


def test_wide_items_are_stored_as_their_bytes(data: Caller) -> None:
    array = pytest.importorskip("array")
    numbers = array.array("i", [1, -2, 3])
    data.put(1, {"v": memoryview(numbers), "l": [memoryview(numbers)]})
    record = data.get(1)
    assert record["v"] == numbers.tobytes()
    assert record["l"] == [numbers.tobytes()]


def test_geojson_round_trips(data: Caller) -> None:
    point = GeoJSON('{"type": "Point", "coordinates": [11.5, 48.1]}')
    data.put(1, {"geo": point, "list": [point]})
    record = data.get(1)
    assert record["geo"] == point
    assert record["list"] == [point]
    assert isinstance(record["geo"], GeoJSON)
    assert record["geo"].to_object()["coordinates"] == [11.5, 48.1]  # type: ignore[index]
    assert GeoJSON({"type": "Point", "coordinates": [1, 2]}).to_object()["type"] == "Point"  # type: ignore[index]


def test_invalid_geojson_raises_a_server_error(data: Caller) -> None:
    with pytest.raises(spikewire.ServerError) as caught:
        data.put(1, {"geo": GeoJSON("no json")})
    assert caught.value.code == 160


def test_hyperloglog_round_trips(data: Caller) -> None:
    # Flags, 4 index bits, no minhash bits, cached count, then 16 registers of 6 bits.
    sketch = HyperLogLog(bytes([0, 4, 0]) + bytes(8) + bytes(12))
    data.put(1, {"sketch": sketch})
    record = data.get(1)["sketch"]
    assert isinstance(record, HyperLogLog)
    assert bytes(record) == bytes(sketch)
    assert record == sketch
    assert len(record) == 23


def test_subclasses_are_stored_as_what_they_extend(data: Caller) -> None:
    class Colour(enum.IntEnum):
        RED = 7

    class Word(str):
        __slots__ = ()

    data.put(1, {"i": Colour.RED, "s": Word("w"), "d": OrderedDict(a=1), "t": (1, (2,))})
    bins = data.get(1).bins
    assert bins == {"i": 7, "s": "w", "d": {"a": 1}, "t": [1, [2]]}
    assert [type(value) for value in bins.values()] == [int, str, dict, list]


def test_map_keys_of_all_types_round_trip(data: Caller) -> None:
    value = {1: "int", "1": "str", b"1": "bytes", -1: "negative", "": "empty", b"": "none"}
    data.put(1, {"m": value})
    assert data.get(1)["m"] == value


def test_deeply_nested_values_round_trip(data: Caller) -> None:
    value: Any = 1
    for depth in range(100):
        value = [value] if depth % 2 else {"k": value}
    data.put(1, {"v": value})
    assert data.get(1)["v"] == value


def test_long_collections_round_trip(data: Caller) -> None:
    value = {"list": list(range(70_000)), "map": {i: i for i in range(20_000)}}
    data.put(1, value)
    assert data.get(1).bins == value


def test_integers_wrap_only_on_the_server(data: Caller) -> None:
    data.put(1, {"n": MOST})
    data.add(1, {"n": 1})
    assert data.get(1)["n"] == LEAST


def test_adding_infinities_gives_nan(data: Caller) -> None:
    data.put(1, {"f": math.inf})
    data.add(1, {"f": -math.inf})
    assert math.isnan(data.get(1)["f"])


def test_bin_names_of_every_script_round_trip(data: Caller) -> None:
    bins = dict.fromkeys(("a", "x" * 15, "é" * 7, "日本語日本", " ", "a b", "😀"), 1)
    data.put(1, bins)
    assert data.get(1).bins == bins
    for name in bins:
        assert data.get(1, bins=[name]).bins == {name: 1}
