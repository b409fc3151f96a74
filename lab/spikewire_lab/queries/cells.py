"""What scan comparisons compare: clients, their ways to scan, and what is done with records."""

from __future__ import annotations

from dataclasses import dataclass

from ..clients import OURS, PEERS
from ..clients.base import ASYNC, NODE, SYNC
from ..clients.registry import base_of, in_order
from ..plan import NODE_BUILDER, NODE_DROP_IN, NODE_OURS, NODE_PEER

QUERIES_MODE = "queries"
GETS_MODE = "scans-p99"
NODE_QUERIES_MODE = "node-queries"
INDEX_MODE = "index-queries"
QUERY_MODES = (QUERIES_MODE, INDEX_MODE, GETS_MODE, NODE_QUERIES_MODE)
"""Modes of a comparison that concern scans."""

DESCRIBE = "describe-scan"
SCAN = "scan"
FILL = "fill"
KEEP_SCANNING = "keep-scanning"
GET_AMONG_SCANS = "get-among-scans"
ACTIONS = (DESCRIBE, SCAN, FILL, KEEP_SCANNING, GET_AMONG_SCANS)
"""Actions of jobs that only these modes have."""

OBJECTS, ARROW = "objects", "arrow"
FOREACH, RESULTS, ITERATE = "foreach", "results", "iterate"
STREAM = "stream"
NOTHING, FILE, SLEEP = "no-op", "file", "sleep"
CONSUMERS = (NOTHING, FILE, SLEEP)

GETS_SCANS = 8
"""Concurrent full scans while single records are read."""

RECORDS = 100_000
SLOW_RECORDS = 100_000
SELECTED = 10.0
"""The percentage of the records that an index query selects."""
RECORD_SIZES = (1_000, 100)
LEAST_SIZE = 40
LARGEST_SIZE = 1_000_000

WAYS: dict[str, dict[str, tuple[str, ...]]] = {
    OURS: {SYNC: (OBJECTS, ARROW), ASYNC: (OBJECTS, ARROW)},
    "aerospike": {SYNC: (FOREACH, RESULTS)},
    "aerospike-py": {SYNC: (FOREACH, RESULTS), ASYNC: (FOREACH, RESULTS)},
    "aerospike-sdk": {SYNC: (ITERATE,), ASYNC: (ITERATE,)},
    "aerospike-native": {SYNC: (ITERATE,), ASYNC: (ITERATE,)},
    NODE_OURS: {NODE: (ITERATE, STREAM)},
    NODE_BUILDER: {NODE: (ITERATE,)},
    NODE_DROP_IN: {NODE: ("scan", "query")},
    NODE_PEER: {NODE: ("scan", "query")},
}
"""The ways of each client to read all records of a set, by mode."""

SLOW = {
    ("aerospike", SYNC, RESULTS),
    ("aerospike-py", SYNC, RESULTS),
    ("aerospike-py", ASYNC, RESULTS),
    ("aerospike-sdk", ASYNC, ITERATE),
    ("aerospike-native", ASYNC, ITERATE),
}
"""Ways that keep every record, gigabytes for a million of a kilobyte, or that take minutes for it.
They get fewer records; their cost per record hardly depends on the number."""


def lacks_waiting(mode: str, way: str) -> str:
    """Why a slow caller does not slow the scan down in this way; empty if it does."""
    if way == RESULTS:
        return "all records are there before the caller sees the first"
    if (mode, way) == (ASYNC, FOREACH):
        return "a callback of a task has no way to wait"
    return ""


@dataclass(frozen=True)
class Scan:
    """One way of one client to read every record, and what is done with the records."""

    client: str
    mode: str
    way: str
    consumer: str
    size: int
    """Bytes of a record's values."""
    records: int
    """Records of the set."""
    interpreter: str = ""
    selected: float | None = None
    """The percentage that an index query selects; None for the whole set without an index."""

    @property
    def ours(self) -> bool:
        return base_of(self.client) in (OURS, NODE_OURS, NODE_BUILDER, NODE_DROP_IN)

    def __str__(self) -> str:
        what = f"{self.client} {self.mode} {self.way} {self.consumer}"
        part = "" if self.selected is None else f"{self.selected:g} % of "
        return f"{what}, {part}{self.records:,} of {self.size:,} bytes"


def scans(
    clients: tuple[str, ...],
    size: int,
    records: int,
    slow_records: int = SLOW_RECORDS,
    interpreter: str = "",
    in_node: bool = False,
    selected: float | None = None,
    consumers: tuple[str, ...] = CONSUMERS,
) -> tuple[Scan, ...]:
    """Scans that are compared with each other, in Python or in Node.js, each with the consumers
    that it supports. Slow ways get `slow_records`."""

    def enough(way: tuple[str, str, str]) -> int:
        return min(records, slow_records) if way in SLOW else records

    return tuple(
        Scan(client, mode, way, consumer, size, enough((client, mode, way)), interpreter, selected)
        for client in in_order(WAYS, clients)
        for mode, ways in WAYS[base_of(client)].items()
        if (mode == NODE) == in_node
        for way in ways
        for consumer in consumers
        if consumer != SLEEP or not lacks_waiting(mode, way)
    )


def getters(clients: tuple[str, ...]) -> list[tuple[str, str]]:
    """Clients and modes whose gets are measured during scans."""
    return [
        (client, mode)
        for client in in_order(WAYS, clients)
        if client in PEERS
        for mode in (SYNC, ASYNC)
        if PEERS[client].lacks(mode) is None
    ]


def usual_way(client: str, mode: str) -> str | None:
    """How a client scans next to its own gets; None if all its ways are slow."""
    ways = WAYS.get(base_of(client), {}).get(mode, ())
    return next((way for way in ways if (client, mode, way) not in SLOW), None)


def record_bins(size: int) -> str:
    """An integer, a float, text and bytes, of this size together, in the syntax of `--bins`."""
    text = size // 4
    return f"I8,F8,S{text},B{size - 16 - text}"
