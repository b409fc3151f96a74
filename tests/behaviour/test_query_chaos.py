"""Queries while nodes fail, return and migrate partitions: no record twice, none lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened

COUNT = 4000


class Trial:
    """A filled cluster of its own, with a client."""

    def __init__(self, api: Api, cluster: Cluster, client: Opened) -> None:
        self.api, self.cluster, self.client = api, cluster, client
        self.raw = client.raw.dataset("test", "a")
        data = client.dataset("test", "a")
        for start in range(0, COUNT, 1000):
            # Large enough that sockets cannot buffer the rest when something happens.
            rows = {i: {"n": i, "b": b"x" * 5000} for i in range(start, start + 1000)}
            data.put_many(rows, send_key=True).raise_for_errors()

    def next_keys(self, query: Any, count: int) -> list[int]:
        return [record.key.key for record in self.api.some(query, count)]

    def remaining_keys(self, query: Any) -> list[int]:
        return [record.key.key for record in self.api.rows(query)]


@pytest.fixture
def trial(api: Api) -> Iterator[Trial]:
    with (
        Cluster(nodes=3, migration_pause=0.0001) as cluster,
        api.open(cluster.seeds, timeout=60, tend_interval=0.1) as client,
    ):
        assert cluster.wait_settled()
        yield Trial(api, cluster, client)


def test_a_query_survives_a_dead_node(trial: Trial) -> None:
    query = trial.raw.query()
    seen = trial.next_keys(query, 500)
    trial.cluster.kill(1)
    seen += trial.remaining_keys(query)
    assert sorted(seen) == list(range(COUNT))


def test_a_query_survives_nodes_that_die_and_come_back(trial: Trial) -> None:
    query = trial.raw.query()
    seen = trial.next_keys(query, 100)
    for node in (0, 2):
        trial.cluster.kill(node)
        seen += trial.next_keys(query, 700)
        trial.cluster.restart(node)
        # During the migration that follows.
        seen += trial.next_keys(query, 700)
        assert trial.cluster.wait_settled()
    seen += trial.remaining_keys(query)
    assert sorted(seen) == list(range(COUNT))


def test_a_cursor_outlives_a_node(trial: Trial) -> None:
    page = trial.api.page(trial.raw.query(page_size=1500))
    seen = [record.key.key for record in page]
    trial.cluster.kill(2)
    names = {trial.cluster.node_name(node) for node in (0, 1)}
    assert until(lambda: {node.name for node in trial.client.raw.nodes()} == names)
    while not page.done:
        page = trial.api.page(trial.raw.query(page_size=1500, resume=page.cursor))
        seen += [record.key.key for record in page]
    assert sorted(seen) == list(range(COUNT))


@pytest.mark.parametrize("fault", [{"cut": 0.5}, {"drop_reply": 0.3}, {"error": 0.5}])
def test_a_query_survives_a_node_that_fails_now_and_then(
    trial: Trial, fault: dict[str, Any]
) -> None:
    trial.cluster.inject(1, **fault)
    for first in (0, 1000, 2000):
        query = trial.raw.query(socket_timeout=1, partitions=range(first, 4096))
        seen = trial.remaining_keys(query)
        rows = trial.client.dataset("test", "a").exists_many(range(COUNT))
        expected = [key.key for key in rows.keys if key.partition >= first]
        assert sorted(seen) == sorted(expected)


def test_a_query_without_nodes_raises(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, max_retries=0) as client:
        client.dataset("test", "a").put("k", {"a": 1})
        cluster.kill(0)
        with pytest.raises((spikewire.ConnectionFailed, spikewire.NodeUnavailable)):
            api.rows(client.raw.query("test", "a"))
