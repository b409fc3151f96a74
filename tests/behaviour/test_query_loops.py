"""Queries and the event loop that waits for them: what they cost it, and what they leave behind."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from loops import opened, run_on
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

WIDE = 3000
"""Records of the wide set; together more than windows and sockets hold."""


class Counting(asyncio.SelectorEventLoop):
    """An event loop that counts its calls, and its callbacks for descriptors."""

    added = removed = timers = calls = 0

    def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        self.added += 1

        def counted(*passed: Any) -> None:
            self.calls += 1
            callback(*passed)

        super().add_reader(fd, counted, *args)

    def remove_reader(self, fd: Any) -> bool:
        self.removed += 1
        return super().remove_reader(fd)

    def call_later(self, *args: Any, **options: Any) -> asyncio.TimerHandle:  # type: ignore[override]
        self.timers += 1
        return super().call_later(*args, **options)

    def asked(self) -> tuple[int, int]:
        return self.added, self.removed


async def fill(data: spikewire.AsyncDataset, count: int, size: int = 1) -> None:
    rows = {number: {"n": number, "wide": b"x" * size} for number in range(count)}
    (await data.put_many(rows, timeout=60)).raise_for_errors()


def test_a_query_is_watched_once_however_often_it_waits() -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", "watched")
            await fill(data, 60)
            before, timers = loop.asked(), loop.timers
            # The node sends a record only now and then, so nearly all are waited for.
            waits, since = 0, loop.calls
            query = data.query(records_per_second=100, timeout=60)
            async for _ in query:
                waits += loop.calls > since
                since = loop.calls
            assert waits > 10
            assert loop.asked() == (before[0] + 1, before[1] + 1)
            # The timer fires now and then, and is not set for each wait.
            assert loop.timers - timers < waits

    with Cluster(nodes=1) as cluster:
        loop = Counting()
        run_on(loop, main())


def test_a_query_that_is_left_is_watched_no_more(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await fill(data, WIDE, 2000)
            added, removed = loop.asked()
            watched = added - removed
            endings: list[Callable[[spikewire.AsyncQuery], Any]] = [
                lambda query: query.close(),
                lambda _: None,
            ]
            for end in endings:
                # Descriptor numbers are reused, and a loop would notice one that it still watches.
                for _ in range(10):
                    query = data.query(socket_timeout=20)
                    async for _ in query:
                        break
                    end(query)
                    del query
                    gc.collect()
                    # A loop closes abandoned generators one iteration later.
                    for _ in range(5):
                        await asyncio.sleep(0)
                    added, removed = loop.asked()
                    assert added - removed == watched

    loop = Counting()
    run_on(loop, main())


def test_another_thread_may_drop_a_query(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await fill(data, WIDE, 2000)
            for _ in range(10):
                queries = [data.query(socket_timeout=20)]
                async for _ in queries[0]:
                    break
                thread = threading.Thread(target=queries.clear)
                thread.start()
                thread.join()
                assert len([record async for record in data.query(socket_timeout=20)]) == WIDE

    run(main())


def test_a_query_continues_on_further_loops(cluster: Cluster, set_name: str) -> None:
    client = opened(cluster)
    data = client.dataset("test", set_name)
    pages: list[int] = []

    async def first() -> spikewire.AsyncQuery:
        await client.__aenter__()
        await fill(data, 50)
        return data.query(page_size=10)

    async def page() -> None:
        pages.append(len(await query.page()))

    query = asyncio.run(first())
    for _ in range(5):
        asyncio.run(page())
    asyncio.run(client.close())
    assert pages == [10] * 5


def test_a_slow_taker_does_not_make_the_loop_spin() -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", "slow")
            await fill(data, WIDE, 8000)
            query = data.query(socket_timeout=60)
            count = 0
            async for _ in query:
                count += 1
                if count in {1, WIDE // 2}:
                    await becomes_quiet()
            assert count == WIDE

    async def becomes_quiet() -> None:
        # Data in transit arrives, until windows and sockets are full. A descriptor that stays
        # readable would call thousands of times for as long as nothing is taken.
        for _ in range(30):
            before = loop.calls
            await asyncio.sleep(0.5)
            if loop.calls - before < 50:
                return
        pytest.fail(f"{loop.calls - before} calls in half a second")

    with Cluster(nodes=1) as cluster:
        loop = Counting()
        run_on(loop, main())


def test_a_page_is_a_future_and_a_block_ends(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await fill(data, 20)
            query = data.query(page_size=5)
            step = query.page()
            assert len(await asyncio.create_task(step)) == 5  # type: ignore[arg-type]
            # The same page, not the next one.
            assert await step is await step
            assert len(await asyncio.wait_for(query.page(), 20)) == 5
            async with query as same:
                assert same is query
            try:
                await query.page()
            except spikewire.QueryClosed:
                return
            raise AssertionError("the block ended the query")

    run(main())
