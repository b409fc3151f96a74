"""``max_in_flight``: asynchronous verbs are queued and served in order."""

from __future__ import annotations

import asyncio
import importlib
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import becomes, ends_before

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Callable[[], Awaitable[None]]], None]:
    def runs(main: Callable[[], Awaitable[None]]) -> None:
        make: Any = asyncio.new_event_loop
        if request.param == "uvloop":
            make = importlib.import_module("uvloop").new_event_loop
        loop = make()
        try:
            loop.run_until_complete(main())
        finally:
            loop.close()

    return runs


def client_of(cluster: Cluster, limit: int, **options: Any) -> spikewire.AsyncClient:
    value: dict[str, Any] = {"timeout": 30, "connect_timeout": 20, **options}
    return spikewire.AsyncClient(cluster.seeds, max_in_flight=limit, **value)


def test_waiting_calls_run_in_order(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with client_of(cluster, 3, queue_limit=0, connections_per_node=1) as client:
            data = client.dataset("test", "line")
            order: list[int] = []

            async def one(number: int) -> None:
                await data.put(number, {"n": number})
                order.append(number)

            await asyncio.gather(*(one(number) for number in range(200)))
            assert order == sorted(order), "a connection answers in the order of its requests"
            results = await asyncio.gather(*(data.get(number) for number in range(200)))
            assert [record["n"] for record in results] == list(range(200))
            batch = await data.get_many(range(200))
            assert [record["n"] for record in batch if record] == list(range(200))
            assert await becomes(lambda: client.stats().in_flight == 0)

    run(main)


def test_no_more_than_the_limit_are_sent(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with client_of(cluster, 2) as client:
            data = client.dataset("test", "line")
            await data.put(1, {"n": 1})
            cluster.inject(0, delay=0.2)
            began = time.monotonic()
            calls = [asyncio.ensure_future(data.get(1)) for _ in range(8)]
            assert await becomes(lambda: client.stats().queued >= 2)
            assert [record["n"] for record in await asyncio.gather(*calls)] == [1] * 8
            assert time.monotonic() - began >= 0.79, "two at a time"

    run(main)


def test_stats_report_calls_in_flight_without_metrics(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with client_of(cluster, 2) as client:

            def told() -> tuple[int, int]:
                stats = client.stats()
                return stats.in_flight, stats.queued

            data = client.dataset("test", "line")
            await data.put(1, {"n": 1})
            assert told() == (0, 0)
            cluster.inject(0, delay=1.0)
            calls = [asyncio.ensure_future(data.get(1)) for _ in range(8)]
            assert await becomes(lambda: told() == (8, 6))
            cluster.clear_faults(0)
            for call in calls[4:]:
                call.cancel()
            done = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(one) for one in done[3:5]] == [spikewire.Record, asyncio.CancelledError]
            assert told() == (0, 0)

    run(main)


def test_the_wait_counts_towards_the_timeout(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with client_of(cluster, 1) as client:
            data = client.dataset("test", "line")
            await data.put(1, {"n": 1})
            cluster.inject(0, delay=1.5)
            first = asyncio.ensure_future(data.get(1))
            await asyncio.sleep(0)
            with pytest.raises(spikewire.Timeout, match="still waiting to be sent") as caught:
                await data.put(2, {"n": 2}, timeout=0.2)
            assert not first.done()
            assert (caught.value.attempts, caught.value.in_doubt) == (0, False)
            assert (await first)["n"] == 1
            cluster.clear_faults(0)
            assert not await data.exists(2)

    run(main)


def test_a_cancelled_waiter_gives_its_place_up(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with client_of(cluster, 1) as client:
            data = client.dataset("test", "line")
            await data.put(1, {"n": 0})
            cluster.inject(0, delay=0.3)
            first = asyncio.ensure_future(data.get(1))
            await asyncio.sleep(0)
            waiting = [asyncio.ensure_future(data.add(1, {"n": 1})) for _ in range(50)]
            last = asyncio.ensure_future(data.add(1, {"n": 100}))
            await asyncio.sleep(0)
            for call in waiting:
                call.cancel()
            # No place of those that were cancelled is waited for.
            with ends_before(len(waiting) * 0.3):
                await first
                await last
            cluster.clear_faults(0)
            assert (await data.get(1))["n"] == 100

    run(main)


def test_closing_fails_waiting_calls(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        client = await client_of(cluster, 1).open()
        data = client.dataset("test", "line")
        await data.put(1, {"n": 1})
        cluster.inject(0, delay=5)
        calls = [asyncio.ensure_future(data.get(1)) for _ in range(5)]
        assert await becomes(lambda: client.stats().queued == 4)
        await client.close()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(one) for one in ended] == [spikewire.ClientClosed] * 5

    run(main)


def test_invalid_limits_raise() -> None:
    with pytest.raises(TypeError, match="max_in_flight is an option of AsyncClient"):
        spikewire.Client("127.0.0.1:3000", max_in_flight=1)  # type: ignore[call-arg]
    for wrong, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="max_in_flight"):
            spikewire.AsyncClient("127.0.0.1:3000", max_in_flight=wrong)  # type: ignore[arg-type]
