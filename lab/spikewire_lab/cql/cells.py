"""What is measured, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from .clients import CLIENTS, COLUMNS_OF
from .servers import CANNED

if TYPE_CHECKING:
    from collections.abc import Iterator

INSERT, SELECT = "insert", "select"
PAGE, ARROW, NUMPY = "page", "page-arrow", "page-numpy"
OPERATIONS = (INSERT, SELECT, PAGE, ARROW, NUMPY)
PAGES = (PAGE, ARROW, NUMPY)

BLOCKING, BATCHES, PIPELINE = "blocking", "batches", "pipeline"
UNTHROTTLED, CHAINS = "unthrottled", "chains"
CONCURRENT = "concurrent"
"""One call for many rows of parameters, of which the client keeps some in flight."""
ASYNCIO, UVLOOP = "asyncio", "uvloop"
PROMISES = "promises"
"""Calls on the event loop of Node.js."""
TOKIO = "tokio"
"""Tasks of a program in Rust."""
THREADED = (BLOCKING, BATCHES, PIPELINE, UNTHROTTLED, CHAINS, CONCURRENT)
PATTERNS = (*THREADED, ASYNCIO, UVLOOP, PROMISES, TOKIO)
LOOPS = (ASYNCIO, UVLOOP)
TASKS = (*LOOPS, PROMISES, TOKIO)
"""Patterns with a number of tasks instead of threads."""
RUNTIMES = {PROMISES: "node", TOKIO: "rust"}
"""The runtime that a pattern belongs to, where it is not Python."""

DEPTH = 120
"""Futures of a batch or pipeline, and of chains unless their number is what is compared."""
FUTURES = (BATCHES, PIPELINE, UNTHROTTLED, CHAINS)


@dataclass(frozen=True)
class Shape:
    """The operation, the way to call it, the number of threads, and the calls in flight of each."""

    server: str
    operation: str
    pattern: str
    threads: int = 1
    depth: int = 1
    processes: int = 1

    @property
    def title(self) -> str:
        """The way in words."""
        many = f", {self.processes} processes" if self.processes > 1 else ""
        return f"{self._way()}{many}"

    def _way(self) -> str:
        if self.pattern in TASKS:
            return f"{self.pattern}, {self.depth:,} in flight"
        many = f"{self.threads} thread{'s' if self.threads > 1 else ''}"
        what = {
            BLOCKING: "blocking",
            BATCHES: f"batches of {self.depth:,} futures",
            PIPELINE: f"full pipeline of {self.depth:,}",
            UNTHROTTLED: f"unthrottled, {self.depth:,} in all",
            CHAINS: f"{self.depth:,} callback chains",
            CONCURRENT: f"calls for many rows, {self.depth:,} in flight",
        }[self.pattern]
        return f"{what}, {many}"


@dataclass(frozen=True)
class Cell:
    """One client at one shape."""

    client: str
    shape: Shape

    def __str__(self) -> str:
        shape = self.shape
        return f"{self.client} {shape.operation} {shape.title}, {shape.server}"


Group = tuple[Cell, ...]
"""Cells that are compared with each other."""


@dataclass(frozen=True)
class Matrix:
    """What the user asked for."""

    clients: tuple[str, ...]
    servers: tuple[str, ...]
    operations: tuple[str, ...]
    patterns: tuple[str, ...]
    threads: tuple[int, ...]
    chains: tuple[int, ...]
    tasks: tuple[int, ...]
    burst: int
    processes: tuple[int, ...] = (1,)
    """Numbers of processes; clients for Node.js and Rust always have one."""

    def shapes(self) -> Iterator[Shape]:
        """Each shape once, in the order of the tables."""
        for shape in self._in_one():
            for processes in self.processes if shape.pattern not in RUNTIMES else (1,):
                yield replace(shape, processes=processes)

    def _in_one(self) -> Iterator[Shape]:
        """Each shape in one process."""
        for server, operation in product(self.servers, self.operations):
            for pattern in self.patterns:
                if operation in PAGES:
                    if pattern == TOKIO:
                        for tasks in self.tasks:
                            yield Shape(server, operation, pattern, 1, tasks)
                    elif pattern in (BLOCKING, ASYNCIO, PROMISES):
                        yield Shape(server, operation, pattern)
                elif pattern in TASKS:
                    for tasks in self.tasks:
                        yield Shape(server, operation, pattern, 1, tasks)
                else:
                    yield from self._threaded(server, operation, pattern)

    def _threaded(self, server: str, operation: str, pattern: str) -> Iterator[Shape]:
        depth = {BLOCKING: 1, UNTHROTTLED: self.burst}.get(pattern, DEPTH)
        for threads in self.threads:
            yield Shape(server, operation, pattern, threads, depth)
        if pattern == CHAINS:
            for chains in self.chains:
                if (1, chains) not in [(threads, DEPTH) for threads in self.threads]:
                    yield Shape(server, operation, pattern, 1, chains)

    def groups(self) -> list[Group]:
        """Every cell that its client supports, together with those that it is compared with."""
        groups = (
            tuple(Cell(client, shape) for client in self.clients if lacks(client, shape) is None)
            for shape in self.shapes()
        )
        return [group for group in groups if group]

    def absent(self) -> list[tuple[str, str]]:
        """What clients do not support of what was asked for in their language, and why; each
        once."""
        reasons = (
            (client, lacks(client, shape))
            for client in self.clients
            for shape in self.shapes()
            if CLIENTS[client].runtime == runtime_of(shape)
        )
        return list(dict.fromkeys((client, why) for client, why in reasons if why is not None))


_LANGUAGES = {"node": "Node.js", "rust": "Rust", "python": "Python"}


def runtime_of(shape: Shape) -> str:
    """The runtime of clients that have this way to call."""
    return RUNTIMES.get(shape.pattern, "python")


def lacks(client: str, shape: Shape) -> str | None:
    """Why a client does not support this, or None."""
    peer = CLIENTS[client]
    if peer.runtime != runtime_of(shape):
        return f"is for {_LANGUAGES[peer.runtime]}"
    if shape.server == CANNED and not peer.canned:
        return "calls a function of the server when it connects, which canned replies lack"
    if shape.pattern in LOOPS:
        if peer.asyncio is None:
            return "has no asyncio interface"
    elif peer.blocking is None and peer.runtime == "python":
        return "has no blocking interface"
    elif shape.pattern in FUTURES and not peer.futures:
        return "has no futures for threads"
    elif shape.pattern == CONCURRENT and not peer.many:
        return "has no call for many rows of parameters"
    if shape.operation in COLUMNS_OF and shape.operation not in peer.columns:
        return f"reads no pages into {COLUMNS_OF[shape.operation]}"
    return None
