"""Real nodes of their own: passwords, TLS, persistent data, the command, failing nodes."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import PATIENT, REAL
from spikewire.testing.cassandra import (
    CassandraCluster,
    CassandraFailed,
    CassandraUnavailable,
    CqlProxy,
    SharedCassandra,
    need_cassandra,
)
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
auth = pytest.importorskip("cassandra.auth", exc_type=ImportError)

COMMAND = [sys.executable, "-W", "error", "-m", "spikewire", "cassandra"]


@pytest.fixture(autouse=True)
def _available() -> None:
    try:
        need_cassandra()
    except CassandraUnavailable as error:
        pytest.skip(f"no Cassandra: {error}")


@pytest.fixture(scope="module")
def closed() -> Iterator[CassandraCluster]:
    """A node that requires a password and a certificate."""
    pytest.importorskip("trustme")
    try:
        cluster = CassandraCluster(
            password=True, tls=True, client_certificates=True, heap=256, quick_start=True
        )
    except CassandraUnavailable as error:
        pytest.skip(f"no Cassandra: {error}")
    with cluster:
        yield cluster


@contextmanager
def connected(address: str, **options: Any) -> Iterator[Any]:
    host, _, port = address.partition(":")
    client = driver.Cluster([host], port=int(port), **PATIENT[REAL], **options)
    try:
        yield client.connect()
    finally:
        client.shutdown()


def context_of(cluster: CassandraCluster) -> ssl.SSLContext:
    assert cluster.certificates is not None
    return cluster.certificates.context()


def login(user: str, password: str) -> Any:
    return auth.PlainTextAuthProvider(user, password)


def test_password_and_certificate_let_a_client_in(closed: CassandraCluster) -> None:
    assert closed.credentials is not None
    with connected(
        closed.addresses[0],
        auth_provider=login(*closed.credentials),
        # With verification of the node's address.
        ssl_context=context_of(closed),
        ssl_options={"server_hostname": closed.addresses[0].partition(":")[0]},
    ) as session:
        assert session.execute("LIST ROLES").one().role == "cassandra"
    closed.execute("CREATE ROLE pomona WITH LOGIN = true AND PASSWORD = 'pear'")


def test_a_wrong_password_does_not(closed: CassandraCluster) -> None:
    with (
        pytest.raises(driver.NoHostAvailable, match="incorrect"),
        connected(
            closed.addresses[0],
            auth_provider=login("cassandra", "wrong"),
            ssl_context=context_of(closed),
        ),
    ):
        pass


def test_no_certificate_does_not(closed: CassandraCluster) -> None:
    assert closed.certificates is not None
    context = ssl.create_default_context(cafile=closed.certificates.ca)
    assert closed.credentials is not None
    with (
        pytest.raises(driver.NoHostAvailable),
        connected(
            closed.addresses[0],
            auth_provider=login(*closed.credentials),
            ssl_context=context,
        ),
    ):
        pass


def test_the_proxy_passes_tls(closed: CassandraCluster) -> None:
    assert closed.credentials is not None
    with (
        CqlProxy(closed.addresses[0]) as proxy,
        connected(
            proxy.address,
            auth_provider=login(*closed.credentials),
            ssl_context=_any_host(context_of(closed)),
        ) as session,
    ):
        assert session.execute("SELECT key FROM system.local").one().key == "local"
        assert proxy.stats()["replies"] > 0


def _any_host(context: ssl.SSLContext) -> ssl.SSLContext:
    context.check_hostname = False
    return context


def test_the_command_keeps_data_that_a_cluster_goes_on_with(tmp_path: Path) -> None:
    data = tmp_path / "data"
    host = "127.0.77.1" if sys.platform == "linux" else "127.0.0.1"
    options = ["--host", host, "--port", "0", "--heap", "256", "--quick-start", "--data", str(data)]
    with subprocess.Popen(
        [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        assert served.stdout is not None
        line = served.stdout.readline()
        word, _, address = line.strip().partition(" ")
        assert word == "ready", line
        with pytest.raises(OSError, match="in use by another cluster"):
            CassandraCluster(host=host, port=0, data=data)
        with connected(address) as session:
            session.execute(
                "CREATE KEYSPACE k WITH replication = "
                "{'class': 'SimpleStrategy', 'replication_factor': 1}"
            )
            session.execute("CREATE TABLE k.fruit (id int PRIMARY KEY, name text)")
            session.execute("INSERT INTO k.fruit (id, name) VALUES (1, 'pear')")
        served.send_signal(signal.SIGTERM)
        _, text = served.communicate(timeout=120)
    assert served.returncode == 0, text
    assert "node 0 is ready" in text
    with pytest.raises(ValueError, match="nodes=1, not 2"):
        CassandraCluster(2, host=host, port=0, data=data)
    again = CassandraCluster(host=host, port=0, heap=256, data=data, quick_start=True)
    with again, connected(again.addresses[0]) as session:
        assert session.execute("SELECT name FROM k.fruit").one().name == "pear"


def test_interrupted_while_it_starts_it_leaves_nothing(tmp_path: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--heap", "256"],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as served:
        assert served.stderr is not None
        assert "starting node 0" in served.stderr.readline()
        served.send_signal(signal.SIGINT)
        _, text = served.communicate(timeout=120)
    assert (served.returncode, text) == (130, "")
    assert list(tmp_path.iterdir()) == []


def test_the_command_reports_a_node_that_ends() -> None:
    options = ["--port", "0", "--heap", "256", "--quick-start"]
    with subprocess.Popen(
        [*COMMAND, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as served:
        try:
            assert served.stdout is not None
            address = served.stdout.readline().strip().removeprefix("ready ")
            _kill_child_of(served.pid)
            _, text = served.communicate(timeout=120)
        finally:
            served.kill()
    assert served.returncode == 1
    assert f"node 0 at {address} ended unexpectedly" in text


def _kill_child_of(parent: int) -> None:
    """The guard is the only child, and takes the node down with it."""
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    pairs = [line.split() for line in listed.stdout.splitlines()]
    (guard,) = (int(pid) for pid, of in pairs if int(of) == parent)
    nodes = [int(pid) for pid, of in pairs if int(of) == guard]
    os.kill(nodes[0], signal.SIGKILL)
    assert until(lambda: not _runs(nodes[0]))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_node_that_cannot_start_raises_with_its_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(CassandraFailed, match="no_such_setting") as failed:
        CassandraCluster(heap=256, quick_start=True, yaml={"no_such_setting": 1})
    assert "ended while it was starting; its log is" in str(failed.value)
    (log,) = tmp_path.glob("*/node-0/log/system.log")
    assert str(log) in str(failed.value)
    assert "no_such_setting" in log.read_text()


MEMBER = """
import sys
from spikewire.testing.cassandra import SharedCassandra

shared = SharedCassandra(sys.argv[1])
print(*shared.addresses, flush=True)
sys.stdin.read()
"""


def test_processes_share_a_cluster_until_the_last_is_gone(tmp_path: Path) -> None:
    with SharedCassandra(tmp_path, heap=256, quick_start=True) as first:
        pid = first.pid(0)
        member = subprocess.Popen(
            [sys.executable, "-c", MEMBER, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with member:
            assert member.stdout is not None
            assert member.stdout.readline().split() == first.addresses
            first.close()
            # It does not end while a client is connected: the owner has checked several times by
            # then.
            time.sleep(1)
            assert _runs(pid)
            member.kill()
    assert until(lambda: not _runs(pid))
