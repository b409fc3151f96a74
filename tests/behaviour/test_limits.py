"""Waiting is bounded and fair, and does not fail at some arbitrary number of calls."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable


def test_five_hundred_tasks_share_one_pipeline_slot(run: Any, cluster: Cluster) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds, timeout=30, connect_timeout=20, pipeline_depth=1, connections_per_node=1
        ) as client:
            data = client.dataset("test", "turns")
            await asyncio.gather(*(data.put(key, {"v": key}) for key in range(500)))
            results = await asyncio.gather(*(data.get(key) for key in range(500)))
            assert [one["v"] for one in results] == list(range(500))

    run(main())


def test_waiting_calls_are_served_in_order(run: Any) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds, timeout=30, connect_timeout=20, pipeline_depth=1, connections_per_node=1
        ) as client:
            data = client.dataset("test", "order")
            order: list[int] = []
            calls = []
            for key in range(200):
                call = data.put(key, {"v": key})
                call.add_done_callback(lambda _, key=key: order.append(key))  # type: ignore[misc]
                calls.append(call)
            await asyncio.gather(*calls)
            assert order == list(range(200))

    with Cluster(1) as cluster:
        run(main())


def test_a_full_queue_raises(run: Any) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds,
            timeout=30,
            connect_timeout=20,
            pipeline_depth=1,
            connections_per_node=1,
            queue_limit=10,
        ) as client:
            data = client.dataset("test", "full")
            await data.put(0, {"v": 0})
            cluster.inject(0, delay=0.02)
            for _ in range(2):
                calls = [data.get(0) for _ in range(50)]
                ended = await asyncio.gather(*calls, return_exceptions=True)
                busy = [one for one in ended if isinstance(one, spikewire.TooBusy)]
                assert [type(one) for one in ended] == [spikewire.Record] * 11 + [
                    spikewire.TooBusy
                ] * 39
                assert "10" in str(busy[0])
                assert "queue" in str(busy[0])
                assert busy[0].code == -11
                assert not busy[0].in_doubt
            cluster.clear_faults(0)
            assert (await data.get(0))["v"] == 0

    with Cluster(1) as cluster:
        run(main())


def test_a_deadline_passes_while_waiting_for_a_turn(run: Any) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds, timeout=10, connect_timeout=20, pipeline_depth=1, connections_per_node=1
        ) as client:
            data = client.dataset("test", "turns")
            await data.put(0, {"n": 0})
            cluster.inject(0, delay=2)
            first = data.get(0)
            waiting = [data.add(0, {"n": 1}, timeout=0.1) for _ in range(20)]
            ended = await asyncio.gather(*waiting, return_exceptions=True)
            assert {type(one) for one in ended} == {spikewire.Timeout}
            assert {one.in_doubt for one in ended} == {False}  # type: ignore[union-attr]
            assert "waiting to be sent" in str(ended[0])
            assert (await first)["n"] == 0
            cluster.clear_faults(0)
            assert (await data.get(0))["n"] == 0, "none of them was sent after its time"

    with Cluster(1) as cluster:
        run(main())


@pytest.mark.parametrize("count", [256, 257, 1000, 5000])
def test_no_number_of_calls_fails_by_itself(run: Any, cluster: Cluster, count: int) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=30, connect_timeout=20) as client:
            data = client.dataset("test", "count")
            await asyncio.gather(*(data.put(key, {"v": key}) for key in range(count)))
            results = await asyncio.gather(*(data.get(key) for key in range(count)))
            assert [one["v"] for one in results] == list(range(count))

    run(main())


def test_large_values_do_not_disturb_small_ones(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        rng = random.Random(2)
        async with spikewire.AsyncClient(cluster.seeds, timeout=30, connect_timeout=20) as client:
            data = client.dataset("test", set_name)
            sizes = {key: 900_000 if key % 25 == 0 else rng.randrange(50) for key in range(250)}
            values = {key: bytes([key]) * size for key, size in sizes.items()}
            for _ in range(2):
                await asyncio.gather(*(data.put(key, {"v": v}) for key, v in values.items()))
                results = await asyncio.gather(*(data.get(key) for key in values))
                assert [one["v"] for one in results] == list(values.values())

    run(main())


def test_large_values_share_one_connection(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds, timeout=30, connect_timeout=20, connections_per_node=1, pipeline_depth=2
        ) as client:
            data = client.dataset("test", set_name)
            values = {key: bytes([key]) * 900_000 for key in range(20)}
            await asyncio.gather(*(data.put(key, {"v": v}) for key, v in values.items()))
            results = await asyncio.gather(*(data.get(key) for key in values))
            assert [one["v"] for one in results] == list(values.values())

    run(main())


def test_single_calls_do_not_wait_for_large_batches(run: Any) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            nodes.seeds, timeout=60, connect_timeout=2, connections_per_node=1
        ) as client:
            data = client.dataset("test", "large")
            await client.info("namespaces")
            # Replies to record commands are delayed for longer than an info request may wait.
            nodes.inject(0, delay=15)
            batches = [asyncio.ensure_future(data.get_many(range(200))) for _ in range(2)]
            await asyncio.sleep(0)
            assert await client.info("namespaces") == "test"
            assert not any(batch.done() for batch in batches)
            nodes.clear_faults(0)
            for batch in batches:
                batch.cancel()

    with Cluster(1) as nodes:
        run(main())


def test_memory_of_large_values_is_freed(run: Any, cluster: Cluster, set_name: str) -> None:
    def resident() -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        line = next(line for line in lines if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    try:
        resident()
    except (OSError, StopIteration):
        pytest.skip("resident memory is read from /proc")

    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=30, connect_timeout=20) as client:
            data = client.dataset("test", set_name)
            value = bytes(900_000)

            async def turn() -> None:
                await asyncio.gather(*(data.put(key, {"v": value}) for key in range(10)))
                for key in range(10):
                    await data.get(key)

            for _ in range(5):
                await turn()
            gc.collect()
            before = resident()
            for _ in range(20):
                await turn()
            gc.collect()
            assert resident() - before < 64 << 20

    run(main())


class TestBlockingThreads:
    """The same limits for threads, which wait for shared connections."""

    @staticmethod
    def together(count: int, call: Callable[[int], object]) -> list[object]:
        ended: list[object] = [None] * count

        def work(number: int) -> None:
            try:
                ended[number] = call(number)
            except spikewire.Error as error:
                ended[number] = error

        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        return ended

    def test_a_hundred_threads_share_one_pipeline_slot(self, cluster: Cluster) -> None:
        with spikewire.Client(
            cluster.seeds, timeout=30, connect_timeout=20, pipeline_depth=1, connections_per_node=1
        ) as client:
            data = client.dataset("test", "thread-turns")

            def call(number: int) -> list[object]:
                for turn in range(20):
                    data.put((number, turn).__repr__(), {"v": number})
                return [data.get((number, turn).__repr__())["v"] for turn in range(20)]

            assert self.together(100, call) == [[number] * 20 for number in range(100)]

    def test_a_full_queue_raises(self) -> None:
        with (
            Cluster(1) as cluster,
            spikewire.Client(
                cluster.seeds,
                timeout=30,
                connect_timeout=20,
                pipeline_depth=1,
                connections_per_node=1,
                queue_limit=10,
            ) as client,
        ):
            data = client.dataset("test", "full")
            data.put(0, {"v": 0})
            cluster.inject(0, delay=0.3)
            ended = self.together(50, lambda _: data.get(0))
            busy = [one for one in ended if isinstance(one, spikewire.TooBusy)]
            served = [one for one in ended if isinstance(one, spikewire.Record)]
            assert len(busy) + len(served) == 50
            # A thread that starts late may find a free slot.
            assert 11 <= len(served) < 50
            assert "queue_limit=10" in str(busy[0])
            cluster.clear_faults(0)
            assert data.get(0)["v"] == 0
