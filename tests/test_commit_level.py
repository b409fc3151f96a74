"""When writes are answered: nodes see what they ask for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Client, Delete, Read, Write, op
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


def expect(cluster: Cluster, commits: int) -> None:
    """Waits for this number of writes that asked for the master alone."""
    deadline = time.monotonic() + 20
    while cluster.stats(0)["master_commits"] != commits and time.monotonic() < deadline:
        time.sleep(0.002)
    assert cluster.stats(0)["master_commits"] == commits


def test_calls_say_when_they_are_answered(cluster: Cluster) -> None:
    with Client(cluster.seeds) as client:
        users = client.dataset("test", "users")
        users.put(1, {"n": 1})
        users.put(1, {"n": 1}, commit_level="all")
        users.put(1, {"n": 1}, commit_level="master")
        expect(cluster, 1)
        users.operate(1, [op.add("n", 1), op.get("n")], commit_level="master")
        users.touch(1, commit_level="master")
        users.delete(1, commit_level="master")
        expect(cluster, 4)
        users.put_many({1: {"n": 1}, 2: {"n": 2}}, commit_level="master")
        users.batch([Write(1, {"n": 1}), Read(2), Delete(2)], commit_level="master")
        rows = [Write(1, {"n": 1}, commit_level="master"), Write(2, {"n": 1}), Delete(2)]
        users.batch(rows)
        users.batch([Write(1, {"n": 1}, commit_level="all"), Delete(2)], commit_level="master")
        expect(cluster, 10)
        client.session().upsert(users.key(1)).put({"n": 2}).commit_level("master").execute()
        expect(cluster, 11)
        with pytest.raises(ValueError, match="commit_level must be 'all' or 'master', got \"no\""):
            users.put(1, {"n": 1}, commit_level="no")  # type: ignore[arg-type]


def test_clients_and_profiles_have_a_default(cluster: Cluster) -> None:
    with Client.from_url(f"aerospike://{cluster.seeds}/test?commit_level=master") as client:
        users = client.dataset("test", "users")
        users.put(1, {"n": 1})
        users.get(1)
        users.operate(1, [op.get("n")])
        expect(cluster, 1)
        users.put(1, {"n": 1}, commit_level="all")
        view = client.with_profile(spikewire.Profile(write={"commit_level": "all"}))
        view.dataset("test", "users").put(1, {"n": 1})
        users.put(1, {"n": 1})
        expect(cluster, 2)


def test_the_drop_in_has_it_in_policies(cluster: Cluster) -> None:
    host, port = cluster.seeds.rsplit(":", 1)
    config: Any = {"hosts": [(host, int(port))]}
    key, master = ("test", "users", 1), {"commit_level": aerospike.POLICY_COMMIT_LEVEL_MASTER}
    client = aerospike.client(config)
    client.put(key, {"n": 1}, policy=master)
    client.increment(key, "n", 1, policy=master)
    client.remove(key, policy=master)
    client.put(key, {"n": 1}, policy={"commit_level": aerospike.POLICY_COMMIT_LEVEL_ALL})
    expect(cluster, 3)
    client.batch_remove([key], policy_batch_remove=master)
    expect(cluster, 4)
    client.close()
    client = aerospike.client({**config, "policies": {"write": master}})
    client.put(key, {"n": 1})
    expect(cluster, 5)
    client.close()
