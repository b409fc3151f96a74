"""Secure connect bundles: sessions and the drop-in find a managed cluster by an archive. Nodes are
real, behind a proxy and a service of ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from cql.managed import Managed, managed
from spikewire import cql
from spikewire.compat.cassandra.cluster import Cluster
from spikewire.cql import errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sessions import Sessions
    from spikewire.testing.cassandra import SharedCassandra

READ = "SELECT release_version FROM system.local"
ADDRESS = "SELECT rpc_address FROM system.local"
PATIENT: dict[str, Any] = {"timeout": 60, "connect_timeout": 20}


@pytest.fixture
def behind(cassandra: SharedCassandra, tmp_path: Path) -> Iterator[Managed]:
    with managed(tmp_path, cassandra.addresses[:1]) as behind:
        yield behind


def test_every_api_finds_the_nodes(sessions: Sessions, behind: Managed) -> None:
    session = sessions.open([], secure_connect_bundle=str(behind.bundle), **PATIENT)
    assert session.execute(READ).one()["release_version"]
    (host_id, address), *_ = behind.nodes.items()
    # Nodes have the addresses that they advertise, not that of the proxy.
    assert [node.address for node in session.raw.nodes] == [address]
    assert set(behind.names) == {host_id}


def test_the_archive_can_be_named_in_urls_and_variables(
    behind: Managed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPIKEWIRE_CQL_SECURE_CONNECT_BUNDLE", str(behind.bundle))
    with cql.Session.from_url(**PATIENT) as session:
        assert len(session.execute(READ)) == 1


def test_the_drop_in_takes_a_cloud(behind: Managed) -> None:
    with Cluster(cloud={"secure_connect_bundle": behind.bundle}, connect_timeout=20) as cluster:
        session = cluster.connect()
        assert session.execute(READ).one().release_version
        (address,) = behind.nodes.values()
        assert [str(host.endpoint) for host in cluster.metadata.all_hosts()] == [address]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_original_driver_finds_them_alike(behind: Managed) -> None:
    driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
    cloud = {"secure_connect_bundle": str(behind.bundle)}
    try:
        cluster = driver.Cluster(cloud=cloud, connect_timeout=20, control_connection_timeout=20)
    except driver.DriverException as error:
        pytest.skip(f"cassandra-driver has no event loop here: {error}")
    with cluster:
        session = cluster.connect()
        assert session.execute(READ, timeout=60).one().release_version
    assert set(behind.names) == set(behind.nodes)


def refused(bundle: Path, **others: Any) -> str:
    with pytest.raises((ValueError, errors.Error)) as caught:
        cql.Session([], secure_connect_bundle=str(bundle), **(PATIENT | others))
    return str(caught.value)


def test_faulty_archives_are_refused_with_a_reason(behind: Managed, tmp_path: Path) -> None:
    path = tmp_path / "faulty.zip"
    assert "it cannot be read" in refused(tmp_path / "none.zip")
    path.write_bytes(b"no archive")
    assert "it is no zip archive" in refused(path)
    for name in ("config.json", "ca.crt", "cert", "key"):
        assert f"its entry {name} cannot be read" in refused(behind.write(path, **{name: None}))
    for config, why in ((b"{", "no JSON"), (b"{}", "lacks host or port"), (b'{"host": "h"}', "la")):
        assert why in refused(behind.write(path, **{"config.json": config}))
    assert "certificate" in refused(behind.write(path, **{"ca.crt": b"none"}))
    nowhere = json.dumps({"host": "127.0.0.1", "port": 1}).encode()
    assert "metadata service 127.0.0.1:1" in refused(behind.write(path, **{"config.json": nowhere}))


def test_faulty_replies_of_the_service_are_refused(behind: Managed) -> None:
    behind.status = 503
    assert "HTTP status 503" in refused(behind.bundle)
    behind.status, behind.metadata = 200, b"<html>"
    assert "its reply is no JSON" in refused(behind.bundle)
    behind.metadata = json.dumps({"contact_info": {"type": "direct"}}).encode()
    assert "names no proxy" in refused(behind.bundle)


def test_a_proxy_that_knows_no_node_is_reported(behind: Managed) -> None:
    behind.contact_info["contact_points"] = ["00000000-0000-0000-0000-000000000000"]
    assert "no contact point leads to a node" in refused(behind.bundle, connect_timeout=3)


def test_settings_that_exclude_each_other(behind: Managed) -> None:
    bundle = str(behind.bundle)
    with pytest.raises(ValueError, match="has the contact points: give none besides"):
        cql.Session("127.0.0.1", secure_connect_bundle=bundle)
    with pytest.raises(ValueError, match="leave tls out"):
        cql.Session([], secure_connect_bundle=bundle, tls=True)
    with pytest.raises(ValueError, match="no contact point given"):
        cql.Session([])
    for others in ({"contact_points": ["127.0.0.1"]}, {"ssl_options": {"ca_certs": "x"}}):
        with pytest.raises(ValueError, match="cannot be specified with a cloud configuration"):
            Cluster(cloud={"secure_connect_bundle": bundle}, **others)
    with pytest.raises(ValueError, match="doesn't have a secure_connect_bundle"):
        Cluster(cloud={})
    with pytest.raises(NotImplementedError, match="cloud: 'region' is not supported"):
        Cluster(cloud={"secure_connect_bundle": bundle, "region": "eu"})


@pytest.mark.cassandra_cluster
def test_each_node_is_reached_by_its_id(cassandra_cluster: SharedCassandra, tmp_path: Path) -> None:
    with managed(tmp_path, cassandra_cluster.addresses) as behind:
        with cql.Session([], secure_connect_bundle=str(behind.bundle), **PATIENT) as session:
            assert {node.address for node in session.nodes} == set(behind.nodes.values())
            for address in behind.nodes.values():
                row: Any = session.execute(ADDRESS, node=address).one()
                assert str(row["rpc_address"]) == address.rpartition(":")[0]
        assert set(behind.names) == set(behind.nodes)
