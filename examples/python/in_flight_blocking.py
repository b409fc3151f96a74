"""Calls one after the other: each waits for its reply before the next one starts.

The simplest pattern, and the slowest from one thread: nothing is in flight while Python works, and
Python waits while something is in flight. See also ``threads.py``.
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
        for n in range(CALLS):
            events.put(n, {"n": n})
        took = time.perf_counter() - started
        print(f"blocking: {CALLS} calls, {CALLS / took:,.0f} calls/s")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
