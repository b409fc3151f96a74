"""With login and TLS: each client reads what the other wrote."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from secured import PASSWORD, USERS, WRITER, files, identity, trusted
from spikewire.compat import aerospike
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api

BINS = {"n": 1, "text": "käse", "list": [1, {"a": b"b"}], "large": "x" * 200_000}


@pytest.fixture(scope="module", params=["users", "tls", "certificates"])
def secured(request: pytest.FixtureRequest) -> Iterator[tuple[Cluster, str]]:
    """A cluster with users; with users and TLS; with client certificates as well."""
    tls: Any = {"users": {}, "tls": {"tls": True}}
    options = tls.get(request.param, {"tls": {"client_certificates": True}})
    with Cluster(nodes=2, users=USERS, **options) as cluster:
        assert cluster.wait_settled()
        yield cluster, request.param


def our_options(cluster: Cluster, kind: str) -> dict[str, Any]:
    """The options of our client."""
    if kind == "users":
        return WRITER
    certificate = identity(cluster) if kind == "certificates" else {}
    return {**WRITER, **trusted(cluster, **certificate)}


def hosts(cluster: Cluster) -> list[tuple[str, int]]:
    return [
        (host, int(port)) for host, port in (address.split(":") for address in cluster.addresses)
    ]


def official_config(cluster: Cluster, kind: str) -> Any:
    """The configuration of the official client."""
    config: dict[str, Any] = {"hosts": hosts(cluster), "user": "app", "password": PASSWORD}
    if kind == "users":
        return config
    certificates = files(cluster)
    config["hosts"] = [(*host, "spikewire") for host in hosts(cluster)]
    config["tls"] = {"enable": True, "cafile": str(certificates.ca)}
    if kind == "certificates":
        config["tls"] |= {
            "certfile": str(certificates.certificate),
            "keyfile": str(certificates.key),
        }
    return config


@pytest.mark.parametrize("module", ["aerospike", "spikewire.compat.aerospike"])
def test_the_official_client_uses_a_secured_cluster(
    api: Api, secured: tuple[Cluster, str], module: str
) -> None:
    peer = pytest.importorskip(module)
    cluster, kind = secured
    client = peer.client(official_config(cluster, kind)).connect()
    try:
        with api.open(cluster.seeds, timeout=30, **our_options(cluster, kind)) as opened:
            data = opened.dataset("test", f"official-{kind}")
            keys = [("test", f"official-{kind}", n) for n in range(50)]
            for key in keys[:10]:
                client.put(key, BINS)
            assert [data.get(n).bins for n in range(10)] == [BINS] * 10
            data.put_many({n: {"n": n} for n in range(50)}).raise_for_errors()
            rows = client.batch_read(keys).batch_records
            assert [row.record[2]["n"] for row in rows] == list(range(50))
            assert len(client.query("test", f"official-{kind}").results()) == 50
            wrong = official_config(cluster, kind) | {"password": "hidden"}
            with pytest.raises(peer.exception.AerospikeError) as caught:
                peer.client(wrong).connect()
            assert "hidden" not in str(caught.value)
    finally:
        client.close()


# It has no TLS.
@pytest.mark.parametrize("secured", ["users"], indirect=True)
@pytest.mark.parametrize("module", ["aerospike_py", "spikewire.compat.aerospike_py"])
def test_aerospike_py_uses_a_secured_cluster(
    api: Api, secured: tuple[Cluster, str], module: str
) -> None:
    peer = pytest.importorskip(module)
    cluster, _ = secured
    config: dict[str, Any] = {"hosts": hosts(cluster)}
    name = f"py-{module.split('.')[0]}"
    with (
        peer.client(config).connect("app", PASSWORD) as client,
        api.open(cluster.seeds, timeout=30, **WRITER) as opened,
    ):
        data = opened.dataset("test", name)
        client.put(("test", name, "a"), BINS)
        assert data.get("a").bins == BINS
        data.put("b", BINS)
        assert client.get(("test", name, "b")).bins == BINS

    async def main() -> None:
        async with peer.AsyncClient(config | {"user": "app", "password": PASSWORD}) as client:
            await client.connect()
            assert (await client.get(("test", name, "b"))).bins == BINS

    asyncio.run(main())
    with pytest.raises(peer.ClusterError):
        peer.client(config).connect("app", "hidden")


def test_our_client_and_the_drop_in_share_a_secured_cluster(secured: tuple[Cluster, str]) -> None:
    cluster, kind = secured
    with spikewire.Client(cluster.seeds, timeout=30, **our_options(cluster, kind)) as client:
        client.put(("test", "beside", 1), {"n": 1})
        other = aerospike.client(official_config(cluster, kind))
        assert other.get(("test", "beside", 1))[2] == {"n": 1}
        other.close()
        other.connect("app", PASSWORD)
        assert other.get(("test", "beside", 1))[2] == {"n": 1}
        other.close()
        with pytest.raises(aerospike.exception.AdminError) as caught:
            other.connect("app", "hidden")
        assert "hidden" not in str(caught.value)
