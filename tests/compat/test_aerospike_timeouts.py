"""``socket_timeout`` and retries of single calls, while a node is silent."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import Key
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

SILENCE = 20.0
"""Seconds; calls that must not wait for it end long before."""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(2) as cluster:
        assert cluster.wait_settled()
        yield cluster


def connected(cluster: Cluster) -> Any:
    hosts = [
        (host, int(port)) for host, port in (each.rsplit(":", 1) for each in cluster.addresses)
    ]
    return aerospike.client({"hosts": hosts}).connect()


def took(began: float) -> bool:
    """Whether a call took less time than the silence."""
    return time.monotonic() - began < SILENCE / 2


def test_a_write_ends_with_its_socket_timeout(cluster: Cluster) -> None:
    client, key = connected(cluster), ("test", "demo", 1)
    client.put(key, {"a": 1})
    for node in range(2):
        cluster.inject(node, delay=SILENCE)
    patient = {"total_timeout": 0, "socket_timeout": 50}
    calls: list[Any] = [
        lambda: client.put(key, {"a": 2}, None, patient),
        lambda: client.get(key, patient | {"max_retries": 1, "sleep_between_retries": 10}),
        lambda: client.remove(key, None, patient | {"total_timeout": 60_000}),
    ]
    for call in calls:
        began = time.monotonic()
        with pytest.raises(aerospike.exception.TimeoutError):
            call()
        assert took(began)
    began = time.monotonic()
    batch = client.batch_read([key], None, patient | {"max_retries": 0})
    assert batch.batch_records[0].result == aerospike.exception.TimeoutError.code
    assert took(began)
    for node in range(2):
        cluster.clear_faults(node)
    client.close()


def test_a_read_goes_on_to_another_node(cluster: Cluster) -> None:
    client = connected(cluster)
    keys = [("test", "demo", at) for at in range(8)]
    for key in keys:
        client.put(key, {"a": 1})
    assert len({Key(*key).partition for key in keys}) > 1
    cluster.inject(0, delay=SILENCE)
    began = time.monotonic()
    for key in keys:
        assert client.get(key, {"total_timeout": 60_000, "socket_timeout": 50})[2] == {"a": 1}
    assert took(began)
    cluster.clear_faults(0)
    client.close()


def test_queries_have_retries_of_their_own(cluster: Cluster) -> None:
    client = connected(cluster)
    client.put(("test", "demo", 1), {"a": 1})
    cluster.inject(0, error=1.0, code=18)
    cluster.inject(1, error=1.0, code=18)
    began = time.monotonic()
    with pytest.raises(aerospike.exception.AerospikeError):
        client.query("test", "demo").results({"max_retries": 0})
    with pytest.raises(aerospike.exception.AerospikeError):
        client.scan("test", "demo").results({"max_retries": 2, "sleep_between_retries": 1})
    assert took(began)
    client.close()
