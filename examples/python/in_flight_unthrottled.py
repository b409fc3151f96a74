"""Unthrottled futures: submits everything at once, and waits afterwards.

The client throttles: with ``submit_limit`` calls in flight, ``submit`` waits for a free slot, so no
call fails for lack of one. Only this program's own list of futures grows.
"""

from __future__ import annotations

import time

import seeds

import spikewire

CALLS = 20_000


def main(where: str) -> None:
    with spikewire.Client(where, timeout=5) as client:
        events = client.dataset("test", "events")
        started = time.perf_counter()
        futures = [events.submit.put(n, {"n": n}) for n in range(CALLS)]
        failed = sum(future.exception() is not None for future in futures)
        took = time.perf_counter() - started
        assert failed == 0
        print(f"unthrottled: {CALLS} calls, {CALLS / took:,.0f} calls/s, {failed} failed")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
