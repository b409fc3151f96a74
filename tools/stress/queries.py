"""Queries and pages while nodes are killed, restarted and made faulty: no record is missing, none
comes twice."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from load import FAULTS, Stress

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 2_000
QUERY: Any = {"timeout": 60, "socket_timeout": 1.0}
"""On a busy machine a node may be silent for so long again and again; then a query fails."""


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

        def read(how: str, numbers: Callable[[], list[int]]) -> None:
            while not stress.is_over:
                try:
                    rows = numbers()
                except (spikewire.ConnectionFailed, spikewire.Timeout):
                    stress.add({"failed": 1})
                else:
                    compare(how, rows)

        def whole() -> None:
            read("queries", lambda: [record["n"] for record in data.query(**QUERY)])  # type: ignore[misc]

        def pages() -> None:
            draw = random.Random(stress.seed)

            def numbers() -> list[int]:
                rows, cursor, done = [], None, False
                while not done:
                    size = draw.randrange(50, 800)
                    page = data.query(**QUERY, page_size=size, resume=cursor).page()
                    rows += [record["n"] for record in page]
                    cursor, done = page.cursor, page.done
                return rows

            read("paged", numbers)

        def halves() -> None:
            def numbers() -> list[int]:
                rows = [record["n"] for record in data.query(where="$.n < 1000", **QUERY)]
                rest = [record["n"] for record in data.query(where="$.n >= 1000", **QUERY)]
                return rows + rest

            read("filtered", numbers)

        async def streamed() -> None:
            async with spikewire.AsyncClient(cluster.seeds, timeout=30, tend_interval=0.1) as other:
                there = other.dataset("test", "queries")
                while not stress.is_over:
                    try:
                        rows = [record["n"] async for record in there.query(**QUERY)]
                    except (spikewire.ConnectionFailed, spikewire.Timeout):
                        stress.add({"failed": 1})
                    else:
                        compare("awaited", rows)

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
