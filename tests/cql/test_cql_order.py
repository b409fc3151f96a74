"""Statements about one partition keep their order, even if nobody waits for the first.

The kind: a statement takes another connection, or another thread's connections, than one before it
that is still on its way. A gate in front of the server of canned replies holds the first one's
connection and counts what comes by others.

In the drop-in, where a server runs both at the same time: a read that is sent before a write to its
partition has been answered. The gate holds the replies and counts the requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import threading
from typing import TYPE_CHECKING, Any

import pytest

from gate import Gate
from spikewire import cql
from spikewire.compat.cassandra import OperationTimedOut
from spikewire.compat.cassandra.cluster import Cluster
from spikewire.compat.cassandra.query import BatchStatement
from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.compat.cassandra.session import Session

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


def test_statements_on_an_event_loop_keep_their_order(run: Any, gate: Gate) -> None:
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
def test_a_statement_follows_submitted_statements(read: str, gate: Gate) -> None:
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
def test_execute_follows_execute_async_of_the_drop_in(texts: bool, gate: Gate) -> None:
    with drop_in(gate, texts) as (session, insert, _):
        for turn in range(5):
            gate.arm()
            written = session.execute_async(insert, ("a", turn))
            gate.wait_until_held()
            session.execute(insert, ("a", turn))
            written.result()
        assert gate.overtaken == 0


@contextlib.contextmanager
def drop_in(gate: Gate, texts: bool) -> Iterator[tuple[Session, Any, Any]]:
    """A session of the drop-in, and statements that write and read, prepared already."""
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
        yield session, insert, select
    finally:
        gate.release_replies()
        cluster.shutdown()


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("batch", [False, True])
def test_a_read_of_the_drop_in_comes_after_the_writes_before_it(
    texts: bool, batch: bool, gate: Gate
) -> None:
    with drop_in(gate, texts) as (session, insert, select):
        gate.hold_replies(b"ours")
        if batch:
            together = BatchStatement()
            together.add(insert, ("first", 1))
            together.add(insert, ("ours", 1))
            writes = [session.execute_async(together)]
        else:
            writes = [session.execute_async(insert, ("ours", n)) for n in range(3)]
        assert gate.wait_until_sent(len(writes)), "writes do not wait for each other"
        read = session.execute_async(select, ("ours",))
        waiting = threading.Thread(target=session.execute, args=(select, ("ours",)))
        waiting.start()
        # Reads of other partitions do not wait.
        gate.hold_replies(b"theirs")
        session.execute_async(select, ("theirs",))
        assert gate.wait_until_sent(1)
        gate.hold_replies(b"ours")
        assert not gate.wait_until_sent(1, limit=0.3), "a read did not wait"
        gate.release_replies()
        for one in (*writes, read):
            one.result()
        waiting.join()
        assert gate.sent == 2


def test_a_read_behind_a_write_that_fails_goes_on(gate: Gate) -> None:
    with drop_in(gate, texts=False) as (session, insert, select):
        gate.hold_replies(b"ours")
        written = session.execute_async(insert, ("ours", 1), timeout=0.3)
        read = session.execute_async(select, ("ours",), timeout=60)
        with pytest.raises(OperationTimedOut):
            written.result()
        gate.release_replies()
        read.result()


def test_a_callback_reads_without_waiting_for_itself(gate: Gate) -> None:
    """It runs on the thread that brings the answer to the write."""
    with drop_in(gate, texts=False) as (session, insert, select):
        outcomes: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def read(_: object) -> None:
            session.execute_async(insert, ("ours", 2))
            outcomes.put(session.execute(select, ("ours",)))

        session.execute_async(insert, ("ours", 1)).add_callback(read)
        assert outcomes.get(timeout=60) is not None
