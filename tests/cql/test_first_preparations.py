"""The first preparation of a text: however many executions need it at once, one asks a node."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal

import pytest

from frames import PLAIN, PREPARE, FrameProxy
from spikewire import cql
from spikewire.cql import errors
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
UNKNOWN = "SELECT id FROM shop.nothing WHERE id = ?"
OPTIONS: Any = {**PLAIN, "schema_agreement": 0, "timeout": 60, "connections_per_node": 1}
COUNT = 1000


class CountingNode(FrameProxy):
    """A node that takes its time for PREPARE, and never answers the first ``lost`` of them."""

    def __init__(self, lost: int = 0) -> None:
        self._server = CannedServer()
        self._lost = lost
        self.prepares = 0
        self.asked = threading.Event()
        super().__init__(self._server.address, self._meet)

    def _meet(self, opcode: int, _: bytes) -> Literal["pass", "hold"] | bytes:
        if opcode != PREPARE:
            return "pass"
        self.prepares += 1
        self.asked.set()
        if self.prepares <= self._lost:
            return "hold"
        time.sleep(0.2)
        return "pass"

    def close(self) -> None:
        super().close()
        self._server.stop()


@pytest.fixture
def node() -> Iterator[CountingNode]:
    with CountingNode() as node:
        yield node


def test_awaited_executions_share_it(node: CountingNode) -> None:
    async def main() -> None:
        async with await cql.AsyncSession.connect(node.address, **OPTIONS) as session:
            await session.execute(KEYSPACE)
            await session.execute(TABLE)
            calls = (session.execute(SELECT, ("a", at)) for at in range(COUNT))
            rows = await asyncio.gather(*calls)
            assert len(rows) == COUNT
            assert node.prepares == 1
            await asyncio.gather(*(session.execute(f"{SELECT} ", ("a", 1)) for _ in range(9)))
            assert node.prepares == 2, "another text"

    asyncio.run(main())


@pytest.mark.parametrize("submits", [False, True])
def test_executions_of_threads_share_it(node: CountingNode, submits: bool) -> None:
    with cql.Session(node.address, **OPTIONS) as session:
        session.execute(KEYSPACE)
        session.execute(TABLE)
        if submits:
            futures = [session.submit.execute(SELECT, ("a", at)) for at in range(COUNT)]
            assert all(len(future.result()) >= 0 for future in futures)
        else:
            start = threading.Barrier(32)

            def work(at: int) -> Any:
                start.wait()
                return session.execute(SELECT, ("a", at))

            with ThreadPoolExecutor(32) as threads:
                assert len(list(threads.map(work, range(32)))) == 32
        assert node.prepares == 1


def test_what_a_node_says_about_a_text_is_for_all(node: CountingNode) -> None:
    async def main() -> None:
        async with await cql.AsyncSession.connect(node.address, **OPTIONS) as session:
            calls = (session.execute(UNKNOWN, ("a",)) for _ in range(COUNT))
            outcomes = await asyncio.gather(*calls, return_exceptions=True)
            assert {type(outcome) for outcome in outcomes} == {errors.InvalidRequest}
            assert node.prepares == 1
            with pytest.raises(errors.InvalidRequest):
                await session.execute(UNKNOWN, ("a",))
            assert node.prepares == 2, "one that comes later asks again"

    asyncio.run(main())


@pytest.mark.parametrize("cancels", [False, True])
def test_another_one_takes_over_when_the_first_is_lost(cancels: bool) -> None:
    async def main(node: CountingNode) -> None:
        async with await cql.AsyncSession.connect(
            node.address, **{**OPTIONS, "timeout": 10}
        ) as session:
            await session.execute(KEYSPACE)
            await session.execute(TABLE)
            first = asyncio.ensure_future(session.execute(SELECT, ("a", 1)))
            others = [asyncio.ensure_future(session.execute(SELECT, ("a", 2))) for _ in range(50)]
            await asyncio.to_thread(node.asked.wait)
            if cancels:
                first.cancel()
            begin = time.monotonic()
            await asyncio.gather(*others)
            assert time.monotonic() - begin < 20
            assert node.prepares == 2, "one took over"
            first.cancel()

    with CountingNode(lost=1) as node:
        asyncio.run(main(node))
