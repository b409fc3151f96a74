"""The server of canned replies, as seen by other clients."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYSPACE = (
    "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = "
    "{'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = (
    "CREATE TABLE IF NOT EXISTS shop.items "
    "(id text, at int, payload blob, PRIMARY KEY (id, at)) WITH comment = 'wares'"
)
INSERT = "INSERT INTO shop.items (at, id, payload) VALUES (?, ?, ?)"
SELECT = "SELECT id, at, payload FROM shop.items WHERE id = ? AND at = ?"
ALL = "SELECT * FROM shop.items WHERE id = ?"
ROWS = 700
#: Tenths of a second.
LONGEST = 600


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(rows=ROWS) as server:
        yield server


@pytest.mark.parametrize("version", [4, 5])
def test_cassandra_driver_prepares_and_pages(server: CannedServer, version: int) -> None:
    driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
    host, _, port = server.address.partition(":")
    cluster = driver.Cluster([host], port=int(port), protocol_version=version)
    try:
        session = cluster.connect()
        session.execute(KEYSPACE)
        session.execute(TABLE)
        table = cluster.metadata.keyspaces["shop"].tables["items"]
        assert [column.name for column in table.primary_key] == ["id", "at"]
        insert = session.prepare(INSERT)
        assert insert.routing_key_indexes == [1]
        before = server.served
        session.execute(insert, (3, "pear", b"x"))
        assert server.served == before + 1
        row = session.execute(session.prepare(SELECT), ("pear", 3)).one()
        assert (row.id, row.at, len(row.payload)) == ("pear", 3, 100)
        wide = session.prepare(ALL)
        wide.fetch_size = 200
        pages = session.execute(wide, ("pear",))
        assert pages.has_more_pages
        assert len({row.at for row in pages}) == ROWS
        cassandra = pytest.importorskip("cassandra")
        with pytest.raises(cassandra.InvalidRequest, match="does not exist"):
            session.execute("SELECT * FROM shop.missing")
    finally:
        cluster.shutdown()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its own sockets
def test_acsylla_prepares_and_reads(server: CannedServer) -> None:
    acsylla = pytest.importorskip("acsylla", exc_type=ImportError)
    host, _, port = server.address.partition(":")

    async def main() -> tuple[Any, int]:
        cluster = acsylla.create_cluster([host], port=int(port))
        session = await cluster.create_session()
        for text in (KEYSPACE, TABLE):
            await session.query(text)
        statement = (await session.create_prepared(SELECT)).bind()
        statement.bind_list(["pear", 3])
        row = (await session.execute(statement)).first().as_tuple()
        statement = (await session.create_prepared(ALL)).bind(page_size=ROWS + 1)
        statement.bind_list(["pear"])
        count = (await session.execute(statement)).count()
        await session.close()
        return row, count

    row, count = asyncio.run(main())
    assert row[:2] == ("pear", 3)
    assert count == ROWS


def test_invalid_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="host"):
        CannedServer(host="nowhere")
    with pytest.raises((TypeError, ValueError), match="rows"):
        CannedServer(rows=0)
    with CannedServer() as server, pytest.raises(OSError, match="could not listen"):
        CannedServer(port=int(server.address.rpartition(":")[2]))


def test_the_command_prints_its_address_and_ends_with_its_parent() -> None:
    command = [sys.executable, "-m", "spikewire", "cassandra", "--canned", "--port", "0"]
    # A program between this process and the server, which starts the server and is then killed.
    between = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen({[*command, '--with-parent']!r}, stdout=subprocess.PIPE)\n"
        "print(child.pid, child.stdout.readline().decode(), flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", between], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid, ready, address = parent.stdout.readline().split()
        assert ready == "ready"
        assert address.startswith("127.0.0.1:")
        parent.kill()
    for _ in range(LONGEST):
        if not is_running(int(pid)):
            return
        time.sleep(0.1)
    os.kill(int(pid), signal.SIGKILL)
    pytest.fail("the server outlived its parent")


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return sys.platform != "linux"


def test_other_options_do_not_go_with_it() -> None:
    command = [sys.executable, "-m", "spikewire", "cassandra", "--canned", "--tls"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1
    assert "--tls does not go with --canned" in ended.stderr
