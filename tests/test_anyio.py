"""The blocking client under trio, and under anyio on both of its real backends."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.anyio import open_client, result, stream
from spikewire.testing import Cluster
from waiting import ends_before

anyio: Any = pytest.importorskip("anyio", reason="anyio is not installed")
trio: Any = pytest.importorskip("trio", reason="trio is not installed")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Longer than any test takes.
LONG = 60


def on_uvloop(work: Any) -> None:
    pytest.importorskip("uvloop")
    anyio.run(work, backend_options={"use_uvloop": True})


RUNS = {
    "trio": lambda work: trio.run(work),
    "anyio on trio": lambda work: anyio.run(work, backend="trio"),
    "anyio on asyncio": lambda work: anyio.run(work),
    "anyio on uvloop": on_uvloop,
    "asyncio": lambda work: asyncio.run(work()),
}


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """Runs an async function to its end, on each library."""
    return RUNS[request.param]


@pytest.fixture(params=["trio", "anyio on asyncio"])
def run_anyio(request: pytest.FixtureRequest) -> Callable[[Any], None]:
    """The same for anyio's scopes and groups, once for each backend."""
    return RUNS[request.param]


@pytest.fixture(scope="module")
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=LONG) as client:
        yield client


@pytest.fixture
def data(client: spikewire.Client, set_name: str) -> spikewire.Dataset:
    return client.dataset("test", set_name)


@pytest.fixture
def slow() -> Iterator[Cluster]:
    """One node that delays every reply."""
    with Cluster(nodes=1) as cluster:
        yield cluster


def test_results_and_errors_are_awaited(
    run: Callable[[Any], None], data: spikewire.Dataset
) -> None:
    async def main() -> None:
        await result(data.submit.put("alice", {"n": 1}))
        record = await result(data.submit.operate("alice", [op.add("n", 1), op.get("n")]))
        assert record["n"] == 2
        batch = await result(data.submit.get_many(["alice", "nobody"]))
        assert [row is None for row in batch] == [False, True]
        with pytest.raises(spikewire.RecordNotFound):
            await result(data.submit.get("nobody"))
        # A call that is already done is a result, too.
        future = data.submit.exists("alice")
        future.result()
        assert await result(future)

    run(main)


def test_many_tasks_await_results(
    run_anyio: Callable[[Any], None], data: spikewire.Dataset
) -> None:
    async def main() -> None:
        async def rounds(task: int) -> None:
            for _ in range(10):
                await result(data.submit.add("total", {"n": 1}))
                await result(data.submit.add(f"task {task}", {"n": 1}))

        async with anyio.create_task_group() as group:
            for task in range(50):
                group.start_soon(rounds, task)
        assert (await result(data.submit.get("total")))["n"] == 500

    run_anyio(main)


def test_no_thread_waits(run_anyio: Callable[[Any], None], data: spikewire.Dataset) -> None:
    async def main() -> None:
        await result(data.submit.put("key", {"n": 1}))
        before = threading.active_count()
        async with anyio.create_task_group() as group:
            for _ in range(200):
                group.start_soon(result, data.submit.get("key"))
            assert threading.active_count() <= before

    run_anyio(main)


def test_awaiting_without_a_loop_raises(data: spikewire.Dataset) -> None:
    waits = result(data.submit.exists("key"))
    with pytest.raises(RuntimeError, match="no running event loop"):
        waits.send(None)


class TestCancelling:
    def test_cancelling_does_not_undo_a_sent_command(
        self, run_anyio: Callable[[Any], None], slow: Cluster
    ) -> None:
        async def main() -> None:
            async with open_client(slow.seeds, timeout=LONG) as client:
                data = client.dataset("test", "cancelled")
                await result(data.submit.put("key", {"n": 1}))
                slow.inject(0, drop_reply=1)
                with anyio.move_on_after(0.05) as scope:
                    await result(data.submit.add("key", {"n": 1}))
                assert scope.cancelled_caught
                slow.clear_faults(0)
            async with open_client(slow.seeds, timeout=LONG) as client:
                data = client.dataset("test", "cancelled")
                # It was applied, or is about to be.
                while (await result(data.submit.get("key")))["n"] != 2:
                    await anyio.sleep(0.01)

        run_anyio(main)

    def test_cancelling_withdraws_a_waiting_command(
        self, run_anyio: Callable[[Any], None], slow: Cluster
    ) -> None:
        async def main() -> None:
            narrow: Any = {"connections_per_node": 1, "pipeline_depth": 1}
            async with open_client(slow.seeds, timeout=LONG, **narrow) as client:
                data = client.dataset("test", "withdrawn")
                await result(data.submit.put("first", {"n": 1}))
                slow.inject(0, drop_reply=1)
                first = data.submit.get("first")
                second = data.submit.put("second", {"n": 1})
                with anyio.move_on_after(0.05) as scope:
                    await result(second)
                assert scope.cancelled_caught
                assert second.cancelled()
                slow.clear_faults(0)
            with pytest.raises(spikewire.ClientClosed):
                await result(first)
            async with open_client(slow.seeds, timeout=LONG) as client:
                assert not await result(client.submit.exists(("test", "withdrawn", "second")))

        run_anyio(main)

    def test_before_the_wait(self, run_anyio: Callable[[Any], None], slow: Cluster) -> None:
        async def main() -> None:
            async with open_client(slow.seeds, timeout=LONG) as client:
                data = client.dataset("test", "before")
                slow.inject(0, delay=0.4)
                with anyio.CancelScope() as scope:
                    scope.cancel()
                    await result(data.submit.get("key"))
                assert scope.cancelled_caught
                slow.clear_faults(0)

        run_anyio(main)

    def test_a_shield_keeps_the_answer(
        self, run_anyio: Callable[[Any], None], data: spikewire.Dataset
    ) -> None:
        async def main() -> None:
            with anyio.CancelScope() as scope:
                scope.cancel()
                with anyio.CancelScope(shield=True):
                    await result(data.submit.put("key", {"n": 7}))
                    assert (await result(data.submit.get("key")))["n"] == 7

        run_anyio(main)

    def test_one_failure_of_a_group_ends_the_others(
        self, run_anyio: Callable[[Any], None], slow: Cluster
    ) -> None:
        async def main() -> None:
            async with open_client(slow.seeds, timeout=LONG) as client:
                data = client.dataset("test", "group")
                slow.inject(0, delay=30)
                with ends_before(30), pytest.raises(Exception) as raised:  # noqa: PT012
                    async with anyio.create_task_group() as group:
                        group.start_soon(result, data.submit.get("key"))
                        while not client.stats().in_flight:
                            await anyio.sleep(0.001)
                        raise LookupError
                assert raised.group_contains(LookupError)
                slow.clear_faults(0)

        run_anyio(main)


def test_the_run_ends_before_the_reply(slow: Cluster) -> None:
    with spikewire.Client(slow.seeds, timeout=LONG) as client:
        data = client.dataset("test", "ended")
        futures = []

        async def main() -> None:
            slow.inject(0, delay=0.5)
            with trio.move_on_after(0.05):
                futures.append(data.submit.put("key", {"n": 1}))
                await result(futures[0])

        trio.run(main)
        assert futures[0].exception(LONG) is None
        slow.clear_faults(0)
        assert data.get("key")["n"] == 1


def test_runs_in_threads_share_a_client(data: spikewire.Dataset) -> None:
    async def main() -> None:
        for _ in range(50):
            await result(data.submit.add("total", {"n": 1}))

    runs = [trio.run, lambda work: asyncio.run(work()), trio.run]
    threads = [threading.Thread(target=run, args=(main,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert data.get("total")["n"] == 150


def test_trio_works_as_a_guest_of_asyncio(data: spikewire.Dataset) -> None:
    async def rounds() -> int:
        for _ in range(20):
            await result(data.submit.add("total", {"n": 1}))
        return 20

    async def main() -> None:
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[Any] = loop.create_future()
        trio.lowlevel.start_guest_run(
            rounds,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            done_callback=ended.set_result,
        )
        # Tasks of both take turns on one thread.
        assert await rounds() == 20
        assert (await ended).unwrap() == 20

    asyncio.run(main())
    assert data.get("total")["n"] == 40


class TestStream:
    def test_a_stream_returns_all_records(
        self, run: Callable[[Any], None], data: spikewire.Dataset
    ) -> None:
        data.put_many({n: {"n": n} for n in range(1000)}).raise_for_errors()

        async def main() -> None:
            seen: list[Any] = [record["n"] async for record in stream(data.query())]
            assert sorted(seen) == list(range(1000))
            some: list[Any] = [r["n"] async for r in stream(data.query(where="$.n < 10"), rows=3)]
            assert sorted(some) == list(range(10))
            tables = stream(data.query(bins=["n"]).numpy_batches([("n", "i4")]), rows=1)
            assert sum([int(table["n"].sum()) async for table in tables]) == 499_500
            assert [record async for record in stream(data.query(where="$.n < 0"))] == []

        run(main)

    def test_is_left_early(self, run: Callable[[Any], None], data: spikewire.Dataset) -> None:
        data.put_many({n: {"n": n} for n in range(1000)}).raise_for_errors()

        async def main() -> None:
            query = data.query()
            async with aclosing(stream(query, rows=10)) as records:
                async for _ in records:
                    break
            with pytest.raises(spikewire.QueryClosed, match="the query is closed"):
                next(query)

        run(main)

    def test_cancelled_while_it_waits(
        self, run_anyio: Callable[[Any], None], slow: Cluster
    ) -> None:
        async def main() -> None:
            async with open_client(slow.seeds, timeout=LONG) as client:
                data = client.dataset("test", "streamed")
                await result(data.submit.put_many({n: {"n": n} for n in range(100)}))
                slow.inject(0, delay=0.5)
                with anyio.move_on_after(0.05) as scope:
                    async with aclosing(stream(data.query())) as records:
                        async for _ in records:
                            pytest.fail("it was cancelled before")
                assert scope.cancelled_caught
                slow.clear_faults(0)
                assert len([r async for r in stream(data.query())]) == 100

        run_anyio(main)

    def test_errors_of_a_stream_raise(
        self, run: Callable[[Any], None], client: spikewire.Client
    ) -> None:
        async def main() -> None:
            elsewhere = client.dataset("nowhere", "records")
            with pytest.raises(ValueError, match="rows must be at least 1, not 0"):
                await anext(stream(elsewhere.query(), rows=0))
            with pytest.raises(spikewire.Error):
                await anext(stream(elsewhere.query()))

        run(main)


class TestOpening:
    def test_connects_in_a_thread(self, run: Callable[[Any], None], cluster: Cluster) -> None:
        async def main() -> None:
            async with open_client(cluster.seeds, timeout=LONG) as client:
                assert client.is_connected
            assert not client.is_connected

        run(main)

    def test_opening_without_a_cluster_raises(self, run: Callable[[Any], None]) -> None:
        async def main() -> None:
            with pytest.raises(spikewire.ConnectionFailed):
                async with open_client("127.0.0.1:1"):
                    pytest.fail("there is no cluster")

        run(main)

    def test_needs_anyio_on_asyncio(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "anyio.to_thread", None)

        async def main() -> None:
            async with open_client(cluster.seeds):
                pytest.fail("nothing can connect it")

        with pytest.raises(ImportError, match=r"spikewire\.anyio needs anyio"):
            asyncio.run(main())
