"""Futures in batches: submits 120 calls, then waits for all of them.

Each batch is sent in a few writes. Between two batches nothing is in flight.
"""

from __future__ import annotations

import time

import seeds

import spikewire

CALLS = 20_000
BATCH = 120


def main(where: str) -> None:
    with spikewire.Client(where, timeout=5) as client:
        events = client.dataset("test", "events")
        started = time.perf_counter()
        for first in range(0, CALLS, BATCH):
            batch = range(first, min(first + BATCH, CALLS))
            futures = [events.submit.put(n, {"n": n}) for n in batch]
            for future in futures:
                future.result()  # raises the call's error
        took = time.perf_counter() - started
        print(f"batched futures: {CALLS} calls, {CALLS / took:,.0f} calls/s")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
