"""One asyncio client on several event loops, each in its own thread.

The client keeps one view of the cluster; every loop has its own connections and completes its
futures in its own thread. Nothing has to be created per loop.
"""

from __future__ import annotations

import asyncio
import threading

import seeds

import spikewire

LOOPS, CALLS = 4, 500


async def use(client: spikewire.AsyncClient, name: str) -> None:
    jobs = client.dataset("test", "jobs")
    await asyncio.gather(*(jobs.put(f"{name}-{at}", {"by": name}) for at in range(CALLS)))
    answers = await asyncio.gather(*(jobs.exists(f"{name}-{at}") for at in range(CALLS)))
    print(f"{name}: {sum(answers)} records")


def main(where: str) -> None:
    client = asyncio.run(spikewire.AsyncClient.connect(where, timeout=5))
    try:
        threads = [
            threading.Thread(target=asyncio.run, args=(use(client, f"loop {at}"),))
            for at in range(LOOPS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        asyncio.run(client.close())


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
