"""Administrative commands on an event loop: they wait without blocking it."""

from __future__ import annotations

import asyncio
import threading

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import becomes

#: More than the threads of an event loop's default executor.
MANY = 64


def test_waiting_leaves_the_loop_and_its_threads_to_others() -> None:
    before = threading.enumerate()

    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            wait = client.indexes.wait
            waits = [asyncio.ensure_future(wait("test", "none", timeout=60)) for _ in range(MANY)]
            await asyncio.sleep(0)
            users = client.dataset("test", "users")
            for number in range(50):
                await users.put(number, {"n": number})
            assert await client.info("namespaces") == "test"
            assert await client.indexes.list("test") == []
            assert not any(waiting.done() for waiting in waits)
            # Connecting used a thread of the loop's executor; waiting uses none.
            names = [thread.name for thread in threading.enumerate() if thread not in before]
            assert sum(name.startswith("asyncio_") for name in names) <= 1
            for waiting in waits:
                waiting.cancel()
            ends = await asyncio.gather(*waits, return_exceptions=True)
            assert all(isinstance(end, asyncio.CancelledError) for end in ends)
            assert await client.indexes.create("test", "users", "n", int) == "users_n"

    with Cluster(nodes=2) as cluster:
        asyncio.run(main())


def test_a_client_that_closes_ends_a_wait() -> None:
    async def main() -> None:
        client = await spikewire.AsyncClient.connect(cluster.seeds)
        opened = cluster.stats(0)["connections_opened"]
        waiting = asyncio.ensure_future(client.indexes.wait("test", "none", timeout=0))
        # Its first question needs a connection of the pool.
        assert await becomes(lambda: cluster.stats(0)["connections_opened"] > opened)
        assert not waiting.done()
        await client.close()
        with pytest.raises(spikewire.ClientClosed):
            await waiting

    with Cluster(nodes=1) as cluster:
        asyncio.run(main())


def test_an_info_command_is_one_command() -> None:
    with Cluster(nodes=1) as cluster, spikewire.Client(cluster.seeds) as client:
        for odd in ("namespaces\ntruncate-namespace:namespace=test", "a\rb"):
            with pytest.raises(ValueError, match="line break"):
                client.info(odd)
        with pytest.raises(ValueError, match=r"no node .nowhere. in the cluster; there are: "):
            client.info("namespaces", "nowhere")
        with pytest.raises(TypeError, match="command must be str"):
            client.info(7)  # type: ignore[arg-type]
