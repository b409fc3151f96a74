"""Which cells are measured, and in which order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .clients import FLOOR, PEERS
from .clients.base import ASYNC, ASYNC_UVLOOP, CRATES, MODES, NODE, RUST, RUST_SYNC, SYNC
from .clients.registry import in_order
from .contract.open import NO_MAP
from .work.shape import (
    BATCH_READ,
    BATCH_SIZES,
    BATCH_WRITE,
    COLUMN_BINS,
    COLUMN_ROWS,
    COLUMNS,
    EACH,
    IN_COLUMNS,
    MAP,
    POOL,
    TABLE_ROWS,
    TABLE_WRITE,
    WRITE_SIZES,
    Shape,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RUST_OURS = "spikewire-rust"
RUST_PEER = "aerospike-rust"
RUST_CLIENTS = (RUST_OURS, RUST_PEER)
NODE_OURS = "spikewire-node"
NODE_BUILDER = "spikewire-node-builder"
NODE_DROP_IN = "spikewire-node-compat"
NODE_PEER = "aerospike-node"
NODE_PEER_UV = "aerospike-node-uv-128"
"""The same with 128 threads of libuv's pool instead of 4."""
NODE_CLIENTS = (NODE_OURS, NODE_PEER)
"""The clients of the tables of reports."""
NODE_NAMES = (NODE_OURS, NODE_BUILDER, NODE_DROP_IN, NODE_PEER, NODE_PEER_UV)
"""All clients for Node.js: ours, with its builder, and with the other's API; the other one, also
with more threads of libuv."""
CLIENTS = (*PEERS, *RUST_CLIENTS, *NODE_NAMES)
"""Clients that are not Python packages have names that say so, and one mode each."""
SWEEP = (128, 512)
BATCH_MODE = "batch"
COLUMNS_MODE = "columns"
NODE_BATCH_MODE = "node-batch"
TABLES = (BATCH_MODE, COLUMNS_MODE, NODE_BATCH_MODE)
"""Modes of a comparison for many records in one call."""
COMPARED = (*MODES, *TABLES)
OUTSTANDING, BATCHES, THREADS = 256, 32, 32
"""Default limits of open loops: of calls and of batches outstanding on event loops, of threads."""


@dataclass(frozen=True)
class Cell:
    """One client in one mode at one concurrency under one interpreter."""

    client: str
    mode: str
    concurrency: int
    interpreter: str = ""
    """As given with --python; empty for the one that runs the lab, and for Rust."""
    shape: Shape = field(default_factory=Shape)
    processes: int = 1
    """Processes at the same time, each with this many calls in flight; always one for the Rust
    clients."""
    loops: int = 0
    """Event loops, each in a thread, sharing the tasks; 0 is the one loop of the asyncio client."""
    work: int = 0
    """Microseconds of Python code run with each command."""
    rate: float = 0.0
    """Calls that begin per second in an open loop, in which `concurrency` is the maximum of
    outstanding calls; 0 is a closed loop."""
    companion: str = ""
    """What else runs in the same process: a kind of `background_load`."""
    twin: int = 0
    """Distinguishes cells that are otherwise the same, to measure how much they differ."""
    gil: bool | None = None
    """GIL state of a free-threaded interpreter; None is its default."""

    @property
    def name(self) -> str:
        """The client, with its way if it has several."""
        return f"{self.client} {self.shape.way}".rstrip()

    def beside(self, other: Cell) -> bool:
        """Whether the two are compared with each other."""
        mine, theirs = (
            (one.mode, one.concurrency, one.interpreter, one.processes, one.rate, one.gil)
            for one in (self, other)
        )
        return mine == theirs and self.shape.beside(other.shape)

    def __str__(self) -> str:
        many = f" x {self.processes}" if self.processes > 1 else ""
        if self.loops:
            many += f" {self.shape.way} x {self.loops}"
        if self.work:
            many += f" +{self.work} us"
        if self.companion:
            many += f" beside a {self.companion}"
        if self.twin:
            many += f" again ({self.twin})"
        if self.rate:
            many += f" at {self.rate:,g}/s"
        if self.gil is not None:
            many += f" GIL {'on' if self.gil else 'off'}"
        return f"{self.client} {self.mode} {self.concurrency}{many} {self.shape}".rstrip()


@dataclass(frozen=True)
class SkippedClient:
    """A requested client that is not measured, and why."""

    client: str
    mode: str
    interpreter: str
    reason: str


Group = tuple[Cell, ...]
"""Cells that are compared with each other: same mode, concurrency, interpreter and work."""
Absence = tuple[Cell, str]
"""A cell that a client does not support, and why."""


@dataclass(frozen=True)
class Sizes:
    """Numbers of records of the calls of batches and column tables."""

    reads: tuple[int, ...] = BATCH_SIZES
    writes: tuple[int, ...] = WRITE_SIZES
    records: tuple[int, ...] = COLUMN_ROWS
    bins: tuple[int, ...] = COLUMN_BINS
    tables: tuple[int, ...] = TABLE_ROWS
    """Records of tables that are written."""

    def batches(self) -> list[Shape]:
        reads = [Shape(BATCH_READ, rows) for rows in self.reads]
        return reads + [Shape(BATCH_WRITE, rows) for rows in self.writes]

    def columns(self) -> list[Shape]:
        reads = [Shape(COLUMNS, rows, bins) for bins in self.bins for rows in self.records]
        return reads + [
            Shape(TABLE_WRITE, rows, bins) for bins in self.bins for rows in self.tables
        ]


@dataclass(frozen=True)
class Matrix:
    """What the user asked for."""

    clients: tuple[str, ...]
    modes: tuple[str, ...]
    tasks: tuple[int, ...]
    threads: tuple[int, ...]
    in_flight: tuple[int, ...]
    interpreters: tuple[str, ...]
    sweep: bool = False
    floor: bool = False
    batch_tasks: tuple[int, ...] = (32,)
    sizes: Sizes = field(default_factory=Sizes)
    node_in_flight: tuple[int, ...] = (32,)
    node_batches: tuple[int, ...] = (8,)
    """Batches in flight of the Node.js clients."""
    processes: tuple[int, ...] = (1,)
    """Numbers of simultaneous processes, for the clients in Python and Node.js."""
    node_sizes: Sizes = field(default_factory=lambda: Sizes((128,), ()))
    loops: tuple[int, ...] = ()
    """If not empty, event loops in threads are compared and nothing else."""
    work: tuple[int, ...] = (0,)
    """Microseconds of Python code run with each command of that comparison."""
    rates: tuple[float, ...] = ()
    """If not empty, open loops are compared at each of these rates and nothing else."""
    companions: tuple[str, ...] = ("",)
    """Each cell is measured with each of these in the same process; empty: none."""
    twins: int = 1
    """How many times each cell occurs in its group."""
    gil: tuple[bool | None, ...] = (None,)
    """GIL states of Python clients, each in cells of its own."""

    def concurrencies(self, mode: str) -> tuple[int, ...]:
        if mode in (SYNC, RUST_SYNC):
            return self.threads
        if mode == RUST:
            return self.in_flight
        if mode == NODE:
            return self.node_in_flight
        extra = SWEEP if self.sweep else ()
        return (*self.tasks, *(many for many in extra if many not in self.tasks))

    def groups(self) -> tuple[Group, ...]:
        """Every cell that its client could have; whether clients can be used is checked later."""
        return tuple(
            tuple(
                replace(cell, rate=rate, gil=state, companion=kind, twin=twin)
                for cell in group
                for kind in self.companions
                for twin in range(self.twins)
            )
            for group in self._groups()
            for rate in self.rates or (0.0,)
            for state in (self.gil if group and _in_python(group[0]) else (None,))
        )

    def _groups(self) -> tuple[Group, ...]:
        """The groups of one rate and one GIL state, without a companion."""
        if self.loops:
            return tuple(group for group in self._pools() if group)
        groups: list[Group] = []
        for mode in (mode for mode in MODES if mode in self.modes):
            for interpreter in ("",) if mode in (*CRATES, NODE) else self.interpreters:
                for concurrency in self.concurrencies(mode):
                    names = self._names(mode)
                    for many in self.processes if mode not in CRATES else (1,):
                        blank = Cell("", mode, concurrency, interpreter, processes=many)
                        groups.append(tuple(replace(blank, client=name) for name in names))
        groups += (
            tuple(cell for name in names for cell in _ways(blank, name, names))
            for blank in self._tables()
            for names in (self._names(blank.mode),)
        )
        groups += (
            tuple(replace(blank, client=name) for name in self._names(NODE))
            for blank in self._node_batches()
        )
        return tuple(group for group in groups if group)

    def _pools(self) -> Iterator[Group]:
        """Event loops in threads, compared with one loop and with calling threads."""
        blocking = [Cell("", SYNC, many) for many in self.threads]
        names = [*self.clients, FLOOR] if self.floor else self.clients
        for interpreter in self.interpreters:
            for work in self.work:
                for mode in (ASYNC, ASYNC_UVLOOP):
                    for tasks in self.concurrencies(mode):
                        blanks = [Cell("", mode, tasks), *self._loops(mode, tasks)]
                        # The kind of event loop makes no difference to threads.
                        blanks += blocking if mode == ASYNC else []
                        yield tuple(
                            replace(blank, client=name, interpreter=interpreter, work=work)
                            for name in names
                            for blank in blanks
                            if _can(name, blank)
                        )

    def _loops(self, mode: str, tasks: int) -> Iterator[Cell]:
        for loops in self.loops:
            for way in (POOL, MAP, EACH):
                # One loop with a client of its own is the case without a pool.
                if (way != EACH or loops > 1) and not (way == MAP and self.rates):
                    yield Cell("", mode, tasks, shape=Shape(way=way), loops=loops)

    def _tables(self) -> Iterator[Cell]:
        """One cell without a client for each group of batches and column tables."""
        modes = [(SYNC, many) for many in self.threads]
        modes += [(ASYNC, many) for many in self.batch_tasks]
        for interpreter in self.interpreters:
            if BATCH_MODE in self.modes:
                for mode, many in modes:
                    for shape in self.sizes.batches():
                        yield Cell("", mode, many, interpreter, shape)
            if COLUMNS_MODE in self.modes:
                for mode in (SYNC, ASYNC):
                    for shape in self.sizes.columns():
                        yield Cell("", mode, 1, interpreter, shape)

    def _node_batches(self) -> Iterator[Cell]:
        """One cell without a client for each group of batches in Node.js."""
        if NODE_BATCH_MODE in self.modes:
            for many in self.processes:
                for in_flight in self.node_batches:
                    for shape in self.node_sizes.batches():
                        yield Cell("", NODE, in_flight, "", shape, many)

    def absent(self) -> tuple[Absence, ...]:
        """What clients do not support in tables of batches, columns and pools, and why."""
        names = [name for name in in_order(PEERS, self.clients) if name != FLOOR]
        return tuple(
            (replace(cell, rate=rate, gil=state), reason)
            for cell, reason in (*self._absent_tables(names), *self._absent_pools(names))
            for rate in self.rates or (0.0,)
            for state in self.gil
        )

    def _absent_tables(self, names: Sequence[str]) -> Iterator[Absence]:
        for cell in self._tables():
            shape = cell.shape
            for peer in (PEERS[name] for name in names):
                lacking = peer.lacks(cell.mode)
                ways = peer.ways_of(shape.kind, cell.mode, shape.rows)
                if lacking is not None:
                    yield replace(cell, client=peer.name), lacking
                elif shape.kind in IN_COLUMNS and not any(way.columnar for way in ways):
                    columns = replace(shape, way="columns")
                    reading = shape.kind == COLUMNS
                    reason = "has no columns to read into" if reading else "writes no columns"
                    yield replace(cell, client=peer.name, shape=columns), reason

    def _absent_pools(self, names: Sequence[str]) -> Iterator[Absence]:
        """Pools that are given single commands, in open loops."""
        if not (self.loops and self.rates):
            return
        shape = Shape(way=MAP)
        for group in self._pools():
            blank = replace(group[0], client="", loops=self.loops[0], shape=shape)
            for name in names:
                if _can(name, blank):
                    yield replace(blank, client=name), NO_MAP

    def _names(self, mode: str) -> Sequence[str]:
        if mode in CRATES:
            return [name for name in RUST_CLIENTS if name in self.clients]
        if mode == NODE:
            return [name for name in NODE_NAMES if name in self.clients]
        clients = [*self.clients, FLOOR] if self.floor else self.clients
        return [name for name in in_order(PEERS, clients) if PEERS[name].lacks(mode) is None]


def _in_python(cell: Cell) -> bool:
    return cell.mode not in (*CRATES, NODE)


def _can(client: str, cell: Cell) -> bool:
    """Whether a Python client has this mode, and a pool if the cell needs one."""
    peer = PEERS.get(client)
    if peer is None or peer.lacks(cell.mode) is not None:
        return False
    way = cell.shape.way
    return way not in (POOL, MAP) or (peer.pool is not None and way in peer.pool_ways)


def _ways(cell: Cell, client: str, clients: Sequence[str]) -> list[Cell]:
    shape = cell.shape
    ways = PEERS[client].ways_of(shape.kind, cell.mode, shape.rows, clients)
    return [replace(cell, client=client, shape=replace(shape, way=way.name)) for way in ways]
