"""The blocking client in one page: write, read, count, delete."""

from __future__ import annotations

from datetime import timedelta

import seeds

import spikewire
from spikewire import op


def main(where: str) -> None:
    with spikewire.Client(where) as client:
        users = client.dataset("test", "users")

        # A record is a dict of bins. It is created, or merged into an existing record.
        users.put("alice", {"name": "Alice", "age": 28, "tags": ["admin", "beta"]})
        record = users.get("alice")
        print(record["name"], record["tags"], "generation", record.generation)

        # Some bins only; a default instead of an exception on a miss.
        print(users.get("alice", bins=["age"]).bins)
        print(users.get("nobody", default=None))

        # Records can expire, and be replaced as a whole.
        users.put("alice", {"name": "Alice"}, ttl=timedelta(days=30), exists="replace")

        # Several operations in one round trip, atomically.
        record = users.operate("alice", [op.add("visits", 1), op.get("visits")])
        print("visits", record["visits"])

        # The client has every verb, too, and takes the full key.
        print(client.exists(("test", "users", "alice")))
        print("deleted", users.delete("alice"))


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
