"""Three real nodes: they form one cluster, and can be stopped, paused and restarted."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import PATIENT, REAL
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

cassandra = pytest.importorskip("cassandra", exc_type=ImportError)
driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
policies = pytest.importorskip("cassandra.policies", exc_type=ImportError)


@contextlib.contextmanager
def session_on(cluster: SharedCassandra, node: int, keyspace: str | None = None) -> Iterator[Any]:
    """A session that asks one node only."""
    host, _, port = cluster.addresses[node].partition(":")
    profile = driver.ExecutionProfile(
        load_balancing_policy=policies.WhiteListRoundRobinPolicy([host]), request_timeout=30
    )
    profiles = {driver.EXEC_PROFILE_DEFAULT: profile}
    client = driver.Cluster([host], port=int(port), execution_profiles=profiles, **PATIENT[REAL])
    try:
        yield client.connect(keyspace)
    finally:
        client.shutdown()


def write_all(session: Any) -> None:
    text = "INSERT INTO fruit (id, name) VALUES (1, 'pear')"
    at_all = cassandra.ConsistencyLevel.ALL
    session.execute(driver.SimpleStatement(text, consistency_level=at_all))


def try_write_all(session: Any) -> bool:
    try:
        write_all(session)
    except Exception:
        return False
    return True


@pytest.fixture(scope="module")
def table(cassandra_cluster: SharedCassandra, cluster_keyspace: str) -> str:
    cassandra_cluster.execute(
        f"CREATE TABLE {cluster_keyspace}.fruit (id int PRIMARY KEY, name text)"
    )
    assert cassandra_cluster.wait_settled()
    return cluster_keyspace


def test_nodes_have_racks_and_even_tokens(cassandra_cluster: SharedCassandra) -> None:
    with session_on(cassandra_cluster, 0) as session:
        nodes = session.cluster.metadata.all_hosts()
        assert sorted((node.datacenter, node.rack) for node in nodes) == [
            ("dc1", "r1"),
            ("dc1", "r2"),
            ("dc1", "r3"),
        ]
        ring = sorted(token.value for token in session.cluster.metadata.token_map.ring)
    gaps = [after - before for before, after in itertools.pairwise(ring)]
    assert len(ring) == 3
    assert max(gaps) - min(gaps) <= 2


def test_a_killed_node_comes_back_with_its_data(
    cassandra_cluster: SharedCassandra, table: str
) -> None:
    with session_on(cassandra_cluster, 0, table) as session:
        write_all(session)
        cassandra_cluster.kill(2)
        assert not cassandra_cluster.is_alive(2)
        assert until(lambda: not try_write_all(session), limit=120)
        cassandra_cluster.start(2)
        assert cassandra_cluster.is_alive(2)
        # All nodes see each other again.
        write_all(session)
    with session_on(cassandra_cluster, 2, table) as session:
        assert session.execute("SELECT name FROM fruit WHERE id = 1").one().name == "pear"


def test_a_frozen_node_keeps_its_connections(
    cassandra_cluster: SharedCassandra, table: str
) -> None:
    with session_on(cassandra_cluster, 1, table) as session:
        write_all(session)
        cassandra_cluster.freeze(1)
        # The signal alone takes effect later on a busy machine.
        if (threads := Path(f"/proc/{cassandra_cluster.pid(1)}/task")).exists():
            states = [(thread / "status").read_text() for thread in threads.iterdir()]
            assert all("State:\tT" in state for state in states)
        assert cassandra_cluster.is_alive(1)
        waiting = session.execute_async("SELECT name FROM fruit")
        with pytest.raises(cassandra.OperationTimedOut):
            session.execute("SELECT name FROM fruit", timeout=1)
        cassandra_cluster.thaw(1)
        assert len(list(waiting.result())) == 1


def test_healing_starts_and_thaws(cassandra_cluster: SharedCassandra, table: str) -> None:
    cassandra_cluster.stop(1)
    cassandra_cluster.freeze(2)
    cassandra_cluster.heal()
    with session_on(cassandra_cluster, 0, table) as session:
        write_all(session)


def test_a_node_that_does_not_exist_is_named(cassandra_cluster: SharedCassandra) -> None:
    with pytest.raises(IndexError, match="no node 3"):
        cassandra_cluster.kill(3)
