"""Closing a client completes everything that waits, including requests that were not sent yet."""

from __future__ import annotations

import asyncio
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import errors
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

#: Delay of the node: longer than any test takes.
HELD = 300
ROWS = 300


@pytest.fixture
def own() -> Iterator[Cluster]:
    with Cluster(nodes=3) as cluster:
        assert cluster.wait_settled()
        yield cluster


def table(numpy: Any) -> Any:
    """Rows for three windows."""
    rows = numpy.zeros(40_000, dtype=[("id", "i8"), ("v", "i8")])
    rows["id"] = numpy.arange(len(rows))
    return rows


def hold(cluster: Cluster, *nodes: int) -> None:
    for node in nodes:
        cluster.inject(node, delay=HELD)


def closed(outcome: Any) -> bool:
    """Whether a batch, or an error in its place, reports that the client was closed."""
    if isinstance(outcome, BaseException):
        return isinstance(outcome, errors.ClientClosed)
    return any(isinstance(error, errors.ClientClosed) for error in outcome.errors.values())


async def ended(data: Any, future: asyncio.Future[Any], client: Any) -> Any:
    await asyncio.sleep(0.3)
    assert not future.done()
    await client.close()
    done, _ = await asyncio.wait([future], timeout=HELD / 10)
    assert done, "nothing completes it any more"
    return future.exception() or future.result()


@pytest.mark.parametrize("what", ["table", "rounds", "many"])
def test_asyncio(own: Cluster, what: str, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
    numpy = pytest.importorskip("numpy")

    async def work() -> Any:
        client = await spikewire.AsyncClient.connect(own.seeds, timeout=HELD, connect_timeout=20)
        data = client.dataset("test", "closing")
        await data.put_many({n: {"n": n} for n in range(ROWS)})
        if what == "rounds":
            own.inject(0, error=1.0, code=18)
            hold(own, 1, 2)
            future = data.get_many(range(ROWS), replica="master")
        elif what == "table":
            hold(own, 0, 1, 2)
            future = data.put_many(table(numpy), key="id")
        else:
            hold(own, 0, 1, 2)
            future = data.get_many(range(ROWS))
        return await ended(data, future, client)

    assert closed(run(work()))


@pytest.mark.parametrize("what", ["table", "rounds", "many"])
def test_submit(own: Cluster, what: str) -> None:
    numpy = pytest.importorskip("numpy")
    client = spikewire.Client(own.seeds, timeout=HELD, connect_timeout=20)
    data = client.dataset("test", "closing")
    data.put_many({n: {"n": n} for n in range(ROWS)}).raise_for_errors()
    if what == "rounds":
        own.inject(0, error=1.0, code=18)
        hold(own, 1, 2)
        future: Any = data.submit.get_many(range(ROWS), replica="master")
    elif what == "table":
        hold(own, 0, 1, 2)
        future = data.submit.put_many(table(numpy), key="id")
    else:
        hold(own, 0, 1, 2)
        future = data.submit.get_many(range(ROWS))
    assert until(future.running)
    client.close()
    assert not wait([future], timeout=HELD / 10).not_done, "nothing completes it any more"
    assert closed(future.exception() or future.result())


def test_a_loop_that_ended_before_its_client(own: Cluster) -> None:
    # The loop is closed, so what was in flight cannot be completed: it is dropped silently.
    client = spikewire.AsyncClient(own.seeds, timeout=HELD, connect_timeout=20)

    async def leave() -> None:
        await client.__aenter__()
        data = client.dataset("test", "closing")
        await data.put("k", {"n": 1})
        hold(own, 0, 1, 2)
        data.get("k")
        data.get_many(range(ROWS))

    asyncio.run(leave())
    asyncio.run(client.close())
