"""Forks while threads, submitted calls, event loops and queries are busy: the child uses the client
by every API and ends."""

from __future__ import annotations

import asyncio
import faulthandler
import os
import random
import signal
import sys
import time
import traceback
import warnings

from load import Stress

import spikewire
from spikewire.testing import Cluster

KEYS = 200
CHILD_SECONDS = 30


def main() -> int:
    # Python warns of every fork of a process with threads, which is what is tried here.
    warnings.simplefilter("ignore", DeprecationWarning)
    stress = Stress()
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds, timeout=10) as client:
        data = client.dataset("test", "forks")
        data.put_many({n: {"n": n} for n in range(KEYS)}).raise_for_errors()

        def calls() -> None:
            draw = random.Random()
            while not stress.is_over:
                data.get(draw.randrange(KEYS))
                data.put(draw.randrange(KEYS, 2 * KEYS), {"n": 1})

        def submitted() -> None:
            while not stress.is_over:
                for future in [data.submit.get(n) for n in range(20)]:
                    future.result(60)

        def queries() -> None:
            while not stress.is_over:
                sum(1 for _ in data.query())

        async def tasks() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=10) as other:
                there = other.dataset("test", "forks")
                while not stress.is_over:
                    await asyncio.gather(*(there.get(n) for n in range(20)))

        def forks() -> None:
            draw = random.Random(stress.seed)
            while not stress.is_over:
                time.sleep(draw.random() * 0.05)
                fork(stress, cluster.seeds, data)

        stress.run(calls, calls, submitted, queries, lambda: asyncio.run(tasks()), forks)
    return stress.finish()


def fork(stress: Stress, seeds: str, data: spikewire.Dataset) -> None:
    """Forks, and waits for the child, which an alarm ends if it hangs."""
    child = os.fork()
    if child == 0:
        # A child that hangs says where.
        faulthandler.register(signal.SIGALRM, all_threads=True, chain=True)
        signal.alarm(CHILD_SECONDS)
        status = 1
        try:
            status = use(seeds, data)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    stress.add({"forks": 1})
    stress.check(status == 0, f"a child ended with {os.waitstatus_to_exitcode(status)}")


def use(seeds: str, data: spikewire.Dataset) -> int:
    """What the child does."""
    assert data.get(1)["n"] == 1
    assert data.submit.get(2).result(20)["n"] == 2
    assert data.get_many(range(20)).found == 20
    assert sum(1 for _ in data.query(limit=50)) == 50

    async def read() -> None:
        async with spikewire.AsyncClient(seeds, timeout=10) as client:
            assert (await client.dataset("test", "forks").get(3))["n"] == 3

    asyncio.run(read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
