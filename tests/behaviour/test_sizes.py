"""Data that exceeds a server's limits is rejected before a byte is sent, or split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Write, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

OPERATIONS = 32_768
FRAME = 128 << 20


def many_bins(count: int) -> dict[str, int]:
    return {f"b{number}": number for number in range(count)}


#: The count has 16 bits on the wire: 65,537 operations would be announced as one.
TOO_MANY = [OPERATIONS + 1, 65_535, 65_536, 65_537]

CALLS: list[tuple[str, Callable[[Any, int], object]]] = [
    ("put", lambda data, count: data.put("k", many_bins(count))),
    ("get", lambda data, count: data.get("k", list(many_bins(count)))),
    ("operate", lambda data, count: data.operate("k", [op.add("n", 1)] * count)),
    ("get_many", lambda data, count: data.get_many(["k"], list(many_bins(count)))),
    ("put_many", lambda data, count: data.put_many({"k": many_bins(count)})),
    ("operate_many", lambda data, count: data.operate_many(["k"], [op.add("n", 1)] * count)),
    ("batch", lambda data, count: data.batch([Write("k", [op.add("n", 1)] * count)])),
]


@pytest.mark.parametrize("count", TOO_MANY)
@pytest.mark.parametrize("call", [call for _, call in CALLS], ids=[name for name, _ in CALLS])
def test_too_many_operations_raise(
    call: Callable[[Any, int], object], count: int, cluster: Cluster
) -> None:
    with spikewire.Client(cluster.seeds, timeout=30) as client:
        data = client.dataset("test", "sizes")
        with pytest.raises(ValueError, match=rf"{count} operations.*32768"):
            call(data, count)
        assert not data.exists("k")


def test_a_request_beyond_the_frame_limit_raises(cluster: Cluster) -> None:
    value = bytes(FRAME)
    with spikewire.Client(cluster.seeds, timeout=30) as client:
        data = client.dataset("test", "sizes")
        text = r"13421\d{4} bytes.*134217728"
        with pytest.raises(ValueError, match=text):
            data.put("k", {"b": value})
        with pytest.raises(ValueError, match=text):
            data.operate("k", [op.put("b", value)])
        with pytest.raises(ValueError, match=text):
            data.put_many([("k", {"b": value})])
        assert not data.exists("k")


def test_batches_larger_than_a_frame_are_split() -> None:
    with Cluster(1) as cluster, spikewire.Client(cluster.seeds, timeout=60) as client:
        data = client.dataset("test", "sizes")
        value = bytes(900_000)
        # Rows with equal bins would be encoded as repeats: the number makes them differ.
        result = data.put_many({n: {"n": n, "b": value} for n in range(160)})
        assert result.found == 160
        assert [record["n"] for record in data.get_many(range(160), ["n"])] == list(range(160))  # type: ignore[index]
