"""A pool of event loops in threads."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import gc
import itertools
import os
import signal
import sys
import threading
import traceback
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from forking import scenario
from spikewire import cql
from spikewire.pool import Job, LoopDied, Pool, PoolClosed
from spikewire.testing.cassandra import CannedServer
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from spikewire.testing import Cluster

PATIENCE = 60.0


def pool_of(cluster: Cluster, loops: int = 3, **options: Any) -> Pool:
    return Pool(cluster.seeds, loops=loops, **{"timeout": 20, "connect_timeout": 20, **options})


@pytest.fixture(params=["uvloop", "asyncio", "asyncio, each"])
def pool(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Pool]:
    """An open pool, for threads and loops of tests."""
    uvloop, clients = request.param == "uvloop", "each" if "each" in request.param else "shared"
    if uvloop:
        pytest.importorskip("uvloop")
    with pool_of(cluster, uvloop=uvloop, clients=clients) as pool:
        yield pool


def on_loop(work: Any) -> Any:
    return asyncio.run(asyncio.wait_for(work, PATIENCE))


async def thread_name(_: object = None) -> str:
    await asyncio.sleep(0.005)
    return threading.current_thread().name


async def forever() -> None:
    await asyncio.Event().wait()


async def double(n: int) -> int:
    await asyncio.sleep(0)
    return 2 * n


class TestMap:
    def test_verbs_are_handlers(self, pool: Pool, set_name: str) -> None:
        data = pool.dataset("test", set_name)

        async def main() -> None:
            async def put(n: int) -> None:
                await data.put(n, {"n": n})

            await pool.map(put, range(2000))
            records = await pool.map(data.get, range(2000))
            assert [record["n"] for record in records] == list(range(2000))

        on_loop(main())
        assert [record["n"] for record in pool.map(data.get, range(300))] == list(range(300))

    def test_few_items_are_spread(self, pool: Pool) -> None:
        assert set(pool.map(thread_name, range(3))) == {f"spikewire-pool-{at}" for at in range(3)}
        assert len(set(pool.gather(*(thread_name() for _ in range(3))))) == 3

    def test_results_are_in_order(self, pool: Pool) -> None:
        ended: set[int] = set()

        async def slower_first(n: int) -> int:
            while n % 50 == 0 and n + 1 not in ended:
                await asyncio.sleep(0)
            ended.add(n)
            return n

        async def main() -> None:
            assert await pool.map(slower_first, range(500), limit=8) == list(range(500))
            ended.clear()
            loose = await pool.map(slower_first, range(500), limit=8, ordered=False)
            assert loose != list(range(500))
            assert sorted(loose) == list(range(500))

        on_loop(main())

    def test_items_are_read_as_results_are_consumed(self, pool: Pool) -> None:
        read = 0

        def items() -> Iterator[int]:
            nonlocal read
            while True:
                yield read
                read += 1

        with pool.map(double, items(), limit=4) as results:
            for n, result in enumerate(results):
                assert result == 2 * n
                assert read < n + 1 + 2 * 4 * pool.loops
                if n == 1000:
                    break

    def test_no_more_than_the_limit_run(self, pool: Pool) -> None:
        lock = threading.Lock()
        running: dict[str, int] = {}
        most: dict[str, int] = {}

        async def work(_: int) -> None:
            name = threading.current_thread().name
            with lock:
                running[name] = running.get(name, 0) + 1
                most[name] = max(most.get(name, 0), running[name])
            await asyncio.sleep(0.002)
            with lock:
                running[name] -= 1

        list(pool.map(work, range(200), limit=5))
        assert set(most.values()) <= set(range(1, 6))
        assert len(most) == pool.loops

    def test_items_may_be_asynchronous(self, pool: Pool) -> None:
        async def items() -> AsyncIterator[int]:
            for n in range(100):
                if n % 30 == 0:
                    await asyncio.sleep(0)
                yield n

        async def main() -> None:
            assert [n async for n in pool.map(double, items())] == list(range(0, 200, 2))

        on_loop(main())
        with pytest.raises(TypeError, match="asynchronous iterable"):
            next(pool.map(double, items()))

    @pytest.mark.parametrize("items", [[], (), iter(())])
    def test_no_items_have_no_results(self, pool: Pool, items: Any) -> None:
        assert list(pool.map(double, items)) == []

    def test_progress_is_reported_per_item(self, pool: Pool) -> None:
        calls: list[tuple[int, int | None, int]] = []

        def progress(done: int, total: int | None) -> None:
            calls.append((done, total, threading.get_ident()))

        list(pool.map(double, range(100), progress=progress))
        assert [done for done, _, _ in calls] == sorted({done for done, _, _ in calls})
        assert calls[-1] == (100, 100, threading.get_ident())
        calls.clear()
        list(pool.map(double, iter(range(100)), progress=progress))
        assert {total for _, total, _ in calls} == {None}

    def test_several_maps_run_at_once(self, pool: Pool) -> None:
        async def main() -> None:
            first, second = await asyncio.gather(
                pool.map(double, range(500)), pool.map(double, range(500))
            )
            assert first == second == list(range(0, 1000, 2))

        threads = [threading.Thread(target=on_loop, args=(main(),)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_a_handler_may_call_map(self, pool: Pool) -> None:
        async def nested(n: int) -> int:
            return sum(await pool.map(double, range(n)))

        assert list(pool.map(nested, [3, 4])) == [6, 12]

        async def blocking(n: int) -> int:
            return sum(pool.map(double, range(n)))

        with pytest.raises(RuntimeError, match="await it instead"):
            pool.run(blocking, 3).result(PATIENCE)

    def test_results_have_one_reader(self, pool: Pool) -> None:
        begun = threading.Event()

        async def work(_: int) -> None:
            begun.set()
            await forever()

        async def main() -> None:
            results = pool.map(double, range(5))
            assert await results == [0, 2, 4, 6, 8]
            with pytest.raises(RuntimeError, match="already read: keep the list"):
                await results
            endless = pool.map(work, range(5))
            taking = asyncio.ensure_future(_awaited(endless))
            assert await asyncio.to_thread(begun.wait, PATIENCE)
            with pytest.raises(RuntimeError, match="another task or thread is reading"):
                await endless.__anext__()
            # Ending them also ends the waiter.
            await endless.aclose()
            with pytest.raises(RuntimeError, match="has closed these results"):
                await taking

        on_loop(main())
        begun.clear()
        endless = pool.map(work, range(5))
        texts: list[str] = []
        waiting = threading.Thread(target=_read_until_closed, args=(endless, texts), daemon=True)
        waiting.start()
        assert begun.wait(PATIENCE)
        with pytest.raises(RuntimeError, match="another task or thread is reading"):
            next(endless)
        endless.close()
        waiting.join(PATIENCE)
        assert texts == ["another task or thread has closed these results"]


class TestErrors:
    def test_errors_keep_their_traceback(self, pool: Pool) -> None:
        async def fails_here(n: int) -> int:
            await asyncio.sleep(0)
            if n == 7:
                message = "seven"
                raise ValueError(message)
            return n

        with pytest.raises(ValueError, match="seven") as caught:
            list(pool.map(fails_here, range(100)))
        assert "fails_here" in "".join(traceback.format_tb(caught.value.__traceback__))
        with pytest.raises(ValueError, match="seven"):
            on_loop(_awaited(pool.map(fails_here, range(100))))
        values = list(pool.map(fails_here, range(10), errors="return"))
        assert [type(one) for one in values] == [int] * 7 + [ValueError] + [int] * 2

    def test_the_first_error_cancels_the_rest(self, pool: Pool) -> None:
        begun: list[int] = []
        ended: list[int] = []

        async def work(n: int) -> None:
            if n == 0:
                while len(begun) < 11:
                    await asyncio.sleep(0)
                message = "first"
                raise ValueError(message)
            try:
                begun.append(n)
                await forever()
            finally:
                ended.append(n)

        with pytest.raises(ValueError, match="first"):
            list(pool.map(work, range(12), limit=4))
        # They have ended when the error arrives.
        assert sorted(ended) == list(range(1, 12))

    @pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt])
    def test_one_that_is_awaited_does_not_wait_for_its_place(
        self, pool: Pool, kind: type[BaseException]
    ) -> None:
        async def work(n: int) -> None:
            if n == 7:
                raise kind
            await forever()

        with pytest.raises(kind):
            on_loop(_awaited(pool.map(work, range(10))))
        with pytest.raises(kind):
            on_loop(_awaited(pool.gather(*(lambda n=n: work(n) for n in range(10)))))

    def test_an_error_of_the_items_raises(self, pool: Pool) -> None:
        def items() -> Iterator[int]:
            yield 1
            message = "no more"
            raise OSError(message)

        with pytest.raises(OSError, match="no more"):
            list(pool.map(double, items()))

    @pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration])
    def test_those_that_would_look_like_the_end(self, pool: Pool, kind: type[Exception]) -> None:
        async def exhausted(n: int) -> int:
            if n == 3:
                raise kind
            return n

        def at_once(n: int) -> Any:
            raise kind

        def progress(done: int, total: int | None) -> None:
            raise kind

        text = f"raised {kind.__name__}"
        for handler in (exhausted, at_once):
            with pytest.raises(RuntimeError, match=text):
                list(pool.map(handler, range(10)))
            with pytest.raises(RuntimeError, match=text):
                on_loop(_awaited(pool.map(handler, range(10))))
            with pytest.raises(RuntimeError, match=text):
                on_loop(_awaited(pool.run(handler, 3)))
        for ask in (list, lambda results: on_loop(_awaited(results))):
            with pytest.raises(RuntimeError, match=text):
                ask(pool.map(double, range(10), progress=progress))

    def test_an_error_of_progress_raises(self, pool: Pool) -> None:
        with pytest.raises(ZeroDivisionError):
            list(pool.map(double, range(10), progress=lambda done, _: done // 0))

    @pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
    def test_those_that_end_a_loop(self, pool: Pool, kind: type[BaseException]) -> None:
        async def quits(n: int) -> int:
            await asyncio.sleep(0)
            if n == 3:
                raise kind
            return n

        with pytest.raises(kind):
            list(pool.map(quits, range(20), errors="return"))
        with pytest.raises(kind):
            pool.run(quits, 3).result(PATIENCE)
        # The loops continue.
        assert list(pool.map(double, range(100))) == list(range(0, 200, 2))

    def test_a_handler_that_cancels_itself(self, pool: Pool) -> None:
        async def gives_up(_: int) -> None:
            raise asyncio.CancelledError

        with pytest.raises(asyncio.CancelledError):
            list(pool.map(gives_up, [1]))
        job = pool.run(gives_up, 1)
        assert until(job.cancelled)

    def test_functions_that_are_not_asynchronous_raise(self, pool: Pool) -> None:
        with pytest.raises(TypeError, match=r"asynchronous functions: .*returned int"):
            list(pool.map(len, ["a"]))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="returned int"):
            pool.run(len, "a").result(PATIENCE)  # type: ignore[arg-type]

    def test_invalid_arguments_raise(self, pool: Pool, cluster: Cluster) -> None:
        anything: Any = pool
        for match, call in (
            ("limit must be at least 1", lambda: anything.map(double, [1], limit=0)),
            ("limit must be an int", lambda: anything.map(double, [1], limit="4")),
            ("handler must be", lambda: anything.map(5, [1])),
            ("not NoneType; gather takes", lambda: anything.run(None)),
            ("not coroutine; gather takes", lambda: anything.run(double(1))),
            ("can be neither copied nor pickled", lambda: copy.copy(anything)),
            ("needs a namespace", lambda: anything.dataset()),
            ("items must be", lambda: anything.map(double, 5)),
            ("items must be", lambda: anything.map(double, "abc")),
            ("errors must be", lambda: anything.map(double, [1], errors="no")),
            ("loops must be at least 1", lambda: Pool(cluster.seeds, loops=0)),
            ("loops must be an int", lambda: Pool(cluster.seeds, loops=anything)),
            ("uvloop must be True", lambda: Pool(cluster.seeds, uvloop=anything)),
            ("progress must be", lambda: pool.map(double, [1], progress=anything)),
            ("close_timeout must be", lambda: Pool(cluster.seeds, close_timeout=-1)),
            ("close_timeout must be", lambda: Pool(cluster.seeds, close_timeout=anything)),
            ("not int", lambda: Pool(7)),  # type: ignore[arg-type]
            ("timeuot", lambda: Pool(cluster.seeds, timeuot=1)),  # type: ignore[call-arg]
            ("clients must be", lambda: Pool(cluster.seeds, clients=anything)),
            ('clients must be "shared" or "each"', lambda: Pool(cluster.seeds, clients=anything)),
        ):
            with pytest.raises((TypeError, ValueError), match=match):
                call()

        async def main() -> None:
            future = asyncio.get_running_loop().create_future()
            with pytest.raises(TypeError, match=r"call 0: .*not .*Future"):
                pool.gather(future)

        on_loop(main())


class TestCancelling:
    def test_cancelling_map_cancels_its_handlers(self, pool: Pool) -> None:
        begun, ended = threading.Semaphore(0), []

        async def work(n: int) -> None:
            begun.release()
            try:
                await forever()
            finally:
                await asyncio.sleep(0.01)
                ended.append(n)

        async def main() -> None:
            task = asyncio.create_task(_awaited(pool.map(work, itertools.count(), limit=4)))
            for _ in range(4 * pool.loops):
                assert await asyncio.to_thread(begun.acquire, timeout=PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # It has waited until they ended.
            assert len(ended) == 4 * pool.loops

        on_loop(main())

    def test_cancelling_run_cancels_its_handler(self, pool: Pool) -> None:
        begun, ended = threading.Event(), threading.Event()

        async def work() -> None:
            begun.set()
            try:
                await forever()
            finally:
                ended.set()

        async def main() -> None:
            job = pool.run(work)
            await asyncio.to_thread(begun.wait, PATIENCE)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(job, 0.01)
            assert job.cancelled()
            assert await asyncio.to_thread(ended.wait, PATIENCE)

        on_loop(main())
        begun.clear()
        ended.clear()
        job = pool.run(work)
        assert begun.wait(PATIENCE)
        assert job.cancel()
        assert ended.wait(PATIENCE)
        assert pool.run(double, 1).result(PATIENCE) == 2

    def test_leaving_a_stream_cancels_the_rest(self, pool: Pool) -> None:
        begun: list[int] = []
        ended: list[int] = []

        async def work(n: int) -> int:
            if n >= 5:
                begun.append(n)
                try:
                    await forever()
                finally:
                    ended.append(n)
            return n

        async def main() -> None:
            async with pool.map(work, itertools.count(), limit=8) as results:
                async for n in results:
                    if n == 4:
                        break
                # A call that has not begun when the stream is left never begins.
                assert await asyncio.to_thread(until, lambda: begun)
            assert len(ended) >= 1
            with pytest.raises(StopAsyncIteration):
                await results.__anext__()

        on_loop(main())
        begun.clear()
        ended.clear()
        results = pool.map(work, itertools.count(), limit=8)
        assert next(results) == 0
        # A call that has not begun when it is cancelled does not begin.
        assert until(lambda: begun)
        del results
        gc.collect()
        assert until(lambda: ended)

    @pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="no signals of threads here")
    def test_an_interrupt_in_a_waiting_thread(self, cluster: Cluster) -> None:
        code = """
            ended = threading.Event()

            async def work(_):
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.set()

            for _ in range(20):
                ended.clear()
                with spikewire.Pool(seeds, loops=2, connect_timeout=20) as pool:
                    try:
                        list(pool.map(work, [1]))
                    except KeyboardInterrupt:
                        assert ended.wait(60)
                    else:
                        raise AssertionError
            print("interrupted")
        """
        assert scenario(cluster.seeds, code) == "interrupted"


class TestContext:
    def test_handlers_see_the_context_of_the_caller(self, pool: Pool) -> None:
        who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")

        async def told(_: int = 0) -> str:
            before = who.get()
            await asyncio.sleep(0)
            who.set("changed")
            return before

        def at_once(_: int = 0) -> Any:
            before = who.get()
            who.set("changed")
            future = asyncio.get_running_loop().create_future()
            future.set_result(before)
            return future

        for function in (told, at_once):
            who.set("alice")
            results = pool.map(function, range(20))
            job = pool.run(function)
            who.set("bob")
            assert set(results) == {"alice"}
            assert job.result(PATIENCE) == "alice"
            assert who.get() == "bob"


class TestLife:
    def test_a_handler_does_not_wait_for_itself(self, cluster: Cluster) -> None:
        with pool_of(cluster, loops=1) as pool:

            async def close() -> None:
                pool.close()

            with pytest.raises(RuntimeError, match="would block an event loop of the pool"):
                pool.run(close).result(PATIENCE)
            assert pool.run(double, 1).result(PATIENCE) == 2

    @pytest.mark.parametrize("where", ["_wait_idle", "_end"])
    def test_an_interrupt_while_it_closes_leaves_no_threads(
        self, cluster: Cluster, where: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        pool = pool_of(cluster, loops=2, close_timeout=0.1).open()
        threads = [worker.thread for worker in pool._workers]
        pool.run(forever)
        monkeypatch.setattr(Pool, where, interrupted)
        with pytest.raises(KeyboardInterrupt):
            pool.close()
        monkeypatch.undo()
        del pool
        gc.collect()
        assert until(lambda: not any(thread.is_alive() for thread in threads))

    @pytest.mark.parametrize("kind", ["client", "pool", "each"])
    def test_an_opening_that_is_cancelled_leaves_nothing_open(
        self, cluster: Cluster, kind: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sharing = "each" if kind == "each" else "shared"
        own = pool_of(cluster, loops=2, clients=sharing) if kind != "client" else None
        client = spikewire.AsyncClient(cluster.seeds, timeout=20) if own is None else own.client
        begun, may_open, closed = threading.Event(), threading.Event(), threading.Event()
        opens, closes = spikewire.AsyncClient._open, spikewire.AsyncClient._close

        def late(client: Any) -> None:
            begun.set()
            may_open.wait(PATIENCE)
            opens(client)

        def close(client: Any) -> None:
            closes(client)
            closed.set()

        monkeypatch.setattr(spikewire.AsyncClient, "_open", late, raising=False)
        monkeypatch.setattr(spikewire.AsyncClient, "_close", close, raising=False)

        async def main() -> None:
            entering = asyncio.ensure_future((own or client).__aenter__())
            assert await asyncio.to_thread(begun.wait, PATIENCE)
            entering.cancel()
            with pytest.raises(asyncio.CancelledError):
                await entering
            may_open.set()
            assert await asyncio.to_thread(closed.wait, PATIENCE)

        on_loop(main())
        assert not client.is_connected
        assert own is None or not own.is_open

    def test_it_waits_for_what_is_under_way(self, cluster: Cluster) -> None:
        async def slow() -> str:
            await asyncio.sleep(0.3)  # longer than closing takes
            return "done"

        with pool_of(cluster) as pool:
            job = pool.run(slow)
        assert job.result(0) == "done"

        async def main() -> Job[str]:
            async with pool_of(cluster) as pool:
                return pool.run(slow)

        assert on_loop(main()).result(0) == "done"

    def test_it_cancels_what_takes_too_long(self, cluster: Cluster) -> None:
        with pool_of(cluster, close_timeout=0.2) as pool:
            job = pool.run(forever)
        assert job.cancelled()

    def test_an_exception_cancels_at_once(self, cluster: Cluster) -> None:
        jobs: list[Job[None]] = []

        def fail() -> None:
            with pool_of(cluster, close_timeout=300) as pool:
                jobs.append(pool.run(forever))
                raise ZeroDivisionError

        with ends_before(300), pytest.raises(ZeroDivisionError):
            fail()
        assert jobs[0].cancelled()

    def test_a_handler_that_holds_up_its_loop(self, cluster: Cluster) -> None:
        release = threading.Event()

        async def blocks() -> None:
            release.wait(PATIENCE)

        pool = pool_of(cluster, loops=1, close_timeout=0.1).open()
        pool.run(blocks)
        with pytest.warns(RuntimeWarning, match="calls still block spikewire-pool-0"):
            pool.close()
        release.set()
        pool._workers[0].thread.join(PATIENCE)

    def test_tasks_left_by_handlers_are_cancelled(self, cluster: Cluster) -> None:
        ended = threading.Event()
        stored: list[Any] = []

        async def child() -> None:
            try:
                await forever()
            finally:
                ended.set()

        async def parent() -> None:
            stored.append(asyncio.create_task(child()))
            await asyncio.sleep(0)

        with pool_of(cluster) as pool:
            pool.run(parent).result(PATIENCE)
        assert ended.is_set()

    def test_an_unopened_or_closed_pool_raises(self, cluster: Cluster) -> None:
        pool = pool_of(cluster)
        for _ in range(2):
            with pytest.raises(PoolClosed, match="not open"):
                pool.run(double, 1)
            with pytest.raises(PoolClosed, match="not open"):
                pool.map(double, [1])
            pool.close()
        with pool_of(cluster) as pool:
            assert pool.is_open
            assert repr(pool).endswith("open>")
            late = pool.map(double, [1])
        with pytest.raises(PoolClosed):
            next(late)
        with pytest.raises(PoolClosed):
            pool.run(double, 1)
        with pytest.raises(RuntimeError, match="opened once"):
            pool.open()

    def test_opening_without_a_cluster_raises(self) -> None:
        with pytest.raises(spikewire.ConnectionFailed), Pool("127.0.0.1:1", connect_timeout=0.2):
            pass

    def test_a_client_passed_in_is_not_closed(self, cluster: Cluster) -> None:
        async def main() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
                async with Pool(client, loops=2) as pool:
                    assert pool.client is client
                    await pool.map(client.dataset("test", "others").exists, range(10))
                assert await client.dataset("test", "others").exists(1) is False

        on_loop(main())

    def test_a_pool_opens_by_url(self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
        with Pool.from_url(f"aerospike://{cluster.seeds}/test?timeout=20", loops=2) as pool:
            users = pool.dataset(set="users_by_url")
            assert users.namespace == pool.client.namespace == "test"
            assert list(pool.map(users.exists, range(10))) == [False] * 10
            client = pool.client
        assert not client._holds_connections

        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_URL", f"aerospike://{cluster.seeds}")
        monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_CONNECT_TIMEOUT", "20")

        async def main() -> None:
            async with Pool.from_url(loops=1, timeout=20) as pool:
                assert await pool.run(pool.dataset("test", "users_by_url").exists, 1) is False

        on_loop(main())

    def test_an_invalid_url_raises(self) -> None:
        with pytest.raises(ValueError, match="the URL must begin with aerospike://"):
            Pool.from_url("cassandra://127.0.0.1")
        with pytest.raises(ValueError, match="the URL, option loops: there is no option 'loops'"):
            Pool.from_url("aerospike://127.0.0.1?loops=2")
        with pytest.raises(ValueError, match="loops must be at least 1"):
            Pool.from_url("aerospike://127.0.0.1", loops=0)

    def test_a_pool_runs_a_cassandra_session(self) -> None:
        async def main() -> None:
            async with cql.AsyncSession(server.address, timeout=20) as session:
                async with Pool(session, loops=2) as pool:
                    result = await pool.map(session.execute, ["SELECT key FROM system.local"] * 50)
                    assert len(result) == 50
                    with pytest.raises(TypeError, match="AsyncSession"):
                        _ = pool.client
                assert session.is_open

        with CannedServer() as server:
            on_loop(main())

    def test_a_forgotten_one_warns(self, cluster: Cluster) -> None:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pool = pool_of(cluster).open()
            workers = pool._workers
            del pool
            gc.collect()
            assert until(lambda: all(not worker.thread.is_alive() for worker in workers))
        values = [str(one.message) for one in caught]
        assert [one.partition(" <")[0] for one in values] == ["unclosed pool"]

    @pytest.mark.usefixtures("no_descriptor_leak")
    def test_closed_pools_leave_nothing_open(self, cluster: Cluster) -> None:
        for _ in range(3):
            with pool_of(cluster) as pool:
                list(pool.map(pool.dataset("test", "leaks").exists, range(100)))
        del pool
        gc.collect()

    def test_a_failing_loop_fails_its_jobs(
        self, cluster: Cluster, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def kill(error: Exception) -> None:
            asyncio.get_running_loop()._selector.select = _raiser(error)  # type: ignore[attr-defined]
            await forever()

        def survive() -> None:
            died = OSError("the selector is broken")
            with pool_of(cluster, loops=2, uvloop=False) as pool:
                with pytest.raises(LoopDied, match="selector is broken") as caught:
                    pool.run(kill, died).result(PATIENCE)
                assert caught.value.__cause__ is died
                # The other one continues.
                assert list(pool.map(double, range(50))) == list(range(0, 100, 2))
                with pytest.raises(LoopDied):
                    pool.run(kill, died).result(PATIENCE)
                with pytest.raises(LoopDied):
                    list(pool.map(double, range(50)))

        survive()
        gc.collect()
        # The callers know, so asyncio need not report pending tasks.
        assert not caplog.records

    def test_a_failing_loop_fails_its_map(self, cluster: Cluster) -> None:
        async def work(n: int) -> int:
            await asyncio.sleep(0.001)
            if n == 20:
                asyncio.get_running_loop()._selector.select = _raiser(OSError("broken"))  # type: ignore[attr-defined]
            return n

        with pool_of(cluster, loops=2, uvloop=False) as pool:
            values = list(pool.map(work, range(200), errors="return", limit=8))
        lost = [n for n, one in enumerate(values) if isinstance(one, LoopDied)]
        assert 1 <= len(lost) <= 16
        assert [one for one in values if not isinstance(one, LoopDied)] == [
            n for n in range(200) if n not in lost
        ]

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
    def test_a_pool_is_closed_in_the_child_of_a_fork(self, cluster: Cluster) -> None:
        code = """
            from spikewire.pool import Pool, PoolClosed

            async def double(n):
                return 2 * n

            with Pool(seeds, loops=2, connect_timeout=20) as pool:
                assert list(pool.map(double, [1, 2])) == [2, 4]

                def work():
                    for call in (lambda: pool.run(double, 1), lambda: pool.map(double, [1])):
                        try:
                            call()
                        except PoolClosed as error:
                            assert "after the fork" in str(error)
                        else:
                            raise AssertionError
                    pool.close()
                    with Pool(seeds, loops=2, connect_timeout=20) as own:
                        assert list(own.map(double, [1, 2])) == [2, 4]

                child(work)
                assert list(pool.map(double, [1, 2])) == [2, 4]
            print("both")
        """
        assert scenario(cluster.seeds, code) == "both"

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
    def test_jobs_in_flight_at_a_fork_stay_with_the_parent(self, cluster: Cluster) -> None:
        code = """
            from spikewire.pool import Pool, PoolClosed

            released = threading.Event()

            async def later(n):
                while n and not released.is_set():
                    await asyncio.sleep(0.01)
                return n

            async def awaited(what):
                return await what

            def refused(call, *args):
                try:
                    call(*args)
                except PoolClosed:
                    return
                raise AssertionError(call)

            with Pool(seeds, loops=2, timeout=20) as pool:
                job = pool.run(later, 1)
                results = pool.map(later, range(10), limit=2)
                assert next(results) == 0

                def work():
                    refused(job.result)
                    refused(job.exception)
                    refused(asyncio.run, awaited(job))
                    refused(next, results)
                    refused(asyncio.run, awaited(results))
                    results.close()

                child(work)
                released.set()
                assert job.result(60) == 1
                assert list(results) == list(range(1, 10))
            print("the parent's")
        """
        assert scenario(cluster.seeds, code) == "the parent's"

    def test_a_missing_uvloop_raises(
        self, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "uvloop", None)
        with pytest.raises(ImportError, match=r"uvloop"):
            pool_of(cluster, uvloop=True)
        with pool_of(cluster, loops=1) as pool:
            assert "asyncio" in type(pool._workers[0].loop).__module__


def _read_until_closed(results: Any, calls: list[str]) -> None:
    try:
        list(results)
    except RuntimeError as error:
        calls.append(str(error))


async def _awaited(results: Any) -> Any:
    return await results


def _raiser(error: BaseException) -> Callable[..., Any]:
    def select(*_: object) -> Any:
        raise error

    return select
