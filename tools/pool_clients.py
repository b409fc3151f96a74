#!/usr/bin/env python3
"""Compares a pool whose loops share a client with a pool that has a client for each loop.

    python tools/pool_clients.py [--loops 2] [--tasks 64] [--python 0,300] [--rounds 7]

Both take turns on one embedded cluster in a process of its own. ``--python`` is the number of
iterations of an empty loop that a task runs between two reads. Prints medians of operations per
second and of processor time per operation, and median and quartiles of their ratios within rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import subprocess
import sys
import time
from typing import Literal

import spikewire

KEYS = 1000
CLUSTER = """
import sys
from spikewire.testing import Cluster
with Cluster(nodes=1) as cluster:
    print(cluster.seeds, flush=True)
    sys.stdin.read()
"""
WAYS: tuple[Literal["shared", "each"], ...] = ("shared", "each")


def measured(
    seeds: str, way: Literal["shared", "each"], args: argparse.Namespace, turns: int
) -> tuple[float, float]:
    """Operations per second, and microseconds of processor time for each."""
    with spikewire.Pool(seeds, loops=args.loops, clients=way, uvloop=False, timeout=20) as pool:
        data = pool.dataset("test", "pool_clients")
        stop: list[bool] = []

        async def reads(number: int) -> int:
            count = number
            while not stop:
                await data.get(count % KEYS)
                for _ in range(turns):
                    pass
                count += 1
            return count - number

        async def work(first: int) -> int:
            return sum(await asyncio.gather(*(reads(first + task) for task in range(args.tasks))))

        for seconds in (0.1, args.seconds):
            stop.clear()
            began, used = time.perf_counter(), time.process_time()
            jobs = [pool.run(work, loop * args.tasks) for loop in range(args.loops)]
            time.sleep(seconds)
            stop.append(True)
            count = sum(job.result(60) for job in jobs)
            took, used = time.perf_counter() - began, time.process_time() - used
    return count / took, used / count * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loops", type=int, default=2)
    parser.add_argument("--tasks", type=int, default=64, help="on each loop")
    parser.add_argument("--python", default="0,300")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5)
    args = parser.parse_args()
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    print(f"GIL {'on' if has_gil else 'off'}, {args.loops} loops of {args.tasks} tasks")
    command = [sys.executable, "-c", CLUSTER]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as cluster:
        assert cluster.stdout is not None
        seeds = cluster.stdout.readline().strip()
        with spikewire.Client(seeds) as client:
            client.dataset("test", "pool_clients").put_many({n: {"n": n} for n in range(KEYS)})
        for turns in map(int, args.python.split(",")):
            rounds = [
                {way: measured(seeds, way, args, turns) for way in WAYS[:: 1 - 2 * (number % 2)]}
                for number in range(args.rounds)
            ]
            for way in WAYS:
                rate = statistics.median(one[way][0] for one in rounds)
                used = statistics.median(one[way][1] for one in rounds)
                print(f"{turns:5} turns, {way:6}: {rate:10,.0f} op/s, {used:6.2f} µs of CPU each")
            for what, at in (("op/s", 0), ("CPU", 1)):
                ratios = [one["each"][at] / one["shared"][at] for one in rounds]
                low, middle, high = statistics.quantiles(ratios, n=4)
                print(
                    f"{turns:5} turns, each / shared, {what}: {middle:.2f} ({low:.2f}-{high:.2f})"
                )


if __name__ == "__main__":
    main()
