"""Addresses that the program translates, on three real nodes behind proxies."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.compat.cassandra import policies
from spikewire.compat.cassandra.cluster import Cluster, NoHostAvailable
from spikewire.testing.cassandra import CqlProxy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessions import Sessions
    from spikewire.testing.cassandra import SharedCassandra

READ = "SELECT release_version FROM system.local"


@pytest.fixture(scope="module")
def through(cassandra_cluster: SharedCassandra) -> Iterator[dict[str, str]]:
    """A proxy for each node, by the address that the node advertises."""
    with contextlib.ExitStack() as running:
        proxies = [running.enter_context(CqlProxy(node)) for node in cassandra_cluster.addresses]
        yield {proxy.target: proxy.address for proxy in proxies}


def test_nodes_are_reached_where_the_function_says(
    sessions: Sessions, through: dict[str, str]
) -> None:
    asked: list[str] = []

    def translate(advertised: str) -> str:
        asked.append(advertised)
        host, _, port = through[advertised].rpartition(":")
        # A name does as well.
        return f"localhost:{port}" if host == "127.0.0.1" else through[advertised]

    first, *_ = through.values()
    session = sessions.open([first], address_translator=translate, timeout=60)
    assert {node.address for node in session.raw.nodes} == set(through.values())
    used = {session.execute(READ).node for _ in range(60)}
    assert used == set(through.values())
    assert set(asked) == set(through) - {next(iter(through))}


def test_a_function_that_fails(through: dict[str, str]) -> None:
    first, *_ = through.values()

    def fail(advertised: str) -> str:
        raise LookupError(f"nothing is known of {advertised}")

    with pytest.raises(cql.errors.ConnectionFailed, match="LookupError: nothing is known of 127"):
        cql.Session([first], address_translator=fail)
    wrong: Any = lambda _: 5  # noqa: E731
    with pytest.raises(cql.errors.ConnectionFailed, match="must return str, not int"):
        cql.Session([first], address_translator=wrong)
    with pytest.raises(TypeError, match="address_translator must be a function, not int"):
        cql.Session([first], address_translator=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="address_translator takes the place of address_map"):
        cql.Session([first], address_translator=fail, address_map={"10.0.0.1": "127.0.0.1"})


class ToProxies(policies.AddressTranslator):
    """A translator of cassandra-driver knows no ports: here, each proxy has its node's."""

    def __init__(self, hosts: dict[str, str]) -> None:
        self.hosts = hosts
        self.asked: set[str] = set()

    def translate(self, addr: str) -> str:
        self.asked.add(addr)
        return self.hosts.get(addr, addr)


def test_translators_of_the_drop_in(cassandra_cluster: SharedCassandra) -> None:
    nodes = [address.rpartition(":") for address in cassandra_cluster.addresses]
    hosts = [host for host, _, _ in nodes]
    translator = ToProxies({})
    with Cluster(
        hosts[:1], port=int(nodes[0][2]), address_translator=translator, connect_timeout=30
    ) as cluster:
        session = cluster.connect()
        assert session.execute(READ, timeout=30).one()
        assert translator.asked == set(hosts[1:])
        assert cluster.address_translator is translator
        assert {host.address for host in cluster.metadata.all_hosts()} == set(hosts)

    class Broken(policies.AddressTranslator):
        def translate(self, addr: str) -> str:
            raise LookupError(addr)

    broken = Cluster(hosts[:1], port=int(nodes[0][2]), address_translator=Broken())
    with broken, pytest.raises(NoHostAvailable):
        broken.connect()


def test_the_translator_of_amazon_regions(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"ec2-1-2-3-4.example": "10.0.0.4"}
    monkeypatch.setattr(socket, "getfqdn", lambda _: "ec2-1-2-3-4.example")

    def lookup(host: str, *_: Any) -> list[Any]:
        address = names.get(host, host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0))]

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    assert policies.EC2MultiRegionTranslator().translate("1.2.3.4") == "10.0.0.4"
