"""Which cells are measured, in which order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clients import FLOOR, PEERS
from .clients.base import MODES, RUST, SYNC

if TYPE_CHECKING:
    from collections.abc import Sequence

RUST_OURS = "spikewire-rust"
RUST_PEER = "aerospike-rust"
RUST_CLIENTS = (RUST_OURS, RUST_PEER)
CLIENTS = (*PEERS, *RUST_CLIENTS)
SWEEP = (128, 512)


@dataclass(frozen=True)
class Cell:
    """One client in one mode at one concurrency under one interpreter."""

    client: str
    mode: str
    concurrency: int
    interpreter: str = ""
    """As given with --python; empty for the one that runs the lab, and for Rust."""

    def __str__(self) -> str:
        return f"{self.client} {self.mode} {self.concurrency}"


@dataclass(frozen=True)
class Skipped:
    """A client that was asked for and is not measured, and why."""

    client: str
    mode: str
    interpreter: str
    reason: str


Group = tuple[Cell, ...]
"""Cells that are compared with each other: same mode, concurrency and interpreter."""


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

    def concurrencies(self, mode: str) -> tuple[int, ...]:
        if mode == SYNC:
            return self.threads
        if mode == RUST:
            return self.in_flight
        extra = SWEEP if self.sweep else ()
        return (*self.tasks, *(many for many in extra if many not in self.tasks))

    def groups(self) -> tuple[Group, ...]:
        """Every cell that its client could have; which clients can be used is seen later."""
        made: list[Group] = []
        for mode in (mode for mode in MODES if mode in self.modes):
            for interpreter in ("",) if mode == RUST else self.interpreters:
                for concurrency in self.concurrencies(mode):
                    names = self._names(mode)
                    cells = (Cell(name, mode, concurrency, interpreter) for name in names)
                    made.append(tuple(cells))
        return tuple(group for group in made if group)

    def _names(self, mode: str) -> Sequence[str]:
        if mode == RUST:
            return [name for name in RUST_CLIENTS if name in self.clients]
        wanted = [*self.clients, FLOOR] if self.floor else self.clients
        return [name for name in PEERS if name in wanted and PEERS[name].lacks(mode) is None]


def rotated(group: Group, by: int) -> Group:
    """The same cells beginning at another one, so that no client always goes first."""
    at = by % len(group)
    return group[at:] + group[:at]
