"""Asyncio clients on several loops, on loops that end, and closed from any of them."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from loops import opened, run_on
from spikewire.testing import Cluster
from waiting import becomes

if TYPE_CHECKING:
    from collections.abc import Callable


class Unclosed(asyncio.SelectorEventLoop):
    """Is not closed when it is dropped. Without the GIL its sockets may be finalized before it, and
    closing it would fail then."""

    def __del__(self) -> None:
        pass


HAS_LOCK = getattr(sys, "_is_gil_enabled", lambda: True)()


class TestLoops:
    def test_loops_of_several_threads_share_a_client(self, cluster: Cluster, set_name: str) -> None:
        client = asyncio.run(
            spikewire.AsyncClient.connect(cluster.seeds, timeout=20, connect_timeout=20)
        )
        data = client.dataset("test", set_name)
        failures: list[BaseException] = []
        kinds: list[Callable[[], asyncio.AbstractEventLoop]] = [asyncio.new_event_loop] * 4
        with contextlib.suppress(ImportError):
            kinds += [importlib.import_module("uvloop").new_event_loop] * 2

        async def task(number: int) -> None:
            for turn in range(20):
                await data.put(number, {"v": turn})
                assert (await data.get(number))["v"] == turn

        async def main(thread: int) -> None:
            await asyncio.gather(*(task(thread * 100 + number) for number in range(50)))

        def work(thread: int) -> None:
            try:
                run_on(kinds[thread](), main(thread))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(at,)) for at in range(len(kinds))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asyncio.run(client.close())
        assert failures == []

    def test_one_run_after_another(self, run: Any, cluster: Cluster, set_name: str) -> None:
        client = spikewire.AsyncClient(cluster.seeds, timeout=20, connect_timeout=20)
        data = client.dataset("test", set_name)

        async def first() -> None:
            await client.__aenter__()
            await data.put(1, {"v": 1})

        async def again() -> int:
            await data.add(1, {"v": 1})
            return (await data.get(1))["v"]

        run(first())
        loop = asyncio.new_event_loop
        assert [run_on(loop(), again()) for _ in range(5)] == [2, 3, 4, 5, 6]
        asyncio.run(client.close())

    def test_a_client_works_in_a_nested_loop(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        async def within(data: spikewire.AsyncDataset) -> None:
            await data.add(1, {"v": 1})

        async def main() -> None:
            here = asyncio.get_running_loop()
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)

                # Called by the loop: from Python 3.14 on a task cannot run other tasks within
                # itself.
                def another(done: asyncio.Future[None]) -> None:
                    asyncio._set_running_loop(None)
                    try:
                        with pytest.raises(RuntimeError, match="no running event loop"):
                            data.get(1)
                        run_on(asyncio.new_event_loop(), within(data))
                    except BaseException as error:
                        done.set_exception(error)
                    else:
                        done.set_result(None)
                    finally:
                        asyncio._set_running_loop(here)

                for turn in range(1, 4):
                    await data.add(1, {"v": 1})
                    done = here.create_future()
                    here.call_soon(another, done)
                    await done
                    assert (await data.get(1))["v"] == 2 * turn

        run(main())

    def test_a_loop_may_end_with_calls_in_flight(self, cluster: Cluster, set_name: str) -> None:
        client = asyncio.run(
            spikewire.AsyncClient.connect(cluster.seeds, timeout=20, connect_timeout=20)
        )
        data = client.dataset("test", set_name)

        async def abandon() -> None:
            for key in range(100):
                data.put(key, {"v": key})

        for _ in range(5):
            asyncio.run(abandon())

        async def check() -> None:
            await data.put("after", {"v": 1})
            assert (await data.get("after"))["v"] == 1

        asyncio.run(check())
        asyncio.run(client.close())

    @pytest.mark.usefixtures("no_descriptor_leak")
    def test_loops_that_ended_leave_nothing_open(self, cluster: Cluster) -> None:
        async def use(client: spikewire.AsyncClient) -> None:
            await client.dataset("test", "loops").exists(1)

        for _ in range(10):
            with_block = spikewire.AsyncClient(cluster.seeds)

            async def whole(client: spikewire.AsyncClient = with_block) -> None:
                async with client:
                    await use(client)

            asyncio.run(whole())
        client = asyncio.run(spikewire.AsyncClient.connect(cluster.seeds))
        for _ in range(20):
            asyncio.run(use(client))
        asyncio.run(client.close())
        del client, with_block, whole
        gc.collect()

    @pytest.mark.filterwarnings("ignore:unclosed (event loop|<socket):ResourceWarning")
    @pytest.mark.usefixtures("no_descriptor_leak")
    @pytest.mark.parametrize("left", ["nothing", "cancelled", "call", "batch"])
    def test_loops_that_are_dropped(self, left: str) -> None:
        """A client keeps no loop alive that nobody else has, whatever was under way on it. (uvloop
        keeps its own loops until they are closed.)"""

        async def use() -> None:
            await data.put(1, {"v": 1})
            if left == "nothing":
                return
            cluster.inject(0, delay=60)
            if left == "batch":
                call: Any = data.get_many(range(10))
            else:
                call = data.get(1)
            task = asyncio.ensure_future(call)
            for _ in range(10):
                await asyncio.sleep(0)
            if left == "cancelled":
                task.cancel()
                await asyncio.sleep(0)

        def drop() -> weakref.ref[asyncio.AbstractEventLoop]:
            loop = asyncio.new_event_loop() if HAS_LOCK else Unclosed()
            # Twice: asyncio has another note of it each time.
            loop.run_until_complete(asyncio.sleep(0))
            loop.run_until_complete(use())
            cluster.inject(0)
            return weakref.ref(loop)

        with Cluster(1) as cluster:
            client = asyncio.run(spikewire.AsyncClient.connect(cluster.seeds, timeout=100))
            data = client.dataset("test", "dropped")
            loops = [drop() for _ in range(10)]
            gc.collect()
            assert [loop for loop in loops if loop() is not None] == []
            many = [drop() for _ in range(200)] if left == "nothing" else []
            gc.collect()
            assert [loop for loop in many if loop() is not None] == []
            asyncio.run(client.close())

    def test_a_loop_without_add_reader_works(self, cluster: Cluster) -> None:
        class Poor(asyncio.SelectorEventLoop):
            def add_reader(self, *_: object) -> None:
                raise NotImplementedError

        async def main() -> None:
            async with opened(cluster) as client:
                with pytest.raises(RuntimeError, match="cannot watch a file descriptor"):
                    await client.dataset("test", "poor").exists(1)

        run_on(Poor(), main())


class TestClosing:
    @pytest.mark.parametrize("write", [False, True])
    def test_closing_fails_calls_in_flight(self, run: Any, write: bool) -> None:
        async def main() -> None:
            client = await spikewire.AsyncClient.connect(
                cluster.seeds, timeout=60, connect_timeout=20
            )
            data = client.dataset("test", "closing")
            await data.put(1, {"a": 1})
            cluster.inject(0, delay=60)
            calls = [data.put(n, {"a": 1}) if write else data.get(n) for n in range(200)]
            assert await becomes(lambda: client.stats().in_flight == len(calls))
            await client.close()
            ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 30)
            assert {type(one) for one in ended} == {spikewire.ClientClosed}
            assert {one.in_doubt for one in ended} == {write}  # type: ignore[union-attr]

        with Cluster(1) as cluster:
            run(main())

    def test_a_client_is_closed_from_another_loop(self) -> None:
        async def main() -> None:
            client = await spikewire.AsyncClient.connect(slow.seeds, timeout=60, connect_timeout=20)
            data = client.dataset("test", "closing")
            await data.put(1, {"a": 1})
            slow.inject(0, delay=60)
            calls = [data.get(1) for _ in range(20)]
            assert await becomes(lambda: client.stats().in_flight == len(calls))
            await asyncio.to_thread(lambda: asyncio.run(client.close()))
            ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 30)
            assert {type(one) for one in ended} == {spikewire.ClientClosed}

        with Cluster(1) as slow:
            run_on(asyncio.new_event_loop(), main())

    def test_closing_under_load_raises_client_closed(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        async def endless(data: spikewire.AsyncDataset, number: int) -> int:
            turn = 0
            try:
                while True:
                    await data.put(number, {"v": turn})
                    assert (await data.get(number))["v"] == turn
                    turn += 1
                    if turn == 3:
                        at_work.add(number)
            except spikewire.ClientClosed:
                return turn

        async def main() -> None:
            client = await spikewire.AsyncClient.connect(
                cluster.seeds, timeout=20, connect_timeout=20
            )
            data = client.dataset("test", set_name)
            tasks = [asyncio.create_task(endless(data, n)) for n in range(50)]
            while len(at_work) < len(tasks):
                await asyncio.sleep(0.01)
            await client.close()
            turns = await asyncio.wait_for(asyncio.gather(*tasks), 30)
            assert min(turns) >= 3

        at_work: set[int] = set()
        run(main())
