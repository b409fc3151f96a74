"""Ways to make many calls from one thread: blocking, futures, callback chains, asyncio.

    python benches/in_flight.py [-H HOST:PORT] [--rounds 3] [--calls 100000]

Prints, as medians over interleaved rounds with each cell in a fresh process: calls per second, the
client's CPU per call (user + sys), and the growth of its memory at its peak. Then 500 callback
chains compared with 120, and unthrottled calls with the number that failed. Any other failed call
ends the run. Without -H it starts an embedded three-node cluster in a process of its own. Every
call writes one int bin; 100,000 keys.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = 100_000
DEPTH = 120


def blocking(data: Any, calls: int) -> int:
    for n in range(calls):
        data.put(n % KEYS, {"b0": n})
    return 0


def batches(data: Any, calls: int) -> int:
    for first in range(0, calls, DEPTH):
        numbers = range(first, min(first + DEPTH, calls))
        futures = [data.submit.put(n % KEYS, {"b0": n}) for n in numbers]
        for future in futures:
            future.result()
    return 0


def pipeline(data: Any, calls: int) -> int:
    futures: deque[Any] = deque()
    for n in range(calls):
        if len(futures) == DEPTH:
            futures.popleft().result()
        futures.append(data.submit.put(n % KEYS, {"b0": n}))
    for future in futures:
        future.result()
    return 0


def unthrottled(data: Any, calls: int) -> int:
    futures = [data.submit.put(n % KEYS, {"b0": n}) for n in range(calls)]
    return sum(future.exception() is not None for future in futures)


def chains(count: int) -> Callable[[Any, int], int]:
    def run(data: Any, calls: int) -> int:
        numbers, finished = iter(range(calls)), threading.Semaphore(0)
        failed: list[BaseException] = []

        def following(done: Any = None) -> None:
            if done is not None and (error := done.exception()):
                failed.append(error)
            if (n := next(numbers, None)) is None:
                finished.release()
            else:
                data.submit.put(n % KEYS, {"b0": n}).add_done_callback(following)

        for _ in range(count):
            following()
        for _ in range(count):
            finished.acquire()
        return len(failed)

    return run


def concurrent(client: Any, data: Any, calls: int) -> int:
    each = ((data.put, n % KEYS, {"b0": n}) for n in range(calls))
    for _ in client.concurrent(each, limit=DEPTH):
        pass
    return 0


async def tasks(hosts: str, calls: int, measure: Measure) -> int:
    import spikewire

    async with spikewire.AsyncClient(hosts, timeout=10) as client:
        data = client.dataset("test", "in-flight")
        numbers = iter(range(calls))

        async def work() -> None:
            for n in numbers:
                await data.put(n % KEYS, {"b0": n})

        await data.exists(0)
        measure.begin()
        await asyncio.gather(*(work() for _ in range(DEPTH)))
        measure.end()
    return 0


#: ``None``: ways that need more than a dataset.
WAYS: dict[str, Callable[[Any, int], int] | None] = {
    "blocking": blocking,
    "batches of 120 futures": batches,
    "full pipeline of 120": pipeline,
    "unthrottled": unthrottled,
    "120 callback chains": chains(120),
    "250 callback chains": chains(250),
    "500 callback chains": chains(500),
    "concurrent, limit 120": None,
    "asyncio, 120 tasks": None,
}


class Measure:
    """Time, CPU time and memory between two points in time."""

    def begin(self) -> None:
        gc.collect()
        self.used, self.started = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()

    def end(self) -> None:
        self.took = time.perf_counter() - self.started
        used, before = resource.getrusage(resource.RUSAGE_SELF), self.used
        self.cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        unit = 1 if sys.platform == "darwin" else 1024
        self.grown = (used.ru_maxrss - before.ru_maxrss) * unit


def run(hosts: str, way: str, calls: int) -> dict[str, float]:
    """One cell, in this process."""
    import spikewire

    measure, work = Measure(), WAYS[way]
    if way.startswith("asyncio"):
        failed = asyncio.run(tasks(hosts, calls, measure))
    else:
        with spikewire.Client(hosts, timeout=10) as client:
            data = client.dataset("test", "in-flight")
            data.exists(0)
            data.submit.exists(0).result()
            measure.begin()
            failed = work(data, calls) if work else concurrent(client, data, calls)
            measure.end()
    return {
        "rate": calls / measure.took,
        "cpu": measure.cpu / calls * 1e6,
        "grown": measure.grown / 2**20,
        "failed": failed,
    }


def compare(hosts: str, rounds: int, calls: int) -> bool:
    """Runs and prints everything; returns whether no call failed."""

    def cell(way: str, calls: int) -> dict[str, float]:
        command = [sys.executable, __file__, "-H", hosts, "--cell", json.dumps([way, calls])]
        out = subprocess.run(command, check=True, capture_output=True, text=True)
        return json.loads(out.stdout)  # type: ignore[no-any-return]

    cells: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way, results in cells.items():
            results.append(cell(way, calls))
    print(f"{'way':<24} | {'calls/s':>9} | {'CPU us/call':>11} | {'MiB grown':>9} | failed")
    for way, results in cells.items():
        rate, cpu, grown = (statistics.median(each[of] for each in results) for of in MEDIANS)
        failed = sum(each["failed"] for each in results)
        print(f"{way:<24} | {rate:>9,.0f} | {cpu:>11.2f} | {grown:>9.1f} | {failed:>6}")
    pairs = zip(cells["500 callback chains"], cells["120 callback chains"], strict=True)
    ratios = [many["rate"] / few["rate"] for many, few in pairs]
    ratios_text = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"500 chains / 120 chains: {statistics.median(ratios):.2f} (rounds: {ratios_text})")
    fine = not any(each["failed"] for results in cells.values() for each in results)
    for calls in (10_000, 100_000):
        results = cell("unthrottled", calls)
        fine = fine and not results["failed"]
        print(
            f"unthrottled: {calls:,} submitted, {results['failed']} failed, "
            f"{results['grown']:.1f} MiB grown, {results['rate']:,.0f} calls/s"
        )
    return fine


MEDIANS = ("rate", "cpu", "grown")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-H", "--hosts")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.cell:
        way, calls = json.loads(options.cell)
        print(json.dumps(run(options.hosts, way, calls)))
        return 0
    if options.hosts:
        return 0 if compare(options.hosts, options.rounds, options.calls) else 1
    command = [sys.executable, "-m", "spikewire", "serve", "--nodes", "3", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            hosts = server.stdout.readline().split()[1]
            return 0 if compare(hosts, options.rounds, options.calls) else 1
        finally:
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
