"""Users and TLS, on every API: the same calls, and what is rejected."""

from __future__ import annotations

import logging
import pickle
import socket
import ssl
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Caller
from secured import PASSWORD, READER, USERS, WRITER, files, identity, trusted, url
from spikewire import op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from apis import Api

TWICE = "function twice(record) return record.n * 2 end"


@pytest.fixture(scope="module", params=["users", "tls", "both", "certificates"])
def secured(request: pytest.FixtureRequest) -> Iterator[tuple[Cluster, dict[str, Any]]]:
    """A cluster, and the options that a client needs."""
    settings: dict[str, Any] = {}
    if request.param != "tls":
        settings["users"] = USERS
    if request.param != "users":
        settings["tls"] = {"client_certificates": True} if request.param == "certificates" else True
    with Cluster(nodes=2, **settings) as cluster:
        assert cluster.wait_settled()
        options: dict[str, Any] = dict(WRITER) if "users" in settings else {}
        if "tls" in settings:
            certificate = identity(cluster) if request.param == "certificates" else {}
            options |= trusted(cluster, **certificate)
        yield cluster, options


@pytest.fixture(scope="module")
def both() -> Iterator[Cluster]:
    """A cluster with users and TLS."""
    with Cluster(nodes=2, users=USERS, tls=True) as cluster:
        assert cluster.wait_settled()
        yield cluster


def test_every_kind_of_call_works_over_tls(
    api: Api, secured: tuple[Cluster, dict[str, Any]], set_name: str
) -> None:
    cluster, options = secured
    with api.open(cluster.seeds, timeout=10, **options) as client:
        data = client.dataset("test", set_name)
        data.put("a", {"n": 1})
        assert data.get("a")["n"] == 1
        assert data.operate("a", [op.add("n", 1), op.get("n")])["n"] == 2
        data.put_many({n: {"n": n} for n in range(300)}).raise_for_errors()
        assert data.get_many(range(300)).found == 300
        assert len(api.rows(client.raw.query("test", set_name))) == 301
        page = api.page(client.raw.query("test", set_name, page_size=500))
        assert len(page.records) == 301
        text = "x" * 300_000  # more than one record of TLS, and a connection of its own
        data.put("large", {"text": text})
        assert data.get("large")["text"] == text
        data.delete("large")
        name = f"of_{set_name}"
        indexes, modules = client.raw.indexes, client.raw.modules
        api.settle(lambda: indexes.create("test", set_name, "n", int, name=name))
        rows = api.rows(client.raw.query("test", set_name, index=spikewire.equal("n", 7)))
        assert [record["n"] for record in rows] == [7]
        api.settle(lambda: indexes.drop("test", set_name, name))
        api.settle(lambda: modules.register(f"{set_name}.lua", TWICE))
        assert data.apply("a", set_name, "twice", []) == 4
        job = data.operate_all([op.add("n", 1)])
        assert api.settle(lambda: job.wait(60)).succeeded == 301
        api.settle(lambda: modules.remove(f"{set_name}.lua"))
        build = api.settle(lambda: client.raw.info("build"))
        assert build.count(".") == 3


@pytest.mark.parametrize("wrong", ["hidden", ""])
def test_a_wrong_password_names_the_user(api: Api, both: Cluster, wrong: str) -> None:
    with pytest.raises(
        spikewire.ServerError, match='the login of user "app" was refused'
    ) as caught:
        api.open(both.seeds, user="app", password=wrong, **trusted(both))
    assert caught.value.code in (62, 65)
    assert "hidden" not in str(caught.value) + repr(caught.value)
    with pytest.raises(spikewire.ServerError, match='user "nobody"') as caught:
        api.open(both.seeds, user="nobody", password="hidden", **trusted(both))
    assert caught.value.code in (60, 65)
    assert "hidden" not in str(caught.value)


def test_connecting_without_a_login_raises(api: Api, both: Cluster) -> None:
    with pytest.raises(spikewire.Error, match=r"80|not logged in|authenticated"):
        api.open(both.seeds, **trusted(both))


def test_a_login_without_security_raises(api: Api, cluster: Cluster) -> None:
    with pytest.raises(spikewire.ServerError, match="this server has no security") as caught:
        api.open(cluster.seeds, user="app", password="hidden")
    assert caught.value.code in (51, 52)
    assert "hidden" not in str(caught.value)


def test_untrusted_certificates_raise(api: Api, both: Cluster, tmp_path: Path) -> None:
    trustme = pytest.importorskip("trustme")
    foreign = tmp_path / "foreign.pem"
    trustme.CA().cert_pem.write_to_path(foreign)
    with pytest.raises(spikewire.ConnectionFailed, match="no authority that the client trusts"):
        api.open(both.seeds, **WRITER, tls={"ca": foreign})
    with pytest.raises(spikewire.ConnectionFailed, match=r"pomona\.example"):
        api.open(both.seeds, **WRITER, **trusted(both, server_name="pomona.example"))
    unchecked = trusted(both, server_name="pomona.example", verify_hostname=False)
    with api.open(both.seeds, **WRITER, **unchecked) as client:
        assert client.raw.is_connected
    host, port = both.addresses[0].split(":")
    with pytest.raises(spikewire.ConnectionFailed, match=r"pomona\.example"):
        api.open(f"{host}:pomona.example:{port}", **WRITER, **trusted(both))


def test_bytes_do_as_well_as_paths(api: Api, both: Cluster) -> None:
    with api.open(both.seeds, **WRITER, tls={"ca": files(both).ca.read_bytes()}) as client:
        assert client.raw.is_connected


def test_a_tls_mismatch_raises(api: Api, both: Cluster, cluster: Cluster) -> None:
    with pytest.raises(spikewire.Error, match="TLS"):
        api.open(both.seeds, connect_timeout=1, **WRITER)
    with pytest.raises(spikewire.ConnectionFailed, match=r"sends is not TLS|closed"):
        api.open(cluster.seeds, connect_timeout=1, **trusted(both))
    with pytest.raises(ValueError, match="has a TLS name"):
        api.open("127.0.0.1:name:1")


def test_a_missing_client_certificate_raises(api: Api) -> None:
    with Cluster(users=USERS, tls={"client_certificates": True}) as strict:
        with pytest.raises(spikewire.ConnectionFailed, match=r"certificate|reset|closed"):
            api.open(strict.seeds, **WRITER, **trusted(strict))
        with api.open(strict.seeds, **WRITER, **trusted(strict, **identity(strict))) as client:
            assert client.raw.is_connected


def test_roles_limit_what_users_may_do(api: Api, both: Cluster, set_name: str) -> None:
    with api.open(both.seeds, timeout=10, **WRITER, **trusted(both)) as client:
        client.dataset("test", set_name).put("a", {"n": 1})
    with api.open(both.seeds, timeout=10, **READER, **trusted(both)) as client:
        data = client.dataset("test", set_name)
        assert data.get("a")["n"] == 1
        with pytest.raises(spikewire.ServerError) as caught:
            data.put("a", {"n": 2})
        assert (caught.value.code, caught.value.in_doubt) == (81, False)
        with pytest.raises(spikewire.ServerError) as caught:
            data.put_many({"a": {"n": 2}, "b": {"n": 2}}).raise_for_errors()
        assert caught.value.code == 81


def test_a_node_that_comes_back_is_logged_in_to(api: Api, set_name: str) -> None:
    with Cluster(nodes=2, users=USERS, tls=True) as cluster:
        assert cluster.wait_settled()
        options = {**WRITER, **trusted(cluster), "tend_interval": 0.1}
        with api.open(cluster.seeds, timeout=30, **options) as client:
            data = client.dataset("test", set_name)
            data.put_many({n: {"n": n} for n in range(100)}).raise_for_errors()
            cluster.kill(0)
            assert data.get_many(range(100)).found == 100
            cluster.restart(0)
            assert cluster.wait_settled()
            until(lambda: len(client.raw.nodes()) == 2)
            data.put_many({n: {"n": n + 1} for n in range(100)}).raise_for_errors()
            assert data.get_many(range(100)).found == 100


def test_secrets_appear_in_no_output(
    api: Api, both: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with api.open(both.seeds, **WRITER, **trusted(both)) as client:
        client.raw.metrics.enable()
        data = client.dataset("test", "secrets")
        data.put("a", {"n": 1})
        output = [repr(client.raw), repr(data.target), str(client.raw.stats()), caplog.text]
        for text in output:
            assert PASSWORD not in text
            assert "$2a$" not in text
        assert PASSWORD.encode() not in pickle.dumps(data.target)


@pytest.mark.parametrize("settings", [True, False])
def test_a_pickle_takes_the_password_from_the_environment(
    both: Cluster, settings: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with spikewire.Client(both.seeds, timeout=10, **WRITER, **trusted(both)) as client:
        users = client.dataset("test", "pickled")
        users.put("a", {"n": 1})
        assert pickle.loads(pickle.dumps(users)) == users
        pickled = pickle.dumps(users)
    # The client is closed: the dataset opens one like it.
    if settings:
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_PASSWORD", PASSWORD)
        assert pickle.loads(pickled).get("a")["n"] == 1
    else:
        monkeypatch.delenv("SPIKEWIRE_AEROSPIKE_PASSWORD", raising=False)
        with pytest.raises(ValueError, match="the password of user 'app' must be in"):
            pickle.loads(pickled)


def test_a_key_of_bytes_is_in_no_pickle() -> None:
    with Cluster(tls={"client_certificates": True}) as strict:
        entries = {name: path.read_bytes() for name, path in identity(strict).items()}
        with spikewire.Client(strict.seeds, **trusted(strict, **entries)) as client:
            users = client.dataset("test", "pickled")
            assert pickle.loads(pickle.dumps(users)) == users
            pickled = pickle.dumps(users)
        assert entries["private_key"].splitlines()[1] not in pickled
        with pytest.raises(ValueError, match="private keys passed as bytes are not pickled"):
            pickle.loads(pickled)


def test_nodes_speak_tls(both: Cluster) -> None:
    host, port = both.addresses[0].split(":")
    context = ssl.create_default_context(cafile=files(both).ca)
    with (
        socket.create_connection((host, int(port))) as plain,
        context.wrap_socket(plain, server_hostname=host) as encrypted,
    ):
        assert encrypted.version() in ("TLSv1.2", "TLSv1.3")


def test_a_url_opens_a_secured_client(api: Api, both: Cluster) -> None:
    if api.is_blocking:
        with spikewire.Client.from_url(url(both)) as client:
            assert not client.dataset(set="url").exists("a")
    else:
        other = spikewire.AsyncClient.from_url(url(both))
        api.settle(other.open)
        assert not Caller(other.dataset(set="url"), api).exists("a")
        api.settle(other.close)
