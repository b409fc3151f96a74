"""A pool with a client for each loop, compared with one whose loops share a client."""

from __future__ import annotations

import asyncio
import copy
import pickle
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from forking import scenario
from spikewire import cql, metrics
from spikewire.metrics.otel import instrument
from spikewire.pool import Pool
from spikewire.profiles import Profile
from spikewire.testing.cassandra import CannedServer
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing import Cluster

LOOPS = 3


def pool_of(cluster: Cluster, **options: Any) -> Pool:
    return Pool(
        cluster.seeds,
        **{"loops": LOOPS, "clients": "each", "timeout": 20, "connect_timeout": 20, **options},
    )


@pytest.fixture
def pool(cluster: Cluster) -> Iterator[Pool]:
    with pool_of(cluster) as pool:
        yield pool


def on_each_loop(pool: Pool, ask: Any) -> dict[str, Any]:
    """The result of a function on each of the loops."""
    barrier = threading.Barrier(pool.loops)

    async def work(_: int) -> tuple[str, Any]:
        # No loop runs two of them.
        barrier.wait(60)
        entries = ask()
        return threading.current_thread().name, await entries if hasattr(
            entries, "__await__"
        ) else entries

    entries = dict(pool.map(work, range(pool.loops), limit=1))
    assert len(entries) == pool.loops
    return entries


class TestWhoseTheyAre:
    def test_every_loop_has_its_own(self, pool: Pool) -> None:
        clients = on_each_loop(pool, lambda: pool.client)
        assert len({id(client) for client in clients.values()}) == LOOPS
        assert all(isinstance(client, spikewire.AsyncClient) for client in clients.values())
        # They are the same on the next call.
        assert on_each_loop(pool, lambda: pool.client) == clients

    def test_a_dataset_from_elsewhere_reaches_the_clients_of_the_loops(
        self, pool: Pool, set_name: str
    ) -> None:
        data = pool.dataset("test", set_name)
        pool.metrics.enable()
        list(pool.map(lambda n: data.put(n, {"n": n}), range(600)))
        counts = [client.stats().select(operation="put").count for client in pool._clients.all]
        assert sum(counts) == 600
        assert all(counts)

    def test_elsewhere_it_is_one_of_them(self, pool: Pool, set_name: str) -> None:
        data = pool.dataset("test", set_name)

        async def main() -> None:
            await data.put(1, {"n": 1})
            assert (await data.get(1))["n"] == 1

        asyncio.run(main())

    def test_shared_ones_are_the_same_everywhere(self, cluster: Cluster) -> None:
        with pool_of(cluster, clients="shared") as pool:
            clients = on_each_loop(pool, lambda: pool.client)
            assert {id(client) for client in clients.values()} == {id(pool.client)}

    def test_the_default_goes_by_the_gil(self, cluster: Cluster) -> None:
        pool = Pool(cluster.seeds, loops=2)
        has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
        assert len(pool._clients.all) == (1 if has_gil else 2)

    def test_seeds_that_are_read_once(self, cluster: Cluster) -> None:
        with pool_of(cluster, clients="each") as known:
            seeds = [node.address for node in known.client.nodes()]
        once: Any = iter(seeds)
        with Pool(once, loops=2, clients="each", connect_timeout=20) as pool:
            assert len(on_each_loop(pool, lambda: pool.client)) == 2

    def test_a_pool_opens_by_url(self, cluster: Cluster) -> None:
        url = f"aerospike://{cluster.seeds}/test?timeout=20"
        with Pool.from_url(url, loops=2, clients="each") as pool:
            assert pool.client.namespace == "test"
            assert len({id(one) for one in on_each_loop(pool, lambda: pool.client).values()}) == 2
            users = pool.dataset(set="by_url")
            assert list(pool.map(users.exists, range(20))) == [False] * 20

    def test_a_client_passed_in_is_shared(self, cluster: Cluster) -> None:
        client = spikewire.AsyncClient(cluster.seeds)
        with pytest.raises(TypeError, match="a client passed in is shared by all loops"):
            Pool(client, clients="each")
        with pytest.raises(
            TypeError, match="options are for a client the pool opens itself: timeout"
        ):
            Pool(client, timeout=1)
        with CannedServer() as server, pytest.raises(TypeError, match="shared by all loops"):
            Pool(cql.AsyncSession(server.address), clients="each")


class TestWhatTheyStandFor:
    def test_sessions_and_profiles_use_the_client_of_the_loop(
        self, pool: Pool, set_name: str
    ) -> None:
        profile = Profile("patient", read={"timeout": 7})
        client = pool.client.with_profile(profile)
        data = client.dataset("test", set_name)
        session = client.session()
        plain = pool.client.session()

        async def work(n: int) -> tuple[Any, ...]:
            key = data.key(n)
            await session.upsert(key).set("n", n).execute()
            record = await session.query(key).first()
            scanned = await plain.query(data).count()
            return record["n"], scanned > 0, data.explain("get")["timeout"].value

        assert list(pool.map(work, range(30))) == [(n, True, 7.0) for n in range(30)]
        profile.replace(Profile("patient", read={"timeout": 8}).state)
        assert set(on_each_loop(pool, lambda: data.explain("get")["timeout"].value).values()) == {8}

    def test_concurrent_and_streams_use_the_client_of_the_loop(
        self, pool: Pool, set_name: str
    ) -> None:
        data = pool.dataset("test", set_name)

        async def work(_: int) -> int:
            calls = ((data.exists, n) for n in range(10))
            assert [it async for it in pool.client.concurrent(calls)] == [False] * 10
            return len([it async for it in data.get_stream(range(10))])

        assert list(pool.map(work, range(10))) == [10] * 10

    def test_statistics_are_added_up(self, pool: Pool, set_name: str) -> None:
        data = pool.dataset("test", set_name)
        assert not pool.metrics.enabled
        pool.metrics.enable(stages=True)
        assert pool.metrics.enabled
        assert pool.metrics.stages
        list(pool.map(lambda n: data.put(n, {"n": n}), range(500)))
        stats = pool.stats()
        each = [client.stats() for client in pool._clients.all]
        assert stats.counting
        assert stats.select(operation="put", result="ok").count == 500
        assert stats.select(operation="put").seconds == pytest.approx(
            sum(one.select(operation="put").seconds for one in each)
        )
        assert len({(it.operation, it.node, it.result) for it in stats.commands}) == len(
            stats.commands
        )
        assert {node.name for node in stats.nodes} == {node.name for node in each[0].nodes}
        assert len(stats.nodes) == len(each[0].nodes)
        assert sum(node.opened for node in stats.nodes) == sum(
            node.opened for one in each for node in one.nodes
        )
        assert {stage.stage for stage in stats.stages} == {it.stage for it in each[0].stages}
        assert pool.client.stats().select(operation="put").count == 500
        # Formats for a client work for a pool, too.
        assert "500" in metrics.prometheus(pool)
        pool.metrics.reset()
        assert not pool.stats().select(operation="put").count
        pool.metrics.disable()
        assert not pool.stats().counting

    def test_events_of_all_clients_are_reported(self, pool: Pool, set_name: str) -> None:
        events: list[metrics.Event] = []
        stop = pool.metrics.on_event(events.append)
        pool.metrics.enable()
        for one in pool._clients.all:
            one.metrics.log_slow(0.0)
        data = pool.dataset("test", set_name)
        list(pool.map(data.exists, range(60)))
        assert until(lambda: sum(isinstance(it, metrics.SlowCommand) for it in events) == 60)
        stop()
        pool.metrics.log_slow(None)

    def test_a_traced_pool_runs_verbs(self, pool: Pool, set_name: str) -> None:
        traced = instrument(pool.client)
        data = traced.dataset("test", set_name)
        assert list(pool.map(data.exists, range(30))) == [False] * 30

    def test_datasets_compare_and_pickle(self, pool: Pool) -> None:
        data = pool.dataset("test", "a")
        assert data == pool.dataset("test", "a")
        assert hash(data) == hash(pool.dataset("test", "a"))
        assert data != pool.dataset("test", "b")
        assert (data.namespace, data.set) == ("test", "a")
        assert repr(data).endswith(f"a client for each of {LOOPS} loops>")
        assert isinstance(pickle.loads(pickle.dumps(data)), spikewire.AsyncDataset)
        with pytest.raises(TypeError):
            copy.copy(pool.client)
        with pytest.raises(AttributeError, match="nothing_such"):
            _ = data.nothing_such  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="namespace"):
            pool.dataset("", "a")


class TestTheirLife:
    def test_closing_closes_all_clients(self, cluster: Cluster) -> None:
        with pool_of(cluster) as pool:
            clients = pool._clients.all
            assert all(client.is_connected for client in clients)
        assert not any(client._holds_connections for client in clients)

        async def main() -> None:
            async with pool_of(cluster) as pool:
                await pool.client.close()
                assert not any(client._holds_connections for client in pool._clients.all)

        asyncio.run(main())

    @pytest.mark.parametrize("failing", [0, 2])
    def test_a_client_that_cannot_open_closes_the_others(
        self, cluster: Cluster, failing: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pool = pool_of(cluster)
        opens = spikewire.AsyncClient._open

        def open_or_fail(client: Any) -> Any:
            if client is pool._clients.all[failing]:
                message = "no more descriptors"
                raise spikewire.ConnectionFailed(message)
            return opens(client)

        monkeypatch.setattr(spikewire.AsyncClient, "_open", open_or_fail, raising=False)
        with pytest.raises(spikewire.ConnectionFailed, match="no more descriptors"):
            pool.open()
        assert not pool.is_open
        assert not any(client._holds_connections for client in pool._clients.all)
        monkeypatch.undo()
        if failing:
            with pytest.raises(RuntimeError, match="create another one"):
                pool.open()
        else:
            pool.open().close()

    def test_opening_without_a_cluster_raises(self) -> None:
        pool = Pool("127.0.0.1:1", loops=LOOPS, clients="each", connect_timeout=0.2)
        with pytest.raises(spikewire.ConnectionFailed), pool:
            pass

    def test_a_cancelled_call_is_that_of_its_loop(self, pool: Pool, set_name: str) -> None:
        data = pool.dataset("test", set_name)

        async def work(n: int) -> bool:
            call = data.exists(n)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            return await data.exists(n)

        assert list(pool.map(work, range(60))) == [False] * 60

    @pytest.mark.usefixtures("no_descriptor_leak")
    def test_closed_pools_leave_nothing_open(self, cluster: Cluster) -> None:
        for _ in range(2):
            with pool_of(cluster) as pool:
                list(pool.map(pool.dataset("test", "leaks").exists, range(100)))

    def test_a_pool_is_closed_in_the_child_of_a_fork(self, cluster: Cluster) -> None:
        code = """
            from spikewire.pool import Pool, PoolClosed

            options = {"loops": 2, "clients": "each", "connect_timeout": 20, "timeout": 20}
            with Pool(seeds, **options) as pool:
                data = pool.dataset("test", "forked")
                assert list(pool.map(data.exists, [1, 2])) == [False, False]

                def work():
                    try:
                        pool.map(data.exists, [1])
                    except PoolClosed:
                        pass
                    else:
                        raise AssertionError
                    with Pool(seeds, **options) as own:
                        mine = own.dataset("test", "forked")
                        assert list(own.map(mine.exists, [1, 2])) == [False, False]

                child(work)
                assert list(pool.map(data.exists, [1, 2])) == [False, False]
            print("both")
        """
        assert scenario(cluster.seeds, code) == "both"
