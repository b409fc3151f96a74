"""Logins by classes of the program, with the drop-in and with cassandra-driver itself: both call
them alike."""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS, REAL = "spikewire.compat.cassandra", "cassandra"
READ = "SELECT release_version FROM system.local"


@pytest.fixture(scope="module")
def closed() -> Iterator[CassandraCluster]:
    """A node that asks for a password."""
    try:
        with CassandraCluster(password=True, heap=256, quick_start=True) as cluster:
            yield cluster
    except CassandraUnavailable as error:
        pytest.skip(str(error))


def modules(package: str, *names: str) -> list[Any]:
    if package == REAL:
        pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")
    return [importlib.import_module(f"{package}.{name}") for name in names]


def provider_of(auth: Any, credentials: tuple[str, str], calls: list[Any]) -> Any:
    """A provider that signs by itself, as those for SigV4 do, and records how it is called."""

    class Signing(auth.Authenticator):  # type: ignore[misc]
        def initial_response(self) -> bytes:
            calls.append(("initial_response", self.server_authenticator_class))
            return "\0{}\0{}".format(*credentials).encode()

        def evaluate_challenge(self, challenge: bytes) -> bytes:
            calls.append(("evaluate_challenge", challenge))
            return b""

        def on_authentication_success(self, token: Any) -> None:
            calls.append(("on_authentication_success", token or None))

    class Provider(auth.AuthProvider):  # type: ignore[misc]
        def new_authenticator(self, host: str) -> Any:
            calls.append(("new_authenticator", host))
            return Signing()

    return Provider()


def connected(package: str, cluster: CassandraCluster, provider: Any) -> Any:
    (driver,) = modules(package, "cluster")
    address, port = cluster.addresses[0].rsplit(":", 1)
    own = {"control_connection_timeout": 30} if package == REAL else {}
    return driver.Cluster(
        [address], port=int(port), auth_provider=provider, connect_timeout=30, **own
    )


@pytest.mark.parametrize("package", [OURS, REAL])
def test_a_provider_of_the_program_logs_in(package: str, closed: CassandraCluster) -> None:
    (auth,) = modules(package, "auth")
    assert closed.credentials is not None
    calls: list[Any] = []
    cluster = connected(package, closed, provider_of(auth, closed.credentials, calls))
    try:
        assert cluster.connect().execute(READ, timeout=30).one()
    finally:
        cluster.shutdown()
    name = "org.apache.cassandra.auth.PasswordAuthenticator"
    assert list(dict.fromkeys(calls)) == [
        ("new_authenticator", closed.addresses[0].rpartition(":")[0]),
        ("initial_response", name),
        ("on_authentication_success", None),
    ]


@pytest.mark.parametrize("package", [OURS, REAL])
def test_a_derived_password_provider_is_called(package: str, closed: CassandraCluster) -> None:
    (auth,) = modules(package, "auth")
    assert closed.credentials is not None
    credentials = closed.credentials
    made: list[str] = []

    class Rotating(auth.PlainTextAuthProvider):  # type: ignore[name-defined,misc]
        def new_authenticator(self, host: str) -> Any:
            made.append(host)
            return auth.PlainTextAuthenticator(*credentials)

    cluster = connected(package, closed, Rotating("nobody", "nothing"))
    try:
        assert cluster.connect().execute(READ, timeout=30).one()
    finally:
        cluster.shutdown()
    assert set(made) == {closed.addresses[0].rpartition(":")[0]}


@pytest.mark.parametrize("package", [OURS, REAL])
def test_a_provider_that_fails(package: str, closed: CassandraCluster) -> None:
    driver, auth = modules(package, "cluster", "auth")

    class Broken(auth.AuthProvider):  # type: ignore[name-defined,misc]
        def new_authenticator(self, host: str) -> Any:
            del host
            raise LookupError("no ticket")

    cluster = connected(package, closed, Broken())
    try:
        with pytest.raises(driver.NoHostAvailable) as error:
            cluster.connect()
    finally:
        cluster.shutdown()
    assert "no ticket" in str(next(iter(error.value.errors.values())))


def test_mechanisms_of_sasl(monkeypatch: pytest.MonkeyPatch, closed: CassandraCluster) -> None:
    """``puresasl`` is not installed here; its client is called with these arguments."""
    from spikewire.compat.cassandra.auth import SaslAuthProvider

    with pytest.raises(ImportError, match="puresasl"):
        SaslAuthProvider(service="cassandra")
    assert closed.credentials is not None
    user, password = closed.credentials
    made: list[Any] = []

    class SASLClient:
        def __init__(self, *arguments: Any, **named: Any) -> None:
            made.append((arguments, named))

        def process(self, challenge: bytes | None = None) -> bytes:
            assert challenge is None
            return f"\0{user}\0{password}".encode()

    client = types.ModuleType("puresasl.client")
    client.SASLClient = SASLClient  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "puresasl", types.ModuleType("puresasl"))
    monkeypatch.setitem(sys.modules, "puresasl.client", client)
    with pytest.raises(ValueError, match="host"):
        SaslAuthProvider(host="x", service="cassandra")
    provider = SaslAuthProvider(service="cassandra", mechanism="PLAIN", qops=["auth"])
    cluster = connected(OURS, closed, provider)
    try:
        assert cluster.connect().execute(READ, timeout=30).one()
    finally:
        cluster.shutdown()
    host = closed.addresses[0].rpartition(":")[0]
    assert made[0] == ((host, "cassandra", "PLAIN"), {"qops": ["auth"]})
