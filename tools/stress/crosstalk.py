"""Reads of records that say whose they are, under faults, cancels and time-outs that are too short:
every answer is that of its own key."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from typing import Any

from load import Stress

import spikewire
from spikewire.testing import Cluster

SIZES = (0, 10, 500, 4_000, 70_000, 200_000)
KEYS = 60
OPTIONS: Any = {"timeout": 0.5, "socket_timeout": 0.1, "tend_interval": 0.25}


def expected(key: int) -> bytes:
    """The content of a record."""
    return f"{key};".encode() * (SIZES[key % len(SIZES)] // len(f"{key};") + 1)


class Reader:
    """What one worker reads, and what came of it."""

    def __init__(self, stress: Stress, name: str) -> None:
        self.stress = stress
        self.random = random.Random(f"{stress.seed} {name}")
        self.counts: Counter[str] = Counter()

    def key(self) -> int:
        return self.random.randrange(KEYS)

    def timeout(self) -> float:
        """A time that is often too short."""
        return self.random.choice((0.001, 0.003, 0.01, 0.5))

    def read(self, key: int, content: object) -> None:
        self.counts["answers"] += 1
        self.stress.check(content == expected(key), f"key {key} got another key's answer")

    def failed(self, name: str = "failed") -> None:
        self.counts[name] += 1


def main() -> int:
    stress = Stress()
    with Cluster(nodes=3) as cluster, spikewire.Client(cluster.seeds, **OPTIONS) as client:
        data = client.dataset("test", "crosstalk")
        with spikewire.Client(cluster.seeds, timeout=30, socket_timeout=30) as patient:
            rows = {key: {"b": expected(key)} for key in range(KEYS)}
            patient.dataset("test", "crosstalk").put_many(rows).raise_for_errors()
        readers = [Reader(stress, f"worker {n}") for n in range(7)]

        def calls(reader: Reader) -> None:
            while not stress.is_over:
                key = reader.key()
                try:
                    reader.read(key, data.get(key, timeout=reader.timeout())["b"])
                except spikewire.Error:
                    reader.failed()

        def batches(reader: Reader) -> None:
            while not stress.is_over:
                keys = [reader.key() for _ in range(20)]
                try:
                    rows = data.get_many(keys, timeout=reader.timeout())
                except spikewire.Error:
                    reader.failed()
                    continue
                errors = rows.errors
                for number, key in enumerate(keys):
                    if number in errors:
                        reader.failed()
                    else:
                        reader.read(key, rows[number]["b"])

        def submitted(reader: Reader) -> None:
            while not stress.is_over:
                keys = [reader.key() for _ in range(24)]
                futures = [data.submit.get(key, timeout=reader.timeout()) for key in keys]
                for key, future in zip(keys, futures, strict=True):
                    if reader.random.random() < 0.1 and future.cancel():
                        reader.failed("cancelled")
                    elif future.exception(60) is None:
                        reader.read(key, future.result()["b"])
                    else:
                        reader.failed()

        stress.run(
            lambda: stress.change_faults(cluster),
            *(lambda n=n: calls(readers[n]) for n in range(4)),
            lambda: batches(readers[4]),
            lambda: submitted(readers[5]),
            lambda: asyncio.run(awaited(stress, cluster.seeds, readers[6])),
        )
        for reader in readers:
            stress.add(reader.counts)
    return stress.finish()


async def awaited(stress: Stress, seeds: str, reader: Reader) -> None:
    """32 tasks, of whose calls some are cancelled; half of the reads are hedged."""
    async with spikewire.AsyncClient(seeds, **OPTIONS) as client:
        data = client.dataset("test", "crosstalk")
        options = ({}, {"hedge": 0.005})

        async def task(number: int) -> None:
            while not stress.is_over:
                key = reader.key()
                get = data.get(key, timeout=reader.timeout(), **options[number % 2])
                call = asyncio.ensure_future(get)
                if reader.random.random() < 0.2:
                    asyncio.get_running_loop().call_later(
                        reader.random.random() * 0.01, call.cancel
                    )
                try:
                    reader.read(key, (await call)["b"])
                except spikewire.Error:
                    reader.failed()
                except asyncio.CancelledError:
                    reader.failed("cancelled")

        await asyncio.gather(*(task(number) for number in range(32)))


if __name__ == "__main__":
    sys.exit(main())
