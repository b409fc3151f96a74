"""Seeds, the child process of the embedded cluster, and the request for a server's build."""

from __future__ import annotations

import os
import socket
import sys
import threading

import pytest

from spikewire import Client
from spikewire_lab.access.info import ask
from spikewire_lab.access.seeds import parse_named_seeds, parse_seeds
from spikewire_lab.run.cluster import EmbeddedCluster, ExternalCluster, truncate

SLEEPS = "import time; print('ready 127.0.0.1:4100', flush=True)\nwhile True: time.sleep(0.1)"
FAILS = "import sys; print('no port is free', file=sys.stderr); sys.exit(3)"


def test_seeds_are_parsed() -> None:
    assert parse_seeds("db") == (("db", 3000),)
    assert parse_seeds("a:1, b:65535") == (("a", 1), ("b", 65535))
    assert parse_seeds("[::1]:3100,[::1]") == (("::1", 3100), ("::1", 3000))
    named = parse_named_seeds("a:db.example:4333,10.0.0.1:10.0.0.2,[::1]:one:1,b:2,c")
    assert named == (
        ("a", 4333, "db.example"),
        ("10.0.0.1", 3000, "10.0.0.2"),
        ("::1", 1, "one"),
        ("b", 2, ""),
        ("c", 3000, ""),
    )


@pytest.mark.parametrize(
    "text", ["", "a,", ":3000", "a:0", "a:65536", "a:b", "a:tls:3000", "[::1]x"]
)
def test_invalid_seeds_are_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="hosts"):
        parse_seeds(text)


def test_the_embedded_cluster_ends_with_its_block() -> None:
    cluster = EmbeddedCluster(3, "test", command=[sys.executable, "-c", SLEEPS])
    with cluster:
        assert cluster.seeds == (("127.0.0.1", 4100),)
        pid = cluster.pid
        assert pid is not None
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_every_address_of_the_ready_line_is_a_seed() -> None:
    with EmbeddedCluster(
        2, "test", command=[sys.executable, "-c", SLEEPS.replace("4100'", "4100,127.0.0.1:4101'")]
    ) as cluster:
        assert cluster.seeds == (("127.0.0.1", 4100), ("127.0.0.1", 4101))


def test_a_failed_embedded_cluster_raises_with_its_output() -> None:
    with pytest.raises(RuntimeError, match="no port is free"):
        EmbeddedCluster(1, "test", command=[sys.executable, "-c", FAILS]).__enter__()


def test_the_build_of_a_server_is_requested() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        requests: list[bytes] = []

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                requests.append(connection.recv(64))
                text = b"build\t8.1.2.0\n"
                connection.sendall(b"\x02\x01" + len(text).to_bytes(6, "big") + text)

        server = threading.Thread(target=answer)
        server.start()
        assert ask(listener.getsockname(), "build") == "8.1.2.0"
        server.join()
        assert requests == [b"\x02\x01\x00\x00\x00\x00\x00\x06build\n"]


def test_a_server_that_does_not_answer_is_no_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert ask(("127.0.0.1", port), "build", timeout=0.1) is None
    assert ask(("127.0.0.1", port), "build", timeout=0.1) is None


def test_a_set_is_emptied_in_the_whole_cluster() -> None:
    with EmbeddedCluster(2, "test") as cluster:
        seeds = ",".join(f"{host}:{port}" for host, port in cluster.seeds)
        with Client.connect(seeds) as client:
            other_set, gone = client.dataset("test", "kept"), client.dataset("test", "gone")
            for key in range(50):
                other_set.put(key, {"b0": key})
                gone.put(key, {"b0": key})
            assert (
                truncate(ExternalCluster((("127.0.0.1", 1), *cluster.seeds)), "test", "gone")
                is None
            )
            assert [other_set.exists(key) for key in range(50)] == [True] * 50
            assert [gone.exists(key) for key in range(50)] == [False] * 50
        error = truncate(cluster, "test", "x" * 64)
        assert error is not None
        assert "too long" in error
    assert (
        truncate(ExternalCluster((("127.0.0.1", 1),)), "test", "gone")
        == "none of the seeds answers"
    )
