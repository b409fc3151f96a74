"""The part that finds how much each client can do, from which the loads of all scenarios follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...interleaved import Outcomes
from ...recipe import Bench, Measurement, Part
from ...report import LESS, MORE, Heading, Row, Section, Table
from ...scenario_flags import RECIPE
from .cells import CLIENTS, FEW, Cell, lines
from .lab import IN_FLIGHT, CapacityLab

if TYPE_CHECKING:
    from ....spike.result import CapacityResult
    from .cells import Study

HEADINGS = (
    Heading("rate", "capacity", "reads/s", MORE, 0),
    Heading("quiet", "quiet read", "µs", LESS, 0),
)


def keys(bench: Bench) -> int:
    """Records in the set."""
    amount: int = bench.pick(500, 5_000, 20_000)
    return amount


@dataclass
class Capacity(Measurement):
    study: Study
    name: str = "capacity"
    title: str = "What each client can do"
    seconds: float = 15

    def run(self, bench: Bench) -> Part:
        known = lines(bench.few(CLIENTS, RECIPE, FEW))
        cells = [Cell(client, mode, interpreter=bench.interpreters[0]) for client, mode in known]
        outcomes: Outcomes[Cell, CapacityResult] = Outcomes()
        lab = CapacityLab(bench, cells, keys(bench), outcomes)
        lab.seconds = bench.pick(0.3, 1.0, 3.0)
        bench.measure(lab, outcomes)
        rows: list[Row] = []
        for cell in cells:
            results = sorted(outcomes.results(cell), key=lambda one: one["rate"])
            fields: dict[str, float] = {}
            if results:
                one = results[(len(results) - 1) // 2]
                self.study.capacities[cell.client, cell.mode] = one
                fields = {"rate": one["rate"], "quiet": one["quiet"] * 1e6}
            flaws = [
                *outcomes.failures(cell),
                *(f"{one['errors']} errors: {one['first_error']}" for one in results[:1]
                  if one["errors"]),
            ]  # fmt: skip
            if cell in outcomes.outcomes:
                rows.append(Row(cell.line, fields, cell.client, "; ".join(flaws)))
        how = (
            f"Default options, {IN_FLIGHT} reads in flight in a closed loop of"
            f" {lab.seconds:g} s; a quiet read is the median of some that follow each other."
        )
        table = Table(self.name, self.title, how, HEADINGS, tuple(rows))
        return Part(
            Section(self.name, self.title, TEXT, (table,)),
            outcomes.runs(),
            interrupted=outcomes.interrupted,
        )


TEXT = (
    "Loads are shares of what a client can do: of the rate that it reaches here, or of what the"
    " nodes can do where they work on one request at a time."
)
