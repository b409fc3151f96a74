"""Event loops in several threads: what a pool is for on Python without the GIL.

Each handler takes a range of keys, so handing over costs little compared with the work. With a GIL
the same code runs on one loop.
"""

from __future__ import annotations

import asyncio
from typing import Any

import seeds

import spikewire

RECORDS, PIECE = 20_000, 500


async def main(where: str) -> None:
    async with spikewire.Pool(where, timeout=10) as pool:
        numbers = pool.dataset("test", "numbers")

        async def fill(start: int) -> int:
            keys = range(start, start + PIECE)
            await asyncio.gather(*(numbers.put(key, {"n": key}) for key in keys))
            return len(keys)

        async def add_up(start: int) -> int:
            rows: Any = await numbers.get_many(range(start, start + PIECE))
            part: int = sum(row["n"] for row in rows)
            return part

        pieces = range(0, RECORDS, PIECE)
        written = sum(await pool.map(fill, pieces, limit=4))
        total = 0
        async for part in pool.map(add_up, pieces, limit=4, ordered=False):
            total += part
        assert total == sum(range(RECORDS))
        print(f"{pool.loops} loops, {written} records, total {total}")


if __name__ == "__main__":
    with seeds.find() as where:
        asyncio.run(main(where))
