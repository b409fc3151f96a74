"""Nodes that have more to do than they can, and retries that must not add to it."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import AsyncClient, Client, Overloaded, TooBusy
from spikewire.metrics import prometheus
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Replies come in pieces of this many bytes, and this many seconds apart: about two milliseconds
#: for each record.
SLOWLY = (40, 0.001)
#: The code of a server's own timeout: reads are tried again, and nothing says that it is busy.
TIMEOUT = 9


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


def limited(client: Any) -> bool:
    return any(node.limit is not None for node in client.stats().nodes)


async def until(condition: Any) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.002)


async def flood(users: Any, calls: int, every: float, **options: Any) -> list[Any]:
    """An open loop: the calls start whether or not earlier ones are answered."""
    tasks = []
    for number in range(calls):
        tasks.append(asyncio.ensure_future(users.get(number % 10, **options)))
        if number % 10 == 9:
            await asyncio.sleep(every * 10)
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_calls_that_cannot_be_answered_in_time_are_refused(cluster: Cluster) -> None:
    async def main() -> None:
        async with AsyncClient(cluster.seeds, connections_per_node=1) as client:
            users = client.dataset("test", "users")
            await users.put_many({number: {"n": number} for number in range(10)})
            for number in range(30):
                await users.get(number % 10)
            cluster.inject(0, drip=SLOWLY)
            answers = await flood(users, 3000, 0.0002, timeout=0.1)
            rejections = [answer for answer in answers if isinstance(answer, Overloaded)]
            good = [answer for answer in answers if isinstance(answer, spikewire.Record)]
            assert rejections
            assert good
            rejection = rejections[-1]
            assert isinstance(rejection, TooBusy)
            assert "commands wait for it" in str(rejection)
            assert "was not sent" in str(rejection)
            assert (rejection.in_doubt, rejection.attempts) == (False, 0)
            assert rejection.node is not None
            [node] = client.stats().nodes
            assert node.limit is not None
            assert node.limit < 100
            assert node.rejections == len(rejections)
            page = prometheus(client)
            assert "spikewire_node_rejections_total" in page
            assert "spikewire_node_limit" in page
            # What was sent is little, so it is normal at once.
            cluster.clear_faults(0)
            await until(lambda: client.stats().nodes[0].waiting == 0)
            assert (await users.get(1)).bins == {"n": 1}
            while limited(client):
                await asyncio.gather(*(users.get(number) for number in range(10)))
                await asyncio.sleep(0.005)

    asyncio.run(main())


def test_without_adaptive_limits_nothing_is_refused(cluster: Cluster) -> None:
    async def main() -> None:
        async with AsyncClient(
            cluster.seeds, connections_per_node=1, adaptive_limits=False
        ) as client:
            users = client.dataset("test", "users")
            await users.put_many({number: {"n": number} for number in range(10)})
            cluster.inject(0, drip=SLOWLY)
            answers = await flood(users, 1000, 0.0002, timeout=0.1)
            assert not any(isinstance(answer, Overloaded) for answer in answers)
            [node] = client.stats().nodes
            assert (node.limit, node.rejections) == (None, 0)

    asyncio.run(main())


def test_interactive_calls_go_first_and_background_calls_get_on(cluster: Cluster) -> None:
    async def main() -> list[str]:
        ended: list[str] = []
        async with AsyncClient(cluster.seeds, connections_per_node=1, timeout=60) as client:
            users = client.dataset("test", "users")
            await users.put_many({number: {"n": number} for number in range(10)})
            for number in range(30):
                await users.get(number % 10)
            cluster.inject(0, drip=SLOWLY)

            async def call(number: int, priority: Any) -> None:
                await users.get(number % 10, priority=priority)
                ended.append(priority)

            warm = [asyncio.ensure_future(call(number, "interactive")) for number in range(100)]
            await until(lambda: limited(client))
            later = [asyncio.ensure_future(call(number, "background")) for number in range(200)]
            await asyncio.sleep(0)
            first = [asyncio.ensure_future(call(number, "interactive")) for number in range(200)]
            await asyncio.gather(*warm)
            ended.clear()
            await asyncio.gather(*first)
            done = ended.count("background")
            assert ended.count("interactive") > 3 * done, "they go first"
            assert done > 3, "but not alone"
            await asyncio.gather(*later)
        return ended

    asyncio.run(main())


def test_bulk_writes_are_in_the_background(cluster: Cluster) -> None:
    async def main() -> None:
        async with AsyncClient(cluster.seeds, connections_per_node=1, timeout=60) as client:
            users = client.dataset("test", "users")
            await users.put_many({number: {"n": number} for number in range(10)})
            for number in range(30):
                await users.get(number % 10)
            cluster.inject(0, drip=SLOWLY)
            reads = [asyncio.ensure_future(users.get(number % 10)) for number in range(100)]
            await until(lambda: limited(client))
            bulk = [
                asyncio.ensure_future(users.put_many({number: {"n": 1}, number + 1: {"n": 1}}))
                for number in range(100, 140, 2)
            ]
            await asyncio.sleep(0)
            more = [asyncio.ensure_future(users.get(number % 10)) for number in range(100)]
            await asyncio.gather(*reads, *more)
            assert not all(write.done() for write in bulk)
            await asyncio.gather(*bulk)

    asyncio.run(main())


def test_a_busy_device_gets_fewer_commands(cluster: Cluster) -> None:
    async def main() -> None:
        async with AsyncClient(cluster.seeds, max_error_rate=0, max_retries=0) as client:
            users = client.dataset("test", "users")
            cluster.inject(0, error=1.0, delay=0.003)
            tasks = [asyncio.ensure_future(users.put(number, {"n": 1})) for number in range(300)]
            await until(lambda: limited(client) or all(task.done() for task in tasks))
            [node] = client.stats().nodes
            assert node.limit is not None
            assert node.limit < 300
            await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(main())


@pytest.mark.parametrize("budget", [0.1, None, 0])
def test_retries_are_a_share_of_the_calls(cluster: Cluster, budget: float | None) -> None:
    async def main() -> None:
        async with AsyncClient(cluster.seeds, max_error_rate=0, retry_budget=budget) as client:
            users = client.dataset("test", "users")
            cluster.inject(0, error=1.0, code=TIMEOUT)
            with pytest.raises(spikewire.Timeout) as raised:
                await users.get(1)
            assert raised.value.attempts == (1 if budget == 0 else 3), "a single call"
            started, calls, denied = time.monotonic(), 3000, 0
            for _ in range(calls // 100):
                answers = await asyncio.gather(
                    *(users.get(number) for number in range(100)), return_exceptions=True
                )
                denied += sum("retry_budget is used up" in str(answer) for answer in answers)
            stats = client.stats()
            if budget is None:
                assert (stats.retries_sent, stats.retries_denied) == (2 * calls + 2, 0)
            elif budget == 0:
                assert (stats.retries_sent, denied) == (0, calls)
            else:
                reserve = 100 + 10 * (time.monotonic() - started + 1)
                assert calls * budget * 0.9 < stats.retries_sent <= calls * budget + reserve
                assert stats.retries_denied == denied > 0

    asyncio.run(main())


def test_threads_share_the_budget(cluster: Cluster) -> None:
    with Client(cluster.seeds, max_error_rate=0) as client:
        users = client.dataset("test", "users")
        cluster.inject(0, error=1.0, code=TIMEOUT)

        def work() -> None:
            for number in range(300):
                with pytest.raises(spikewire.Timeout):
                    users.get(number)

        started = time.monotonic()
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        reserve = 100 + 10 * (time.monotonic() - started + 1)
        assert 0 < client.stats().retries_sent <= 2400 * 0.1 + reserve
        assert client.stats().retries_denied > 0


def test_rows_of_batches_are_sent_again_within_the_budget(cluster: Cluster) -> None:
    with Client(cluster.seeds, max_error_rate=0, retry_budget=0) as client:
        users = client.dataset("test", "users")
        users.put_many({number: {"n": number} for number in range(10)})
        cluster.inject(0, error=1.0, code=TIMEOUT)
        batch = users.get_many(range(10))
        assert len(batch.errors) == 10
        assert all("retry_budget" in str(error) for error in batch.errors.values())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"retry_budget": -0.1}, ValueError, "retry_budget must be a share of the calls from 0"),
        ({"retry_budget": "much"}, TypeError, "retry_budget must be a share of the calls"),
        ({"adaptive_limits": 1}, TypeError, "adaptive_limits must be"),
        ({"hedge": "p99", "retry_budget": 0}, ValueError, "hedge needs a retry_budget above 0"),
    ],
)
def test_wrong_options_are_refused(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Client("127.0.0.1:3000", **options)


def test_priorities_have_names(cluster: Cluster) -> None:
    with Client(cluster.seeds) as client:
        users = client.dataset("test", "users")
        users.put(1, {"n": 1}, priority="background")
        assert users.get(1, priority="interactive").bins == {"n": 1}
        assert users.get_many([1], priority="background").found == 1
        with pytest.raises(ValueError, match="priority must be 'interactive' or 'background'"):
            users.get(1, priority="high")  # type: ignore[call-overload]
        with pytest.raises(TypeError, match="priority must be str, not int"):
            users.get(1, priority=1)  # type: ignore[call-overload]
