"""Two datacenters of one real node each: which node is asked, and where nodes are found."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors
from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable, CqlProxy
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE, THERE = "here", "there"


@pytest.fixture(scope="module")
def nodes() -> Iterator[CassandraCluster]:
    """The first node is local, the second remote. The last test leaves one of them dead."""
    try:
        cluster = CassandraCluster(2, datacenters=[HERE, THERE], heap=256, quick_start=True)
    except CassandraUnavailable as error:
        pytest.skip(f"no Cassandra: {error}")
    with cluster:
        cluster.execute(
            "CREATE KEYSPACE fruit WITH replication = "
            f"{{'class': 'NetworkTopologyStrategy', '{HERE}': 1, '{THERE}': 1}}"
        )
        # The coordinator asks only the nodes that it has to.
        cluster.execute(
            "CREATE TABLE fruit.names (id int PRIMARY KEY, name text) "
            "WITH speculative_retry = 'NEVER' AND read_repair = 'NONE'"
        )
        assert cluster.wait_settled()
        yield cluster


def traced(session: cql.Session, rows: Any) -> set[str]:
    """The nodes that took part in a statement, according to its trace."""
    return {str(node) for node in session.trace(rows, timeout=30).nodes}


def test_statements_go_to_the_local_datacenter(nodes: CassandraCluster) -> None:
    homes = [address.rpartition(":")[0] for address in nodes.addresses]
    for at, datacenter in enumerate((HERE, THERE)):
        # By default that of the contact point; the other one is known all the same.
        for options in ({}, {"local_datacenter": datacenter}):
            value: dict[str, Any] = dict(options)
            points = nodes.addresses if options else nodes.addresses[at]
            with cql.Session(
                points, keyspace="fruit", timeout=30.0, consistency="local_quorum", **value
            ) as session:
                assert len(session.nodes) == 2
                select = session.prepare("SELECT name FROM names WHERE id = ?")
                insert = session.prepare("INSERT INTO names (id, name) VALUES (?, 'pear')")
                for number in range(5):
                    replicas = session.replicas("fruit", select.token((number,)) or 0)
                    assert set(replicas) == set(nodes.addresses)
                    written = session.execute(insert, (number,))
                    read = session.execute(select, (number,), tracing=True)
                    text = session.execute("SELECT name FROM names WHERE id = 1", tracing=True)
                    assert {written.node, read.node, text.node} == {nodes.addresses[at]}
                    assert until(partial(_took_part, session, read, {homes[at]}))
                # Consistency levels that need more cross over by themselves, from the local one.
                read = session.execute(select, (1,), tracing=True, consistency="all")
                assert read.node == nodes.addresses[at]
                assert until(partial(_took_part, session, read, set(homes)))


def _took_part(session: cql.Session, rows: Any, expected: set[str]) -> bool:
    """Whether exactly these nodes took part; each writes its part of the trace in its own time."""
    return traced(session, rows) == expected


def test_nodes_are_reached_by_mapped_addresses(nodes: CassandraCluster) -> None:
    """Each node is behind a proxy: the addresses that nodes advertise are not used at all."""
    with contextlib.ExitStack() as stack:
        proxies = [stack.enter_context(CqlProxy(address)) for address in nodes.addresses]
        own = [proxy.address for proxy in proxies]
        session = stack.enter_context(
            cql.Session(
                own[0],
                keyspace="fruit",
                timeout=30.0,
                remote_datacenters=True,
                address_map=dict(zip(nodes.addresses, own, strict=True)),
            )
        )
        assert {node.address for node in session.nodes} == set(own)
        select = session.prepare("SELECT name FROM names WHERE id = ?")
        assert set(session.replicas("fruit", select.token((1,)) or 0)) == set(own)
        for proxy in proxies:
            before = proxy.stats()
            rows = session.execute(select, (1,), node=proxy.address)
            assert rows.node == proxy.address
            after = proxy.stats()
            assert after["requests"] > before["requests"]
            assert after["replies"] > before["replies"]

        # The control connection moves to the other node, for which this one is a peer.
        proxies[0].refuse("port")
        proxies[0].cut()
        assert until(
            lambda: [node.up for node in session.nodes if node.address == own[0]] == [False]
        )
        assert session.execute(select, (1,)).node == own[1]
        proxies[0].clear()
        assert until(lambda: all(node.up for node in session.nodes))
        assert {node.address for node in session.nodes} == set(own)
        assert until(lambda: session.execute(select, (1,)).node == own[0])

        # If neither answers, the error names both.
        for proxy in proxies:
            proxy.refuse("close")
            proxy.cut()
        with ends_before(60), pytest.raises(errors.Error) as caught:
            session.execute(select, (1,), max_retries=3)
        values = [node for node, _ in caught.value.failed_attempts]
        assert set(values) == set(own)
        assert len(values) == caught.value.attempts


def test_remote_datacenters_are_used_only_if_allowed(nodes: CassandraCluster) -> None:
    read = "SELECT name FROM names WHERE id = 1"
    options: dict[str, Any] = {
        "keyspace": "fruit",
        "timeout": 10.0,
        "local_datacenter": HERE,
        "consistency": "local_quorum",
    }
    with (
        cql.Session(nodes.addresses, **options) as strict,
        cql.Session(nodes.addresses, remote_datacenters=True, **options) as loose,
    ):
        select = {
            session: session.prepare("SELECT name FROM names WHERE id = ?")
            for session in (strict, loose)
        }
        for session in (strict, loose):
            assert session.execute(select[session], (1,)).node == nodes.addresses[0]
        nodes.kill(0)
        for session in (strict, loose):
            assert until(partial(_is_down, session, nodes.addresses[0]))
        for statement, values in ((read, None), (select[strict], (1,))):
            with pytest.raises((errors.NodeUnavailable, errors.ConnectionFailed)) as caught:
                strict.execute(statement, values)
            requests = {node for node, _ in caught.value.failed_attempts}
            assert requests <= {nodes.addresses[0], None}
        assert _node(strict, nodes.addresses[1]).up
        for statement, values in ((read, None), (select[loose], (1,))):
            assert loose.execute(statement, values).node == nodes.addresses[1]


def _node(session: cql.Session, address: str) -> Any:
    return next(node for node in session.nodes if node.address == address)


def _is_down(session: cql.Session, address: str) -> bool:
    return not _node(session, address).up
