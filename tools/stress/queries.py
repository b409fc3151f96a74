"""Queries and pages while nodes are killed, restarted and made faulty: no record is missing, none
comes twice."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from typing import Any

from load import FAULTS, Stress

import spikewire
from spikewire.testing import Cluster

COUNT = 2_000
QUERY: Any = {"timeout": 60, "socket_timeout": 1.0}


def main() -> int:
    stress = Stress()
    with (
        Cluster(nodes=3, migration_pause=0.0001) as cluster,
        spikewire.Client(cluster.seeds, timeout=30, tend_interval=0.1) as client,
    ):
        data = client.dataset("test", "queries")
        data.put_many({n: {"n": n, "b": b"x" * 500} for n in range(COUNT)}).raise_for_errors()
        complete = list(range(COUNT))

        def compare(how: str, numbers: list[int]) -> None:
            stress.add({how: 1, "records": len(numbers)})
            stress.check(sorted(numbers) == complete, f"{how}: {wrong(numbers)}")

        def whole() -> None:
            while not stress.is_over:
                compare("queries", [record["n"] for record in data.query(**QUERY)])  # type: ignore[misc]

        def pages() -> None:
            draw = random.Random(stress.seed)
            while not stress.is_over:
                numbers, cursor, done = [], None, False
                while not done:
                    size = draw.randrange(50, 800)
                    page = data.query(**QUERY, page_size=size, resume=cursor).page()
                    numbers += [record["n"] for record in page]
                    cursor, done = page.cursor, page.done
                compare("paged", numbers)  # type: ignore[arg-type]

        def halves() -> None:
            while not stress.is_over:
                rows = [record["n"] for record in data.query(where="$.n < 1000", **QUERY)]
                rest = [record["n"] for record in data.query(where="$.n >= 1000", **QUERY)]
                compare("filtered", rows + rest)  # type: ignore[operator]

        async def streamed() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=30, tend_interval=0.1) as other:
                there = other.dataset("test", "queries")
                while not stress.is_over:
                    compare("awaited", [record["n"] async for record in there.query(**QUERY)])  # type: ignore[misc]

        stress.run(
            lambda: break_nodes(stress, cluster),
            whole,
            pages,
            halves,
            lambda: asyncio.run(streamed()),
        )
    return stress.finish()


def break_nodes(stress: Stress, cluster: Cluster) -> None:
    """One node at a time is killed and restarted, or made faulty; with two copies of each record
    none is lost."""
    draw = random.Random(stress.seed)
    while not stress.is_over:
        node = draw.randrange(3)
        if draw.random() < 0.5:
            cluster.kill(node)
            time.sleep(draw.random() * 0.3)
            cluster.restart(node)
            stress.check(cluster.wait_settled(60), "the cluster does not settle")
            stress.add({"kills": 1})
        else:
            cluster.inject(node, seed=draw.randrange(1 << 30), **draw.choice(FAULTS))
            time.sleep(draw.random() * 0.3)
            cluster.clear_faults(node)


def wrong(numbers: list[int]) -> str:
    """What is missing and what is there twice."""
    counts = Counter(numbers)
    missing = [n for n in range(COUNT) if n not in counts]
    twice = [n for n, count in counts.items() if count > 1]
    return f"{len(missing)} missing {missing[:5]}, {len(twice)} twice {twice[:5]}"


if __name__ == "__main__":
    sys.exit(main())
