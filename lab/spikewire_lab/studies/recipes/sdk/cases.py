"""The lines of the study's matrix, and our lines beside them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.base import ASYNC, ASYNC_UVLOOP, CRATES, RUST, RUST_SYNC, SYNC
from ....clients.registry import base_of, build_of, of_build
from ....plan import RUST_CLIENTS, Cell, Matrix
from ....work.shape import POOL, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ....plan import Group
    from ...recipe import Bench

BUILDER, SDK, SDK_BUILDER = "spikewire-builder", "aerospike-sdk", "aerospike-sdk-builder"
NATIVE, LOCAL = "aerospike-native", "aerospike-native-local"
SDK_LOCAL, SDK_LOCAL_BUILDER = "aerospike-sdk-local", "aerospike-sdk-local-builder"
SDK_APART, SDK_WINDOWS = "aerospike-sdk-uncoalesced", "aerospike-sdk-windows"
FUTURES = "spikewire-futures"
CHAINS = {OURS: BUILDER, SDK: SDK_BUILDER, SDK_LOCAL: SDK_LOCAL_BUILDER}
"""Clients, and the same clients by chains of steps."""
C_CLIENT, EXECUTOR, AEROSPIKE_PY = "aerospike", "aerospike-executor", "aerospike-py"


HOW = {
    SYNC: "blocking",
    ASYNC: "asyncio",
    ASYNC_UVLOOP: "uvloop",
    RUST: "tokio",
    RUST_SYNC: "blocking",
}


SINGLES = Shape()


@dataclass(frozen=True)
class CaseCells(Matrix):
    """Groups of cells that were chosen one by one, all measured in the same rounds."""

    chosen: tuple[Group, ...] = field(default=())

    def groups(self) -> tuple[Group, ...]:
        return self.chosen

    @staticmethod
    def of(bench: Bench, groups: Sequence[Sequence[tuple[Case, Shape]]]) -> CaseCells:
        """The groups with every interpreter, and in both GIL states if there are two."""
        chosen = tuple(tuple(_cells(bench, group)) for group in groups)
        clients = tuple(dict.fromkeys(cell.client for cells in chosen for cell in cells))
        return CaseCells(clients, (), (), (), (), bench.interpreters, chosen=chosen)


def _cells(bench: Bench, group: Sequence[tuple[Case, Shape]]) -> Iterator[Cell]:
    states = bench.gil_states()
    named = [
        (replace(case, client=client), shape)
        for case, shape in group
        for client in bench.clients_of((case.client,))
    ]
    for case, shape in named:
        if case.mode in CRATES:
            yield case.cell("", shape)
            continue
        for interpreter in bench.interpreters:
            for gil in states:
                yield replace(case.cell(interpreter, shape), gil=gil)


@dataclass(frozen=True)
class Case:
    """A client, the way to use it, and the number of calls in flight."""

    client: str
    mode: str
    many: int
    loops: int = 0

    @property
    def label(self) -> str:
        """The label in the tables."""
        if self.loops:
            return f"{self.client}, pool, {self.loops} x {self.many // self.loops} tasks"
        unit = "thread" if self.mode in (SYNC, RUST_SYNC) else "task"
        plural = "" if self.many == 1 else "s"
        return f"{self.client}, {HOW[self.mode]}, {self.many} {unit}{plural}"

    def cell(self, interpreter: str, shape: Shape = SINGLES) -> Cell:
        """The cell that measures it."""
        shape = replace(shape, way=POOL) if self.loops else shape
        interpreter = "" if self.mode in CRATES else interpreter
        return Cell(self.client, self.mode, self.many, interpreter, shape, loops=self.loops)


def _each(clients: Sequence[str], mode: str, many: int, loops: int = 0) -> list[Case]:
    return [Case(client, mode, many, loops) for client in clients]


def chains_of(client: str) -> str:
    """The same client, in the same build, by chains of steps; empty if there is none."""
    chains, build = CHAINS.get(base_of(client), ""), build_of(client)
    return of_build(chains, build) if chains and build else chains


BLOCKING = (
    *(OURS, BUILDER, FUTURES, SDK, SDK_BUILDER, SDK_LOCAL, SDK_LOCAL_BUILDER),
    *(NATIVE, LOCAL, C_CLIENT, AEROSPIKE_PY),
)
AWAITED = (OURS, BUILDER, SDK, SDK_APART, SDK_BUILDER, NATIVE, EXECUTOR, AEROSPIKE_PY)
POOLED = (OURS, BUILDER, SDK, SDK_APART, SDK_BUILDER)
FEW = (OURS, BUILDER, SDK, NATIVE, C_CLIENT, AEROSPIKE_PY)
"""The clients of the short form: one of each kind, and our chains."""

CASES: tuple[Case, ...] = (
    *_each(RUST_CLIENTS, RUST, 32),
    # With a connection for each task, and one reusable timer for each, which 3.0.0 brought.
    *_each(RUST_CLIENTS, RUST, 512),
    *_each(RUST_CLIENTS, RUST_SYNC, 32),
    *_each(BLOCKING, SYNC, 32),
    *_each(AWAITED, ASYNC, 32),
    *_each(AWAITED, ASYNC_UVLOOP, 32),
    *_each(POOLED, ASYNC_UVLOOP, 256, 4),
    *_each(POOLED, ASYNC_UVLOOP, 512, 8),
    *_each(RUST_CLIENTS, RUST, 1),
    *_each(RUST_CLIENTS, RUST_SYNC, 1),
    *_each(BLOCKING, SYNC, 1),
    *_each((OURS, SDK, NATIVE, AEROSPIKE_PY), ASYNC_UVLOOP, 1),
)


def short(case: Case) -> bool:
    """Whether the short form measures it: one kind of event loop, one size of pool, and one thread
    for a client of each kind."""
    if case.many == 1:
        return case.mode == SYNC and case.client in FEW
    return case.mode != ASYNC and case.loops != 8


def quick(case: Case) -> bool:
    """The cases of the smoke test."""
    return short(case) and case.mode not in CRATES and case.many != 1
