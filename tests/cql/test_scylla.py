"""Scylla's extensions, as documented by Scylla, against the server of canned replies, which speaks
them; also with Scylla's own driver, which understands that server in the same way."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.cql import errors
from spikewire.testing.cassandra import CannedServer
from waiting import until

if TYPE_CHECKING:
    from sessions import Sessions

KEYSPACE = (
    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = "CREATE TABLE shop.items (id bigint PRIMARY KEY, name text)"
SELECT = "SELECT id, name FROM shop.items WHERE id = ?"
INSERT = "INSERT INTO shop.items (id, name) VALUES (?, ?)"
SHARDS = 5
KEYS = 200
SCYLLA = Path(sys.prefix) / "peers" / "scylla-driver"


def prepared(session: Any, text: str = SELECT) -> Any:
    session.execute(KEYSPACE)
    session.execute(TABLE)
    return session.prepare(text)


def astray(server: CannedServer, session: Any, statement: Any) -> int:
    """Asks for every key; returns how many statements did not reach the shard of their row."""
    before = sum(shard.others for shard in server.traffic)
    for key in range(KEYS):
        row = session.execute(statement, [key])[0]
        assert row[0] == key
    return sum(shard.others for shard in server.traffic) - before


@pytest.mark.parametrize("extension", ["tablets", "tablets_v2"])
def test_statements_follow_tablets(sessions: Sessions, extension: str) -> None:
    with CannedServer(shards=SHARDS, extensions=[extension, "metadata_id"]) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        assert until(lambda: astray(server, session, select) == 0, 60)
        server.move_tablets()
        assert 1 <= astray(server, session, select) <= 16
        assert astray(server, session, select) == 0


def test_a_rate_limit_says_what_was_limited_and_by_whom(sessions: Sessions) -> None:
    with CannedServer(shards=2, extensions=["rate_limit"]) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        insert = session.prepare(INSERT)
        server.limit()
        with pytest.raises(errors.RateLimited, match="limit") as read:
            session.execute(select, [1])
        with pytest.raises(errors.Overloaded) as write:
            session.execute(insert, [1, "pear"])
        assert isinstance(write.value, errors.RateLimited)
        assert (read.value.operation, read.value.by_coordinator) == ("read", True)
        assert (write.value.operation, write.value.by_coordinator) == ("write", False)
        assert (read.value.in_doubt, write.value.in_doubt) == (False, True)
        assert (read.value.code, read.value.attempts) == (0x4321, 1)
        again = pickle.loads(pickle.dumps(write.value))
        assert (type(again), again.operation) == (errors.RateLimited, "write")
        server.limit(False)
        assert session.execute(select, [1])[0][0] == 1


def test_without_that_extension_a_rate_limit_is_an_error_of_the_configuration(
    sessions: Sessions,
) -> None:
    with CannedServer(shards=2) as server:
        session = sessions.open([server.address])
        select = prepared(session)
        server.limit()
        with pytest.raises(errors.ServerError) as error:
            session.execute(select, [1])
        assert (error.value.code, type(error.value)) == (0x2300, errors.ServerError)


def test_the_drop_in_has_the_rate_limit_of_scylla_driver() -> None:
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.protocol import ConfigurationException, RateLimitReached

    with CannedServer(shards=2, extensions=["rate_limit"]) as server:
        host, _, port = server.address.partition(":")
        with Cluster([host], port=int(port)) as cluster:
            session = cluster.connect()
            select = prepared(session)
            server.limit()
            with pytest.raises(RateLimitReached) as error:
                session.execute(select, [1])
            assert isinstance(error.value, ConfigurationException)
            assert (error.value.op_type, error.value.rejected_by_coordinator) == (0, True)


def test_extensions_have_names() -> None:
    with pytest.raises(ValueError, match=r'extensions must be .* got "speed"'):
        CannedServer(shards=2, extensions=["speed"])


def test_scylla_driver_understands_the_server(tmp_path: Path) -> None:
    """The tablets, metadata ids and rate limits that the server sends are valid for the driver from
    the makers of Scylla."""
    if not (SCYLLA / "cassandra").is_dir():
        pytest.skip(f"scylla-driver is not in {SCYLLA}")
    extensions = ["tablets", "metadata_id", "rate_limit"]
    with CannedServer(shards=SHARDS, extensions=extensions) as server:
        host, _, port = server.address.partition(":")
        program = f"""
            import sys, time
            from cassandra import RateLimitReached
            from cassandra.cluster import Cluster
            cluster = Cluster([{host!r}], port={port}, protocol_version=4)
            session = cluster.connect()
            session.execute({KEYSPACE!r})
            session.execute({TABLE!r})
            select = session.prepare({SELECT!r})
            end = time.monotonic() + 60
            while time.monotonic() < end:
                time.sleep(0.1)
                (stats,) = cluster.shard_aware_stats().values()
                if stats["connected"] == {SHARDS}:
                    break
            for _ in range(3):
                for key in range({KEYS}):
                    assert session.execute(select, [key]).one().id == key
            tablets = cluster.metadata._tablets._tablets[("shop", "items")]
            print(stats["connected"], 1 <= len(tablets) <= 16, flush=True)
            sys.stdin.readline()
            try:
                session.execute(select, [1])
            except RateLimitReached as error:
                print(error.op_type.name, error.rejected_by_coordinator)
            cluster.shutdown()
        """
        complaints = tmp_path / "errors"
        with (
            complaints.open("w") as stderr,
            subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(program)],
                env={**os.environ, "PYTHONPATH": str(SCYLLA)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
            ) as driver,
        ):
            assert driver.stdin is not None
            assert driver.stdout is not None
            said = driver.stdout.readline()
            assert said == f"{SHARDS} True\n", complaints.read_text()
            server.limit()
            driver.stdin.write("go on\n")
            driver.stdin.flush()
            said = driver.stdout.readline()
            assert said == "Read True\n", (said, complaints.read_text())
