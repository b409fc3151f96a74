"""One asyncio client and many tasks, on one loop and on several."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import random
import subprocess
import sys
import textwrap
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.bench.cluster import ask, parse_seeds
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

LIMIT = 60


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Runs a coroutine on a fresh loop of either kind, within a time limit."""
    if request.param == "uvloop":
        new_loop = pytest.importorskip("uvloop").new_event_loop
    else:
        new_loop = asyncio.new_event_loop
    return lambda work: run_on(new_loop(), work)


def run_on(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any]) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(work, LIMIT)

    try:
        return loop.run_until_complete(limited())
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def opened(cluster: Cluster, **options: Any) -> spikewire.AsyncClient:
    return spikewire.AsyncClient(cluster.seeds, **{"timeout": 20, **options})


def test_two_thousand_tasks(run: Any, cluster: Cluster, set_name: str) -> None:
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


def test_a_mixed_load(run: Any, cluster: Cluster, set_name: str) -> None:
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
                    assert result["v"] == "t"
                elif number % 3 == 1:
                    assert isinstance(result, spikewire.RecordNotFound)
                    assert result.key.key == f"missing-{number}"
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
    """Batches of a few records share connections, also with commands on one record."""

    def test_many_at_once_take_one_connection(self, run: Any) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", "shared")
                await asyncio.gather(*(data.put(key, {"v": key}) for key in range(100)))
                before = connections()
                batches = [data.get_many(range(at, at + 4)) for at in range(0, 60, 4)]
                singles = [data.get(key) for key in range(3)]
                for at, batch in enumerate(await asyncio.gather(*batches)):
                    assert [row["v"] for row in batch] == list(range(4 * at, 4 * at + 4))
                assert [row["v"] for row in await asyncio.gather(*singles)] == [0, 1, 2]
                assert connections() == before
                assert len(await data.get_many(range(100))) == 100
                assert connections() == before + 1

        def connections() -> int:
            answer = ask(parse_seeds(cluster.seeds)[0], "statistics") or ""
            return int(dict(one.split("=") for one in answer.split(";"))["client_connections"])

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
                    kept = [data.get_many(range(at, at + 8)) for at in range(90)]
                    singles = [data.get(key) for key in range(90)]
                    await asyncio.sleep(0)
                    for one in doomed[turn % 3 :: 3]:
                        one.cancel()
                    for at, batch in enumerate(await asyncio.gather(*kept)):
                        assert [row["v"] for row in batch] == list(range(at, at + 8))
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
                    kept = [asyncio.ensure_future(data.get(key)) for key in range(100)]
                    # Cancelled before they are sent, on the way, or after.
                    for pause in range(4):
                        for task in tasks[pause::4]:
                            task.cancel()
                        await asyncio.sleep(0)
                    for key, record in enumerate(await asyncio.gather(*kept)):
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
        async def endless(data: spikewire.AsyncDataset, number: int) -> None:
            while True:
                await data.put(number, {"v": number})
                assert (await data.get(number))["v"] == number

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                for _ in range(10):
                    tasks = [asyncio.create_task(endless(data, n)) for n in range(100)]
                    await asyncio.sleep(0.01)
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
                assert [one["v"] for one in ended[50:]] == list(range(1, 100, 2))
                cluster.clear_faults(0)
                found = await asyncio.gather(*(data.get(key) for key in range(100)))
                assert [one["v"] for one in found] == list(range(100))

        with Cluster(1) as cluster:
            run(main())


def test_a_loop_that_was_held_up_blames_nobody(run: Any, cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            data = client.dataset("test", set_name)
            await data.put(1, {"v": 1})
            call = data.get(1, timeout=0.3)
            # The reply is there in time; nobody looks.
            time.sleep(0.6)
            assert (await call)["v"] == 1

    run(main())


class TestLoops:
    def test_several_loops_in_several_threads(self, cluster: Cluster, set_name: str) -> None:
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

    def test_a_loop_that_ends_with_calls_under_way(self, cluster: Cluster, set_name: str) -> None:
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

    def test_a_loop_without_descriptors(self, cluster: Cluster) -> None:
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
    def test_calls_under_way_are_told(self, run: Any, write: bool) -> None:
        async def main() -> None:
            client = await spikewire.AsyncClient.connect(
                cluster.seeds, timeout=60, connect_timeout=20
            )
            data = client.dataset("test", "closing")
            await data.put(1, {"a": 1})
            cluster.inject(0, delay=60)
            calls = [data.put(n, {"a": 1}) if write else data.get(n) for n in range(200)]
            await asyncio.sleep(0.1)
            await client.close()
            ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 30)
            assert {type(one) for one in ended} == {spikewire.ClientClosed}
            assert {one.in_doubt for one in ended} == {write}

        with Cluster(1) as cluster:
            run(main())

    def test_from_another_loop(self) -> None:
        async def main() -> None:
            client = await spikewire.AsyncClient.connect(slow.seeds, timeout=60, connect_timeout=20)
            data = client.dataset("test", "closing")
            await data.put(1, {"a": 1})
            slow.inject(0, delay=60)
            calls = [data.get(1) for _ in range(20)]
            await asyncio.sleep(0.05)
            await asyncio.to_thread(lambda: asyncio.run(client.close()))
            ended = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 30)
            assert {type(one) for one in ended} == {spikewire.ClientClosed}

        with Cluster(1) as slow:
            run_on(asyncio.new_event_loop(), main())

    def test_under_load(self, run: Any, cluster: Cluster, set_name: str) -> None:
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


class Last:
    """Calls back when the last reference to it goes; as a read's default, inside a completion."""

    def __init__(self, then: Callable[[], object]) -> None:
        self.then = then

    def __del__(self) -> None:
        self.then()


class TestReentrancy:
    def test_a_finalizer_that_calls(self, run: Any, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                await data.put("there", {"v": 1})
                made: list[Any] = []

                def call() -> None:
                    made.append(data.add("finalized", {"n": 1}))

                for _ in range(50):
                    await asyncio.gather(
                        *(data.get("there", default=Last(call)) for _ in range(10))
                    )
                gc.collect()
                assert len(made) == 500
                await asyncio.gather(*made)
                assert (await data.get("finalized"))["n"] == 500

        run(main())

    def test_a_collection_during_a_completion(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        """The garbage collector may run while a reply is turned into a record."""

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                made: list[Any] = []

                class Cycle:
                    def __init__(self) -> None:
                        self.own = Last(lambda: made.append(data.add("collected", {"n": 1})))
                        self.cycle = self

                await data.put("big", {"v": [[i] for i in range(2000)]})
                threshold = gc.get_threshold()
                gc.set_threshold(50, 2, 2)
                try:
                    for _ in range(20):
                        for _ in range(10):
                            Cycle()
                        await asyncio.gather(*(data.get("big") for _ in range(10)))
                finally:
                    gc.set_threshold(*threshold)
                gc.collect()
                await asyncio.gather(*made)
                assert len(made) == 200
                assert (await data.get("collected"))["n"] == 200

        run(main())

    def test_callbacks_that_call(self, run: Any, cluster: Cluster, set_name: str) -> None:
        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                done = asyncio.get_running_loop().create_future()

                def next_one(before: asyncio.Future[Any], left: int = 50) -> None:
                    before.result()
                    if left == 0:
                        done.set_result(None)
                    else:
                        data.add(1, {"n": 1}).add_done_callback(lambda f: next_one(f, left - 1))

                data.add(1, {"n": 1}).add_done_callback(next_one)
                await asyncio.wait_for(done, 60)
                assert (await data.get(1))["n"] == 51

        run(main())

    def test_a_mapping_that_calls_while_it_is_read(
        self, run: Any, cluster: Cluster, set_name: str
    ) -> None:
        from collections.abc import Mapping

        async def main() -> None:
            async with opened(cluster) as client:
                data = client.dataset("test", set_name)
                inner: list[Any] = []

                class Calling(Mapping):  # type: ignore[type-arg]
                    def __getitem__(self, name: str) -> int:
                        inner.append(data.put(name, {"v": 1}))
                        return 7

                    def __iter__(self) -> Any:
                        return iter(("a", "b"))

                    def __len__(self) -> int:
                        return 2

                await data.put("outer", Calling())
                await asyncio.gather(*inner)
                assert (await data.get("outer")).bins == {"a": 7, "b": 7}
                assert (await data.get("a"))["v"] == 1

        run(main())

    @pytest.mark.parametrize("where", ["completion", "timer", "future", "callback"])
    def test_a_finalizer_that_closes_the_client(self, cluster: Cluster, where: str) -> None:
        assert alone(CLOSING_FINALIZER, cluster.seeds, where) == "fine\n"

    @pytest.mark.parametrize("where", ["timer", "future", "callback"])
    def test_a_loop_that_calls_back(self, cluster: Cluster, where: str) -> None:
        assert alone(CALLING_LOOP, cluster.seeds, where) == "fine\n"

    def test_errors_of_a_closed_client_while_it_is_closed_again(self, cluster: Cluster) -> None:
        assert alone(CLOSED_AGAIN, cluster.seeds) == "fine\n"


def alone(script: str, *arguments: str) -> str:
    """What a script prints in a process of its own: should it lock up, only that one hangs."""
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return ended.stdout or ended.stderr


#: A loop that runs a hook wherever the transport may call into Python.
HOOKED = """
import asyncio, sys
import spikewire

hook = {}

def run_hook(where):
    if hook.get("where") == where:
        hook.pop("where")
        hook["call"]()

class Hooked(asyncio.SelectorEventLoop):
    def call_later(self, *args, **options):
        run_hook("timer")
        return super().call_later(*args, **options)

    def create_future(self):
        run_hook("future")
        return super().create_future()

    def call_soon(self, *args, **options):
        run_hook("callback")
        return super().call_soon(*args, **options)

class Last:
    def __del__(self):
        run_hook("completion")

def start(main):
    loop = Hooked()
    loop.run_until_complete(asyncio.wait_for(main(), 90))
    print("fine")
"""

CLOSING_FINALIZER = (
    HOOKED
    + """
async def main():
    client = await spikewire.AsyncClient.connect(sys.argv[1], timeout=5, connect_timeout=20)
    data = client.dataset("test", "finalizer")
    await data.put(1, {"v": 1})

    def close():
        try:
            client.close().send(None)
        except StopIteration:
            pass

    await asyncio.sleep(0.3)  # the timer for the call before has run out
    hook.update(where=sys.argv[2], call=close)
    calls = []
    try:
        for at in range(300):
            calls.append(data.get(1, default=Last()))
    except spikewire.ClientClosed:
        pass
    ended = await asyncio.gather(*calls, return_exceptions=True)
    kinds = {type(one).__name__ for one in ended}
    assert kinds <= {"Record", "ClientClosed"}, ended
    assert not client.is_connected

start(main)
"""
)

CALLING_LOOP = (
    HOOKED
    + """
async def main():
    async with spikewire.AsyncClient(sys.argv[1], timeout=5, connect_timeout=20) as client:
        data = client.dataset("test", "calling")
        await data.put(1, {"v": 1})
        made = []
        for _ in range(3):
            await asyncio.sleep(0.3)  # the timer for the calls before has run out
            hook.update(where=sys.argv[2], call=lambda: made.append(data.get(1)))
            await asyncio.gather(*(data.get(1) for _ in range(10)))
        assert made
        for record in await asyncio.gather(*made):
            assert record["v"] == 1

start(main)
"""
)

CLOSED_AGAIN = """
import sys, threading, time
import spikewire

sys.setswitchinterval(1e-6)
client = spikewire.Client(sys.argv[1])
data = client.dataset("test", "closed")
client.close()
end = time.monotonic() + 1

def call():
    while time.monotonic() < end:
        try:
            data.get(1)
        except spikewire.ClientClosed:
            pass

def close():
    while time.monotonic() < end:
        client.close()

threads = [threading.Thread(target=work, daemon=True) for work in [call] * 6 + [close] * 2]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join(60)
assert not any(thread.is_alive() for thread in threads)
print("fine")
"""
