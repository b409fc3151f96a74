"""Chains of callbacks: each call submits the next one when it is done.

The client's own thread does all the work; the main thread only waits. 500 chains are as good as
120, because each iteration of that thread sends together all calls submitted since the last one.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import seeds

import spikewire

if TYPE_CHECKING:
    from concurrent.futures import Future

CALLS = 20_000


def run(events: spikewire.Dataset, chains: int) -> None:
    numbers = iter(range(CALLS))
    finished = threading.Semaphore(0)
    errors: list[BaseException] = []

    def following(done: Future[None] | None = None) -> None:
        if done is not None and (error := done.exception()):
            errors.append(error)
        if (n := next(numbers, None)) is None:
            finished.release()
        else:
            events.submit.put(n, {"n": n}).add_done_callback(following)

    for _ in range(chains):
        following()
    for _ in range(chains):
        finished.acquire()
    assert not errors


def main(where: str) -> None:
    with spikewire.Client(where, timeout=5) as client:
        events = client.dataset("test", "events")
        for chains in (120, 500):
            started = time.perf_counter()
            run(events, chains)
            took = time.perf_counter() - started
            print(f"{chains} chains: {CALLS} calls, {CALLS / took:,.0f} calls/s")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
