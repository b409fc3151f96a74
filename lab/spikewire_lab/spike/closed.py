"""The capacity of a client: a closed loop with many reads in flight, and reads alone before it."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from statistics import median
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

    from .callers import TaskCaller, ThreadCaller
    from .result import CapacityResult, SpikeJob

QUIET_READS = 300


class _Count:
    """Reads that ended in the window, and those that failed."""

    def __init__(self, job: SpikeJob) -> None:
        self._job = job
        self.quiet: list[float] = []
        self.ended = 0
        self.errors: list[str] = []
        self.start = self.until = 0.0

    def key(self, rng: random.Random) -> int:
        return rng.randrange(self._job["keys"])

    def open(self) -> None:
        """The window begins after the warm-up."""
        self.start = time.perf_counter() + self._job["warmup"]
        self.until = self.start + self._job["duration"]

    def result(self) -> CapacityResult:
        seconds = time.perf_counter() - self.start
        fields: Any = {
            "rate": self.ended / seconds,
            "quiet": median(self.quiet),
            "errors": len(self.errors),
            "first_error": self.errors[0] if self.errors else None,
        }
        return cast("CapacityResult", fields)


def _random(job: SpikeJob, number: int = 0) -> random.Random:
    return random.Random(f"capacity/{job['seed']}/{number}")  # noqa: S311 - not secret


async def with_tasks(job: SpikeJob, caller: TaskCaller) -> CapacityResult:
    """A task for each read, as in a service, and in the scenarios."""
    count, rng, loop = _Count(job), _random(job), asyncio.get_running_loop()

    async def once(key: int) -> None:
        try:
            await caller.get(key)
        except Exception as error:  # noqa: BLE001 - counted
            count.errors.append(type(error).__name__)
        else:
            count.ended += count.start <= time.perf_counter() < count.until

    async def read() -> None:
        while time.perf_counter() < count.until:
            await loop.create_task(once(count.key(rng)))

    for _ in range(QUIET_READS):
        begun = time.perf_counter()
        await caller.get(count.key(rng))
        count.quiet.append(time.perf_counter() - begun)
    count.open()
    await asyncio.gather(*(read() for _ in range(job["concurrency"])))
    return count.result()


def with_threads(job: SpikeJob, caller: ThreadCaller) -> CapacityResult:
    """Each thread has one read in flight."""
    count, rng = _Count(job), _random(job)
    ended: list[int] = []

    def once(get: Callable[[int], object], key: int) -> bool:
        try:
            get(key)
        except Exception as error:  # noqa: BLE001 - counted
            count.errors.append(type(error).__name__)
            return False
        return count.start <= time.perf_counter() < count.until

    def read(number: int) -> None:
        own = _random(job, number)
        good = 0
        while time.perf_counter() < count.until:
            good += once(caller.get, count.key(own))
        ended.append(good)

    for _ in range(QUIET_READS):
        begun = time.perf_counter()
        caller.get(count.key(rng))
        count.quiet.append(time.perf_counter() - begun)
    count.open()
    threads = [
        threading.Thread(target=read, args=(number,), daemon=True)
        for number in range(1, job["concurrency"] + 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    count.ended = sum(ended)
    return count.result()
