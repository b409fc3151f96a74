"""Each client reads what the other wrote: scalar types, key types, TTL and generation rules."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from apis import Caller, Opened

# One client's binding announces removals of calls.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SCALARS = [
    0, 1, -1, 127, -128, 255, 256, 65_536, 2**31, -(2**31) - 1, 2**63 - 1, -(2**63),
    0.0, -0.0, 1.5, -1e300, 5e-324, float("inf"),
    True, False,
    "", "plain", "käse €", "日本語", "😀", "a\0b", "x" * 10_000,
    b"", b"\0", bytes(range(256)), b"y" * 10_000,
]  # fmt: skip
COLLECTIONS: list[Any] = [
    [], [1, -1, 2**63 - 1], ["a", b"b", 1.5, None, True], [[1, [2, [3]]], {"k": [4]}],
    {}, {"a": 1, "b": [2]}, {1: "int", "s": "str", -7: 0}, {"deep": {"er": {"est": 1}}},
    list(range(1000)), {i: str(i) for i in range(300)},
]  # fmt: skip
KEYS: list[Any] = [
    0,
    1,
    -1,
    2**63 - 1,
    -(2**63),
    "",
    "k",
    "ключ",
    "😀",
    "x" * 500,
    b"",
    b"k",
    b"\0\xff",
]


#: Differences of a peer, by its module, from all other clients.
DIFFERENT = {
    ("test_aerospike", "a\0b"): "the C client ends text at a NUL",
    ("test_aerospike", b""): "the C client refuses an empty bytes key",
    ("test_aerospike_py", b""): "aerospike-py hashes bytes keys as if they were text",
    ("test_aerospike_py", b"k"): "aerospike-py hashes bytes keys as if they were text",
    ("test_aerospike_py", b"\0\xff"): "aerospike-py hashes bytes keys as if they were text",
}


def skip_if_different(peer: Any, value: object) -> None:
    if isinstance(value, (str, bytes)):
        reason = DIFFERENT.get((type(peer).__module__, value))
        if reason:
            pytest.skip(reason)


def shown(value: object) -> str:
    return repr(value)[:24]


@pytest.fixture
def data(ours: Opened, set_name: str) -> Caller:
    return ours.dataset("test", set_name)


@pytest.fixture
def name(set_name: str) -> str:
    return set_name


def the_same(actual: object, value: object) -> bool:
    return type(actual) is type(value) and repr(actual) == repr(value)


@pytest.mark.parametrize("value", SCALARS, ids=shown)
def test_both_clients_read_scalars_of_the_other(
    data: Caller, peer: Any, name: str, value: Any
) -> None:
    if isinstance(value, str):
        skip_if_different(peer, value)
    data.put("ours", {"v": value, "other": 1})
    result, generation, _ = peer.get(("test", name, "ours"))
    assert the_same(result["v"], value)
    assert (result["other"], generation) == (1, 1)
    peer.put(("test", name, "theirs"), {"v": value, "other": 1})
    record = data.get("theirs")
    assert the_same(record["v"], value)
    assert (record["other"], record.generation) == (1, 1)


@pytest.mark.parametrize("value", COLLECTIONS, ids=shown)
def test_both_clients_read_collections_of_the_other(
    data: Caller, peer: Any, name: str, value: Any
) -> None:
    data.put("ours", {"v": value})
    assert peer.get(("test", name, "ours"))[0]["v"] == value
    peer.put(("test", name, "theirs"), {"v": value})
    record = data.get("theirs")["v"]
    assert record == value
    assert type(record) is type(value)


def test_both_clients_read_geojson_of_the_other(data: Caller, peer: Any, name: str) -> None:
    text = '{"type": "Point", "coordinates": [11.5, 48.25]}'
    theirs = peer.geo(text)
    data.put("ours", {"g": spikewire.GeoJSON(text)})
    result = peer.geo_text(peer.get(("test", name, "ours"))[0]["g"])
    assert result.replace(" ", "") == text.replace(" ", "")
    peer.put(("test", name, "theirs"), {"g": theirs})
    assert data.get("theirs")["g"].to_object()["coordinates"] == [11.5, 48.25]


@pytest.mark.parametrize("key", KEYS, ids=shown)
@pytest.mark.parametrize("send_key", [False, True], ids=["digest", "stored key"])
def test_both_clients_find_keys_of_the_other(
    data: Caller, peer: Any, name: str, key: Any, send_key: bool
) -> None:
    skip_if_different(peer, key)
    whole = ("test", name, key)
    data.put(key, {"v": 1}, send_key=send_key)
    assert peer.get(whole)[0] == {"v": 1}
    peer.put(whole, {"v": 2}, send_key=send_key)
    assert data.get(key)["v"] == 2
    data.put(key, {"v": 3}, send_key=True)
    assert peer.get(whole)[0] == {"v": 3}
    assert peer.delete(whole)
    assert not data.exists(key)
    peer.put(whole, {"v": 4}, send_key=send_key)
    assert data.delete(key)
    assert not peer.exists(whole)


@pytest.mark.parametrize("key", KEYS, ids=shown)
def test_digests_equal_those_of_other_clients(key: Any) -> None:
    aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike")
    native = pytest.importorskip("aerospike_native", reason="no wheel of aerospike-native")
    digest = spikewire.Key("test", "digests", key).digest
    assert native.Key("test", "digests", key).digest == digest.hex()
    if key != b"":
        theirs = bytearray(key) if isinstance(key, bytes) else key
        assert aerospike.calc_digest("test", "digests", theirs) == digest


class TestTimeToLive:
    @pytest.mark.parametrize("seconds", [100, 86_400, 30_000_000])
    def test_both_clients_see_the_same_ttl(
        self, data: Caller, peer: Any, name: str, seconds: int
    ) -> None:
        data.put("ours", {"v": 1}, ttl=seconds)
        assert seconds - 60 <= peer.get(("test", name, "ours"))[2] <= seconds + 1
        peer.put(("test", name, "theirs"), {"v": 1}, ttl=seconds)
        assert seconds - 60 <= data.get("theirs").ttl <= seconds + 1

    def test_touch_of_either_client_sets_the_ttl(self, data: Caller, peer: Any, name: str) -> None:
        whole = ("test", name, "k")
        data.put("k", {"v": 1}, ttl=100)
        peer.touch(whole, 500)
        assert 440 <= data.get("k").ttl <= 501
        data.touch("k", ttl=900)
        assert 840 <= peer.get(whole)[2] <= 901
        data.put("k", {"v": 2}, ttl="unchanged")
        assert 840 <= peer.get(whole)[2] <= 901
        assert data.get("k").generation == 4

    def test_both_clients_see_records_that_never_expire(
        self, data: Caller, peer: Any, name: str
    ) -> None:
        data.put("k", {"v": 1}, ttl=100)
        data.put("k", {"v": 1}, ttl="never")
        # Clients represent "never expires" differently, but none as a plausible number of seconds.
        assert peer.get(("test", name, "k"))[2] in (None, 0, -1, 2**32 - 1)
        peer.put(("test", name, "plain"), {"v": 1})
        assert data.get("plain").ttl is None

    def test_records_of_both_clients_expire(self, data: Caller, peer: Any, name: str) -> None:
        data.put("ours", {"v": 1}, ttl=1)
        peer.put(("test", name, "theirs"), {"v": 1}, ttl=1)
        end = time.monotonic() + 10
        while (peer.exists(("test", name, "ours")) or data.exists("theirs")) and (
            time.monotonic() < end
        ):
            time.sleep(0.1)
        assert not peer.exists(("test", name, "ours"))
        assert not data.exists("theirs")


class TestRules:
    def refused(self, peer: Any, code: int, call: Any) -> None:
        with pytest.raises(peer.errors) as caught:
            call()
        assert peer.code(caught.value) == code

    def test_generation_checks_hold_across_clients(
        self, data: Caller, peer: Any, name: str
    ) -> None:
        whole = ("test", name, "k")
        data.put("k", {"v": 1})
        peer.put(whole, {"v": 2}, generation=1)
        assert data.get("k").generation == 2
        with pytest.raises(spikewire.GenerationMismatch):
            data.put("k", {"v": 3}, generation=1)
        data.put("k", {"v": 3}, generation=2)
        self.refused(peer, 3, lambda: peer.put(whole, {"v": 4}, generation=2))
        peer.put(whole, {"v": 4}, generation=3)
        with pytest.raises(spikewire.GenerationMismatch):
            data.delete("k", generation=3)
        assert data.delete("k", generation=4)
        peer.put(whole, {"v": 1})
        assert data.get("k").generation == 1

    def test_create_raises_for_records_of_the_other(
        self, data: Caller, peer: Any, name: str
    ) -> None:
        whole = ("test", name, "k")
        data.put("k", {"v": 1}, exists="create")
        self.refused(peer, 5, lambda: peer.put(whole, {"v": 2}, exists="create"))
        peer.delete(whole)
        peer.put(whole, {"v": 3}, exists="create")
        with pytest.raises(spikewire.RecordExists):
            data.put("k", {"v": 4}, exists="create")
        with pytest.raises(spikewire.GenerationMismatch):
            data.put("k", {"v": 4}, generation=0)
        assert data.get("k")["v"] == 3

    def test_update_and_replace_apply_to_records_of_the_other(
        self, data: Caller, peer: Any, name: str
    ) -> None:
        whole = ("test", name, "k")
        self.refused(peer, 2, lambda: peer.put(whole, {"v": 1}, exists="update"))
        with pytest.raises(spikewire.RecordNotFound):
            data.put("k", {"v": 1}, exists="replace_only")
        peer.put(whole, {"a": 1})
        data.put("k", {"b": 2}, exists="update")
        assert peer.get(whole)[0] == {"a": 1, "b": 2}
        peer.put(whole, {"c": 3}, exists="replace")
        assert data.get("k").bins == {"c": 3}
        data.put("k", {"d": 4}, exists="replace")
        assert peer.get(whole)[0] == {"d": 4}


def test_changes_in_turns(data: Caller, peer: Any, name: str) -> None:
    whole = ("test", name, "k")
    data.put("k", {"n": 1, "f": 0.5, "s": "b", "y": b"\x01"})
    peer.add(whole, "n", 10)
    data.add("k", {"n": 100})
    peer.append(whole, "s", "c")
    data.append("k", {"s": "d"})
    peer.prepend(whole, "s", "a")
    data.prepend("k", {"s": "_"})
    expected: dict[str, Any] = {"n": 111, "f": 0.5, "s": "_abcd", "y": b"\x01"}
    if peer.can_append_bytes:
        peer.append(whole, "y", b"\x02")
        data.append("k", {"y": b"\x03"})
        expected["y"] = b"\x01\x02\x03"
    if peer.can_add_float:
        peer.add(whole, "f", 0.25)
        data.add("k", {"f": 1.0})
        expected["f"] = 1.75
    assert data.get("k").bins == expected
    assert peer.get(whole)[0] == expected
    assert peer.get(whole, ["n"])[0] == data.get("k", bins=["n"]).bins == {"n": 111}


def test_operate_in_turns(data: Caller, peer: Any, name: str) -> None:
    whole = ("test", name, "k")
    assert data.operate("k", [op.put("n", 1), op.add("n", 1), op.get("n")])["n"] == 2
    assert peer.operate(whole, [("add", "n", 1), ("get", "n", None)])["n"] == 3
    assert data.operate("k", [op.append("s", "x"), op.get("n"), op.get("s")]).results == (
        None,
        3,
        "x",
    )
    assert peer.get(whole)[:2] == ({"n": 3, "s": "x"}, 3)


def test_both_clients_see_removed_bins(data: Caller, peer: Any, name: str) -> None:
    whole = ("test", name, "k")
    peer.put(whole, {"a": 1, "b": 2, "c": 3})
    data.put("k", {"a": None})
    assert peer.get(whole)[0] == {"b": 2, "c": 3}
    peer.put(whole, {"b": None})
    assert data.get("k").bins == {"c": 3}


def test_both_clients_read_many_records_of_the_other(data: Caller, peer: Any, name: str) -> None:
    for key in range(0, 300, 2):
        data.put(key, {"v": key})
        peer.put(("test", name, key + 1), {"v": key + 1})
    for key in range(300):
        assert data.get(key)["v"] == key
        assert peer.get(("test", name, key))[0] == {"v": key}
