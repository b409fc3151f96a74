"""Reads of records that say whose they are, under faults, cancels and time-outs that are too short:
every answer is that of its own key."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from functools import partial
from typing import Any

from load import Stress

import spikewire
from spikewire.testing import Cluster

SIZES = (0, 10, 500, 4_000, 70_000, 200_000)
KEYS = 60
SET = "crosstalk"
OPTIONS: Any = {"timeout": 0.5, "socket_timeout": 0.1, "tend_interval": 0.25}


def expected(key: int) -> bytes:
    """The content of a record."""
    return f"{key};".encode() * (SIZES[key % len(SIZES)] // len(f"{key};") + 1)


class Reader:
    """One worker: what it reads, checks and counts."""

    def __init__(self, stress: Stress, name: str) -> None:
        self.stress = stress
        self.random = random.Random(f"{stress.seed} {name}")
        self.counts: Counter[str] = Counter()

    def key(self) -> int:
        return self.random.randrange(KEYS)

    def timeout(self) -> float:
        """A time that is often too short."""
        return self.random.choice((0.001, 0.003, 0.01, 0.5))

    def check(self, key: int, content: object) -> None:
        self.counts["answers"] += 1
        self.stress.check(content == expected(key), f"key {key} got another key's answer")

    def count_failure(self, name: str = "failed") -> None:
        self.counts[name] += 1


def gets(data: spikewire.Dataset, reader: Reader) -> None:
    """Reads one record after the other."""
    while not reader.stress.is_over:
        key = reader.key()
        try:
            reader.check(key, data.get(key, timeout=reader.timeout())["b"])
        except spikewire.Error:
            reader.count_failure()


def batches(data: spikewire.Dataset, reader: Reader) -> None:
    """Reads 20 records in one call."""
    while not reader.stress.is_over:
        keys = [reader.key() for _ in range(20)]
        try:
            rows = data.get_many(keys, timeout=reader.timeout())
        except spikewire.Error:
            reader.count_failure()
            continue
        errors = rows.errors
        for number, key in enumerate(keys):
            if number in errors:
                reader.count_failure()
            else:
                reader.check(key, rows[number]["b"])


def futures(data: spikewire.Dataset, reader: Reader) -> None:
    """24 calls in flight, some of which are cancelled."""
    while not reader.stress.is_over:
        keys = [reader.key() for _ in range(24)]
        calls = [data.submit.get(key, timeout=reader.timeout()) for key in keys]
        for key, call in zip(keys, calls, strict=True):
            if reader.random.random() < 0.1 and call.cancel():
                reader.count_failure("cancelled")
            elif call.exception(60) is None:
                reader.check(key, call.result()["b"])
            else:
                reader.count_failure()


async def tasks(seeds: str, reader: Reader) -> None:
    """32 tasks, of whose calls some are cancelled; half of the reads are hedged."""
    async with spikewire.AsyncClient(seeds, **OPTIONS) as client:
        data = client.dataset("test", SET)
        options = ({}, {"hedge": 0.005})

        async def task(number: int) -> None:
            while not reader.stress.is_over:
                key = reader.key()
                get = data.get(key, timeout=reader.timeout(), **options[number % 2])
                call = asyncio.ensure_future(get)
                if reader.random.random() < 0.2:
                    asyncio.get_running_loop().call_later(
                        reader.random.random() * 0.01, call.cancel
                    )
                try:
                    reader.check(key, (await call)["b"])
                except spikewire.Error:
                    reader.count_failure()
                except asyncio.CancelledError:
                    reader.count_failure("cancelled")

        await asyncio.gather(*(task(number) for number in range(32)))


def main() -> int:
    stress = Stress()
    with (
        Cluster(nodes=3) as cluster,
        # Some of the threads have connections of their own, the others share.
        spikewire.Client(cluster.seeds, connections_per_node=4, **OPTIONS) as client,
    ):
        data = client.dataset("test", SET)
        with spikewire.Client(cluster.seeds, timeout=30, socket_timeout=30) as patient:
            rows = {key: {"b": expected(key)} for key in range(KEYS)}
            patient.dataset("test", SET).put_many(rows).raise_for_errors()
        readers = [Reader(stress, f"worker {n}") for n in range(7)]
        stress.run(
            lambda: stress.change_faults(cluster),
            *(partial(gets, data, reader) for reader in readers[:4]),
            lambda: batches(data, readers[4]),
            lambda: futures(data, readers[5]),
            lambda: asyncio.run(tasks(cluster.seeds, readers[6])),
        )
        for reader in readers:
            stress.add(reader.counts)
    return stress.finish()


if __name__ == "__main__":
    sys.exit(main())
