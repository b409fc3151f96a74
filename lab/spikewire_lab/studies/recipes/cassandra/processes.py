"""Several processes of one client at the same time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....cql.cells import BLOCKING, INSERT, PIPELINE
from ....cql.servers import CASSANDRA
from ...recipe import FULL, QUICK, Bench, Measurement, Part
from .settings import settings
from .tables import part_of

if TYPE_CHECKING:
    from ....cql.lab import Settings


class Processes(Measurement):
    name = "processes"
    title = "several processes"
    seconds = 25
    sizes = (QUICK, FULL)

    def run(self, bench: Bench) -> Part:
        return part_of(self.name, "Several processes", _TEXT, bench.cql(self.settings(bench)))

    def settings(self, bench: Bench) -> Settings:
        ways = bench.pick((PIPELINE,), (BLOCKING, PIPELINE), (BLOCKING, PIPELINE))
        options = settings(bench, (INSERT,), ways, (1,), (), CASSANDRA)
        processes = bench.pick((2,), (1, 2), (1, 4))
        return replace(options, matrix=replace(options.matrix, processes=processes))


_TEXT = (
    "The notes recommend several processes where one is limited by the GIL. Each has a session of"
    " its own, which it opens itself, as sessions cannot be shared; all begin at the same time."
    " Rates are those of all processes together, CPU is per operation."
)
