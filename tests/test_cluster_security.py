"""Users and TLS of the embedded cluster: options, files, accepted and refused clients."""

from __future__ import annotations

import ssl
import subprocess
import sys
from typing import Any

import pytest

from spikewire.testing import Cluster

aerospike = pytest.importorskip("aerospike", reason="no wheel of aerospike for this interpreter")


def seed(cluster: Cluster, *name: str) -> tuple[Any, ...]:
    host, port = cluster.addresses[0].rsplit(":", 1)
    return (host, int(port), *name)


def connect(cluster: Cluster, user: str, password: str, **config: Any) -> Any:
    name = ("spikewire",) if "tls" in config else ()
    config = {"hosts": [seed(cluster, *name)], "user": user, "password": password, **config}
    client = aerospike.client(config)
    return client.connect()


def test_a_user_may_do_everything() -> None:
    with Cluster(nodes=2, users={"app": "secret"}) as cluster:
        client = connect(cluster, "app", "secret")
        client.put(("test", "s", 1), {"a": 1})
        assert client.get(("test", "s", 1))[2] == {"a": 1}
        client.truncate("test", "s", 0)
        client.close()


@pytest.mark.parametrize(
    ("user", "password", "code"), [("app", "wrong", 65), ("nobody", "secret", 60)]
)
def test_wrong_credentials_raise(user: str, password: str, code: int) -> None:
    with Cluster(users={"app": "secret"}) as cluster:
        with pytest.raises(aerospike.exception.AerospikeError) as caught:
            connect(cluster, user, password)
        assert caught.value.code == code


def test_roles_permit_commands() -> None:
    users: Any = {"app": "secret", "reader": {"password": "r", "roles": ["read"]}}
    with Cluster(users=users) as cluster:
        connect(cluster, "app", "secret").put(("test", "s", 1), {"a": 1})
        reader = connect(cluster, "reader", "r")
        assert reader.get(("test", "s", 1))[2] == {"a": 1}
        assert len(reader.query("test", "s").results()) == 1
        with pytest.raises(aerospike.exception.RoleViolation):
            reader.put(("test", "s", 1), {"a": 2})
        reader.close()


@pytest.mark.parametrize("shows", [False, True])
def test_a_cluster_serves_tls(*, shows: bool) -> None:
    tls: Any = {"client_certificates": True} if shows else True
    with Cluster(nodes=2, tls=tls, users={"app": "secret"}) as cluster:
        files = cluster.certificates
        assert files is not None
        encryption = {"enable": True, "cafile": str(files.ca)}
        if shows:
            with pytest.raises(aerospike.exception.AerospikeError):
                connect(cluster, "app", "secret", tls=encryption)
            encryption |= {"certfile": str(files.certificate), "keyfile": str(files.key)}
        client = connect(cluster, "app", "secret", tls=encryption)
        assert len(client.get_nodes()) == 2
        client.put(("test", "s", 1), {"a": 1})
        assert client.get(("test", "s", 1))[2] == {"a": 1}
        client.close()
        context = files.context()
        assert context.verify_mode is ssl.CERT_REQUIRED
    assert not files.ca.exists()


def test_there_are_no_certificates_without_tls() -> None:
    with Cluster(tls=False) as cluster:
        assert cluster.certificates is None


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"users": ["app"]}, TypeError, "users must be a dict of names and passwords, not list"),
        ({"users": {"app": 5}}, TypeError, 'user "app"'),
        (
            {"users": {"app": {"role": "read"}}},
            TypeError,
            'user "app": unknown option "role"; there are',
        ),
        (
            {"users": {"app": {"password": "x", "roles": "read"}}},
            TypeError,
            "a list of names of roles, not str",
        ),
        ({"users": {"app": {"password": "x", "roles": ["x"]}}}, ValueError, 'no role "x"'),
        ({"users": {"app": {"roles": ["read"]}}}, ValueError, "the password must not be empty"),
        ({"session_ttl": 0.5}, ValueError, "session_ttl must be from 1 to 864000 s, got 0.5 s"),
        ({"tls": "yes"}, TypeError, "tls must be boolean or a dict, not str"),
        ({"tls": {"nam": "x"}}, TypeError, 'tls: unknown option "nam"; there are'),
        ({"tls": {"name": "a b"}}, ValueError, '"a b" is no name of a host'),
    ],
)
def test_invalid_options_raise(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=None) as caught:
        Cluster(**options)
    assert message in str(caught.value)


def test_serve_takes_users_and_tls_flags() -> None:
    flags = ["--port", "0", "--tls", "--user", "app:secret", "--user", "r:r", "--roles", "r:read"]
    command = [sys.executable, "-m", "spikewire", "serve", *flags]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        ready = program.stdout.readline().split()
        ca = program.stderr.readline().split()[1]
        host, port = ready[1].rsplit(":", 1)
        config = {
            "hosts": [(host, int(port), "spikewire")],
            "user": "r",
            "password": "r",
            "tls": {"enable": True, "cafile": ca},
        }
        client = aerospike.client(config).connect()
        with pytest.raises(aerospike.exception.RoleViolation):
            client.put(("test", "s", 1), {"a": 1})
        client.close()
        program.terminate()
    assert program.returncode == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--user", "app"], "--user takes NAME:PASSWORD"),
        (["--roles", "app:read"], "there is no --user 'app'"),
        (["--client-certificates"], "go with --tls"),
    ],
)
def test_invalid_flags_of_serve_are_rejected(flags: list[str], message: str) -> None:
    command = [sys.executable, "-m", "spikewire", "serve", "--port", "0", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
