"""A server that the lab starts from a program: a stand-in, and a real one where there is one."""

from __future__ import annotations

import os
import stat
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from spikewire_lab.run import aerospike_server
from spikewire_lab.run.aerospike_server import AerospikeServer, Ports, configuration, version_of
from spikewire_lab.run.cluster import EmbeddedCluster
from spikewire_lab.run.environment import describe, server_in_words
from spikewire_lab.run.place import Place
from spikewire_lab.run.placement import halves

if TYPE_CHECKING:
    from spikewire.testing import Cluster as Embedded

REAL = "SPIKEWIRE_SERVER_BINARY"
"""A variable with the path of a real server, for the test of one."""


def a_program(folder: Path, body: str, version: str = "8.1.2.0") -> str:
    path = folder / "asd"
    text = f"#!{sys.executable}\nimport sys\n"
    text += f'if "--version" in sys.argv:\n    print("Community Edition build {version}")\n'
    text += f"    sys.exit()\n{body}\n"
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


SERVES = """
import re, socketserver, struct
text = open(sys.argv[sys.argv.index("--config-file") + 1]).read()
port = int(re.search(r"access-address \\S+\\s+port (\\d+)", text)[1])
many = 1 + text.count("mesh-seed-address-port")
ANSWERS = {
    f"cluster-stable:size={many}": "A1B2C3",
    "build": "8.1.2.0",
    "edition": "Aerospike Community Edition",
    "statistics": "cluster_size=1",
    "get-config:context=service": "service-threads=2;other=1",
    "namespace/test": "client_read_success=4;client_write_success=3;batch_sub_read_success=2;"
    "client_read_error=9;objects=5",
}

class Node(socketserver.StreamRequestHandler):
    def handle(self):
        header = self.rfile.read(8)
        size = struct.unpack(">Q", header)[0] & ((1 << 48) - 1)
        name = self.rfile.read(size).decode().strip()
        answer = f"{name}\\t{ANSWERS.get(name, '')}\\n".encode()
        self.wfile.write(struct.pack(">Q", 2 << 56 | 1 << 48 | len(answer)) + answer)

socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", port), Node).serve_forever()
"""


@pytest.mark.parametrize("nodes", [1, 3])
def test_nodes_run_for_the_block_and_are_named_truthfully(tmp_path: Path, nodes: int) -> None:
    place = Place(server_binary=a_program(tmp_path, SERVES), nodes=nodes)
    with place.cluster() as cluster:
        assert isinstance(cluster, AerospikeServer)
        pids = cluster.pids
        assert len(pids) == len(cluster.seeds) == nodes
        assert cluster.pid == (pids[0] if nodes == 1 else None)
        assert cluster.rows() == 9 * nodes
        known = describe(cluster, ["spikewire"])["cluster"]
        assert isinstance(known, dict)
        assert known["server"] == "Aerospike Community Edition 8.1.2.0"
        assert known["service_threads"] == "2"
        assert f"nodes: {nodes}, copies: {min(2, nodes)}" in str(known["kind"])
        assert "storage: memory" in str(known["kind"])
        folder = cluster._folder
        assert (folder / "node1" / "aerospike.conf").is_file()
    assert not folder.exists()
    assert not any(_alive(pid) for pid in pids)
    assert place.as_json()["server_binary"] == "asd", "a report has no paths of a machine"


def _alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("print('CRITICAL (config): bad line 3'); sys.exit(1)", "status 1 .*bad line 3"),
        ("import time; time.sleep(60)", "does not serve"),
    ],
)
def test_a_server_that_does_not_start_leaves_its_log(
    tmp_path: Path, body: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aerospike_server, "START_SECONDS", 2.0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with (
        pytest.raises(RuntimeError, match=reason) as error,
        AerospikeServer(a_program(tmp_path, body), 1, "test"),
    ):
        pass
    place = Path(str(error.value).rpartition("its log is in ")[2])
    assert (place / "node1" / "output.log").is_file()


def test_a_program_that_is_no_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="--server-binary"):
        version_of(str(tmp_path / "nothing"))
    assert version_of(a_program(tmp_path, "", "7.2.0.1")) == (7, 2)
    assert version_of(a_program(tmp_path, "", "unknown")) == ()


def test_the_configuration_suits_the_version_and_the_other_nodes() -> None:
    ports = [Ports(1, 2, 3, 4), Ports(5, 6, 7, 8), Ports(9, 10, 11, 12)]
    text = configuration(1, ports, Path("work"), "test", 2, (8, 1))
    assert "mesh-seed-address-port 127.0.0.1 3\n" in text
    assert "mesh-seed-address-port 127.0.0.1 11\n" in text
    assert "mesh-seed-address-port 127.0.0.1 7\n" not in text
    assert "node-id a2\n" in text
    assert "replication-factor 2" in text
    assert "admin {" in text
    assert "admin {" not in configuration(0, ports, Path("work"), "test", 2, (7, 2))
    assert len({port for one in Ports.free(3) for port in vars(one).values()}) == 12


def test_the_embedded_server_is_not_taken_for_a_real_one(cluster: Embedded) -> None:
    seeds = tuple(
        (host, int(port))
        for host, _, port in (one.rpartition(":") for one in cluster.seeds.split(","))
    )
    words = server_in_words(seeds, Place().access)
    assert words is not None
    assert words.startswith("spikewire-server 0.1.0, speaks ")
    assert server_in_words((("127.0.0.1", 1),), Place().access) is None


def test_processors_are_divided_only_where_there_are_enough() -> None:
    assert halves([0, 1]) == ((), ())
    assert halves([3, 2, 1]) == ((), ())
    assert halves([0, 1, 2, 3]) == ((0, 1), (2, 3))
    assert halves(range(5)) == ((0, 1, 2), (3, 4))


def test_servers_end_with_a_lab_that_was_killed() -> None:
    import subprocess

    text = (
        "import os, signal\n"
        "from spikewire_lab.run.cluster import EmbeddedCluster\n"
        "with EmbeddedCluster(1, 'test') as cluster:\n"
        "    print(cluster.pid, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False
    )
    pid = int(done.stdout)
    ends = time.monotonic() + 30
    while _alive(pid):
        assert time.monotonic() < ends, "the server outlived the lab"
        time.sleep(0.1)
    assert EmbeddedCluster(1, "test").pids == ()


@pytest.mark.skipif(REAL not in os.environ, reason=f"{REAL} names no real server")
@pytest.mark.parametrize("nodes", [1, 3])
def test_a_real_server_serves_and_counts(nodes: int) -> None:
    import spikewire

    with AerospikeServer(os.environ[REAL], nodes, "test", copies=min(2, nodes)) as server:
        seeds = ",".join(f"{host}:{port}" for host, port in server.seeds)
        with spikewire.Client(seeds) as client:
            records = client.dataset("test", "lab")
            before = server.rows()
            assert before is not None
            records.put(1, {"n": 1})
            assert records.get(1)["n"] == 1
            assert len(client.nodes()) == nodes
        after = server.rows()
        assert after is not None
        assert after - before >= 2
        assert "Aerospike" in str(server_in_words(server.seeds, server.access))
