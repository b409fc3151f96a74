"""A server with shards, as documented by Scylla: each has its connections, and statements are sent
to the shard that has their row. The server is that of canned replies, which counts requests by
shard."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.testing.cassandra import CannedServer
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessions import Sessions

KEYSPACE = (
    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = "CREATE TABLE shop.items (id text, at bigint, payload text, PRIMARY KEY ((id, at)))"
SELECT = "SELECT payload FROM shop.items WHERE id = ? AND at = ?"
INSERT = "INSERT INTO shop.items (payload, at, id) VALUES (?, ?, ?)"
SHARDS = 6
KEYS = 300
#: Where `make bench-cql-tools` installs scylla-driver, whose package is named like
#: cassandra-driver.
SCYLLA = Path(sys.prefix) / "peers" / "scylla-driver"


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(shards=SHARDS) as server:
        yield server


def prepared(session: Any, text: str = SELECT) -> Any:
    session.execute(KEYSPACE)
    session.execute(TABLE)
    return session.prepare(text)


def astray(server: CannedServer) -> int:
    return sum(shard.others for shard in server.traffic)


def ask(server: CannedServer, session: Any, statement: Any) -> int:
    """Asks for every key; returns how many statements did not reach the shard of their row."""
    before = astray(server)
    for key in range(KEYS):
        session.execute(statement, (f"item {key}", key))
    return astray(server) - before


def expected(shards: int) -> list[int]:
    """The number of keys of each shard, by another client's tokens and Scylla's formula."""
    metadata = pytest.importorskip("cassandra.metadata", exc_type=ImportError)
    counts = [0] * shards
    for key in range(KEYS):
        columns = [f"item {key}".encode(), key.to_bytes(8, "big")]
        whole = b"".join(len(it).to_bytes(2, "big") + it + b"\0" for it in columns)
        token = metadata.Murmur3Token.from_key(whole).value
        counts[(((token + 2**63) << 12) % 2**64 * shards) >> 64] += 1
    return counts


def test_statements_go_to_the_shard_of_their_row(sessions: Sessions, server: CannedServer) -> None:
    session = sessions.open([server.address])
    select = prepared(session)
    assert until(lambda: ask(server, session, select) == 0, 60)
    # The control connection, and one to each shard.
    assert sum(shard.opened for shard in server.traffic) == SHARDS + 1


def test_shards_are_those_of_other_clients(server: CannedServer) -> None:
    counts = expected(SHARDS)
    with cql.Session(server.address) as session:
        select = prepared(session)
        assert until(lambda: ask(server, session, select) == 0, 60)
        before = server.traffic
        assert ask(server, session, select) == 0
        grown = [now.own - then.own for now, then in zip(server.traffic, before, strict=True)]
        assert grown == counts


def test_writes_and_batches_too(sessions: Sessions, server: CannedServer) -> None:
    session = sessions.open([server.address])
    insert = prepared(session, INSERT)

    def write() -> int:
        before = astray(server)
        for key in range(KEYS):
            session.execute(insert, ("x", key, f"item {key}"))
        return astray(server) - before

    assert until(lambda: write() == 0, 60)
    batch = session.raw.batch("unlogged")
    batch.add(insert, ("x", 5, "item 5"))
    session.execute(batch)


def test_without_its_port_the_server_chooses(sessions: Sessions, server: CannedServer) -> None:
    session = sessions.open([server.address], shard_aware_port=False)
    select = prepared(session)
    assert until(lambda: ask(server, session, select) == 0, 60)
    # Connections beyond one for each are closed again.
    assert until(lambda: sum(shard.open for shard in server.traffic) <= SHARDS + 1)


@pytest.mark.parametrize("way", ["rewritten", None])
def test_connections_are_opened_until_each_shard_has_one(sessions: Sessions, way: Any) -> None:
    with CannedServer(shards=SHARDS, shard_aware_port=way) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        assert until(lambda: ask(server, session, select) == 0, 60)


def test_statements_succeed_if_a_shard_rejects_connections(sessions: Sessions) -> None:
    with CannedServer(shards=SHARDS, refusing=[0, 2, 5]) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        before = server.served
        ask(server, session, select)
        assert server.served == before + KEYS


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("SCYLLA_NR_SHARDS", "0"),
        ("SCYLLA_NR_SHARDS", "70000"),
        ("SCYLLA_NR_SHARDS", "18446744073709551616"),
        ("SCYLLA_NR_SHARDS", "six"),
        ("SCYLLA_SHARD", "6"),
        ("SCYLLA_SHARD", "-1"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "64"),
        ("SCYLLA_SHARDING_IGNORE_MSB", ""),
        ("SCYLLA_SHARDING_ALGORITHM", "by colour"),
        ("SCYLLA_PARTITIONER", "org.apache.cassandra.dht.RandomPartitioner"),
    ],
)
def test_nonsense_leaves_plain_connections(sessions: Sessions, key: str, value: str) -> None:
    with CannedServer(shards=SHARDS, says={key: value}) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        ask(server, session, select)
        assert sum(shard.opened for shard in server.traffic) == 2


def test_one_shard_for_all_connections_has_a_bound(sessions: Sessions) -> None:
    with CannedServer(shards=SHARDS, says={"SCYLLA_SHARD": "3"}) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        for _ in range(3):
            ask(server, session, select)
        # One for the cluster, one to begin with, one for each other shard, and a few more.
        assert sum(shard.opened for shard in server.traffic) <= 4 * SHARDS


def test_threads_share_connections_to_shards(server: CannedServer) -> None:
    with cql.Session(server.address) as session:
        select = prepared(session)

        def ask_all() -> None:
            for key in range(KEYS):
                session.execute(select, (f"item {key}", key))

        def ask_by_threads() -> int:
            before = astray(server)
            threads = [threading.Thread(target=ask_all) for _ in range(6)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return astray(server) - before

        assert until(lambda: ask_by_threads() == 0, 60)


def test_the_option_is_checked(server: CannedServer) -> None:
    with pytest.raises(TypeError, match="shard_aware_port"):
        cql.Session(server.address, shard_aware_port=19042)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shards"):
        CannedServer(shards=5000)
    with pytest.raises(ValueError, match="shard_aware_port"):
        CannedServer(shards=2, shard_aware_port="odd")  # type: ignore[arg-type]
    with CannedServer() as plain:
        assert plain.traffic == []


def test_scylla_driver_finds_the_same_shards(server: CannedServer) -> None:
    """The driver from the makers of Scylla recognises the server's shards, and sends statements to
    the shards that the server expects."""
    if not (SCYLLA / "cassandra").is_dir():
        pytest.skip(f"scylla-driver is not in {SCYLLA}")
    host, _, port = server.address.partition(":")
    program = f"""
        import time
        from cassandra.cluster import Cluster
        cluster = Cluster([{host!r}], port={port}, protocol_version=4)
        session = cluster.connect()
        session.execute({KEYSPACE!r})
        session.execute({TABLE!r})
        select = session.prepare({SELECT!r})
        end = time.monotonic() + 60
        connected = 0
        while connected < {SHARDS} and time.monotonic() < end:
            time.sleep(0.1)
            (stats,) = cluster.shard_aware_stats().values()
            connected = stats["connected"]
        for key in range({KEYS}):
            session.execute(select, (f"item {{key}}", key))
        print(stats["shards_count"], connected)
        cluster.shutdown()
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(SCYLLA)},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (0, f"{SHARDS} {SHARDS}\n"), ran.stderr
    assert sum(shard.own for shard in server.traffic) == KEYS
    assert astray(server) == 0
