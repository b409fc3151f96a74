"""Measures from which size on compression pays, with the values and on the machines of a reader.

For each size it writes and reads a record, plain and compressed, and prints what a call takes and
how many bytes the value becomes. ``pays below`` is the speed of a link that needs as long for the
bytes saved as compression takes: on slower links, compression shortens calls. Where the column says
``never``, values did not shrink.

    python lab/tools/break_even.py                          an embedded cluster, text like JSON
    python lab/tools/break_even.py --seeds db1:3000         a server of the Enterprise Edition
    python lab/tools/break_even.py --values records.jsonl   one value in each line
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import statistics
import sys
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
#: The level that Spikewire and other clients compress with.
LEVEL = 1
COLUMNS = ("bytes", "packed", "put us", "packed", "get us", "packed")
HEAD = " ".join(f"{name:>8}" for name in COLUMNS) + "  pays below"


def text(size: int, rng: random.Random) -> str:
    """Text like JSON of about this many bytes, of which little repeats exactly."""
    parts = []
    length = 0
    while length < size:
        part = json.dumps(
            {"id": rng.getrandbits(40), "name": rng.choice(["alice", "bob", "carol"]),
             "score": round(rng.random(), 4), "tags": ["new", "paid"][: rng.randrange(3)]}
        )  # fmt: skip
        parts.append(part)
        length += len(part)
    return "".join(parts)[:size]


def values(options: argparse.Namespace) -> Iterator[str]:
    """The values to measure: those of a file, or one of each size."""
    if options.values is not None:
        yield from Path(options.values).read_text().splitlines()
        return
    rng = random.Random(7)  # noqa: S311
    yield from (text(size, rng) for size in options.sizes)


def microseconds(call: Callable[[], object], calls: int) -> float:
    """The median time of a call."""
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def row(plain: spikewire.Client, packed: spikewire.Client, value: str, calls: int) -> str:
    """One line of the table."""
    bins = {"value": value}
    sides = [client.dataset("test", "break-even") for client in (plain, packed)]
    # In turns, so that both have the same neighbours on a busy machine.
    rounds = 5
    puts: list[list[float]] = [[], []]
    gets: list[list[float]] = [[], []]
    for _ in range(rounds):
        for at, side in enumerate(sides):
            puts[at].append(microseconds(lambda side=side: side.put(1, bins), calls // rounds))
            gets[at].append(microseconds(lambda side=side: side.get(1), calls // rounds))
    put, put_packed = map(min, puts)
    get, get_packed = map(min, gets)
    size = len(value.encode())
    small = len(zlib.compress(value.encode(), LEVEL))
    return (
        f"{size:>8} {small:>8} {put:>8.0f} {put_packed:>8.0f} {get:>8.0f} {get_packed:>8.0f}  "
        f"put {speed(size - small, put_packed - put)}, get {speed(size - small, get_packed - get)}"
    )


def speed(saved: int, cost: float) -> str:
    """The speed of a link on which bytes take as long as these microseconds."""
    if saved <= 0:
        return "never"
    return "any link" if cost <= 0 else f"{saved * 8 / cost:,.0f} Mbit/s"


def main() -> int:
    """Prints the table; returns the exit status."""
    parser = argparse.ArgumentParser(description="From which size on compression pays.")
    parser.add_argument("--seeds", help="a cluster of the Enterprise Edition; default: embedded")
    parser.add_argument("--values", metavar="FILE", help="measure these values, one in each line")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="BYTES")
    parser.add_argument("--calls", type=int, default=1000, help="calls of each kind per line")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        seeds = options.seeds
        if seeds is None:
            seeds = stack.enter_context(Cluster(nodes=1, edition="enterprise")).seeds
        plain = stack.enter_context(spikewire.Client(seeds))
        packed = stack.enter_context(
            spikewire.Client(seeds, compress=True, compression_threshold=0)
        )
        print(HEAD)
        for value in values(options):
            print(row(plain, packed, value, options.calls), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
