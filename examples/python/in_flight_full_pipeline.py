"""A full pipeline: before each new call, waits for the oldest one.

About 120 calls are in flight all the time. ``client.concurrent`` does this for you, and yields the
results in order.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import seeds

import spikewire

if TYPE_CHECKING:
    from concurrent.futures import Future

CALLS = 20_000
DEPTH = 120


def main(where: str) -> None:
    with spikewire.Client(where, timeout=5) as client:
        events = client.dataset("test", "events")

        started = time.perf_counter()
        futures: deque[Future[None]] = deque()
        for n in range(CALLS):
            if len(futures) == DEPTH:
                futures.popleft().result()
            futures.append(events.submit.put(n, {"n": n}))
        while futures:
            futures.popleft().result()
        took = time.perf_counter() - started
        print(f"full pipeline: {CALLS} calls, {CALLS / took:,.0f} calls/s")

        started = time.perf_counter()
        calls = ((events.get, n) for n in range(CALLS))
        numbers = [record["n"] for record in client.concurrent(calls, limit=DEPTH)]
        took = time.perf_counter() - started
        assert numbers == list(range(CALLS))
        print(f"concurrent: {CALLS} calls, {CALLS / took:,.0f} calls/s")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
