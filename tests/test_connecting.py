"""Options of connecting: one address in front of a cluster, clients that wait for their cluster,
and the name that a program tells nodes."""

from __future__ import annotations

import base64
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import AsyncClient, Client
from spikewire.compat import aerospike, aerospike_py
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def three() -> Iterator[Cluster]:
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        yield cluster


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def opened(cluster: Cluster) -> list[int]:
    """The connections that each node ever had."""
    return [cluster.stats(node)["connections_opened"] for node in range(cluster.nodes)]


def official(address: str, **config: Any) -> Any:
    host, port = address.rsplit(":", 1)
    return aerospike.client({"hosts": [(host, int(port))], **config})


def test_a_client_of_one_seed_uses_no_other_node(three: Cluster) -> None:
    before = opened(three)
    with Client.from_url(f"aerospike://{three.addresses[1]}/test?seed_only=true") as client:
        users = client.dataset("test", "seed-only")
        for number in range(60):
            users.put(number, {"n": number})
        records = users.get_many(range(60))
        assert [row and row.bins["n"] for row in records] == list(range(60))
        assert len(client.stats().nodes) == 1
    after = opened(three)
    assert [now - then for now, then in zip(after, before, strict=True)][::2] == [0, 0]
    assert after[1] > before[1]


def test_the_drop_in_forces_a_single_node(three: Cluster) -> None:
    before = opened(three)
    client = official(three.addresses[2], force_single_node=True)
    for number in range(60):
        client.put(("test", "single", number), {"n": number})
        assert client.get(("test", "single", number))[2] == {"n": number}
    client.close()
    after = opened(three)
    assert after[:2] == before[:2]
    assert after[2] > before[2]


def test_a_client_of_one_seed_goes_to_the_next_one_when_it_is_gone() -> None:
    with Cluster(nodes=2) as cluster:
        assert cluster.wait_settled()
        options: Any = {"seed_only": True, "tend_interval": 0.05, "timeout": 30}
        with Client(cluster.seeds, **options) as client:
            users = client.dataset("test", "users")
            users.put(1, {"n": 1})
            [first] = client.stats().nodes
            cluster.kill(0 if first.name == cluster.node_name(0) else 1)
            until(lambda: [node.name for node in client.stats().nodes] != [first.name])
            until(lambda: bool(client.stats().nodes))
            assert users.get(1).bins == {"n": 1}


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def test_a_client_may_wait_for_its_cluster() -> None:
    port = free_port()
    options: Any = {"fail_if_not_connected": False, "tend_interval": 0.05, "max_retries": 0}
    with pytest.raises(spikewire.ConnectionFailed):
        Client(f"127.0.0.1:{port}", tend_interval=0.05)
    with Client(f"127.0.0.1:{port}", **options) as client:
        users = client.dataset("test", "users")
        with pytest.raises(spikewire.Error, match="no node has reported yet"):
            users.put(1, {"n": 1})
        with Cluster(port=port):
            until(lambda: bool(client.stats().nodes))
            users.put(1, {"n": 1})
            assert users.get(1).bins == {"n": 1}


def test_an_asyncio_client_and_the_drop_in_wait_as_well(run: Any) -> None:
    port = free_port()

    async def main() -> None:
        options: Any = {"fail_if_not_connected": False, "max_retries": 0}
        async with AsyncClient(f"127.0.0.1:{port}", **options) as client:
            with pytest.raises(spikewire.Error, match="no node has reported yet"):
                await client.get(("test", "users", 1))

    run(main())
    with pytest.raises(aerospike.exception.ConnectionError):
        official(f"127.0.0.1:{port}")
    client = official(f"127.0.0.1:{port}", fail_if_not_connected=False, tend_interval=250)
    with pytest.raises(aerospike.exception.AerospikeError):
        client.get(("test", "users", 1))
    with Cluster(port=port):
        until(lambda: bool(client.get_node_names()))
        client.put(("test", "users", 1), {"n": 1})
    client.close()


def test_a_rejected_login_is_not_waited_for() -> None:
    with (
        Cluster(users={"app": "secret"}) as cluster,
        pytest.raises(spikewire.ServerError),
    ):
        Client(cluster.seeds, user="app", password="no", fail_if_not_connected=False)


def applications(cluster: Cluster) -> set[str]:
    """The names of programs that are connected now."""
    with Client(cluster.seeds) as client:
        answer = client.info("user-agents")
    agents = [part.split("=", 1)[1].split(":")[0] for part in answer.split(";") if part]
    return {base64.b64decode(agent).decode().rsplit(",", 1)[-1] for agent in agents}


def test_nodes_know_the_program_by_its_name() -> None:
    with Cluster(build="8.1.2.0") as cluster:
        with Client(cluster.seeds, application_id="billing"):
            until(lambda: "billing" in applications(cluster))
        client = official(cluster.seeds, app_id="shop, büro")
        until(lambda: "shop__b_ro" in applications(cluster))
        client.close()
    for name in ("", "a b", "a,b", "x" * 41):
        with pytest.raises(ValueError, match="application_id must be 1 to 40 visible ASCII"):
            Client("127.0.0.1:1", application_id=name)


def test_the_drop_ins_open_connections_ahead(three: Cluster) -> None:
    before = opened(three)
    client = official(three.addresses[0], min_conns_per_node=3)
    host, port = three.addresses[0].rsplit(":", 1)
    config: Any = {"hosts": [(host, int(port))], "min_conns_per_node": 2}
    other: Any = aerospike_py.client(config).connect()
    after = opened(three)
    assert all(now - then >= 5 for now, then in zip(after, before, strict=True))
    client.close()
    other.close()
