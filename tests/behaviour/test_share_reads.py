"""Identical reads that share a request, on every API."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, op
from spikewire.metrics import prometheus
from spikewire.pool import Pool
from spikewire.testing import Cluster
from waiting import becomes, ends_before, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Opened

#: Longer than a read that is not delayed takes on any machine.
SLOW = 3.0
#: Long enough for calls that are made together to meet.
HELD = 0.5
CALLERS = 32


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(autouse=True)
def healthy(cluster: Cluster) -> Iterator[None]:
    with spikewire.Client(cluster.seeds, timeout=30) as client:
        client.dataset("test", "hot").put("page", {"n": 7, "title": "start"})
    yield
    cluster.clear_faults(0)
    cluster.clear_faults(1)


def hold(cluster: Cluster, span: float) -> None:
    cluster.inject(0, delay=span)
    cluster.inject(1, delay=span)


def opened(api: Api, cluster: Cluster, share_reads: str = "in_flight", **options: Any) -> Any:
    return api.open(cluster.seeds, share_reads=share_reads, **{"timeout": 30, **options})


def requests(client: Opened) -> int:
    """How many requests about records the nodes have answered."""
    count = 0
    for node in client.raw.stats().nodes:
        text = client.api.settle(partial(client.raw.info, "statistics", node.name))
        count += int(dict(entry.split("=", 1) for entry in text.split(";"))["spikewire_requests"])
    return count


def together(client: Opened, calls: list[Callable[[Any], Any]]) -> list[Any]:
    """The results of calls that are made at the same time, or their errors."""
    data = client.raw.dataset("test", "hot")

    def result(call: Callable[[Any], Any]) -> Any:
        try:
            return call(data)
        except spikewire.Error as error:
            return error

    if client.api.is_blocking:
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(result, calls))

    async def main() -> list[Any]:
        return await asyncio.gather(*(call(data) for call in calls), return_exceptions=True)

    results: list[Any] = client.api.settle(main)
    return results


@pytest.mark.parametrize("strength", ["unsent", "in_flight"])
def test_reads_together_share_requests(api: Api, cluster: Cluster, strength: str) -> None:
    # Slow nodes are not left for others, which would count as well.
    with opened(api, cluster, strength, replica="master") as client:
        assert client.dataset("test", "hot").get("page")["n"] == 7
        hold(cluster, HELD)
        before = requests(client)
        records = together(client, [lambda data: data.get("page")] * CALLERS)
        assert [record["n"] for record in records] == [7] * CALLERS
        assert len({id(record) for record in records}) == CALLERS
        shared = client.raw.stats().reads_shared
        assert requests(client) - before == CALLERS - shared
        # Threads write what is held back while another one's reply is awaited.
        assert shared >= CALLERS // 2
        assert until(lambda: client.raw.stats().in_flight == 0)


def test_only_identical_reads_share(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster) as client:
        hold(cluster, HELD)
        calls: list[Callable[[Any], Any]] = [
            lambda data: data.get("page"),
            lambda data: data.get("page", ["n"]),
            lambda data: data.get("page", ["n", "title"]),
            lambda data: data.get("page", []),
            lambda data: data.get("page", where="$.n == 7"),
            lambda data: data.get("page", where="$.n == 8", default=None),
            lambda data: data.get("page", max_retries=1),
            lambda data: data.get("page", share_reads="off"),
            lambda data: data.get("absent", default=None),
            lambda data: data.operate("page", [op.get("n")]),
        ]
        results = together(client, calls)
        assert client.raw.stats().reads_shared == 0
        assert [None if result is None else result.get("n") for result in results] == (
            [7, 7, 7, None, 7, None, 7, 7, None, 7]
        )


def test_exists_and_operations_that_read_share(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster) as client:
        hold(cluster, HELD)
        calls: list[Callable[[Any], Any]] = [
            lambda data: data.exists("page"),
            lambda data: data.operate("page", [op.get("n")]),
        ]
        results = together(client, calls * 8)
        assert results[::2] == [True] * 8
        assert [record["n"] for record in results[1::2]] == [7] * 8
        assert client.raw.stats().reads_shared >= 8


def test_missing_records_and_errors_are_those_of_all(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, max_error_rate=0) as client:
        hold(cluster, HELD)
        calls: list[Callable[[Any], Any]] = [
            lambda data: data.get("none"),
            lambda data: data.get("none", default="missing"),
        ]
        results = together(client, calls * 8)
        assert all(isinstance(it, spikewire.RecordNotFound) for it in results[::2])
        assert results[1::2] == ["missing"] * 8
        assert client.raw.stats().reads_shared > 0
        for node in (0, 1):
            cluster.inject(node, error=1.0, code=18, delay=HELD)
        errors = together(client, [lambda data: data.get("page", max_retries=1)] * 8)
        assert {type(error) for error in errors} == {type(errors[0])}
        # Leaving a silent node is not counted as the retry.
        assert {error.attempts for error in errors} <= {2, 3}
        assert len({id(error) for error in errors}) == 8


def test_each_caller_has_its_own_timeout(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster) as client:
        assert client.dataset("test", "hot").get("page")["n"] == 7
        hold(cluster, SLOW / 2)
        limits = [0.2, 30, 0.3, 30]

        def call(limit: float) -> Callable[[Any], Any]:
            return lambda data: data.get("page", timeout=limit)

        calls = [call(limit) for limit in limits]
        results = together(client, calls)
        assert [isinstance(it, spikewire.Timeout) for it in results] == [True, False, True, False]
        assert "timeout of 0.2 s" in str(results[0])
        assert results[1]["n"] == results[3]["n"] == 7
        assert until(lambda: client.raw.stats().in_flight == 0)


def test_a_cancelled_task_takes_nothing_from_the_others(cluster: Cluster) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(
            cluster.seeds, timeout=30, share_reads="in_flight"
        ) as client:
            data = client.dataset("test", "hot")
            assert (await data.get("page"))["n"] == 7
            hold(cluster, HELD)
            futures = [asyncio.ensure_future(data.get("page")) for _ in range(8)]
            assert await becomes(lambda: client.stats().reads_shared == 7)
            for future in (*futures[:3], futures[5]):
                future.cancel()
            results: list[Any] = await asyncio.gather(*futures, return_exceptions=True)
            cancelled = [isinstance(it, asyncio.CancelledError) for it in results]
            assert cancelled == [True, True, True, False, False, True, False, False]
            assert all(
                it["n"] == 7 for it, gone in zip(results, cancelled, strict=True) if not gone
            )
            assert await becomes(lambda: client.stats().in_flight == 0)

    asyncio.run(main())


def test_no_read_is_older_than_a_write_of_this_client(api: Api, cluster: Cluster) -> None:
    """A read that is called after a write sees it, whoever else reads."""
    with opened(api, cluster) as client:
        data = client.raw.dataset("test", "hot")
        data_of = client.dataset("test", "hot")
        data_of.put("page", {"n": 0})
        hold(cluster, 0.002)
        end = time.monotonic() + 1.5
        written = 0

        def goes_on() -> bool:
            """Longer on a machine that is too busy for a few writes in that time."""
            return time.monotonic() < end or written <= 3

        def write(number: int) -> Any:
            verbs: list[Callable[[], Any]] = [
                lambda: data.put("page", {"n": number}),
                lambda: data.add("page", {"n": 1}),
                lambda: data.operate("page", [op.add("n", 1)]),
                lambda: data.put_many({"page": {"n": number}, "other": {"n": 1}}),
            ]
            return verbs[number % len(verbs)]()

        if client.api.is_blocking:

            def reader() -> int:
                count = 0
                while goes_on():
                    known = written
                    assert data.get("page")["n"] >= known
                    count += 1
                return count

            def writer() -> None:
                nonlocal written
                while goes_on():
                    write(written + 1)
                    written += 1
                    assert data.get("page")["n"] == written

            with ThreadPoolExecutor(13) as pool:
                counts = [pool.submit(reader) for _ in range(12)]
                pool.submit(writer).result()
                reads = sum(count.result() for count in counts)
        else:

            async def read() -> int:
                count = 0
                while goes_on():
                    known = written
                    assert (await data.get("page"))["n"] >= known
                    count += 1
                return count

            async def main() -> int:
                nonlocal written
                tasks = [asyncio.ensure_future(read()) for _ in range(12)]
                while goes_on():
                    # The read is called while the write is on its way, and must see it. Only
                    # batches keep no order.
                    pending = asyncio.ensure_future(write(written + 1))
                    record = await data.get("page")
                    await pending
                    written += 1
                    assert record["n"] == written or written % 4 == 3
                    assert (await data.get("page"))["n"] == written
                return sum(await asyncio.gather(*tasks))

            reads = client.api.settle(main)
        assert written > 3
        assert reads > 0
        assert client.raw.stats().reads_shared > 0


def test_loops_of_a_pool_share_each_for_itself(cluster: Cluster) -> None:
    async def read(_: int) -> int:
        client = pool.client
        record = await client.dataset("test", "hot").get("page")
        return int(record["n"])

    hold(cluster, HELD)
    with Pool(cluster.seeds, loops=2, timeout=30, share_reads="in_flight") as pool:
        assert list(pool.map(read, range(CALLERS), limit=CALLERS)) == [7] * CALLERS
        assert pool.client.stats().reads_shared >= CALLERS // 2


def test_reads_with_a_second_request_share_as_well(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=HELD, hedge_percent=100) as client:
        data = client.dataset("test", "hot")
        data.put_many({key: {"n": key} for key in range(8)}).raise_for_errors()
        # Nodes that were quick are suspected after 30 ms, before calls of a busy machine have met.
        hold(cluster, HELD / 5)
        assert [data.get(key)["n"] for key in range(8)] == list(range(8))
        cluster.inject(1, delay=SLOW)

        def call(key: int) -> Callable[[Any], Any]:
            return lambda data: data.get(key)

        calls = [call(key % 8) for key in range(32)]
        with ends_before(SLOW):
            assert [it["n"] for it in together(client, calls)] == [key % 8 for key in range(32)]
        stats = client.raw.stats()
        assert stats.reads_shared > 0
        assert stats.hedges_won > 0
        cluster.clear_faults(1)
        assert until(lambda: idle(client))


def idle(client: Opened) -> bool:
    client.api.breathe()
    return bool(client.raw.stats().in_flight == 0)


def test_calls_and_profiles_override_the_client(api: Api, cluster: Cluster) -> None:
    profile = Profile("hot", read={"point": {"share_reads": "in_flight"}})
    with api.open(cluster.seeds, timeout=30) as client:
        shared = client.raw.with_profile(profile)
        assert shared.explain("get")["share_reads"].value == "in_flight"
        assert client.raw.explain("get")["share_reads"].value == "off"
        hold(cluster, HELD)
        together(client, [lambda data: data.get("page")] * 8)
        assert client.raw.stats().reads_shared == 0
        together(client, [lambda data: data.get("page", share_reads="in_flight")] * 8)
        assert client.raw.stats().reads_shared > 0


def test_builder_steps_share(api: Api, cluster: Cluster) -> None:
    if api.name not in ("blocking", "asyncio"):
        pytest.skip("the builder has two APIs")
    with api.open(cluster.seeds, timeout=30) as client:
        session, key = client.raw.session(), spikewire.Key("test", "hot", "page")
        hold(cluster, HELD)
        steps = [lambda _: session.query(key).share_reads("in_flight").first()] * 8
        records = together(client, steps)
        assert [record["n"] for record in records] == [7] * 8
        assert client.raw.stats().reads_shared > 0
        with pytest.raises(ValueError, match="share_reads applies to reads of one record"):
            session.query(client.raw.dataset("test", "hot").keys([1])).share_reads("unsent")


def test_calls_are_counted_each(cluster: Cluster) -> None:
    with spikewire.Client(
        cluster.seeds, timeout=30, share_reads="in_flight", tend_interval=60
    ) as client:
        data = client.dataset("test", "hot")
        client.metrics.enable()
        hold(cluster, HELD)
        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(lambda _: data.get("page"), range(CALLERS)))
        stats = client.stats()
        assert stats.select(operation="get").count == CALLERS
        assert stats.reads_shared > 0
        assert "spikewire_reads_shared_total" in prometheus(client)


@pytest.mark.parametrize("mode", ["linearize", "session"])
def test_reads_that_must_be_current_do_not_share_what_is_on_its_way(
    api: Api, cluster: Cluster, mode: str
) -> None:
    both = "share_reads 'in_flight' cannot be combined with read_mode"
    with pytest.raises(ValueError, match=both):
        api.open(cluster.seeds, share_reads="in_flight", read_mode=mode)
    with opened(api, cluster) as client:
        data = client.dataset("test", "hot")
        with pytest.raises(ValueError, match=both):
            data.get("page", read_mode=mode)
        with pytest.raises(ValueError, match=both):
            data.exists("page", read_mode=mode)
        assert data.get("page", read_mode="all")["n"] == 7
        assert [it["n"] for it in data.get_many(["page"], read_mode="one")] == [7]


def test_invalid_values_raise(api: Api, cluster: Cluster) -> None:
    wrong: Any = "often"
    words = "share_reads must be 'off', 'unsent' or 'in_flight', got \"often\""
    with pytest.raises(ValueError, match=words):
        api.open(cluster.seeds, share_reads=wrong)
    with api.open(cluster.seeds) as client:
        data = client.dataset("test", "hot")
        with pytest.raises(ValueError, match=words):
            data.get("page", share_reads=wrong)
        with pytest.raises(TypeError, match="share_reads must be str"):
            data.get("page", share_reads=True)
        with pytest.raises(ValueError, match="share_reads apply to reads"):
            data.operate("page", [op.add("n", 1)], share_reads="unsent")
    with pytest.raises(spikewire.ProfileError, match=words):
        Profile("wrong", read={"share_reads": wrong})


def test_interrupted_and_closed_callers_end(cluster: Cluster) -> None:
    client = spikewire.Client(cluster.seeds, timeout=30, share_reads="in_flight")
    data = client.dataset("test", "hot")
    assert data.get("page")["n"] == 7
    hold(cluster, SLOW)
    errors: list[type[BaseException]] = []

    def read() -> None:
        try:
            data.get("page")
        except spikewire.Error as error:
            errors.append(type(error))

    threads = [threading.Thread(target=read) for _ in range(4)]
    with ends_before(SLOW):
        for thread in threads:
            thread.start()
        assert until(lambda: client.stats().in_flight == 4)
        client.close()
        for thread in threads:
            thread.join()
    assert errors == [spikewire.ClientClosed] * 4
