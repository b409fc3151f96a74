"""Calls about one record keep their order, even if nobody waits for the first.

The kind: a call takes another connection, or another thread's connections, than one before it that
is still on its way. A gate holds the first one's connection until the second one is sent: by
another connection, it would arrive first, and read what was before.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from gate import Gate
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: More calls at once than one connection takes.
MANY = 300


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Cluster(nodes=1) as cluster:
        host, port = cluster.seeds.split(":")
        gate = Gate((host, int(port)), "127.0.0.2", int(port))
        yield gate
        gate.close()


def options(gate: Gate) -> dict[str, Any]:
    """Through the gate, and without requests of the client's own while one is held."""
    return {
        "seeds": f"127.0.0.2:{gate.port}",
        "ip_map": {"127.0.0.1": "127.0.0.2"},
        "tend_interval": 600,
        "timeout": 60,
    }


def test_calls_on_an_event_loop_keep_their_order(run: Any, gate: Gate, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(**options(gate)) as client:
            data = client.dataset("test", set_name)
            await asyncio.gather(*(data.put(n, {"n": 0}) for n in range(MANY)))
            for turn in range(1, 6):
                gate.arm()
                written = data.put(1, {"n": turn})
                await asyncio.to_thread(gate.wait_until_held)
                assert (await data.get(1))["n"] == turn
                await written

    run(main())


def test_builder_calls_on_an_event_loop_keep_their_order(
    run: Any, gate: Gate, set_name: str
) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(**options(gate)) as client:
            data = client.dataset("test", set_name)
            await asyncio.gather(*(data.put(n, {"n": 0}) for n in range(MANY)))
            gate.arm()
            session = client.session()
            written = session.upsert(data.key(1)).set("n", 7).execute()
            await asyncio.to_thread(gate.wait_until_held)
            assert (await session.query(data.key(1)).first())["n"] == 7
            await written

    run(main())


@pytest.mark.parametrize("read", ["submit", "blocking"])
def test_a_call_follows_submitted_calls_of_its_record(read: str, gate: Gate, set_name: str) -> None:
    with spikewire.Client(**options(gate)) as client:
        data = client.dataset("test", set_name)
        for future in [data.submit.put(n, {"n": 0}) for n in range(MANY)]:
            future.result()
        for turn in range(1, 6):
            gate.arm()
            written = data.submit.put(1, {"n": turn})
            gate.wait_until_held()
            record = data.get(1) if read == "blocking" else data.submit.get(1).result()
            assert record["n"] == turn
            written.result()


def test_calls_about_other_records_do_not_wait(gate: Gate, set_name: str) -> None:
    with spikewire.Client(**options(gate)) as client:
        data = client.dataset("test", set_name)
        data.put_many([(n, {"n": n}) for n in range(10)])
        gate.arm()
        written = data.submit.put(1, {"n": -1})
        gate.wait_until_held()
        assert [data.get(n)["n"] for n in range(2, 10)] == list(range(2, 10))
        assert not written.done()
        gate.release()
        written.result()
