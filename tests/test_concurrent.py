"""``concurrent``: many calls in flight, their results in input order."""

from __future__ import annotations

import asyncio
import itertools
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import becomes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from apis import Api, Opened


class Gathering:
    """``concurrent`` of either API, as a list."""

    def __init__(self, client: Opened) -> None:
        self.client = client.raw
        self.api = client.api

    def __call__(self, calls: Iterable[Any], most: int | None = None, **options: Any) -> list[Any]:
        if self.api.is_blocking:
            results = self.client.concurrent(calls, **options)
            values = list(itertools.islice(results, most))
            results.close()
            return values

        async def run() -> list[Any]:
            values: list[Any] = []
            results = self.client.concurrent(calls, **options)
            async for result in results:
                values.append(result)
                if len(values) == most:
                    break
            await results.aclose()
            return values

        return self.api.settle(run)


@pytest.fixture(params=["blocking", "asyncio"])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    from apis import Api

    api = Api(request.param)
    yield api
    api.end()


@pytest.fixture
def client(api: Api, cluster: Cluster) -> Iterator[Opened]:
    with api.open(cluster.seeds, timeout=20) as client:
        yield client


@pytest.fixture
def gather(client: Opened) -> Gathering:
    return Gathering(client)


@pytest.fixture
def users(client: Opened, set_name: str) -> Any:
    return client.raw.dataset("test", set_name)


@pytest.mark.parametrize("limit", [1, 2, 7, 128, 10_000])
def test_results_are_in_input_order(gather: Gathering, users: Any, limit: int) -> None:
    keys = range(500)
    assert gather(((users.put, n, {"n": n}) for n in keys), limit=limit) == [None] * 500
    assert [record["n"] for record in gather([(users.get, n) for n in keys], limit=limit)] == [
        *keys
    ]


def test_calls_of_every_kind_run(gather: Gathering, users: Any, set_name: str) -> None:
    whole = ("test", set_name, "k")
    other = gather.client.dataset("test", f"{set_name}-other")
    calls = [
        partial(users.put, "k", {"n": 1, "m": 2}, exists="create"),
        (gather.client.get, whole, ["n"]),
        partial(users.get, bins=["m"], key="k"),
        [gather.client.exists, whole],
        (users.put_many, {1: {"n": 1}, 2: {"n": 2}}),
        (other.exists, "k"),
    ]
    calls[3] = tuple(calls[3])  # type: ignore[arg-type]
    created, one, two, result, batch, absent = gather(calls, limit=1)
    assert (created, one.bins, two.bins, result, batch.found, absent) == (
        None,
        {"n": 1},
        {"m": 2},
        True,
        2,
        False,
    )
    assert gather([]) == []


def test_calls_are_read_as_results_are_consumed(gather: Gathering, users: Any) -> None:
    read = 0

    def endless() -> Iterator[Any]:
        nonlocal read
        for n in itertools.count():
            read += 1
            yield users.exists, n

    assert gather(endless(), most=100, limit=10) == [False] * 100
    assert 100 <= read <= 110


def test_the_first_error_is_raised(gather: Gathering, users: Any) -> None:
    gather([(users.put, n, {"n": n}) for n in (0, 1, 3)])
    with pytest.raises(spikewire.RecordNotFound) as caught:
        gather((users.get, n) for n in range(5))
    assert caught.value.key.key == 2  # type: ignore[union-attr]
    with pytest.raises(OverflowError, match="n"):
        gather([(users.put, 1, {"n": 2**64})])


def test_errors_may_take_the_place_of_results(gather: Gathering, users: Any) -> None:
    gather([(users.put, 1, {"n": 1})])
    calls = [(users.get, 0), (users.get, 1), (users.put, 1, {"n": object()}), (users.put,)]
    missing, record, wrong, empty = gather(calls, errors="return")
    assert isinstance(missing, spikewire.RecordNotFound)
    assert record["n"] == 1
    assert isinstance(wrong, TypeError)
    assert "n" in str(wrong)
    assert isinstance(empty, TypeError)


def test_invalid_calls_raise(gather: Gathering, users: Any, cluster: Cluster, api: Api) -> None:
    with api.open(cluster.seeds, timeout=20) as other:
        for call, message in [
            ((len, "abc"), "call 1: .*len.* is not a verb"),
            ((users.dataset if hasattr(users, "dataset") else print,), "call 1: .* not a verb"),
            ((gather.client.dataset, "test"), "not a verb"),
            ((lambda: None,), "not a verb"),
            (partial(print, 1), "not a verb"),
            ((other.raw.get, ("test", "s", 1)), "call 1: get is a verb of another client"),
            ((other.raw.dataset("test", "s").get, 1), "verb of another client"),
            ((), "must be a tuple of a verb"),
            (users.get, "must be a tuple of a verb"),
            ([users.get, 1], "must be a tuple of a verb"),
            (None, "not None"),
        ]:
            for errors in ("raise", "return"):
                with pytest.raises(TypeError, match=message):
                    gather([(users.exists, 1), call], errors=errors)
    for options, error in [
        ({"limit": 0}, ValueError),
        ({"limit": 1.5}, TypeError),
        ({"errors": "ignore"}, ValueError),
        ({"limits": 5}, TypeError),
    ]:
        # At once, not when the first result is requested.
        with pytest.raises(error, match=next(iter(options))):  # type: ignore[call-overload]
            gather.client.concurrent([], **options)  # type: ignore[arg-type]
    for calls in (users.get, "abc", 5):
        with pytest.raises(TypeError, match="calls must be an iterable"):
            gather.client.concurrent(calls)


def test_an_early_end_leaves_nothing_behind(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=20) as client:
        users, gather = client.raw.dataset("test", "s"), Gathering(client)
        results = gather(((users.put, n, {"n": n}) for n in itertools.count()), most=20, limit=64)
        assert results == [None] * 20
        # Every call that was sent has ended.
        stored = cluster.stats(0)["objects"]
        assert 20 <= stored <= 84
        client.close()
        assert cluster.stats(0)["objects"] == stored


def test_a_cancelled_task_does_not_wait(cluster: Cluster) -> None:
    async def main(slow: Cluster) -> None:
        async with spikewire.AsyncClient(slow.seeds, timeout=60, connect_timeout=20) as client:
            users = client.dataset("test", "s")

            async def run() -> None:
                async for _ in client.concurrent((users.exists, n) for n in range(10)):
                    pass

            task = asyncio.ensure_future(run())
            assert await becomes(lambda: client.stats().in_flight == 10)
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=20)
            assert done
            assert task.cancelled()

    with Cluster(nodes=1) as slow:
        slow.inject(0, delay=60)
        asyncio.run(main(slow))


def test_closing_ends_it(api: Api) -> None:
    with Cluster(nodes=1) as slow, api.open(slow.seeds, timeout=60) as client:
        users = client.raw.dataset("test", "s")

        def calls() -> Iterator[Any]:
            for n in range(100):
                if n == 30:
                    client.raw.close() if api.is_blocking else client.raw._close()
                yield users.exists, n

        with pytest.raises(spikewire.ClientClosed):
            Gathering(client)(calls(), limit=20)
