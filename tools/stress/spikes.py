"""Histories of reads and writes while a node is silent, slow, or killed and restarted empty, with
default options and with a near cache: no acknowledged write is lost or applied twice, none that
failed is applied unless it is in doubt, and no read is older than what its program wrote before."""

from __future__ import annotations

import asyncio
import itertools
import random
import sys
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from load import Stress

import spikewire
from spikewire import op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

TASKS, KEYS = 8, 12
SILENT: tuple[Any, ...] = (
    {"drop": 1.0, "info": True},
    {"drop_reply": 1.0, "info": True},
    {"mute_after": 3, "info": True},
    {"stall": 1.0},
)
CACHED: dict[str, Any] = {"near_cache": 1 << 20, "near_cache_heat": 1, "share_reads": "in_flight"}
SECONDS = 0.6
"""How long a node misbehaves, in the middle of a history."""


class History:
    """What one program knows of its own records: a list each, to which it appends tokens."""

    def __init__(self, stress: Stress, seed: int, data: Any) -> None:
        self.stress, self.seed, self.data = stress, seed, data
        self.random = random.Random(seed)
        self.acknowledged: defaultdict[int, set[str]] = defaultdict(set)
        self.doubtful: set[str] = set()
        self.failed: set[str] = set()
        self.reads = self.unanswered = 0
        self.is_over = False

    async def run(self, disturb: Callable[[random.Random], Awaitable[None]]) -> None:
        workers = [asyncio.create_task(self.work(number)) for number in range(TASKS)]
        try:
            await disturb(self.random)
        finally:
            self.is_over = True
            await asyncio.gather(*workers)

    async def work(self, worker: int) -> None:
        count = 0
        while not self.is_over:
            number = self.random.randrange(KEYS)
            if self.random.random() < 0.5:
                count += 1
                await self.append(number, f"{worker}:{count}")
            else:
                await self.read(number)

    async def append(self, number: int, token: str) -> None:
        try:
            await self.data.operate(self.key(number), [op.list.append("tokens", token)])
        except spikewire.Error as error:
            (self.doubtful if error.in_doubt else self.failed).add(token)
        else:
            self.acknowledged[number].add(token)

    async def read(self, number: int) -> None:
        before = set(self.acknowledged[number])
        try:
            tokens = set(await self.tokens(number))
        except spikewire.Error:
            self.unanswered += 1
            return
        self.reads += 1
        missing = before - tokens
        self.stress.check(not missing, f"history {self.seed}: a read misses {sorted(missing)}")

    async def tokens(self, number: int, **options: Any) -> list[str]:
        record = await self.data.get(self.key(number), default=None, **options)
        return record["tokens"] if record else []

    def key(self, number: int) -> str:
        return f"{self.seed} {number}"

    async def check(self, hits: int) -> None:
        """Compares what is stored in the end with what the program was told."""
        for number in range(KEYS):
            stored = Counter(await self.tokens(number, timeout=30))
            wrong = {
                "lost": self.acknowledged[number] - stored.keys(),
                "applied twice": {token for token, count in stored.items() if count > 1},
                "applied although it failed": self.failed & stored.keys(),
            }
            for what, tokens in wrong.items():
                self.stress.check(not tokens, f"history {self.seed}: {what}: {sorted(tokens)}")
        acknowledged = sum(map(len, self.acknowledged.values()))
        self.stress.add(
            {
                "histories": 1,
                "writes": acknowledged + len(self.doubtful) + len(self.failed),
                "acknowledged": acknowledged,
                "in_doubt": len(self.doubtful),
                "reads": self.reads,
                "reads_failed": self.unanswered,
                "reads_from_the_cache": hits,
            }
        )


async def main() -> int:
    stress = Stress()
    seed = stress.seed * 1_000_000
    with Cluster(nodes=3, replication_factor=2) as cluster:
        cluster.wait_settled()

        async def silent(draw: random.Random) -> None:
            await disturbed(draw, **draw.choice(SILENT))

        async def slow(draw: random.Random) -> None:
            await disturbed(draw, delay=draw.choice([0.01, 0.05, 0.2]))

        async def disturbed(draw: random.Random, **faults: Any) -> None:
            node = draw.randrange(cluster.nodes)
            cluster.inject(node, seed=draw.randrange(1 << 30), **faults)
            await asyncio.sleep(SECONDS)
            cluster.clear_faults(node)

        async def killed(draw: random.Random) -> None:
            node = draw.randrange(cluster.nodes)
            cluster.kill(node)
            await asyncio.sleep(SECONDS * draw.random())
            cluster.restart(node)
            await asyncio.sleep(SECONDS * draw.random())

        while not stress.is_over:
            for disturb, options in itertools.product((silent, slow, killed), ({}, CACHED)):
                async with spikewire.AsyncClient(cluster.seeds, **options) as client:
                    history = History(stress, seed, client.dataset("test", "spikes"))
                    await history.run(disturb)
                    cluster.wait_settled()
                    cache = client.stats().near_cache
                    await history.check(cache.hits if cache else 0)
                seed += 1
    return stress.finish()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
