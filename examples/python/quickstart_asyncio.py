"""The asyncio client in one page: the same names, awaited."""

from __future__ import annotations

import asyncio

import seeds

import spikewire


async def main(where: str) -> None:
    async with spikewire.AsyncClient(where) as client:
        users = client.dataset("test", "users")

        await users.put("alice", {"name": "Alice", "age": 28})
        record = await users.get("alice")
        print(record["name"], record.generation)

        # A verb sends at once and returns a future: calls started together are sent together.
        await asyncio.gather(*(users.put(at, {"square": at * at}) for at in range(1000)))
        records = await asyncio.gather(*(users.get(at, bins=["square"]) for at in range(10)))
        print([record["square"] for record in records])

        # Futures work with everything in asyncio.
        first = asyncio.wait_for(users.get("alice"), timeout=1)
        print((await first)["age"])

        # A miss is an exception, unless the call says what to return instead.
        print(await users.get("nobody", default=None))


if __name__ == "__main__":
    with seeds.find() as where:
        asyncio.run(main(where))
