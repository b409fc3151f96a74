"""A session across forks: the child reconnects, the parent is unaffected."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from forking import scenario

if TYPE_CHECKING:
    from spikewire.testing.cassandra import SharedCassandra

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

BEGIN = """
from spikewire import cql

options = {"timeout": 60, "connect_timeout": 30}
READ = "SELECT n FROM fork WHERE id = 1"


def descriptors():
    # Sockets, pollers and wakers of this process.
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if target.startswith(("socket:", "anon_inode:[event")):
            found.add(f"{name} {target}")
    return found
"""


def run(cassandra: SharedCassandra, keyspace: str, code: str, *options: str) -> str:
    keyspaces = f"options['keyspace'] = {keyspace!r}\n"
    return scenario(cassandra.addresses[0], BEGIN + keyspaces + textwrap.dedent(code), *options)


@pytest.fixture(scope="module", autouse=True)
def table(cassandra: SharedCassandra, keyspace: str) -> None:
    cassandra.execute(f"CREATE TABLE {keyspace}.fork (id int PRIMARY KEY, n int)")
    cassandra.execute(f"INSERT INTO {keyspace}.fork (id, n) VALUES (1, 1)")


def test_a_blocking_session_works_in_the_child(cassandra: SharedCassandra, keyspace: str) -> None:
    run(
        cassandra,
        keyspace,
        """
        session = cql.Session(seeds, **options)
        select = session.prepare("SELECT n FROM fork WHERE id = ?")

        def read():
            assert session.execute(READ).one().n == 1
            assert session.execute(select, (1,)).one().n == 1
            assert session.submit.execute(select, (1,)).result(60).one().n == 1

        def work():
            read()
            assert session.nodes
            child(read)
            read()

        read()
        for _ in range(3):
            child(work)
            read()
        session.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("close", ["session.close()", "del session; gc.collect()", "pass"])
def test_the_child_may_close_or_forget_the_session(
    cassandra: SharedCassandra, keyspace: str, close: str
) -> None:
    run(
        cassandra,
        keyspace,
        f"""
        session = cql.Session(seeds, **options)
        session.execute(READ)

        def unused():
            global session
            {close}

        def used():
            global session
            session.execute(READ)
            {close}

        for work in (unused, used):
            child(work)
            assert session.execute(READ).one().n == 1
        session.close()
        """,
        "-W",
        "ignore::ResourceWarning",
    )


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux lists descriptors there")
def test_the_child_closes_what_it_inherited(cassandra: SharedCassandra, keyspace: str) -> None:
    out = run(
        cassandra,
        keyspace,
        """
        bare = descriptors()
        session = cql.Session(seeds, **options)
        session.execute(READ)
        inherited = descriptors() - bare
        # The control connection with its poller and waker; a connection and its poller.
        assert len(inherited) >= 5, inherited

        def closed():
            assert inherited <= descriptors()
            session.close()
            assert not inherited & descriptors(), inherited & descriptors()

        def used():
            session.execute(READ)
            # Pollers look alike: there are no more than before.
            sockets = {one for one in inherited if "socket" in one}
            assert not sockets & descriptors(), sockets & descriptors()
            assert len(descriptors()) <= len(bare | inherited), descriptors()

        child(closed)
        child(used)
        # Nothing of the parent's was touched: the control connection still hears of a change.
        assert inherited <= descriptors()
        changed = session.execute("CREATE TABLE IF NOT EXISTS later (id int PRIMARY KEY)")
        assert changed.schema_agreed
        assert session.execute(READ).one().n == 1
        assert inherited <= descriptors()
        session.close()
        print("done")
        """,
    )
    assert out == "done"


def test_while_other_threads_are_calling(cassandra: SharedCassandra, keyspace: str) -> None:
    run(
        cassandra,
        keyspace,
        """
        session = cql.Session(seeds, **options)
        select = session.prepare("SELECT n FROM fork WHERE id = ?")
        stop, failed = threading.Event(), []

        def load():
            while not stop.is_set():
                try:
                    assert session.execute(select, (1,)).one().n == 1
                    assert session.submit.execute(select, (1,)).result(60).one().n == 1
                except BaseException as error:
                    failed.append(error)
                    return

        threads = [threading.Thread(target=load) for _ in range(4)]
        for thread in threads:
            thread.start()

        def work():
            for _ in range(5):
                assert session.execute(select, (1,)).one().n == 1
            session.close()

        try:
            for _ in range(8):
                child(work)
        finally:
            stop.set()
            for thread in threads:
                thread.join(60)
        assert not failed, failed
        session.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("policy", ["asyncio", "uvloop"])
def test_an_asyncio_session_works_in_the_child(
    cassandra: SharedCassandra, keyspace: str, policy: str
) -> None:
    if policy == "uvloop":
        pytest.importorskip("uvloop")
    run(
        cassandra,
        keyspace,
        f"""
        import {policy}

        async def use():
            found = await asyncio.gather(*(session.execute(READ) for _ in range(50)))
            assert all(rows.one().n == 1 for rows in found)

        def used():
            async def main():
                await use()
                await use()
                await session.close()

            asyncio.run(main())

        def unused():
            asyncio.run(session.close())

        async def parent():
            await use()
            for work in (used, unused, used):
                # The child is born while this loop has the parent's statements in flight.
                futures = [session.execute(READ) for _ in range(50)]
                child(work)
                assert all(rows.one().n == 1 for rows in await asyncio.gather(*futures))
                await use()

        session = cql.AsyncSession(seeds, **options)
        loop = {policy}.new_event_loop()
        loop.run_until_complete(session.__aenter__())
        loop.run_until_complete(parent())
        # And between two runs.
        child(used)
        loop.run_until_complete(use())
        loop.run_until_complete(session.close())
        loop.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


@pytest.mark.parametrize("leave", ["rows.close()", "pass"])
def test_the_child_may_leave_a_query(cassandra: SharedCassandra, keyspace: str, leave: str) -> None:
    run(
        cassandra,
        keyspace,
        f"""
        session = cql.Session(seeds, **options)
        session.execute("CREATE TABLE IF NOT EXISTS many (id int PRIMARY KEY)")
        insert = session.prepare("INSERT INTO many (id) VALUES (?)")
        session.execute_many(insert, ((at,) for at in range(1000)), results=False)
        rows = session.query("SELECT id FROM many", page_size=50)
        first = [next(rows) for _ in range(10)]

        def work():
            {leave}

        child(work)
        assert len(first) + len(list(rows)) == 1000
        session.close()
        """,
    )


def test_multiprocessing_workers_use_sessions(cassandra: SharedCassandra, keyspace: str) -> None:
    run(
        cassandra,
        keyspace,
        """
        session = cql.Session(seeds, **options)
        select = session.prepare("SELECT n FROM fork WHERE id = ?")

        def inherited(at):
            return session.execute(select, (1,)).one().n + at

        context = multiprocessing.get_context("fork")
        with context.Pool(4) as pool:
            assert pool.map_async(inherited, range(32)).get(60) == [1 + at for at in range(32)]
        assert session.execute(READ).one().n == 1
        session.close()
        """,
        "-W",
        "ignore::DeprecationWarning",
    )


def test_calls_import_nothing(cassandra: SharedCassandra, keyspace: str) -> None:
    # A module that a thread of the parent imports during a fork stays locked in the child.
    run(
        cassandra,
        keyspace,
        """
        cql.Session, cql.AsyncSession
        modules = set(sys.modules)

        with cql.Session(seeds, **options) as session:
            assert session.execute(READ).one()["n"] == 1

        async def calls():
            async with cql.AsyncSession(seeds, **options) as session:
                assert (await session.execute(READ)).one()["n"] == 1

        asyncio.run(calls())
        assert not set(sys.modules) - modules, set(sys.modules) - modules
        """,
    )


def test_first_calls_of_other_threads_do_not_stop_the_child(
    cassandra: SharedCassandra, keyspace: str
) -> None:
    # What another thread creates on first use during a fork stays half created in the child. A
    # thread that does not release the interpreter makes each first use take long.
    run(
        cassandra,
        keyspace,
        """
        session = cql.Session(seeds, **options)
        select = session.prepare("SELECT n FROM fork WHERE id = ?")

        def use():
            assert session.execute(READ).one()["n"] == 1
            assert session.execute(select, {"id": 1}).one().n == 1
            assert len(session.execute_many(select, [(1,), (1,)])) == 2
            assert session.submit.execute(select, (1,)).result(20).one().n == 1
            assert [row.n for row in session.query(READ)] == [1]
            now = "SELECT toTimestamp(now()) AS at, uuid() AS u, tokens FROM system.local"
            assert len(session.execute(now).one()) == 3
            assert session.stats()

            async def read():
                async with cql.AsyncSession(seeds, **options) as other:
                    assert (await other.execute(READ)).one()["n"] == 1

            asyncio.run(read())

        children_beside_first_calls(use, 10)
        session.close()
        """,
    )
