"""One asyncio client and many tasks on a loop."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Any

import spikewire
from loops import opened
from spikewire import op
from spikewire.testing import Cluster
from waiting import becomes


def test_two_thousand_tasks_read_their_writes(run: Any, cluster: Cluster, set_name: str) -> None:
    async def task(data: spikewire.AsyncDataset, key: int) -> None:
        await data.put(key, {"v": key})
        record = await data.get(key)
        assert (record["v"], record.key.key) == (key, key)
        assert (await data.operate(key, [op.add("v", 1), op.get("v")]))["v"] == key + 1
        assert await data.delete(key)
        assert not await data.exists(key)

    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await asyncio.gather(*(task(data, key) for key in range(2000)))

    run(main())


def test_mixed_calls_of_many_tasks_succeed(run: Any, cluster: Cluster, set_name: str) -> None:
    async def task(data: spikewire.AsyncDataset, number: int) -> None:
        rng = random.Random(number)
        last = None
        for turn in range(40):
            if rng.random() < 0.5:
                last = {"owner": number, "turn": turn, "pad": b"p" * rng.randrange(2000)}
                await data.put(number, last, exists="replace")
            else:
                record = await data.get(number, default=None)
                assert (record.bins if record else None) == last

    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await asyncio.gather(*(task(data, number) for number in range(200)))

    run(main())


def test_errors_reach_their_own_tasks(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await data.put("text", {"v": "t"})
            calls: list[Any] = []
            for number in range(600):
                which = number % 3
                if which == 0:
                    calls.append(data.get("text"))
                elif which == 1:
                    calls.append(data.get(f"missing-{number}"))
                else:
                    calls.append(data.add("text", {"v": 1}))
            results = await asyncio.gather(*calls, return_exceptions=True)
            for number, result in enumerate(results):
                if number % 3 == 0:
                    assert result["v"] == "t"  # type: ignore[index]
                elif number % 3 == 1:
                    assert isinstance(result, spikewire.RecordNotFound)
                    assert result.key.key == f"missing-{number}"  # type: ignore[union-attr]
                else:
                    assert isinstance(result, spikewire.BinTypeError)

    run(main())


def test_calls_are_sent_without_being_awaited(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            sent = data.put(1, {"v": 1})
            assert asyncio.isfuture(sent)
            while not sent.done():
                await asyncio.sleep(0.001)
            assert (await data.get(1))["v"] == 1

    run(main())


class TestSmallBatches:
    """Batches of a few records share connections, also with single-record commands."""

    def test_many_at_once_take_one_connection(self, run: Any) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", "shared")
                await asyncio.gather(*(data.put(key, {"v": key}) for key in range(100)))
                before = connections()
                batches = [data.get_many(range(at, at + 4)) for at in range(0, 60, 4)]
                singles = [data.get(key) for key in range(3)]
                for at, batch in enumerate(await asyncio.gather(*batches)):
                    assert [row["v"] for row in batch] == list(range(4 * at, 4 * at + 4))  # type: ignore[index]
                assert [row["v"] for row in await asyncio.gather(*singles)] == [0, 1, 2]
                assert connections() == before
                assert len(await data.get_many(range(100))) == 100
                assert connections() == before + 1

        def connections() -> int:
            return cluster.stats(0)["connections"]

        with Cluster(1) as cluster:
            run(main())

    def test_cancelled_ones_leave_the_connection_in_step(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        async def main() -> None:
            async with opened(cluster, connections_per_node=1) as client:
                data = client.dataset("test", set_name)
                await data.put_many((key, {"v": key}) for key in range(100))
                for turn in range(20):
                    doomed = [asyncio.ensure_future(data.get_many(range(9))) for _ in range(20)]
                    values = [data.get_many(range(at, at + 8)) for at in range(90)]
                    singles = [data.get(key) for key in range(90)]
                    await asyncio.sleep(0)
                    for one in doomed[turn % 3 :: 3]:
                        one.cancel()
                    for at, batch in enumerate(await asyncio.gather(*values)):
                        assert [row["v"] for row in batch] == list(range(at, at + 8))  # type: ignore[index]
                    for key, record in enumerate(await asyncio.gather(*singles)):
                        assert record["v"] == key
                    await asyncio.gather(*doomed, return_exceptions=True)

        run(main())


class TestCancelling:
    def test_thousands_leave_the_connections_in_step(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        async def main() -> None:
            async with opened(cluster, connections_per_node=1) as client:
                data = client.dataset("test", set_name)
                await asyncio.gather(*(data.put(key, {"v": key}) for key in range(500)))
                rng = random.Random(5)
                for _ in range(20):
                    tasks = [
                        asyncio.ensure_future(data.get(rng.randrange(500))) for _ in range(200)
                    ]
                    values = [asyncio.ensure_future(data.get(key)) for key in range(100)]
                    # Cancelled before they are sent, in transit, or afterwards.
                    for pause in range(4):
                        for task in tasks[pause::4]:
                            task.cancel()
                        await asyncio.sleep(0)
                    for key, record in enumerate(await asyncio.gather(*values)):
                        assert (record["v"], record.key.key) == (key, key)
                    ended = await asyncio.gather(*tasks, return_exceptions=True)
                    for one in ended:
                        if isinstance(one, BaseException):
                            assert isinstance(one, asyncio.CancelledError)
                        else:
                            assert one["v"] == one.key.key
                    assert any(isinstance(one, asyncio.CancelledError) for one in ended)

        run(main())

    def test_tasks_that_are_cancelled(self, run: Any, cluster: Cluster, set_name: str) -> None:
        turns = 0

        async def endless(data: spikewire.AsyncDataset, number: int) -> None:
            nonlocal turns
            while True:
                await data.put(number, {"v": number})
                assert (await data.get(number))["v"] == number
                turns += 1

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                # A task may be cancelled before it has written anything.
                await data.put(7, {"v": 7})
                for _ in range(10):
                    tasks = [asyncio.create_task(endless(data, n)) for n in range(100)]
                    goal = turns + 150
                    assert await becomes(lambda goal=goal: turns >= goal)  # type: ignore[misc]
                    for task in tasks:
                        task.cancel()
                    ended = await asyncio.gather(*tasks, return_exceptions=True)
                    assert {type(one) for one in ended} == {asyncio.CancelledError}
                    assert (await data.get(7))["v"] == 7

        run(main())

    def test_wait_for_gives_up_and_neighbours_go_on(self, run: Any) -> None:
        async def main() -> None:
            async with opened(cluster, connections_per_node=1) as client:
                data = client.dataset("test", "waiting")
                await asyncio.gather(*(data.put(key, {"v": key}) for key in range(100)))
                cluster.inject(0, delay=1)
                hurried = [asyncio.wait_for(data.get(key), 0.02) for key in range(0, 100, 2)]
                patient = [data.get(key) for key in range(1, 100, 2)]
                ended = await asyncio.gather(*hurried, *patient, return_exceptions=True)
                assert {type(one) for one in ended[:50]} == {asyncio.TimeoutError}
                assert [one["v"] for one in ended[50:]] == list(range(1, 100, 2))  # type: ignore[index]
                cluster.clear_faults(0)
                results = await asyncio.gather(*(data.get(key) for key in range(100)))
                assert [one["v"] for one in results] == list(range(100))

        with Cluster(1) as cluster:
            run(main())


def test_a_blocked_loop_does_not_time_calls_out(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await data.put(1, {"v": 1})
            call = data.get(1, timeout=1)
            # The reply arrives in time, but the loop is busy.
            time.sleep(2)
            assert (await call)["v"] == 1

    run(main())
