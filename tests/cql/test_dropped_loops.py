"""Event loops that are dropped while a session is open."""

from __future__ import annotations

import asyncio
import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYSPACE = (
    "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = "
    "{'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = (
    "CREATE TABLE IF NOT EXISTS shop.items (id text, at int, payload blob, PRIMARY KEY (id, at))"
)
SELECT = "SELECT id, at, payload FROM shop.items WHERE id = ? AND at = ?"


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer() as server:
        yield server


@pytest.mark.filterwarnings("ignore:unclosed event loop:ResourceWarning")
@pytest.mark.usefixtures("no_descriptor_leak")
@pytest.mark.parametrize("left", ["nothing", "statement", "rows"])
def test_a_session_keeps_no_loop(server: CannedServer, left: str) -> None:
    async def connect() -> cql.AsyncSession:
        session = await cql.AsyncSession.connect(server.address)
        for text in (KEYSPACE, TABLE):
            await session.execute(text)
        return session

    async def use() -> None:
        statement = await session.prepare(SELECT)
        await session.execute(statement, ("pear", 1))
        if left == "nothing":
            return
        if left == "statement":
            calls: list[Any] = [session.execute(statement, ("pear", at)) for at in range(10)]
        else:
            rows = [("pear", at) for at in range(1000)]
            calls = [session.execute_many(statement, rows, concurrency=4)]
        # Sent, and not read: the loop does not run again.
        for call in calls:
            asyncio.ensure_future(call)  # noqa: RUF006

        await asyncio.sleep(0)

    def drop() -> weakref.ref[asyncio.AbstractEventLoop]:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(asyncio.sleep(0))
        loop.run_until_complete(use())
        return weakref.ref(loop)

    session = asyncio.run(connect())
    loops = [drop() for _ in range(50)]
    gc.collect()
    assert [loop for loop in loops if loop() is not None] == []
    asyncio.run(session.close())
