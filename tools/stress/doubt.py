"""Additions under faults by every API: each counter ends between what was acknowledged, and that
plus what is in doubt."""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from load import Stress

import spikewire
from spikewire import op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = 50
TIMEOUT = 0.25
OPTIONS: Any = {"timeout": TIMEOUT, "socket_timeout": 0.1, "tend_interval": 0.25}


class Ledger:
    """What one worker knows of the counters that are its own."""

    def __init__(self, stress: Stress, name: str) -> None:
        self.stress, self.name = stress, name
        self.random = random.Random(f"{stress.seed} {name}")
        self.acknowledged: Counter[str] = Counter()
        self.doubtful: Counter[str] = Counter()
        self.failed = 0

    def key(self) -> str:
        return f"{self.name} {self.random.randrange(KEYS)}"

    def note(self, key: str, error: BaseException | None) -> None:
        if error is None:
            self.acknowledged[key] += 1
            return
        if not isinstance(error, (spikewire.Error, asyncio.CancelledError)):
            raise error
        self.failed += 1
        # Who cancels does not learn whether the request was executed.
        if isinstance(error, asyncio.CancelledError) or error.in_doubt:
            self.doubtful[key] += 1

    def check(self, read: Callable[[str], int]) -> None:
        for key in sorted({*self.acknowledged, *self.doubtful}):
            value, least = read(key), self.acknowledged[key]
            most = least + self.doubtful[key]
            self.stress.check(
                least <= value <= most, f"{key}: {value} is not from {least} to {most}"
            )
        acknowledged = sum(self.acknowledged.values())
        self.stress.add(
            {
                "additions": acknowledged + self.failed,
                "acknowledged": acknowledged,
                "in_doubt": sum(self.doubtful.values()),
                "counters": len({*self.acknowledged, *self.doubtful}),
            }
        )


def main() -> int:
    stress = Stress()
    with Cluster(nodes=3) as cluster, spikewire.Client(cluster.seeds, **OPTIONS) as client:
        data = client.dataset("test", "doubt")
        ledgers = {
            name: Ledger(stress, name)
            for name in ("thread 1", "thread 2", "thread 3", "thread 4", "submit", "batch", "loop")
        }

        def calls(ledger: Ledger) -> None:
            while not stress.is_over:
                key, error = ledger.key(), None
                try:
                    data.add(key, {"n": 1})
                except spikewire.Error as failed:
                    error = failed
                ledger.note(key, error)

        def submitted(ledger: Ledger) -> None:
            while not stress.is_over:
                keys = [ledger.key() for _ in range(32)]
                futures = [data.submit.add(key, {"n": 1}) for key in keys]
                for key, future in zip(keys, futures, strict=True):
                    ledger.note(key, future.exception(60))

        def batches(ledger: Ledger) -> None:
            while not stress.is_over:
                keys = sorted({ledger.key() for _ in range(24)})
                rows = data.operate_many(keys, [op.add("n", 1)])
                errors = rows.errors
                for number, key in enumerate(keys):
                    ledger.note(key, errors.get(number))

        def loop(ledger: Ledger) -> None:
            asyncio.run(awaited(stress, cluster.seeds, ledger))

        stress.run(
            lambda: stress.change_faults(cluster),
            *(lambda n=n: calls(ledgers[f"thread {n}"]) for n in range(1, 5)),
            lambda: submitted(ledgers["submit"]),
            lambda: batches(ledgers["batch"]),
            lambda: loop(ledgers["loop"]),
        )
        # A request whose reply nobody waits for may still be under way.
        time.sleep(1)

        def read(key: str) -> int:
            record = data.get(key, default=None, timeout=30)
            return record["n"] if record else 0  # type: ignore[return-value]

        for ledger in ledgers.values():
            ledger.check(read)
    return stress.finish()


async def awaited(stress: Stress, seeds: str, ledger: Ledger) -> None:
    """16 tasks, of whose calls some are cancelled."""
    async with spikewire.AsyncClient(seeds, **OPTIONS) as client:
        data = client.dataset("test", "doubt")

        async def task() -> None:
            while not stress.is_over:
                key, error = ledger.key(), None
                call = asyncio.ensure_future(data.add(key, {"n": 1}))
                if ledger.random.random() < 0.1:
                    asyncio.get_running_loop().call_later(
                        ledger.random.random() * 0.01, call.cancel
                    )
                try:
                    await call
                except (spikewire.Error, asyncio.CancelledError) as failed:
                    error = failed
                ledger.note(key, error)

        await asyncio.gather(*(task() for _ in range(16)))


if __name__ == "__main__":
    sys.exit(main())
