"""What a transaction costs the client: CPU time of a `get` and a `put` within one, next to those
outside, in interleaved rounds.

    .venv/bin/python benches/transactions.py [ROUNDS]

A cluster in another process answers. Each line has the medians in microseconds, and the median of
the rounds' ratios with its quartiles. Within, a round is one transaction over 100 records; its
beginning and its end are not counted, and neither are the requests before the first write of each
record.
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import spikewire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TASKS, COMMANDS, RECORDS = 32, 3200, 100
BINS = {"n": 1, "name": "somebody"}


async def awaited(call: Callable[[int], Awaitable[Any]]) -> float:
    """CPU time of a command among many tasks, in microseconds."""

    async def work(first: int) -> None:
        for number in range(COMMANDS // TASKS):
            await call((first + number * 7) % RECORDS)

    began = time.process_time()
    await asyncio.gather(*(work(number) for number in range(TASKS)))
    return (time.process_time() - began) / COMMANDS * 1e6


def blocking(call: Callable[[int], Any]) -> float:
    """The same for a calling thread."""
    began = time.process_time()
    for number in range(COMMANDS):
        call(number % RECORDS)
    return (time.process_time() - began) / COMMANDS * 1e6


def report(api: str, verb: str, rounds: list[tuple[float, float]]) -> None:
    """Prints a line, without the first round, which is the warm-up."""
    outside, within = zip(*rounds[1:], strict=True)
    ratios = [inner / outer for outer, inner in rounds[1:]]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(
        f"{api:9} {verb:4} outside {statistics.median(outside):6.2f}  "
        f"within {statistics.median(within):6.2f} µs  ratio {middle:.2f} ({low:.2f} to {high:.2f})",
        flush=True,
    )


async def measure_awaited(seeds: str, rounds: int) -> None:
    async with spikewire.AsyncClient(seeds) as client:
        data = client.dataset("test", "cost")
        gets, puts = [], []
        for _ in range(rounds + 1):
            outer = await awaited(data.get), await awaited(lambda key: data.put(key, BINS))
            txn = client.transaction(timeout=120)
            inside = data.within(txn)
            get = await awaited(inside.get)
            for key in range(RECORDS):
                await inside.put(key, BINS)
            put = await awaited(lambda key, inside=inside: inside.put(key, BINS))
            await txn.commit()
            gets.append((outer[0], get))
            puts.append((outer[1], put))
    report("asyncio", "get", gets)
    report("asyncio", "put", puts)


def measure_blocking(seeds: str, rounds: int) -> None:
    with spikewire.Client(seeds) as client:
        data = client.dataset("test", "cost")
        data.put_many(dict.fromkeys(range(RECORDS), BINS))
        gets, puts = [], []
        for _ in range(rounds + 1):
            outer = blocking(data.get), blocking(lambda key: data.put(key, BINS))
            txn = client.transaction(timeout=120)
            inside = data.within(txn)
            get = blocking(inside.get)
            for key in range(RECORDS):
                inside.put(key, BINS)
            put = blocking(lambda key, inside=inside: inside.put(key, BINS))
            txn.commit()
            gets.append((outer[0], get))
            puts.append((outer[1], put))
    report("blocking", "get", gets)
    report("blocking", "put", puts)


if __name__ == "__main__":
    command = [sys.executable, "-m", "spikewire", "serve", "--port", "0"]
    command += ["--edition", "enterprise", "--strong-consistency"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            seeds = server.stdout.readline().removeprefix("ready ").strip()
            rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
            measure_blocking(seeds, rounds)
            asyncio.run(measure_awaited(seeds, rounds))
        finally:
            server.terminate()
