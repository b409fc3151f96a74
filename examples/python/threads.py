"""One blocking client for many threads, with and without the GIL.

Threads that call at the same time share connections and system calls: the more threads, the less
each call costs. There is no pool to size and nothing to lock.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import seeds

import spikewire
from spikewire import op

THREADS, ROUNDS = 16, 200


def main(where: str) -> None:
    with spikewire.Client(where, timeout=5) as client:
        counters = client.dataset("test", "counters")
        counters.put("total", {"n": 0})

        def work(thread: int) -> None:
            for at in range(ROUNDS):
                counters.put((thread * ROUNDS) + at, {"by": thread})
                counters.operate("total", [op.add("n", 1)])

        started = time.perf_counter()
        with ThreadPoolExecutor(THREADS) as pool:
            # list() raises the exception of a thread.
            list(pool.map(work, range(THREADS)))
        took = time.perf_counter() - started

        total = counters.get("total")["n"]
        assert total == THREADS * ROUNDS
        print(f"{THREADS} threads, {total} rounds, {2 * THREADS * ROUNDS / took:,.0f} calls/s")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
