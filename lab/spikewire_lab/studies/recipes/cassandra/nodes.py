"""Three nodes that all have every row, as in the notes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....cql.cells import ASYNCIO, BLOCKING, CHAINS, CONCURRENT, INSERT, PIPELINE, TOKIO
from ....cql.servers import CASSANDRA
from ...recipe import FULL, Bench, Measurement, Part
from .settings import settings
from .tables import part_of

if TYPE_CHECKING:
    from ....cql.lab import Settings

NODES = 3
HEAP = 1024
"""MiB of each JVM: with the default of one node alone, three of them collect garbage too often."""


class Nodes(Measurement):
    """Only in the full form: three JVMs take minutes to start, and several GB."""

    name = "nodes"
    title = "three nodes"
    seconds = 300
    sizes = (FULL,)

    def run(self, bench: Bench) -> Part:
        return part_of(self.name, "Three nodes", _TEXT, bench.cql(self.settings(bench)))

    def settings(self, bench: Bench) -> Settings:
        ways = (BLOCKING, PIPELINE, CHAINS, CONCURRENT, ASYNCIO, TOKIO)
        options = settings(bench, (INSERT,), ways, (1, 8), (), CASSANDRA)
        matrix = replace(options.matrix, servers=(CASSANDRA,))
        return replace(options, matrix=matrix, nodes=NODES, replicas=NODES, heap=HEAP)


_TEXT = (
    "The cluster of the notes: three nodes on the machine of the client, replication factor three."
    " Every node is a replica of every row, so that clients only differ in how they spread"
    " statements."
)
