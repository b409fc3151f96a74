"""The cache for hot keys: what it answers, what it never answers, and how old that may be."""

from __future__ import annotations

import asyncio
import bisect
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import metrics, op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Opened

#: Longer than any test: entries end only by what is tested.
LONG = 3600
#: Every key is hot.
ALWAYS: dict[str, Any] = {"near_cache": 1 << 22, "near_cache_heat": 0}
#: Reads of the counter: `SPIKEWIRE_NEAR_CACHE_READS=10000000` for a long run.
READS = int(os.environ.get("SPIKEWIRE_NEAR_CACHE_READS", "100000"))

SOURCE = "function set(rec, value) rec['n'] = value; aerospike:update(rec); return value end"


@pytest.fixture(scope="module")
def nodes() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture
def other(nodes: Cluster) -> Iterator[spikewire.Client]:
    """Another client, of whose writes the cache does not know."""
    with spikewire.Client(nodes.seeds, timeout=30) as client:
        yield client


def opened(api: Api, cluster: Cluster, **options: Any) -> Opened:
    client = api.open(cluster.seeds, **{"timeout": 30, "near_cache_staleness": LONG, **options})
    client.raw.metrics.enable()
    return client


def sent(client: Opened) -> int:
    """The requests of a client so far."""
    return int(client.raw.stats().select().count)


def test_hot_records_are_answered_without_a_request(
    api: Api, nodes: Cluster, other: spikewire.Client
) -> None:
    data = other.dataset("test", "near")
    data.delete_many([1, 2])
    data.put(1, {"n": 1, "s": "text"}, ttl=1000)
    with opened(api, nodes, **ALWAYS) as client:
        cached = client.dataset("test", "near")

        def read() -> list[Any]:
            record = cached.get(1)
            return [
                (record.bins, record.generation, record.ttl > 900),
                cached.get(1, bins=["n"]).bins,
                cached.exists(1),
                cached.get(2, default=None),
                cached.exists(2),
            ]

        first = read()
        assert first == [({"n": 1, "s": "text"}, 1, True), {"n": 1}, True, None, False]
        before = sent(client)
        data.put(1, {"n": 2})
        assert all(read() == first for _ in range(5))
        with pytest.raises(spikewire.RecordNotFound):
            cached.get(2)
        assert sent(client) == before
        stats = client.raw.stats().near_cache
        assert (stats.hits, stats.misses, stats.entries) == (26, 5, 5)
        assert 0 < stats.bytes < 1 << 20


def test_batches_take_hot_rows(api: Api, nodes: Cluster, other: spikewire.Client) -> None:
    data = other.dataset("test", "near_many")
    data.put_many({key: {"n": key} for key in range(20)}).raise_for_errors()
    with opened(api, nodes, **ALWAYS) as client:
        cached = client.dataset("test", "near_many")
        first = [record["n"] if record else None for record in cached.get_many(range(21))]
        assert first == [*range(20), None]
        before = sent(client)
        data.put(3, {"n": 33})
        again = [record["n"] if record else None for record in cached.get_many(range(21))]
        assert again == first
        assert cached.get(3)["n"] == 3
        assert sent(client) == before
        # Rows that are not in it are sent, beside those that are.
        data.put(100, {"n": 100})
        assert [record["n"] for record in cached.get_many([3, 100, 4])] == [3, 100, 4]


@pytest.mark.parametrize(
    "write",
    [
        lambda data: data.put(1, {"n": 2}),
        lambda data: data.add(1, {"n": 1}),
        lambda data: data.operate(1, [op.put("n", 2)]),
        lambda data: data.apply(1, "near", "set", [2]),
        lambda data: data.put_many({1: {"n": 2}}),
        lambda data: data.operate_many([1, 7], [op.put("n", 2)]),
    ],
    ids=["put", "add", "operate", "apply", "put_many", "operate_many"],
)
def test_own_writes_are_seen(
    api: Api, nodes: Cluster, other: spikewire.Client, write: Callable[[Any], object]
) -> None:
    other.modules.register("near.lua", SOURCE)
    with opened(api, nodes, **ALWAYS) as client:
        data = client.dataset("test", "near_own")
        data.put(1, {"n": 1})
        assert [data.get(1)["n"] for _ in range(3)] == [1, 1, 1]
        write(data)
        assert [data.get(1)["n"] for _ in range(3)] == [2, 2, 2]


@pytest.mark.parametrize(
    "remove",
    [
        lambda data: data.delete(1),
        lambda data: data.delete_many([1]),
        lambda data: data.operate(1, [op.delete()]),
    ],
    ids=["delete", "delete_many", "operate"],
)
def test_own_deletions_are_seen(api: Api, nodes: Cluster, remove: Callable[[Any], object]) -> None:
    with opened(api, nodes, **ALWAYS) as client:
        data = client.dataset("test", "near_gone")
        data.put(1, {"n": 1})
        assert [data.exists(1) for _ in range(3)] == [True, True, True]
        assert data.get(1)["n"] == 1
        remove(data)
        assert data.get(1, default=None) is None
        assert not data.exists(1)
        data.put(1, {"n": 3})
        assert data.get(1)["n"] == 3


def test_changes_by_own_jobs_are_seen(api: Api, nodes: Cluster) -> None:
    with opened(api, nodes, **ALWAYS) as client:
        data = client.dataset("test", "near_all")
        data.put(1, {"n": 1})
        assert data.get(1)["n"] == 1
        job = data.operate_all([op.put("n", 2)])
        api.settle(lambda: job.wait(60))
        assert data.get(1)["n"] == 2


def test_only_hot_keys_are_kept(api: Api, nodes: Cluster) -> None:
    with opened(api, nodes, near_cache=1 << 20, near_cache_heat=100_000) as client:
        data = client.dataset("test", "near_cold")
        data.put(1, {"n": 1})
        for _ in range(50):
            data.get(1)
        stats = client.raw.stats().near_cache
        assert (stats.hits, stats.misses, stats.entries) == (0, 50, 0)


def test_what_may_not_be_cached_is_sent(api: Api, nodes: Cluster, other: spikewire.Client) -> None:
    with opened(api, nodes, **ALWAYS) as client:
        data = client.dataset("test", "near_not")
        data.put(1, {"n": 1})
        assert data.get(1)["n"] == 1
        other.dataset("test", "near_not").put(1, {"n": 2})
        assert data.get(1)["n"] == 1
        for options in (
            {"read_mode": "all"},
            {"read_mode": "session"},
            {"replica": "master"},
            {"where": "$.n > 0"},
            {"read_touch": -1},
        ):
            assert data.get(1, **options)["n"] == 2, options
        assert data.operate(1, [op.get("n")])["n"] == 2


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"read_mode": "session"}, "read_mode"),
        ({"read_mode": "linearize"}, "read_mode"),
        ({"replica": "master"}, "replica"),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], name: str) -> None:
    for client in (spikewire.Client, spikewire.AsyncClient):
        with pytest.raises(ValueError, match=f"near_cache and {name} contradict"):
            client("127.0.0.1:1", near_cache=1 << 20, **options)


def test_sizes_are_checked() -> None:
    for wrong in (-1, 1000):
        with pytest.raises(ValueError, match="near_cache must be"):
            spikewire.Client("127.0.0.1:1", near_cache=wrong)
    with pytest.raises(ValueError, match="near_cache_staleness must be from"):
        spikewire.Client("127.0.0.1:1", near_cache_staleness=0.0001)


def test_changes_are_found_and_unchanged_records_are_not_read_again(
    api: Api, nodes: Cluster, other: spikewire.Client
) -> None:
    data = other.dataset("test", "near_fresh")
    data.put(1, {"n": 1})
    with opened(api, nodes, near_cache_staleness=0.2, **ALWAYS) as client:
        cached = client.dataset("test", "near_fresh")

        def revalidations() -> int:
            cached.get(1)
            return int(client.raw.stats().near_cache.revalidations)

        assert until(lambda: revalidations() > 3, pause=0.001)
        data.put(1, {"n": 2})
        assert until(lambda: cached.get(1)["n"] == 2, pause=0.001)
        # The same generation again.
        data.delete(1)
        data.put(1, {"n": 3})
        data.put(1, {"n": 4})
        assert until(lambda: cached.get(1)["n"] == 4, pause=0.001)
        data.delete(1)
        assert until(lambda: cached.get(1, default=None) is None, pause=0.001)
        data.put(1, {"n": 5})
        assert until(lambda: cached.get(1, default={"n": 0})["n"] == 5, pause=0.001)


def test_no_read_is_older_than_the_staleness(nodes: Cluster, other: spikewire.Client) -> None:
    """A writer bumps a counter; every read has what was acknowledged before, but for the
    staleness.
    """
    staleness = 0.05
    data = other.dataset("test", "near_counter")
    data.put(1, {"n": 0})
    acknowledged = [(time.monotonic(), 0)]
    is_over = threading.Event()
    violations: list[tuple[int, int]] = []

    def write() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            data.put(1, {"n": number})
            acknowledged.append((time.monotonic(), number))
            is_over.wait(0.002)

    def least(before: float) -> int:
        at = bisect.bisect_left(acknowledged, (before, -1))
        return acknowledged[at - 1][1] if at else 0

    with spikewire.Client(
        nodes.seeds, timeout=30, near_cache=1 << 20, near_cache_staleness=staleness
    ) as client:
        cached = client.dataset("test", "near_counter")

        def read(count: int) -> None:
            # On a busy machine the writer takes its time.
            while count > 0 or len(acknowledged) <= 10:
                count -= 1
                began = time.monotonic()
                number = cached.get(1)["n"]
                if number < (expected := least(began - staleness)):
                    violations.append((number, expected))

        writer = threading.Thread(target=write)
        readers = [threading.Thread(target=read, args=(READS // 2,)) for _ in range(2)]
        for thread in (writer, *readers):
            thread.start()
        for thread in readers:
            thread.join()
        is_over.set()
        writer.join()
        stats = client.stats().near_cache
    assert not violations
    assert stats is not None
    assert stats.hits > READS / 2


def test_no_read_after_an_own_write_sees_the_older_value(nodes: Cluster) -> None:
    """While other tasks read the same key all the time."""

    async def main() -> None:
        async with spikewire.AsyncClient(
            nodes.seeds, timeout=30, near_cache_staleness=LONG, **ALWAYS
        ) as client:
            data = client.dataset("test", "near_tasks")
            await data.put(1, {"n": 0})
            newest, is_over = 0, False

            async def read() -> None:
                while not is_over:
                    least = newest
                    assert (await data.get(1))["n"] >= least
                    (record,) = await data.get_many([1])
                    assert record is not None
                    assert record["n"] >= least

            readers = [asyncio.create_task(read()) for _ in range(8)]
            for number in range(1, 300):
                if number % 3:
                    await data.put(1, {"n": number})
                else:
                    await data.put_many({1: {"n": number}})
                newest = number
                await asyncio.sleep(0.001)
            is_over = True
            await asyncio.gather(*readers)
            stats = client.stats().near_cache
            assert stats is not None
            assert stats.hits > 0

    asyncio.run(main())


def test_tasks_that_read_hot_keys_do_not_hold_up_their_loop(
    nodes: Cluster, run: Callable[[Any], Any]
) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            nodes.seeds, timeout=30, near_cache_staleness=LONG, **ALWAYS
        ) as client:
            data = client.dataset("test", "near_loop")
            await data.put(1, {"n": 1})
            is_over = False

            async def read() -> int:
                reads = 0
                while not is_over:
                    await data.get(1)
                    reads += 1
                return reads

            reader = asyncio.create_task(read())
            for _ in range(20):
                await asyncio.sleep(0.001)
            is_over = True
            assert await reader > 20

    run(main())


def test_hot_keys_are_in_the_statistics(nodes: Cluster) -> None:
    with spikewire.Client(nodes.seeds, timeout=30, near_cache_staleness=LONG, **ALWAYS) as client:
        data = client.dataset("test", "near_stats")
        data.put_many({key: {"n": key} for key in range(3)}).raise_for_errors()

        def reads() -> Any:
            for _ in range(100):
                data.get(1)
                data.get(2, bins=["n"])
            stats = client.stats().near_cache
            assert stats is not None
            return stats.hot_keys

        assert until(lambda: len(reads()) == 2, pause=0)
        keys = reads()
        assert {key.digest for key in keys} == {data.key(1).digest, data.key(2).digest}
        assert {(key.namespace, key.set) for key in keys} == {("test", "near_stats")}
        assert all(key.reads_per_second > 0 for key in keys)
        text = metrics.prometheus(client)
        assert "spikewire_near_cache_hits_total" in text
        assert f'digest="{data.key(1).digest.hex()}"' in text
    with spikewire.Client(nodes.seeds) as plain:
        assert plain.stats().near_cache is None
        assert "near_cache" not in metrics.prometheus(plain)


def test_a_closed_client_answers_nothing(api: Api, nodes: Cluster) -> None:
    client = opened(api, nodes, **ALWAYS)
    data = client.dataset("test", "near_closed")
    data.put(1, {"n": 1})
    assert [data.get(1)["n"] for _ in range(2)] == [1, 1]
    client.close()
    with pytest.raises(spikewire.ClientClosed):
        data.get(1)
