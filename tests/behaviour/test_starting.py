"""Connections that are open before the first call, and nodes that come back."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened

pytestmark = pytest.mark.usefixtures("no_descriptor_leak")

KEYS = range(60)
NODES = 3


@contextlib.contextmanager
def three_nodes(api: Api, **options: Any) -> Iterator[tuple[Cluster, Opened]]:
    """Three nodes with two copies of every record, and a client."""
    with Cluster(NODES, replication_factor=2) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, **options) as client:
            data = client.dataset("test", "starting")
            for number in KEYS:
                data.put(number, {"n": number})
            yield cluster, client


def shares(client: Opened) -> list[float]:
    """The share of each node, in order."""
    return [node.share for node in sorted(client.raw.stats().nodes, key=lambda node: node.name)]


def read_all(client: Opened) -> None:
    data = client.dataset("test", "starting")
    assert [data.get(number)["n"] for number in KEYS] == list(KEYS)


def test_connections_are_open_before_the_first_call(api: Api) -> None:
    with Cluster(NODES) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, warm_connections=2) as client:
            nodes = client.raw.stats().nodes
            assert [(node.connections, node.opened) for node in nodes] == [(2, 2)] * NODES
            data = client.dataset("test", "starting")
            for number in KEYS:
                data.put(number, {"n": number})
            read_all(client)
            assert [node.opened for node in client.raw.stats().nodes] == [2] * NODES


def test_without_the_option_the_first_call_opens_a_connection(api: Api) -> None:
    with Cluster(1) as cluster, api.open(cluster.seeds) as client:
        assert [node.opened for node in client.raw.stats().nodes] == [0]
        client.dataset("test", "starting").put(1, {"n": 1})
        assert [node.opened for node in client.raw.stats().nodes] == [1]


def test_a_node_that_does_not_answer_holds_up_no_start(api: Api) -> None:
    with Cluster(NODES, replication_factor=2) as cluster:
        assert cluster.wait_settled()
        # Only its port for commands is there: connections are accepted, nothing else is needed.
        cluster.inject(1, drop=1.0)
        with api.open(cluster.seeds, warm_connections=1) as client:
            assert [node.connections for node in client.raw.stats().nodes] == [1] * NODES


def test_ready_connections_are_closed_when_idle_and_with_the_client(api: Api) -> None:
    with Cluster(1) as cluster:
        before = cluster.stats(0)["connections"]
        options = {"warm_connections": 3, "idle_timeout": 0.2, "tend_interval": 0.05}
        with api.open(cluster.seeds, **options) as client:
            assert until(lambda: client.raw.stats().nodes[0].connections == 0)
        with api.open(cluster.seeds, warm_connections=3):
            assert until(lambda: cluster.stats(0)["connections"] >= before + 3)
        assert until(lambda: cluster.stats(0)["connections"] <= before)


def test_a_node_that_was_mute_gets_its_reads_back_little_by_little(api: Api) -> None:
    with three_nodes(api, slow_start=3600) as (cluster, client):
        read_all(client)
        assert shares(client) == [1.0] * NODES
        cluster.inject(1, drop=1.0, info=True)
        read_all(client)
        assert shares(client).count(0.0) == 1
        cluster.clear_faults(1)
        # Its share grows for as long as it was away.
        assert until(lambda: 0 < min(shares(client)) <= 1)
        assert until(lambda: shares(client) == [1.0] * NODES)
        read_all(client)


def test_a_node_that_was_restarted_begins_with_a_small_share(api: Api) -> None:
    with three_nodes(api, slow_start=3600, tend_interval=0.1) as (cluster, client):
        cluster.kill(1)
        assert until(lambda: len(shares(client)) == NODES - 1)
        read_all(client)
        cluster.restart(1)
        assert until(lambda: len(shares(client)) == NODES)
        assert sorted(shares(client))[0] < 0.1
        assert cluster.wait_settled()
        read_all(client)


def test_a_slow_start_of_zero_gives_everything_at_once(api: Api) -> None:
    with three_nodes(api, slow_start=0, tend_interval=0.1) as (cluster, client):
        cluster.kill(1)
        assert until(lambda: len(shares(client)) == NODES - 1)
        cluster.restart(1)
        assert until(lambda: len(shares(client)) == NODES)
        assert shares(client) == [1.0] * NODES


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"warm_connections": -1}, ValueError, "warm_connections.*-1"),
        ({"warm_connections": 1025}, ValueError, "warm_connections must be from 0 to 1024"),
        ({"warm_connections": 1.5}, TypeError, "warm_connections.*float"),
        ({"slow_start": -1}, ValueError, "slow_start.*-1"),
        ({"slow_start": "5s"}, TypeError, "slow_start.*str"),
    ],
)
def test_invalid_options_raise(
    api: Api, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        api.open("127.0.0.1:1", **options)
