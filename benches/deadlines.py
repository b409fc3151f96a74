"""How punctual calls with a deadline are, and how many of their rows come, with a slow node.

    python benches/deadlines.py               # 10 ms, blocking and asyncio
    python benches/deadlines.py --deadline 5  # 5 ms
    python benches/deadlines.py --calls 5000

One of three nodes is as it should be, slow (a delay of five times the deadline) or mute. Each line
has the share of calls that end by the deadline and 2 ms, the share of rows that came, and the same
share of calls for a plain sleep until the deadline, which is what this machine allows. The embedded
cluster is in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = 60
#: What a call may take longer, in seconds.
SLACK = 0.002


class Tally:
    """The calls of one kind."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.calls = self.punctual = self.rows = self.sleeps = self.punctual_sleeps = 0

    def call(self, began: float, rows: int) -> None:
        self.calls += 1
        self.punctual += time.perf_counter() - began <= self.deadline + SLACK
        self.rows += rows

    def sleep(self, began: float) -> None:
        self.sleeps += 1
        self.punctual_sleeps += time.perf_counter() - began <= self.deadline + SLACK

    def __str__(self) -> str:
        punctual, rows = self.punctual / self.calls, self.rows / self.calls / ROWS
        return f"{punctual:8.4f} {rows:8.4f} {self.punctual_sleeps / self.sleeps:8.4f}"


def turns(calls: int) -> Iterator[bool]:
    """For each call, whether a sleep follows."""
    return (number % 10 == 0 for number in range(calls))


def blocking(seeds: str, deadline: float, calls: int) -> Tally:
    tally = Tally(deadline)
    with spikewire.Client(seeds) as client:
        data = client.dataset("test", "deadlines")
        for sleeps in turns(calls):
            began = time.perf_counter()
            batch = data.get_many(range(ROWS), deadline=deadline)
            tally.call(began, ROWS - len(batch.late))
            if sleeps:
                began = time.perf_counter()
                time.sleep(deadline)
                tally.sleep(began)
    return tally


async def awaited(seeds: str, deadline: float, calls: int) -> Tally:
    tally = Tally(deadline)
    async with spikewire.AsyncClient(seeds) as client:
        data = client.dataset("test", "deadlines")
        for sleeps in turns(calls):
            began = time.perf_counter()
            batch = await data.get_many(range(ROWS), deadline=deadline)
            tally.call(began, ROWS - len(batch.late))
            if sleeps:
                began = time.perf_counter()
                await asyncio.sleep(deadline)
                tally.sleep(began)
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deadline", type=float, default=10, help="in milliseconds")
    parser.add_argument("--calls", type=int, default=1000)
    options = parser.parse_args()
    deadline = options.deadline / 1000
    nodes: dict[str, dict[str, Any]] = {
        "well": {},
        "slow": {"delay": 5 * deadline},
        "mute": {"drop": 1.0},
    }
    print(f"{'copies, node, API':24} {'in time':>8} {'rows':>8} {'sleep':>8}")
    for copies in (2, 1):
        with Cluster(3, replication_factor=copies) as cluster:
            cluster.wait_settled()
            with spikewire.Client(cluster.seeds) as client:
                records = {n: {"n": n} for n in range(ROWS)}
                client.dataset("test", "deadlines").put_many(records).raise_for_errors()
            for node, faults in nodes.items():
                cluster.inject(1, **faults)
                tallies = {
                    "blocking": blocking(cluster.seeds, deadline, options.calls),
                    "asyncio": asyncio.run(awaited(cluster.seeds, deadline, options.calls)),
                }
                cluster.clear_faults(1)
                for api, tally in tallies.items():
                    print(f"{f'{copies}, {node}, {api}':24} {tally}", flush=True)


if __name__ == "__main__":
    main()
