"""Encryption, certificates and logins on a real server, on every API."""

from __future__ import annotations

import asyncio
import importlib
import os
import ssl
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import OURS, PATIENT, REAL
from forking import scenario
from spikewire import cql
from spikewire.compat.cassandra import CompatWarning
from spikewire.compat.cassandra import cluster as compat
from spikewire.cql import errors
from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Requests per second from which the node reports that it is overloaded.
RATE = 60
READ = "SELECT release_version FROM system.local"


@pytest.fixture(scope="module")
def closed() -> Iterator[CassandraCluster]:
    """A node that requires a password and a certificate, and accepts few requests."""
    pytest.importorskip("trustme")
    try:
        cluster = CassandraCluster(
            password=True,
            tls=True,
            client_certificates=True,
            heap=256,
            quick_start=True,
            yaml={
                "native_transport_rate_limiting_enabled": True,
                "native_transport_max_requests_per_second": RATE,
            },
        )
    except CassandraUnavailable as error:
        pytest.skip(f"no Cassandra: {error}")
    with cluster:
        yield cluster


def options(cluster: CassandraCluster, **others: Any) -> dict[str, Any]:
    assert cluster.certificates is not None
    assert cluster.credentials is not None
    certificates = cluster.certificates
    tls = {
        "ca": certificates.ca,
        "certificate": certificates.certificate,
        "private_key": certificates.key,
    }
    user, password = cluster.credentials
    return {"tls": tls | others.pop("tls", {}), "user": user, "password": password} | others


@pytest.mark.parametrize("version", [4, 5])
def test_every_api_uses_tls(closed: CassandraCluster, version: int) -> None:
    settings = options(closed, protocol_version=version)
    with cql.Session(closed.addresses, **settings) as session:
        assert len(session.execute(READ)) == 1
        assert len(session.submit.execute(READ).result(30)) == 1

    async def main() -> None:
        async with cql.AsyncSession(closed.addresses, **settings) as session:
            assert len(await session.execute(READ)) == 1

    asyncio.run(main())


def test_the_certificate_must_be_for_the_node(closed: CassandraCluster) -> None:
    with pytest.raises(errors.ConnectionFailed, match=r"pomona\.example"):
        cql.Session(closed.addresses, **options(closed, tls={"server_name": "pomona.example"}))
    named = options(closed, tls={"server_name": "localhost"})
    unchecked = options(closed, tls={"server_name": "pomona.example", "verify_hostname": False})
    for value in (named, unchecked):
        with cql.Session(closed.addresses, **value) as session:
            assert len(session.execute(READ)) == 1


def test_a_missing_client_certificate_raises(closed: CassandraCluster) -> None:
    without = {"certificate": None, "private_key": None}
    with ends_before(60), pytest.raises(errors.ConnectionFailed, match=r"(?i)certificate"):
        cql.Session(closed.addresses, **options(closed, tls=without))


def test_an_authority_that_is_not_trusted(closed: CassandraCluster) -> None:
    with pytest.raises(errors.ConnectionFailed, match=r"(?i)certificate"):
        cql.Session(closed.addresses, **options(closed, tls={"ca": None, "system_ca": True}))


def test_connecting_without_tls_raises(closed: CassandraCluster) -> None:
    with ends_before(60), pytest.raises(errors.ConnectionFailed, match="no contact point"):
        cql.Session(closed.addresses, **options(closed) | {"tls": False})


def test_a_wrong_password_raises(closed: CassandraCluster) -> None:
    with pytest.raises(errors.AuthenticationFailed, match="incorrect"):
        cql.Session(closed.addresses, **options(closed, password="wrong"))
    with pytest.raises(errors.AuthenticationFailed, match="no credentials"):
        cql.Session(closed.addresses, **options(closed, user=None, password=None))


class Login:
    """The effect of names and passwords, in Python."""

    def __init__(self, user: str, password: str) -> None:
        self.token = b"\0".join([b"", user.encode(), password.encode()])
        self.classes: list[str] = []
        self.succeeded_with: list[bytes | None] = []

    def begin(self, class_name: str) -> Login:
        self.classes.append(class_name)
        return self

    def answer(self, challenge: bytes | None) -> bytes:
        assert challenge is None
        return self.token

    def succeeded(self, token: bytes | None) -> None:
        self.succeeded_with.append(token)


def test_a_custom_authenticator_logs_in(closed: CassandraCluster) -> None:
    assert closed.credentials is not None
    login = Login(*closed.credentials)
    settings = options(closed, user=None, password=None, authenticator=login)
    with cql.Session(closed.addresses, **settings) as session:
        assert len(session.execute(READ)) == 1
        assert len(session.submit.execute(READ).result(30)) == 1

    async def main() -> None:
        async with cql.AsyncSession(closed.addresses, **settings) as session:
            assert len(await session.execute(READ)) == 1

    asyncio.run(main())
    assert set(login.classes) == {"org.apache.cassandra.auth.PasswordAuthenticator"}
    assert len(login.succeeded_with) == len(login.classes) >= 3


def test_an_authenticator_that_fails(closed: CassandraCluster) -> None:
    class Broken(Login):
        def answer(self, challenge: bytes | None) -> bytes:
            del challenge
            raise LookupError("no ticket")

    settings = options(closed, user=None, password=None, authenticator=Broken("a", "b"))
    with pytest.raises(errors.Error, match="LookupError: no ticket"):
        cql.Session(closed.addresses, **settings)


FORK = """
    from spikewire import cql

    def sockets():
        names = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
        return {os.readlink(name) for name in names if os.path.exists(name)
                and os.readlink(name).startswith("socket:")}

    session = cql.Session(seeds, timeout=60, **OPTIONS)

    def read():
        assert len(session.execute(READ)) == 1

    read()
    own = sockets()
    for work in (session.close, read):
        child(work)
        read()
        # The child has not said to the nodes that the parent's connections are over.
        assert own <= sockets()
    session.close()
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux lists descriptors there")
def test_forks_leave_encrypted_connections_alone(closed: CassandraCluster) -> None:
    settings = options(closed)
    settings["tls"] = {name: str(file) for name, file in settings["tls"].items()}
    names = f"OPTIONS, READ = {settings!r}, {READ!r}\n"
    scenario(closed.addresses[0], names + textwrap.dedent(FORK))


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"tls": {"ca": "/nowhere/ca.pem"}}, "/nowhere/ca.pem"),
        ({"tls": {"certificate": b"x"}}, "go together"),
        ({"tls": {"ca": b"x"}}, "no certificate"),
        ({"tls": 1.5}, "tls must be"),
        ({"tls": {"cafile": "x"}}, "unknown entry 'cafile'|unknown entry \"cafile\""),
        ({"authenticator": 3}, "begin"),
        ({"authenticator": Login("a", "b"), "user": "a", "password": "b"}, "takes the place"),
    ],
)
def test_options_that_cannot_be_used(settings: dict[str, Any], what: str) -> None:
    with pytest.raises((TypeError, ValueError), match=what):
        cql.Session("127.0.0.1:1", **settings)


def test_a_node_that_has_too_much_to_do(closed: CassandraCluster) -> None:
    """Refused reads are retried later, and without a budget all are served in the end."""

    async def main() -> None:
        unlimited = {**options(closed), "retry_budget": None}
        async with cql.AsyncSession(closed.addresses, **unlimited) as session:
            reads = [session.execute(READ, max_retries=30, timeout=60.0) for _ in range(3 * RATE)]
            rows = await asyncio.gather(*reads)
            assert max(item.attempts for item in rows) > 1
            writes = [
                session.execute("UPDATE system_auth.roles SET can_login = true WHERE role = 'pear'")
                for _ in range(3 * RATE)
            ]
            outcomes = await asyncio.gather(*writes, return_exceptions=True)
            values = [error for error in outcomes if isinstance(error, errors.Overloaded)]
            assert values, "not idempotent: it is not repeated"
            assert all(error.attempts == 1 for error in values)

    asyncio.run(main())


# --- The drop-in for cassandra-driver ------------------------------------------------------------


def connects(package: str, cluster: CassandraCluster, **settings: Any) -> bool:
    """Whether a program with one of the drivers sees a row, or else the error that says why."""
    if package == REAL:
        pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")
    driver = importlib.import_module(f"{package}.cluster")
    auth = importlib.import_module(f"{package}.auth")
    address, port = cluster.addresses[0].rsplit(":", 1)
    assert cluster.credentials is not None
    user, password = cluster.credentials
    login = auth.PlainTextAuthProvider(username=user, password=password)
    connectable = driver.Cluster(
        [address], port=int(port), auth_provider=login, **(PATIENT[package] | settings)
    )
    try:
        session = connectable.connect()
        # The node accepts few requests per second, and the driver has made many.
        assert until(lambda: answers(driver, session))
        return True
    except driver.NoHostAvailable as error:
        return not error.errors
    finally:
        connectable.shutdown()


def answers(driver: Any, session: Any) -> bool:
    try:
        return bool(session.execute(READ, timeout=30).one().release_version)
    except driver.NoHostAvailable:
        return False


def of_files(cluster: CassandraCluster, *names: str) -> dict[str, str]:
    certificates = cluster.certificates
    assert certificates is not None
    files = {
        "ca_certs": certificates.ca,
        "certfile": certificates.certificate,
        "keyfile": certificates.key,
    }
    return {name: str(files[name]) for name in names}


def stranger(cluster: CassandraCluster) -> dict[str, Any]:
    """Trusts another authority."""
    trustme: Any = importlib.import_module("trustme")
    context = ssl.create_default_context(cadata=trustme.CA().cert_pem.bytes().decode())
    certificates = cluster.certificates
    assert certificates is not None
    context.load_cert_chain(certificates.certificate, certificates.key)
    return {"ssl_context": context, "ssl_options": of_files(cluster, "certfile", "keyfile")}


def unverified(cluster: CassandraCluster) -> dict[str, Any]:
    """Trusts whatever the node shows."""
    settings = stranger(cluster)
    settings["ssl_context"].check_hostname = False
    settings["ssl_context"].verify_mode = ssl.CERT_NONE
    return settings


def of_context(cluster: CassandraCluster, **options: Any) -> dict[str, Any]:
    assert cluster.certificates is not None
    named = of_files(cluster, "certfile", "keyfile")
    return {"ssl_context": cluster.certificates.context(), "ssl_options": named | options}


SETTINGS: dict[str, tuple[Any, bool]] = {
    "context": (of_context, True),
    "context, another name": (
        lambda cluster: of_context(cluster, server_hostname="localhost"),
        True,
    ),
    "context, no name of the node": (
        lambda cluster: of_context(cluster, server_hostname="pomona.example"),
        False,
    ),
    "options": (
        lambda cluster: {"ssl_options": of_files(cluster, "ca_certs", "certfile", "keyfile")},
        True,
    ),
    "options, checked": (
        lambda cluster: {
            "ssl_options": {
                **of_files(cluster, "ca_certs", "certfile", "keyfile"),
                "check_hostname": True,
                "cert_reqs": ssl.CERT_REQUIRED,
                "ssl_version": ssl.PROTOCOL_TLS_CLIENT,
            }
        },
        True,
    ),
    "options, no certificate": (
        lambda cluster: {"ssl_options": of_files(cluster, "ca_certs")},
        False,
    ),
    "another authority": (stranger, False),
    "another authority, nothing verified": (unverified, True),
    "options, nothing verified": (
        lambda cluster: {
            "ssl_options": {
                **of_files(cluster, "certfile", "keyfile"),
                "cert_reqs": ssl.CERT_NONE,
                "ssl_version": ssl.PROTOCOL_TLS,
            }
        },
        True,
    ),
    "no encryption": (lambda _: {}, False),
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("package", [REAL, OURS])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_both_drivers_take_the_same(closed: CassandraCluster, package: str, name: str) -> None:
    settings, connected = SETTINGS[name]
    with ends_before(120):
        assert connects(package, closed, **settings(closed)) == connected


def test_the_certificate_of_a_context_has_to_be_named(closed: CassandraCluster) -> None:
    assert closed.certificates is not None
    address, port = closed.addresses[0].rsplit(":", 1)
    cluster = compat.Cluster(
        [address], port=int(port), ssl_context=closed.certificates.context(), connect_timeout=20
    )
    with pytest.raises(compat.NoHostAvailable, match="pass it in ssl_options as well"):
        cluster.connect()


def context(**settings: Any) -> ssl.SSLContext:
    result = ssl.create_default_context()
    for name, value in settings.items():
        setattr(result, name, value)
    return result


def with_ciphers() -> ssl.SSLContext:
    result = ssl.create_default_context()
    result.set_ciphers("ECDHE-RSA-AES256-GCM-SHA384")
    return result


@pytest.mark.parametrize(
    ("settings", "kind", "what"),
    [
        ({"ssl_context": object()}, TypeError, "must be an ssl.SSLContext"),
        (
            {"ssl_context": context(verify_flags=ssl.VERIFY_CRL_CHECK_LEAF)},
            NotImplementedError,
            "revocation lists are not supported",
        ),
        (
            {"ssl_context": context(minimum_version=ssl.TLSVersion.TLSv1_3)},
            NotImplementedError,
            "minimum_version",
        ),
        ({"ssl_context": with_ciphers()}, NotImplementedError, "its ciphers cannot be used"),
        (
            {"ssl_context": context(keylog_filename=os.devnull)},
            NotImplementedError,
            "keylog_filename",
        ),
        (
            {"ssl_context": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)},
            NotImplementedError,
            "no authority",
        ),
        ({"ssl_options": 5}, TypeError, "must be a dict"),
        ({"ssl_options": {"ca_certs": "x", "ciphers": "ALL"}}, NotImplementedError, "ciphers"),
        ({"ssl_options": {"ca_certs": "x", "colour": 1}}, NotImplementedError, "colour"),
        ({"ssl_options": {"check_hostname": True}}, ValueError, "ca_certs is missing"),
        ({"ssl_options": {"ca_certs": "x", "keyfile": "y"}}, ValueError, "without certfile"),
        (
            {"ssl_options": {"ca_certs": "x", "ssl_version": ssl.PROTOCOL_TLS_SERVER}},
            NotImplementedError,
            "ssl_version",
        ),
        (
            {"ssl_options": {"ca_certs": "x", "server_side": True}},
            NotImplementedError,
            "server_side",
        ),
    ],
)
def test_unsupported_options_of_the_other_driver_raise(
    settings: dict[str, Any], kind: type[Exception], what: str
) -> None:
    with pytest.raises(kind, match=what):
        compat.Cluster(**settings)


def test_newer_versions_of_tls_are_spoken_as_well() -> None:
    with pytest.warns(CompatWarning, match=r"TLS 1\.3"):
        compat.Cluster(ssl_options={"ca_certs": "x", "ssl_version": ssl.PROTOCOL_TLSv1_2})
