"""Sessions under load while nodes of a cluster fail: three real nodes."""

from __future__ import annotations

import asyncio
import itertools
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from spikewire.testing.cassandra import SharedCassandra

#: Seconds for a statement, and how much later a busy machine may report its end.
TIMEOUT, SLACK = 10.0, 5.0
#: Statements of each kind in flight, and the pause of a task between them.
TASKS, PAUSE = 8, 0.03


@dataclass
class Load:
    """Statements that run until it is stopped, and their outcomes."""

    session: cql.AsyncSession
    done: int = 0
    slowest: float = 0.0
    failed: list[tuple[str, Exception]] = field(default_factory=list)
    stopped: bool = False
    #: Seconds between two statements of a task.
    pause: float = PAUSE

    async def run(self, kind: str, prepared: Any, values: Any, **options: Any) -> None:
        while not self.stopped:
            began = time.monotonic()
            try:
                await self.session.execute(prepared, next(values), timeout=TIMEOUT, **options)
            except errors.Error as error:
                self.failed.append((kind, error))
            self.done += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
            # The nodes share the processors, and one of them has to start.
            await asyncio.sleep(self.pause)

    async def further(self, count: int, limit: float = 60.0) -> None:
        """Waits until this many more statements have ended."""
        goal, end = self.done + count, time.monotonic() + limit
        while self.done < goal:
            assert time.monotonic() < end, f"{self.done} of {goal} statements ended"
            await asyncio.sleep(0.05)

    async def starts(self, cluster: SharedCassandra, node: int) -> None:
        """A node starts while statements continue, at a lower rate: it needs the processors,
        too."""
        self.pause = 10 * PAUSE
        await asyncio.to_thread(cluster.start, node)
        self.pause = PAUSE

    def of(self, *kinds: str) -> list[Exception]:
        return [error for kind, error in self.failed if kind in kinds]


@pytest.fixture(scope="module")
def keyspace(cassandra_cluster: SharedCassandra, cluster_keyspace: str) -> str:
    cassandra_cluster.execute(
        f"CREATE TABLE {cluster_keyspace}.fruit (id int PRIMARY KEY, name text)"
        # A read whose replica is dead is soon sent to another one.
        " WITH speculative_retry = '50ms'"
    )
    cassandra_cluster.execute(
        f"CREATE TABLE {cluster_keyspace}.picked (id int PRIMARY KEY, times counter)"
    )
    assert cassandra_cluster.wait_settled()
    return cluster_keyspace


@asynccontextmanager
async def under_load(
    session: cql.AsyncSession, *, tolerated: tuple[type[errors.Error], ...] = ()
) -> AsyncIterator[Load]:
    insert = await session.prepare("INSERT INTO fruit (id, name) VALUES (?, ?)")
    select = await session.prepare("SELECT name FROM fruit WHERE id = ?")
    count = await session.prepare("UPDATE picked SET times = times + 1 WHERE id = ?")
    load, ids = Load(session), itertools.cycle(range(1000))
    quorum = {"consistency": "local_quorum"}
    kinds: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("insert", insert, ((i, "pear") for i in ids), {"idempotent": True, **quorum}),
        ("select", select, ((i,) for i in ids), {}),
        ("count", count, ((i,) for i in ids), quorum),
    ]
    tasks = [
        asyncio.create_task(load.run(kind, prepared, values, **options))
        for kind, prepared, values, options in kinds
        for _ in range(TASKS)
    ]
    try:
        await load.further(100)
        yield load
    finally:
        load.stopped = True
        await asyncio.wait(tasks, timeout=TIMEOUT + SLACK)
    for task in tasks:
        await task
    assert load.slowest < TIMEOUT + SLACK
    failed = [error for error in load.of("insert", "select") if not isinstance(error, tolerated)]
    assert not failed, failed[:3]
    for error in load.of("count"):
        assert isinstance(error, (errors.ConnectionFailed, errors.Timeout, errors.ServerError)), (
            error
        )
        # Errors of statements that may have been applied say so; those refused before do not.
        if not isinstance(error, (errors.Unavailable, errors.Overloaded)):
            assert error.in_doubt or error.attempts == 0, repr(error)


def run(cassandra_cluster: SharedCassandra, keyspace: str, test: Any, **options: Any) -> None:
    async def main() -> None:
        points = cassandra_cluster.addresses
        async with cql.AsyncSession(points, keyspace=keyspace, **options) as session:
            await test(session)

    asyncio.run(main())


def up(session: Any) -> int:
    return sum(node.up for node in session.nodes)


async def becomes(state: Any, limit: float = 60.0) -> bool:
    end = time.monotonic() + limit
    while not state():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.02)
    return True


def test_a_node_is_killed_and_comes_back_twice(
    cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    """The first time it has the control connection, as it is the first contact point."""

    async def test(session: cql.AsyncSession) -> None:
        async with under_load(session) as load:
            await asyncio.to_thread(cassandra_cluster.kill, 0)
            assert await becomes(lambda: up(session) == 2)
            await load.further(600)
            # Another node reports a new keyspace and its replicas.
            await session.execute(
                "CREATE KEYSPACE pips WITH replication = "
                "{'class': 'NetworkTopologyStrategy', 'dc1': 3}",
                timeout=60.0,
                node=cassandra_cluster.addresses[1],
            )
            assert await becomes(lambda: len(session.replicas("pips", 0)) == 3)
            await load.starts(cassandra_cluster, 0)
            assert await becomes(lambda: up(session) == 3)
            await load.further(600)
            await asyncio.to_thread(cassandra_cluster.kill, 0)
            assert await becomes(lambda: up(session) == 2)
            await load.further(600)
            await load.starts(cassandra_cluster, 0)
            assert await becomes(lambda: up(session) == 3)
            await load.further(600)

    run(cassandra_cluster, keyspace, test)


def test_a_node_stands_still(cassandra_cluster: SharedCassandra, keyspace: str) -> None:
    async def test(session: cql.AsyncSession) -> None:
        async with under_load(session) as load:
            await asyncio.to_thread(cassandra_cluster.freeze, 1)
            # It accepts connections, but is known to be out of order.
            assert await becomes(lambda: up(session) == 2)
            await load.further(600)
            await asyncio.to_thread(cassandra_cluster.thaw, 1)
            assert await becomes(lambda: up(session) == 3)

    run(cassandra_cluster, keyspace, test)


def test_the_schema_changes_under_load(cassandra_cluster: SharedCassandra, keyspace: str) -> None:
    async def test(session: cql.AsyncSession) -> None:
        star = await session.prepare("SELECT * FROM fruit WHERE id = ?")
        await session.execute("INSERT INTO fruit (id, name) VALUES (1, 'pear')")
        # A replica that has not heard of a change refuses a coordinator that has.
        refusals = (errors.ReadFailure, errors.WriteFailure)
        async with under_load(session, tolerated=refusals) as load:
            for number in range(3):
                added = f"taste{number}"
                changed = await session.execute(f"ALTER TABLE fruit ADD {added} text", timeout=60.0)
                assert changed.schema_agreed
                await load.further(200)
                row = (await session.execute(star, (1,)))[0]
                assert row["name"] == "pear"
            assert len(load.failed) < load.done / 10

    run(cassandra_cluster, keyspace, test)


def test_conditions_that_time_out_are_in_doubt(
    cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    async def test(session: cql.AsyncSession) -> None:
        text = "INSERT INTO fruit (id, name) VALUES (-1, 'quince') IF NOT EXISTS"
        for node in (1, 2):
            await asyncio.to_thread(cassandra_cluster.freeze, node)
        try:
            with pytest.raises((errors.WriteTimeout, errors.WriteUnknown)) as caught:
                await session.execute(
                    text, node=cassandra_cluster.addresses[0], idempotent=True, timeout=30.0
                )
        finally:
            for node in (1, 2):
                await asyncio.to_thread(cassandra_cluster.thaw, node)
        assert caught.value.in_doubt
        assert caught.value.attempts == 1, "what is in doubt is not repeated"

    run(cassandra_cluster, keyspace, test)
