"""What can be a key, and which record it identifies."""

from __future__ import annotations

import enum
import pickle
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire import Key

if TYPE_CHECKING:
    from apis import Caller, Opened


class Index:
    """Has an integer value without being an `int`."""

    def __index__(self) -> int:
        return 41


class Colour(enum.IntEnum):
    RED = 41


KEYS = [
    0, 1, -1, (1 << 63) - 1, -(1 << 63),
    "", "a", "é", "😀", "x" * 10_000, "a\0b",
    b"", b"\0", b"a", bytes(range(256)),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=lambda key: repr(key)[:20])
def test_keys_of_every_type_round_trip(data: Caller, key: object) -> None:
    data.put(key, {"v": 1}, send_key=True)
    record = data.get(key)
    assert record.bins == {"v": 1}
    assert record.key.key == key
    assert type(record.key.key) is type(key)
    assert data.delete(key) is True


def test_keys_of_different_types_are_different_records(data: Caller) -> None:
    keys = [1, "1", b"1"]
    for at, key in enumerate(keys):
        data.put(key, {"v": at})
    assert [data.get(key)["v"] for key in keys] == [0, 1, 2]
    assert len({Key("test", "s", key).digest for key in keys}) == 3  # type: ignore[arg-type]


def test_bytes_like_keys_are_bytes(data: Caller) -> None:
    data.put(b"key", {"v": 1})
    for same in (bytearray(b"key"), memoryview(b"key"), memoryview(b"xkeyx")[1:4]):
        assert data.get(same).bins == {"v": 1}


def test_keys_that_may_change_are_copied(data: Caller) -> None:
    """A digest and its key are of one moment, however long the record, batch or error lives."""
    for make in (bytearray, lambda key: memoryview(bytearray(key))):
        buffer = make(b"k0")
        whole = data.target.key(buffer)
        data.put(buffer, {"v": 1}, send_key=True)
        record, batch = data.get(buffer), data.get_many([buffer])
        with pytest.raises(spikewire.RecordNotFound) as caught:
            data.get(make(b"none"))
        buffer[1:2] = b"9"
        assert (whole.key, record.key.key, batch.keys[0].key) == (b"k0", b"k0", b"k0")
        assert [type(key.key) for key in (whole, record.key, batch.keys[0])] == [bytes] * 3
        assert batch.to_dict() == {b"k0": record}
        assert pickle.loads(pickle.dumps(record)) == record
        assert pickle.loads(pickle.dumps(caught.value)).key.key == b"none"
        assert hash(whole) == hash(Key("test", whole.set, b"k0"))
    array = Key("test", "s", Index())  # type: ignore[arg-type]
    assert (array.key, type(array.key)) == (41, int)


def test_invalid_keys_raise(data: Caller) -> None:
    for key, parts in {
        1.5: ["float (1.5)", "int(key)"],
        ("a", 1): ["tuple (('a', 1))", "join"],
        ("test", "s", 1): ["tuple", "client.get(key)"],
        True: ["bool (True)"],
    }.items():
        with pytest.raises(TypeError) as caught:
            data.get(key)
        assert all(part in str(caught.value) for part in parts)
    with pytest.raises(TypeError, match="get_many"):
        data.get([1, 2])


def test_objects_with_index_are_integer_keys(data: Caller) -> None:
    data.put(41, {"v": 1})
    for same in (Index(), Colour.RED):
        assert data.get(same).bins == {"v": 1}


def test_numpy_integers_are_integer_keys(data: Caller) -> None:
    numpy = pytest.importorskip("numpy")
    data.put(41, {"v": 1})
    for kind in (numpy.int8, numpy.uint16, numpy.int64, numpy.uint64):
        assert data.get(kind(41)).bins == {"v": 1}
    with pytest.raises(OverflowError):
        data.get(numpy.uint64((1 << 64) - 1))
    with pytest.raises(TypeError):
        data.get(numpy.float64(41))


def test_digests_agree_with_the_field() -> None:
    # Worked examples shared by all clients of this protocol.
    assert Key("test", "demo", "key").digest.hex() != Key("test", "demo", b"key").digest.hex()
    assert len(Key("test", "demo", 1).digest) == 20
    assert Key("test", "demo", 1).digest == Key("other", "demo", 1).digest
    assert Key("test", "demo", 1).digest != Key("test", "demo2", 1).digest


def test_a_key_is_a_value() -> None:
    key = Key("test", "s", "k")
    assert (key.namespace, key.set, key.key) == ("test", "s", "k")
    assert 0 <= key.partition < 4096
    assert key == Key("test", "s", "k")
    assert hash(key) == hash(Key("test", "s", "k"))
    assert key != Key("test", "s", "j")
    assert key != Key("other", "s", "k")
    assert key == Key.from_digest("test", "s", key.digest)
    assert repr(key) == "Key('test', 's', 'k')"
    assert Key("test", None, 1).set is None


@pytest.mark.parametrize(
    "key", [Key("test", "s", "k"), Key("test", None, 1), Key.from_digest("test", "s", bytes(20))]
)
def test_keys_pickle(key: Key) -> None:
    again = pickle.loads(pickle.dumps(key))
    assert again == key
    assert (again.namespace, again.set, again.key) == (key.namespace, key.set, key.key)


def test_records_pickle(data: Caller) -> None:
    data.put(
        "k", {"a": [1], "g": spikewire.GeoJSON('{"type":"Point","coordinates":[1,2]}')}, ttl=99
    )
    record = data.get("k")
    again = pickle.loads(pickle.dumps(record))
    assert again == record
    assert (again.ttl, again.generation, again.key.key) == (record.ttl, 1, "k")
    operated = data.operate("k", [spikewire.op.get("a")])
    assert pickle.loads(pickle.dumps(operated)).results == ([1],)


def test_keys_on_all_nodes_are_found(client: Opened, data: Caller) -> None:
    for key in range(300):
        data.put(key, {"v": key})
    assert [data.get(key)["v"] for key in range(300)] == list(range(300))
