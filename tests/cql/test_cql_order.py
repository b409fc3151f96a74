"""Statements about one partition keep their order, even if nobody waits for the first.

The kind: a statement takes another connection, or another thread's connections, than one before it
that is still on its way. A gate in front of the server of canned replies holds the first one's
connection and counts what comes by others.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from gate import Gate
from spikewire import cql
from spikewire.compat.cassandra.cluster import Cluster
from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYSPACE = (
    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = "CREATE TABLE shop.items (id text PRIMARY KEY, n int)"
INSERT = "INSERT INTO shop.items (id, n) VALUES (?, ?)"
SELECT = "SELECT n FROM shop.items WHERE id = ?"
#: More statements at once than one connection takes.
MANY = 300


@pytest.fixture
def gate() -> Iterator[Gate]:
    with CannedServer() as server:
        host, _, port = server.address.rpartition(":")
        gate = Gate((host, int(port)))
        with cql.Session([server.address]) as session:
            session.execute(KEYSPACE)
            session.execute(TABLE)
        yield gate
        gate.close()


def test_on_an_event_loop(run: Any, gate: Gate) -> None:
    async def main() -> None:
        async with cql.AsyncSession([f"127.0.0.1:{gate.port}"], timeout=60) as session:
            insert, select = await session.prepare(INSERT), await session.prepare(SELECT)
            await asyncio.gather(*(session.execute(insert, (str(n), n)) for n in range(MANY)))
            for turn in range(5):
                gate.arm()
                written = session.execute(insert, ("a", turn))
                await asyncio.to_thread(gate.wait_until_held)
                await session.execute(select, ("a",))
                await written
        assert gate.overtaken == 0

    run(main())


@pytest.mark.parametrize("read", ["submit", "blocking"])
def test_after_a_submitted_statement(read: str, gate: Gate) -> None:
    with cql.Session([f"127.0.0.1:{gate.port}"], timeout=60) as session:
        insert, select = session.prepare(INSERT), session.prepare(SELECT)
        for future in [session.submit.execute(insert, (str(n), n)) for n in range(MANY)]:
            future.result()
        for turn in range(5):
            gate.arm()
            written = session.submit.execute(insert, ("a", turn))
            gate.wait_until_held()
            if read == "blocking":
                session.execute(select, ("a",))
            else:
                session.submit.execute(select, ("a",)).result()
            written.result()
        assert gate.overtaken == 0


@pytest.mark.parametrize("texts", [False, True])
def test_execute_after_execute_async_of_the_drop_in(texts: bool, gate: Gate) -> None:
    cluster = Cluster(["127.0.0.1"], port=gate.port)
    try:
        session = cluster.connect()
        insert: Any = session.prepare(INSERT)
        select: Any = session.prepare(SELECT)
        if texts:
            insert, select = INSERT.replace("?", "%s"), SELECT.replace("?", "%s")
        for statement, values in ((insert, ("a", 0)), (select, ("a",))):
            session.execute(statement, values)
            session.execute_async(statement, values).result()
        for turn in range(5):
            gate.arm()
            written = session.execute_async(insert, ("a", turn))
            gate.wait_until_held()
            session.execute(select, ("a",))
            written.result()
        assert gate.overtaken == 0
    finally:
        cluster.shutdown()
