"""Closing a session while a statement waits for another session, loop or thread that has it
prepared: closing must not wait for that, which may not be able to go on before it ends.

The statements have a minute: if closing waited, they would fail with ``Timeout``.
"""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from frames import PLAIN, ForgetfulNode
from spikewire import cql
from spikewire.cql import errors

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
OPTIONS: Any = {**PLAIN, "schema_agreement": 0, "timeout": 60, "connections_per_node": 1}


@pytest.fixture
def node() -> Iterator[ForgetfulNode]:
    with ForgetfulNode() as node:
        yield node


async def connected(node: ForgetfulNode) -> tuple[cql.AsyncSession, cql.Prepared]:
    session = await cql.AsyncSession.connect(node.address, **OPTIONS)
    await session.execute(KEYSPACE)
    await session.execute(TABLE)
    prepared = await session.prepare(SELECT)
    await session.execute(prepared, ("a", 1))
    return session, prepared


async def waiting(session: cql.AsyncSession, prepared: cql.Prepared) -> asyncio.Future[cql.Rows]:
    """A statement that waits: its node was asked, and answered before it did another one."""
    future = session.execute(prepared, ("a", 1))
    await session.execute("SELECT * FROM shop.items WHERE id = 'a'")
    return future


def test_a_session_closes_while_another_one_prepares(node: ForgetfulNode) -> None:
    async def main() -> None:
        one, prepared = await connected(node)
        other, _ = await connected(node)
        node.forget()
        theirs = other.execute(prepared, ("a", 1))
        await asyncio.to_thread(node.held.wait, 60)
        ours = await waiting(one, prepared)
        await one.close()
        with pytest.raises(errors.SessionClosed):
            await ours
        assert not theirs.done()
        await other.close()
        with pytest.raises(errors.SessionClosed):
            await theirs

    asyncio.run(main())


def test_a_session_closes_while_another_event_loop_prepares(node: ForgetfulNode) -> None:
    there = asyncio.new_event_loop()
    thread = threading.Thread(target=there.run_forever)
    thread.start()

    async def main() -> None:
        session, prepared = await connected(node)

        async def execute() -> cql.Rows:
            return await session.execute(prepared, ("a", 1))

        asyncio.run_coroutine_threadsafe(execute(), there).result(60)
        node.forget()
        theirs = asyncio.run_coroutine_threadsafe(execute(), there)
        await asyncio.to_thread(node.held.wait, 60)
        ours = await waiting(session, prepared)
        await session.close()
        with pytest.raises(errors.SessionClosed):
            await ours
        with pytest.raises(errors.SessionClosed):
            await asyncio.wrap_future(theirs)

    try:
        asyncio.run(main())
    finally:
        there.call_soon_threadsafe(there.stop)
        thread.join()
        there.close()


def test_a_session_closes_while_a_thread_prepares(node: ForgetfulNode) -> None:
    with cql.Session(node.address, **OPTIONS) as session:
        session.execute(KEYSPACE)
        session.execute(TABLE)
        prepared = session.prepare(SELECT)
        session.execute(prepared, ("a", 1))
        session.submit.execute(prepared, ("a", 1)).result(60)
        node.forget()
        ended: list[str] = []

        def execute() -> None:
            try:
                session.execute(prepared, ("a", 1))
            except errors.Error as error:
                ended.append(type(error).__name__)

        threads = [threading.Thread(target=execute) for _ in range(3)]
        for thread in threads:
            thread.start()
        assert node.held.wait(60)
        ours = session.submit.execute(prepared, ("a", 1))
        session.submit.execute("SELECT * FROM shop.items WHERE id = 'a'").result(60)
        session.close()
        with pytest.raises(errors.SessionClosed):
            ours.result(60)
        for thread in threads:
            thread.join()
        assert ended == ["SessionClosed"] * 3
