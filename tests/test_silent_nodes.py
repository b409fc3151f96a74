"""Nodes of 8.2 accept connections and answer nothing until they know what the others know."""

from __future__ import annotations

import time

import pytest

from spikewire import Client
from spikewire.testing import Cluster


@pytest.mark.parametrize("connect_timeout", [0.1, 10], ids=["gives up", "waits"])
def test_a_client_works_on_while_a_node_is_silent(connect_timeout: float) -> None:
    with (
        Cluster(nodes=3, build="8.2", sync_time=0.5) as cluster,
        Client(
            cluster.seeds, connect_timeout=connect_timeout, tend_interval=0.1, timeout=30
        ) as client,
    ):
        numbers = client.dataset("test", "numbers")
        numbers.put_many({n: {"n": n} for n in range(50)}).raise_for_errors()
        name = cluster.node_name(1)
        cluster.kill(1)
        deadline = time.monotonic() + 30
        while any(node.name == name for node in client.nodes()):
            assert time.monotonic() < deadline
            assert numbers.get(7)["n"] == 7
        began = time.monotonic()
        cluster.restart(1)
        while not any(node.name == name for node in client.nodes()):
            assert time.monotonic() < deadline
            numbers.put(8, {"n": 8})
            assert numbers.get(8)["n"] == 8
        assert time.monotonic() - began >= 0.5, "before, it could not be known"
        assert cluster.wait_settled(30)
        assert [row and row["n"] for row in numbers.get_many(range(50))] == list(range(50))


def test_older_nodes_answer_at_once() -> None:
    with Cluster(nodes=2, build="8.1.2", sync_time=3600) as cluster:
        cluster.kill(1)
        cluster.restart(1)
        address = cluster.seeds.split(",")[1]
        with Client(address, timeout=30) as client:
            assert cluster.node_name(1) in {node.name for node in client.nodes()}


def test_times_that_are_none_are_refused() -> None:
    with pytest.raises((TypeError, ValueError), match="sync_time must be"):
        Cluster(nodes=1, sync_time=-1)
