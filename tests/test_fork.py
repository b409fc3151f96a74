"""A client across forks: the child reconnects, the parent is unaffected.

Each scenario runs in an interpreter of its own, so that a hang there is a failure here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import forking

if TYPE_CHECKING:
    from spikewire.testing import Cluster

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def scenario(cluster: Cluster, code: str, *options: str) -> str:
    return forking.scenario(cluster.seeds, code, *options)


def test_a_blocking_client_works_in_the_child(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        users = client.dataset("test", "fork")
        users.put("k", {"n": 1})

        def work():
            assert users.get("k")["n"] == 1
            users.add("k", {"n": 1})
            assert client.get(("test", "fork", "k"))["n"] == 2
            assert client.nodes()

        for _ in range(3):
            child(work)
            users.put("k", {"n": 1})
            assert users.get("k")["n"] == 1
        client.close()
        """,
    )


@pytest.mark.parametrize("close", ["client.close()", "del client, users; gc.collect()", "pass"])
def test_the_child_may_close_or_forget_the_client(cluster: Cluster, close: str) -> None:
    scenario(
        cluster,
        f"""
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        users = client.dataset("test", "fork")
        users.put("k", {{"n": 1}})

        def unused():
            global client, users
            {close}

        def used():
            global client, users
            users.get("k")
            {close}

        child(unused)
        assert users.get("k")["n"] == 1
        child(used)
        assert users.get("k")["n"] == 1
        client.close()
        """,
        "-W",
        "ignore::ResourceWarning",
    )


def test_the_child_may_end_like_any_program(cluster: Cluster) -> None:
    # Through the normal exit of the interpreter, with everything that runs there.
    out = scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        client.put(("test", "fork", "k"), {"n": 1})
        process = os.fork()
        if process == 0:
            signal.alarm(60)
            sys.exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
        assert client.get(("test", "fork", "k"))["n"] == 1
        client.close()
        """,
        "-W",
        "error",
    )
    assert out == ""


def test_while_other_threads_are_calling(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        users = client.dataset("test", "fork")
        users.put("k", {"n": 1})
        stop, failed = threading.Event(), []

        def load(at):
            while not stop.is_set():
                try:
                    users.put(at, {"n": at})
                    assert users.get(at)["n"] == at
                    assert users.get_many(["k", at, "none"]).found == 2
                except BaseException as error:
                    failed.append(error)
                    return

        threads = [threading.Thread(target=load, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()

        def work():
            for _ in range(20):
                assert users.get("k")["n"] == 1
                assert users.get_many(["k", "none"]).found == 1
            client.close()

        try:
            for _ in range(20):
                child(work)
        finally:
            stop.set()
            for thread in threads:
                thread.join(20)
        assert not failed, failed
        client.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


def test_while_other_threads_make_room_for_each_other(cluster: Cluster) -> None:
    """The state that threads of the parent share does not apply to the child."""
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=10)
        users = client.dataset("test", "fork-queries")
        users.put_many({key: {"n": key} for key in range(300)}).raise_for_errors()
        stop, failed = threading.Event(), []

        def use(verb):
            while not stop.is_set():
                try:
                    verb()
                except BaseException as error:
                    failed.append(error)
                    return

        def scan():
            with users.query() as query:
                assert sum(1 for _ in query) == 300

        def get():
            assert users.get(7)["n"] == 7

        threads = [threading.Thread(target=use, args=(verb,)) for verb in (scan, get) * 3]
        for thread in threads:
            thread.start()

        def work():
            reading = threading.Thread(target=lambda: [get() for _ in range(50)])
            reading.start()
            scan()
            reading.join()

        try:
            for _ in range(5):
                child(work)
        finally:
            stop.set()
            for thread in threads:
                thread.join(20)
        assert not failed, failed
        client.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


def test_a_client_works_in_grandchildren(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        client.put(("test", "fork", "k"), {"n": 1})

        def read():
            assert client.get(("test", "fork", "k"))["n"] == 1

        def work():
            read()
            child(read)
            read()

        child(work)
        read()
        client.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("policy", ["asyncio", "uvloop"])
def test_an_asyncio_client_works_in_the_child(cluster: Cluster, policy: str) -> None:
    if policy == "uvloop":
        pytest.importorskip("uvloop")
    scenario(
        cluster,
        f"""
        import {policy}

        async def use(client, times=1):
            users = client.dataset("test", "fork-async")
            for _ in range(times):
                found = await asyncio.gather(*(users.get("k") for _ in range(50)))
                assert all(record["n"] == 1 for record in found)

        def work():
            async def main():
                await use(client)
                await use(client)
                await client.close()

            asyncio.run(main())

        async def parent():
            await client.put(("test", "fork-async", "k"), {{"n": 1}})
            await use(client)
            for _ in range(3):
                # The child is born while this loop has the parent's connections open.
                child(work)
                await use(client, 3)

        client = spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20)
        loop = {policy}.new_event_loop()
        loop.run_until_complete(client.__aenter__())
        loop.run_until_complete(parent())
        # And between two runs.
        child(work)
        loop.run_until_complete(use(client))
        loop.run_until_complete(client.close())
        loop.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("policy", ["asyncio", "uvloop"])
def test_no_loop_runs_in_the_child_of_one_that_runs(cluster: Cluster, policy: str) -> None:
    if policy == "uvloop":
        pytest.importorskip("uvloop")
    scenario(
        cluster,
        f"""
        import {policy}

        def work():
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                pass
            else:
                return  # Later versions of Python leave it running.
            try:
                client.get(("test", "fork-async", "k"))
            except RuntimeError as error:
                assert "no running event loop" in str(error)
            else:
                raise AssertionError("a future of a loop that the child does not run")

        async def main():
            await client.__aenter__()
            await client.put(("test", "fork-async", "k"), {{"n": 1}})
            child(work)
            assert (await client.get(("test", "fork-async", "k")))["n"] == 1
            await client.close()

        client = spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20)
        loop = {policy}.new_event_loop()
        loop.run_until_complete(main())
        loop.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


def test_the_child_may_close_an_async_client_unused(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        async def main():
            async with spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20) as client:
                key = ("test", "fork-async", "k")
                await client.put(key, {"n": 1})

                def work():
                    asyncio.run(client.close())

                child(work)
                futures = [client.get(key) for _ in range(100)]
                child(work)
                assert all(record["n"] == 1 for record in await asyncio.gather(*futures))

        asyncio.run(main())
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


def test_multiprocessing_workers_use_the_client(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        users = client.dataset("test", "fork-pool")

        def inherited(at):
            users.put(at, {"n": at})
            return users.get(at)["n"]

        def sent(job):
            dataset, at = job
            assert dataset == users
            return dataset.get(at)["n"]

        def loop(dataset, at):
            async def main():
                return (await dataset.get(at))["n"]
            return asyncio.run(main())

        async def of_async():
            async with spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20) as client:
                return client.dataset("test", "fork-pool")

        context = multiprocessing.get_context("fork")
        with context.Pool(4) as pool:
            assert pool.map_async(inherited, range(64)).get(30) == list(range(64))
            jobs = [(users, at) for at in range(64)]
            assert pool.map_async(sent, jobs).get(30) == list(range(64))
            dataset = asyncio.run(of_async())
            jobs = [(dataset, at) for at in range(8)]
            assert pool.starmap_async(loop, jobs).get(30) == list(range(8))
        assert users.get(5)["n"] == 5
        client.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("end", ["box.stop()", "del box; gc.collect()", "sys.exit(0)"])
def test_the_child_may_end_an_inherited_cluster(cluster: Cluster, end: str) -> None:
    code = f"""
    from spikewire.testing import Cluster

    box = Cluster(nodes=2)
    process = os.fork()
    if process == 0:
        {end}
        os._exit(0)
    _, status = os.waitpid(process, 0)
    assert status == 0, f"the child ended with {{status}}"
    with spikewire.Client(box.seeds, timeout=20) as client:
        client.put(("test", "s", 1), {{"n": 1}})
        print(client.get(("test", "s", 1))["n"])
    box.stop()
    """
    assert scenario(cluster, code).strip() == "1"


def test_the_child_may_open_an_asyncio_client_again(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        client = spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20)

        async def use():
            await client.put(("test", "fork", "k"), {"n": 1})
            return (await client.get(("test", "fork", "k")))["n"]

        async def again():
            async with client:
                assert await use() == 1

        async def open():
            await client.__aenter__()
            assert await use() == 1

        asyncio.run(open())
        child(lambda: asyncio.run(again()))
        assert asyncio.run(use()) == 1
        asyncio.run(client.close())
        """,
    )


@pytest.mark.parametrize("leave", ["records.close()", "records.__exit__(None, None, None)", "pass"])
def test_the_child_may_leave_a_query(cluster: Cluster, leave: str) -> None:
    scenario(
        cluster,
        f"""
        client = spikewire.Client(seeds, timeout=120, connect_timeout=20)
        data = client.dataset("test", "forked_query")
        data.put_many({{n: {{"b": bytes(2000)}} for n in range(5000)}}).raise_for_errors()
        # A node that is listened to no more would be given up, and asked again, after this time.
        records = data.query(socket_timeout=100, timeout=0)
        first = [next(records) for _ in range(10)]

        def work():
            {leave}
            try:
                list(records)
            except spikewire.errors.ClientClosed:
                return
            raise AssertionError("it is the parent's query")

        child(work)
        begun = time.monotonic()
        assert len(first) + len(list(records)) == 5000
        assert time.monotonic() - begun < 50
        client.close()
        """,
    )


def test_the_child_may_stop_a_cluster_that_a_thread_waits_for(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        from spikewire.testing import Cluster

        box = Cluster(nodes=3, migration_pause=0.001)
        box.kill(1)
        box.restart(1)
        waiter = threading.Thread(target=box.wait_settled, args=(60,))
        waiter.start()
        while sys._current_frames()[waiter.ident].f_code.co_name != "wait_settled":
            time.sleep(0.001)
        child(box.stop)
        waiter.join()
        box.stop()
        """,
    )


def test_the_child_can_read_the_addresses_of_a_cluster_but_not_change_it(cluster: Cluster) -> None:
    """Whatever the parent's threads hold at the moment of the fork."""
    scenario(
        cluster,
        """
        from spikewire.testing import Cluster

        box = Cluster(nodes=2)
        seeds = box.seeds
        box.inject(0, delay=0.01)
        ends = threading.Event()

        def change():
            while not ends.is_set():
                box.kill(1)
                box.restart(1)

        busy = threading.Thread(target=change)
        busy.start()

        def work():
            assert box.seeds == seeds and box.addresses == seeds.split(",")
            assert box.certificates is None
            assert seeds in repr(box)
            calls = [
                lambda: box.kill(0), lambda: box.restart(0), lambda: box.inject(0, drop=1.0),
                lambda: box.clear_faults(0), lambda: box.truncate(), lambda: box.stats(0),
                lambda: box.is_alive(0), lambda: box.node_name(0), lambda: box.wait_settled(1),
            ]
            for call in calls:
                try:
                    call()
                except OSError as error:
                    assert "fork" in str(error), error
                else:
                    raise AssertionError("it changed the parent's cluster")
            box.stop()

        for _ in range(5):
            child(work)
        ends.set()
        busy.join()
        assert box.is_alive(0)
        box.stop()
        assert "stopped" in repr(box)
        """,
    )


def test_functions_of_concurrent_futures_in_the_child(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        from concurrent.futures import as_completed, wait
        from spikewire.testing import Cluster

        box = Cluster(nodes=1)
        client = spikewire.Client(box.seeds, timeout=50, connect_timeout=20)
        box.inject(0, delay=60)
        future = client.submit.exists(("test", "fork", 1))

        def work():
            for function in (wait, lambda futures: list(as_completed(futures))):
                try:
                    function([future])
                except spikewire.ClientClosed as error:
                    assert "fork" in str(error)
                else:
                    raise AssertionError("nobody completes it")

        child(work)
        box.stop()
        """,
        "-W",
        "ignore::ResourceWarning",
    )


def test_signals_in_the_child_of_a_thread(cluster: Cluster) -> None:
    # The thread that forks becomes the main thread of the child.
    scenario(
        cluster,
        """
        from spikewire.testing import Cluster

        box = Cluster(nodes=1)
        client = spikewire.Client(box.seeds, timeout=50, connect_timeout=20)
        users = client.dataset("test", "fork")
        users.put("k", {"n": 1})

        def interrupt(*_):
            raise InterruptedError

        def work():
            users.get("k")
            box_is_slow.set()
            slow.wait(30)
            signal.signal(signal.SIGUSR1, interrupt)
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
            begun = time.monotonic()
            try:
                users.get("k")
            except InterruptedError:
                assert time.monotonic() - begun < 25
            else:
                raise AssertionError("nothing interrupted it")

        def from_a_thread():
            users.get("k")  # Here signals are not minded.
            child(work)
            done.append(True)

        import multiprocessing.synchronize
        box_is_slow, slow = multiprocessing.Event(), multiprocessing.Event()
        done = []
        thread = threading.Thread(target=from_a_thread)
        thread.start()
        assert box_is_slow.wait(30)
        box.inject(0, delay=40)
        slow.set()
        thread.join()
        assert done
        box.stop()
        """,
        "-W",
        "ignore::ResourceWarning",
    )


def test_calls_import_nothing(cluster: Cluster) -> None:
    # A fork while another thread imports a module leaves the module's lock held in the child, for
    # good: calls that import what they need would hang there.
    scenario(
        cluster,
        """
        spikewire.Client, spikewire.AsyncClient
        modules = set(sys.modules)

        with spikewire.Client(seeds, timeout=30, connect_timeout=20) as client:
            users = client.dataset("test", "imports")
            users.put_many({n: {"n": n} for n in range(9)}).raise_for_errors()
            assert users.get(1)["n"] == 1
            assert users.get(10, default=None) is None
            assert users.get_many(range(9)).found == 9
            assert users.submit.get(2).result(20)["n"] == 2
            assert sum(1 for _ in users.query()) == 9

        async def calls():
            async with spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20) as client:
                users = client.dataset("test", "imports")
                await users.put(1, {"n": 1})
                assert (await asyncio.gather(*(users.get(n) for n in range(9))))[8]["n"] == 8
                assert (await users.get_many(range(9))).found == 9
                assert len([record async for record in users.query()]) == 9

        asyncio.run(calls())
        assert not set(sys.modules) - modules, set(sys.modules) - modules
        """,
    )


def test_first_calls_of_other_threads_do_not_stop_the_child(cluster: Cluster) -> None:
    # The kind: what another thread creates on first use during a fork stays half created in the
    # child.
    scenario(
        cluster,
        """
        client = spikewire.Client(seeds, timeout=30, connect_timeout=20)
        users = client.dataset("test", "fork")
        users.put_many({n: {"n": n, "list": [n]} for n in range(9)}).raise_for_errors()

        def use():
            users.put(10, {"n": 1}, ttl=60)
            users.operate(10, [spikewire.op.add("n", 1), spikewire.op.get("n")])
            assert users.submit.get(2).result(20)["n"] == 2
            assert sum(1 for _ in users.query(limit=5)) == 5
            client.session().upsert(users.key(10)).set("n", 2).execute()

            async def read():
                async with spikewire.AsyncClient(seeds, timeout=30, connect_timeout=20) as other:
                    assert (await other.dataset("test", "fork").get(3))["n"] == 3

            asyncio.run(read())

        children_beside_first_calls(use, 15)
        client.close()
        """,
    )


def test_classes_are_created_with_the_module() -> None:
    # PyO3 creates a class when it is used first, and what is half created at a fork stays so.
    sources = Path(__file__).parent.parent / "crates" / "spikewire-python" / "src"
    texts = [file.read_text() for file in sources.rglob("*.rs")]
    classes = re.compile(
        r"#\[pyclass[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:pub(?:\(\w+\))? )?(?:struct|enum) (\w+)"
    )
    exports = re.compile(
        r"#\[pymodule_export\]\s*use ([^;]+);|(\w+::type_object)\(py\)|(get_type::<\w+)>"
    )
    defined = {name for text in texts for name in classes.findall(text)}
    created = "".join(match.group() for text in texts for match in exports.finditer(text))
    assert len(defined) > 50
    assert not defined - set(re.findall(r"\w+", created))


def test_a_fork_waits_for_imports_on_first_use(cluster: Cluster) -> None:
    scenario(
        cluster,
        """
        from spikewire._imports import import_late, importing

        started, forking, finished = threading.Event(), threading.Event(), threading.Event()
        # Hooks before a fork run in the reverse order.
        os.register_at_fork(before=forking.set)

        def load():
            with importing:
                started.set()
                forking.wait()
                finished.set()

        def work():
            assert finished.is_set()
            import_late("spikewire.op")
            # A child of the child, during an import of its own, too.
            with importing:
                child(lambda: import_late("spikewire.exp"))

        thread = threading.Thread(target=load)
        thread.start()
        started.wait()
        child(work)
        thread.join()
        child(work)
        """,
    )
