"""Closing a client completes everything that waits, including requests that were not sent yet."""

from __future__ import annotations

import asyncio
from concurrent.futures import wait
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import errors
from spikewire.testing import Cluster
from waiting import becomes, until

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator

#: Delay of the node: longer than any test takes.
HELD = 300
ROWS = 300
#: The requests that wait for the held nodes: two windows of a table, and the answer of the node
#: that fails has come.
IN_FLIGHT = {"table": 6, "rounds": 2, "many": 3}


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


async def ended(what: str, future: asyncio.Future[Any], client: Any) -> Any:
    assert await becomes(lambda: client.stats().in_flight == IN_FLIGHT[what])
    assert not future.done()
    await client.close()
    done, _ = await asyncio.wait([future], timeout=HELD / 10)
    assert done, "nothing completes it any more"
    return future.exception() or future.result()


@pytest.mark.parametrize("what", ["table", "rounds", "many"])
def test_closing_ends_asynchronous_calls(
    own: Cluster, what: str, run: Callable[[Coroutine[Any, Any, Any]], Any]
) -> None:
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
        return await ended(what, future, client)

    assert closed(run(work()))


@pytest.mark.parametrize("what", ["table", "rounds", "many"])
def test_closing_ends_submitted_calls(own: Cluster, what: str) -> None:
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


def test_a_loop_may_end_before_its_client(own: Cluster) -> None:
    # The loop is closed, so nobody awaits what was in flight; it is completed all the same.
    client = spikewire.AsyncClient(own.seeds, timeout=HELD, connect_timeout=20)
    left: list[Any] = []

    async def leave() -> None:
        await client.__aenter__()
        data = client.dataset("test", "closing")
        await data.put("k", {"n": 1})
        hold(own, 0, 1, 2)
        left.extend((data.get("k"), data.get_many(range(ROWS))))

    asyncio.run(leave())
    assert [future.done() for future in left] == [False, False]
    asyncio.run(client.close())
    assert not client.is_connected
    assert until(lambda: not any(own.stats(node)["connections"] for node in range(3)))
    assert all(future.done() and closed(future.exception() or future.result()) for future in left)
