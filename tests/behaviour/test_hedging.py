"""Second requests for reads with a late answer, on every API."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, op
from spikewire.metrics import prometheus
from spikewire.testing import Cluster
from waiting import becomes, ends_before, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Opened

#: Longer than a read that is not delayed takes on any machine.
SLOW = 3.0
KEYS = range(40)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        assert cluster.wait_settled()
        with spikewire.Client(cluster.seeds, timeout=30) as client:
            data = client.dataset("test", "hedged")
            data.put_many({key: {"v": key} for key in KEYS}).raise_for_errors()
        yield cluster


@pytest.fixture(autouse=True)
def healthy(cluster: Cluster) -> Iterator[None]:
    yield
    cluster.clear_faults(0)
    cluster.clear_faults(1)


def opened(api: Api, cluster: Cluster, **options: Any) -> Any:
    return api.open(cluster.seeds, **{"timeout": 30, "hedge_percent": 100, **options})


def hedges(client: Opened) -> tuple[int, int]:
    stats = client.raw.stats()
    return stats.hedges_sent, stats.hedges_won


def idle(client: Opened) -> bool:
    client.api.breathe()
    return bool(client.raw.stats().in_flight == 0)


def read_all(client: Opened) -> list[Any]:
    """Reads all records, all in flight together."""
    data = client.raw.dataset("test", "hedged")
    if client.api.is_blocking:
        with ThreadPoolExecutor(len(KEYS)) as pool:
            return [record["v"] for record in pool.map(data.get, KEYS)]

    async def main() -> list[Any]:
        records = await asyncio.gather(*(data.get(key) for key in KEYS))
        return [record["v"] for record in records]

    results: list[Any] = client.api.settle(main)
    return results


@pytest.mark.parametrize("replica", ["sequence", "any"])
def test_a_slow_node_does_not_delay_reads(api: Api, cluster: Cluster, replica: str) -> None:
    with opened(api, cluster, hedge=0.02, replica=replica) as client:
        data = client.dataset("test", "hedged")
        assert data.get(1)["v"] == 1
        cluster.inject(1, delay=SLOW)
        for key in list(KEYS)[:8]:
            with ends_before(SLOW):
                assert data.get(key)["v"] == key
                assert data.exists(key)
                assert data.operate(key, [op.get("v")])["v"] == key
        with ends_before(SLOW):
            assert read_all(client) == list(KEYS)
        sent, won = hedges(client)
        assert sent >= won > 0
        cluster.clear_faults(1)
        assert read_all(client) == list(KEYS)
        # Requests that were given up leave nothing behind.
        assert until(lambda: idle(client))


def test_calls_and_profiles_override_the_client(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=0.02) as client:
        data = client.dataset("test", "hedged")
        cluster.inject(0, delay=0.2)
        cluster.inject(1, delay=0.2)
        assert data.get(1, hedge=0)["v"] == 1
        assert data.get(1, replica="master")["v"] == 1
        assert [record["v"] for record in data.get_many([1, 2])] == [1, 2]
        assert hedges(client) == (0, 0)
        assert data.get(1)["v"] == 1
        assert hedges(client)[0] == 1
    profile = Profile("eager", read={"point": {"hedge": timedelta(milliseconds=20)}})
    with opened(api, cluster) as client:
        data = client.raw.with_profile(profile).dataset("test", "hedged")
        assert api.settle(lambda: data.get(1, hedge=0))["v"] == 1
        assert hedges(client) == (0, 0)
        assert api.settle(lambda: data.get(1))["v"] == 1
        assert hedges(client)[0] == 1
        explained = client.raw.with_profile(profile).explain("get")
        assert explained["hedge"].source == "profile 'eager', read.point.hedge"


def test_builder_steps_hedge(api: Api, cluster: Cluster) -> None:
    if api.name not in ("blocking", "asyncio"):
        pytest.skip("the builder has two APIs")
    with opened(api, cluster) as client:
        session, key = client.raw.session(), spikewire.Key("test", "hedged", 1)
        calls: tuple[Callable[[Any], Any], ...] = (
            lambda hedge: session.query(key).bins("v").hedge(hedge).first(),
            lambda hedge: session.query(key).hedge(hedge).first_or_none(),
            lambda hedge: session.query(key).get("v").hedge(hedge).first(),
            lambda hedge: session.exists(key).hedge(hedge).execute(),
        )
        for call in calls:
            with pytest.raises(ValueError, match="p200"):
                api.settle(partial(call, "p200"))
        cluster.inject(0, delay=0.2)
        cluster.inject(1, delay=0.2)
        for sent, call in enumerate(calls, 1):
            assert api.settle(partial(call, 0))
            assert hedges(client)[0] == sent - 1
            assert api.settle(partial(call, 0.02))
            assert hedges(client)[0] == sent


def test_writes_are_never_hedged(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=0.02) as client:
        data = client.dataset("test", "written")
        cluster.inject(0, delay=0.2)
        cluster.inject(1, delay=0.2)
        data.put(1, {"n": 1})
        data.add(1, {"n": 1})
        data.operate(1, [op.add("n", 1), op.get("n")])
        data.touch(1)
        assert hedges(client) == (0, 0)
        with pytest.raises(ValueError, match="hedge and share_reads apply to reads"):
            data.operate(1, [op.add("n", 1)], hedge=0.02)
        cluster.clear_faults(0)
        cluster.clear_faults(1)
        assert data.get(1)["n"] == 3
        data.delete(1)


def test_only_a_share_of_the_reads(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=0.01, hedge_percent=5) as client:
        cluster.inject(0, delay=0.1)
        cluster.inject(1, delay=0.1)
        for _ in range(3):
            assert read_all(client) == list(KEYS)
        # Ten at first, and then five percent.
        assert 0 < hedges(client)[0] <= 10 + 3 * len(KEYS) * 5 // 100


def test_a_percentile_of_what_the_other_node_takes(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge="p95") as client:
        data = client.dataset("test", "hedged")
        for key in list(KEYS) * 2:
            assert data.get(key)["v"] == key
        assert hedges(client) == (0, 0), "nothing is known of a hundred reads"
        for _ in range(20):
            assert read_all(client) == list(KEYS)
        cluster.inject(1, delay=SLOW)
        with ends_before(SLOW):
            assert read_all(client) == list(KEYS)
        assert hedges(client)[1] > 0


def test_a_single_node_gets_no_second_request(api: Api) -> None:
    with Cluster(nodes=1) as alone, opened(api, alone, hedge=0.01) as client:
        data = client.dataset("test", "alone")
        data.put(1, {"n": 1})
        alone.inject(0, delay=0.1)
        assert data.get(1)["n"] == 1
        assert hedges(client) == (0, 0)


def test_the_deadline_is_that_of_the_call(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=0.02) as client:
        data = client.dataset("test", "hedged")
        assert data.get(1)["v"] == 1
        cluster.inject(0, delay=SLOW)
        cluster.inject(1, delay=SLOW)
        began = time.monotonic()
        with ends_before(SLOW), pytest.raises(spikewire.Timeout) as caught:
            data.get(1, timeout=0.3)
        assert time.monotonic() - began > 0.29
        assert not caught.value.in_doubt
        assert hedges(client)[0] == 1
        assert until(lambda: idle(client))


def test_a_failure_that_comes_first_is_tried_again_as_ever(api: Api, cluster: Cluster) -> None:
    with opened(api, cluster, hedge=0.5, max_error_rate=0) as client:
        data = client.dataset("test", "hedged")
        cluster.inject(0, error=1.0, code=18)
        assert [data.get(key)["v"] for key in KEYS] == list(KEYS)
        cluster.inject(1, error=1.0, code=18)
        with pytest.raises(spikewire.ServerError) as caught:
            data.get(1)
        assert caught.value.attempts == 3


def test_a_cancelled_task_sends_no_second_request(cluster: Cluster) -> None:
    async def main() -> None:
        options: dict[str, Any] = {"timeout": 30, "hedge": 0.3, "hedge_percent": 100}
        async with spikewire.AsyncClient(cluster.seeds, **options) as client:
            data = client.dataset("test", "hedged")
            assert (await data.get(1))["v"] == 1
            cluster.inject(0, delay=0.8)
            cluster.inject(1, delay=0.8)
            futures = [asyncio.ensure_future(data.get(key)) for key in KEYS]
            assert await becomes(lambda: client.stats().in_flight == len(KEYS))
            for future in futures[1:]:
                future.cancel()
            assert (await futures[0])["v"] == 0
            assert client.stats().hedges_sent == 1

    asyncio.run(main())


def test_counts_are_those_of_calls(cluster: Cluster) -> None:
    with spikewire.Client(
        cluster.seeds, timeout=30, hedge=0.02, hedge_percent=100, tend_interval=60
    ) as client:
        data = client.dataset("test", "hedged")
        cluster.inject(1, delay=0.3)
        client.metrics.enable()
        for key in KEYS:
            data.get(key)
        assert until(lambda: client.stats().in_flight == 0), "the late answers arrive, too"
        for key in list(KEYS)[:5]:
            data.get(key)
        stats = client.stats()
        gets = stats.select(operation="get")
        assert gets.count == len(KEYS) + 5
        assert stats.hedges_sent >= stats.hedges_won > 0
        text = prometheus(client)
        assert "spikewire_hedges_sent_total" in text


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (0.0001, ValueError, "hedge must be from 0.001 s to 600 s, or 0 for none, got 0.0001"),
        (601, ValueError, "hedge must be from"),
        (-1, ValueError, "hedge must be a number of seconds"),
        ("p20", ValueError, "hedge must be a time, or a percentile from 'p50' to 'p99.9'"),
        ("soon", ValueError, "hedge must be a time, or a percentile"),
        ([], TypeError, "hedge must be seconds as a number or a timedelta, not list"),
    ],
)
def test_invalid_hedges_raise(
    cluster: Cluster, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        spikewire.Client(cluster.seeds, hedge=value)
    with spikewire.Client(cluster.seeds) as client, pytest.raises(error, match=message):
        client.dataset("test", "hedged").get(1, hedge=value)
    with pytest.raises(spikewire.ProfileError, match=message):
        Profile("wrong", read={"hedge": value})
    with pytest.raises(ValueError, match="hedge_percent must be from 1 to 100"):
        spikewire.Client(cluster.seeds, hedge_percent=0)
