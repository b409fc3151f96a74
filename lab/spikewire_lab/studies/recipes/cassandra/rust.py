"""Clients for Rust: tasks on tokio, by calls in flight."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....cql.cells import INSERT, PAGE, SELECT, TOKIO
from ....cql.servers import CANNED
from ...recipe import Bench, Measurement, Part
from .settings import settings
from .tables import part_of

if TYPE_CHECKING:
    from ....cql.lab import Settings


class Rust(Measurement):
    name = "rust"
    title = "clients for Rust"
    seconds = 20

    def run(self, bench: Bench) -> Part:
        comparison = bench.cql(self.settings(bench))
        return part_of(self.name, "Clients for Rust", _TEXT, comparison)

    def settings(self, bench: Bench) -> Settings:
        operations = bench.pick((INSERT,), (INSERT, SELECT, PAGE), (INSERT, SELECT, PAGE))
        options = settings(bench, operations, (TOKIO,), (1,), (), CANNED)
        tasks = bench.pick((32,), (1, 32, 128), (1, 32, 128))
        return replace(options, matrix=replace(options.matrix, tasks=tasks))


_TEXT = (
    "The module `spikewire::cql`, ScyllaDB's crate `scylla` and `cdrs-tokio`, each with its"
    " defaults on tokio's multi-threaded runtime, by tasks with one call in flight. A row is a"
    " tuple of owned values. In pages each row is an operation."
)
