"""The tables, their rows, and the parameters of statements: the same for every client."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

KEYSPACE = "spikewire_lab"
PAYLOAD = 100
"""Bytes of an item's blob."""
PAGE_ROWS = 5000
PAGE_SIZE = PAGE_ROWS + 1
"""The page size of requests: every client knows a page that is not full to be the last."""
PARTITION = 1
"""The partition of the rows of a page."""
DRAWN = 16_384
"""Different parameters of all workers together, after which they repeat."""
CHECKED = 64
"""Items that are read and checked before the clock starts."""

CREATE_ITEMS = (
    f"CREATE TABLE IF NOT EXISTS {KEYSPACE}.items (id text PRIMARY KEY, number int, payload blob)"
)
CREATE_WIDE = (
    f"CREATE TABLE IF NOT EXISTS {KEYSPACE}.wide (part int, place int, a bigint, b bigint, "
    "c double, d double, e int, f text, g text, h boolean, PRIMARY KEY (part, place))"
)


def schema(replicas: int = 1) -> tuple[str, ...]:
    """The statements that create the keyspace, with so many replicas of each row, and tables."""
    keyspace = (
        f"CREATE KEYSPACE IF NOT EXISTS {KEYSPACE} WITH replication = "
        f"{{'class': 'SimpleStrategy', 'replication_factor': {replicas}}}"
    )
    return keyspace, CREATE_ITEMS, CREATE_WIDE


INSERT = f"INSERT INTO {KEYSPACE}.items (id, number, payload) VALUES (?, ?, ?)"
SELECT = f"SELECT id, number, payload FROM {KEYSPACE}.items WHERE id = ?"
COLUMNS = ("part", "place", "a", "b", "c", "d", "e", "f", "g", "h")
INSERT_WIDE = (
    f"INSERT INTO {KEYSPACE}.wide ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
)
SELECT_WIDE = f"SELECT {', '.join(COLUMNS)} FROM {KEYSPACE}.wide WHERE part = ?"

STATEMENTS = {"insert": INSERT, "select": SELECT, "page": SELECT_WIDE}
"""The statement of each operation that the clients for Node.js have."""

Parameters = tuple[object, ...]


def item(number: int) -> Parameters:
    """A row of `items`: a key, a number, a blob."""
    return f"user:{number:08d}", number, bytes((number * 7 + at) & 255 for at in range(PAYLOAD))


def wide(place: int) -> Parameters:
    """A row of `wide`, in the order of its columns."""
    return (
        *(PARTITION, place, place * 1_000_003, -place, place / 4, place * 1.5, place % 1000),
        *(f"name of the row {place}", f"group {place % 50}", place % 2 == 0),
    )


def drawn(operation: str, keys: int, seed: int, worker: int, workers: int) -> list[Parameters]:
    """The parameters of a worker, call by call."""
    # Not for secrets: the same for every client.
    numbers = random.Random(f"{seed}/{worker}")  # noqa: S311
    rows = [item(numbers.randrange(keys)) for _ in range(max(1, DRAWN // workers))]
    return rows if operation == "insert" else [row[:1] for row in rows]


def all_items(keys: int) -> Iterator[Parameters]:
    """Every item once."""
    return map(item, range(keys))


def all_wide() -> Iterator[Parameters]:
    """Every row of the page once."""
    return map(wide, range(PAGE_ROWS))
