"""Bytes as views of the reply: equal contents, no copies, and views that outlive the reply."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import codec
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Opened

BINS: dict[str, Any] = {
    "first": bytes(range(256)) * 40,
    "second": b"short",
    "empty": b"",
    "text": "words",
    "number": 7,
    "nested": [b"inside", {"map": b"too"}],
}
BLOBS = ("first", "second", "empty")


def is_view_of(value: object, content: bytes) -> bool:
    return (
        type(value) is memoryview
        and value.readonly
        and value.format == "B"
        and value.nbytes == len(content)
        and value == content
    )


def check(record: spikewire.Record) -> None:
    """Blobs are views of one buffer, everything else is as usual."""
    assert all(is_view_of(record[name], BINS[name]) for name in BLOBS)
    assert len({id(record[name].obj) for name in BLOBS}) == 1
    others = {name: record[name] for name in record if name not in BLOBS}
    assert others == {name: value for name, value in BINS.items() if name not in BLOBS}
    assert [type(item) for item in others["nested"]] == [bytes, dict]


def test_get_returns_memoryviews_for_bytes(data: Any) -> None:
    data.put("a", BINS)
    record = data.get("a", buffers=True)
    check(record)
    assert record == data.get("a")
    assert bytes(record["second"]) == b"short"
    with pytest.raises(TypeError, match="read-only"):
        record["second"][0] = 1


def test_bytes_are_the_default(data: Any) -> None:
    data.put("a", BINS)
    for record in (data.get("a"), data.get("a", buffers=False), data.get_many(["a"])[0]):
        assert all(type(record[name]) is bytes for name in BLOBS)


@pytest.mark.any_api
@pytest.mark.parametrize("verb", ["get", "get_many"])
@pytest.mark.parametrize("wrong", ["yes", 1, None])
def test_buffers_must_be_a_bool(data: Any, verb: str, wrong: object) -> None:
    with pytest.raises(TypeError, match="buffers"):
        getattr(data, verb)(["a"] if verb == "get_many" else "a", buffers=wrong)


def test_get_many_returns_memoryviews_for_bytes(data: Any) -> None:
    keys = list(range(200))
    data.put_many([(key, {**BINS, "second": b"short"}) for key in keys])
    batch = data.get_many([*keys, "absent"], buffers=True)
    for row in range(len(keys)):
        check(batch[row])
    assert batch[len(keys)] is None
    assert batch.to_dict()[3] == data.get(3)


def test_batches_of_one_key_and_of_some_bins_have_views(data: Any) -> None:
    data.put("a", BINS)
    check(data.get_many(["a"], buffers=True)[0])
    assert list(data.get("a", ["second"], buffers=True)) == ["second"]
    assert is_view_of(data.get_many(["a"], ["second"], buffers=True)[0]["second"], b"short")


def test_a_missing_record_has_no_buffers(data: Any) -> None:
    assert data.get("absent", default=None, buffers=True) is None
    with pytest.raises(spikewire.RecordNotFound):
        data.get("absent", buffers=True)


def test_a_record_without_bytes_has_plain_values(data: Any) -> None:
    data.put("a", {"text": "words"})
    assert data.get("a", buffers=True).bins == {"text": "words"}
    assert data.get("a", [], buffers=True).bins == {}


def test_large_values_have_views(api: Api) -> None:
    content = bytes(range(256)) * (5 << 12)
    with (
        Cluster(nodes=1, max_record_size=8 << 20) as cluster,
        api.open(cluster.seeds, timeout=20) as client,
    ):
        data = client.dataset("test", "large")
        data.put("a", {"blob": content})
        assert is_view_of(data.get("a", buffers=True)["blob"], content)
        assert is_view_of(data.get_many(["a", "b"], buffers=True)[0]["blob"], content)


def test_views_outlive_client_record_and_batch(api: Api, cluster: Cluster, set_name: str) -> None:
    with api.open(cluster.seeds, timeout=10) as client:
        data = client.dataset("test", set_name)
        data.put_many([(key, {"blob": b"%d" % key * 1000}) for key in range(50)])
        single = data.get(1, buffers=True)["blob"]
        batch = data.get_many(range(50), buffers=True)
        many = [record["blob"] for record in batch]
        # Reused memory would overwrite what is not referenced.
        for key in range(50):
            data.get(key)
        del batch
    gc.collect()
    del client, data
    assert is_view_of(single, b"1" * 1000)
    assert all(is_view_of(view, b"%d" % key * 1000) for key, view in enumerate(many))


def test_a_batch_is_freed_with_its_last_view(data: Any) -> None:
    data.put("a", BINS)
    batch = data.get_many(["a", "a"], buffers=True)
    owners = [record["second"].obj for record in batch]
    del batch
    # Without a GIL, a batch that another thread created is freed when reference counts are merged.
    # A cycle of a batch and its views would survive this, as the collector does not traverse
    # batches.
    gc.collect()
    # Records that the batch still held would show here by their views.
    alone = [object(), object()]
    assert list(map(sys.getrefcount, owners)) == list(map(sys.getrefcount, alone))


def test_copies_have_bytes(data: Any) -> None:
    data.put("a", BINS)
    record = data.get("a", buffers=True)
    for twin in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert twin.bins == BINS
        assert all(type(twin[name]) is bytes for name in BLOBS)
    check(record)


def test_a_view_can_be_stored(data: Any) -> None:
    data.put("a", BINS)
    data.put("b", data.get("a", buffers=True).bins)
    assert data.get("b").bins == BINS


def test_a_codec_reads_its_bins(api: Api, cluster: Cluster, set_name: str) -> None:
    forms = codec.Codec(bins={"second": codec.Form(bytes, bytes.decode)})
    with api.open(cluster.seeds, timeout=10, codec=forms) as client:
        data = client.dataset("test", set_name)
        data.put("a", {"first": b"as it is", "second": b"short"})
        for record in (data.get("a", buffers=True), data.get_many(["a"], buffers=True)[0]):
            assert record["second"] == "short"
            assert is_view_of(record["first"], b"as it is")


def test_threads_read_one_batch(client: Opened, data: Any) -> None:
    data.put_many([(key, {"blob": b"%d" % key * 100}) for key in range(100)])
    batch = data.get_many(range(100), buffers=True)
    wrong: list[int] = []
    begin = threading.Barrier(4)

    def look() -> None:
        begin.wait()
        wrong.extend(
            key for key in range(100) if not is_view_of(batch[key]["blob"], b"%d" % key * 100)
        )

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
