"""A first program: that an installed package imports, starts a cluster, writes and reads.

It needs nothing but the package, and prints one line.
"""

import asyncio
import platform

import spikewire
from spikewire.testing import Cluster


async def on_a_loop(seeds: str) -> int:
    """Writes and reads with the asyncio client."""
    async with spikewire.AsyncClient(seeds) as client:
        users = client.dataset("test", "users")
        await asyncio.gather(*(users.put(n, {"n": n}) for n in range(100)))
        return sum(record is not None for record in await users.get_many(range(200)))


def main() -> None:
    """Runs it."""
    with Cluster(nodes=3) as cluster:
        with spikewire.Client(cluster.seeds) as client:
            users = client.dataset("test", "users")
            users.put("alice", {"name": "Alice", "age": 28})
            record = users.get("alice")
            assert record["name"] == "Alice", record
            assert users.get("bob", default=None) is None
        present = asyncio.run(on_a_loop(cluster.seeds))
        assert present == 100, present
    libc = " ".join(platform.libc_ver()) or "unknown C library"
    print(
        f"spikewire {spikewire.__version__} works: Python {platform.python_version()}, "
        f"{platform.machine()}, {libc}"
    )


if __name__ == "__main__":
    main()
