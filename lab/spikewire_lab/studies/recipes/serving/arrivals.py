"""Environment C in an open loop: response times at rates that every client can serve."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....run.compare import CannotRunError
from ....serving.cells import BATCH, MODEL, WAYS, Cell
from ....serving.users import WARMING
from ... import closed_loops
from ...builds import of_rows
from ...interleaved import Outcomes
from ...recipe import Bench, Measurement, Part
from ...report import Row, Section, Table
from .environments import compared, figures_of, python_of
from .figures import AVERAGE, CPU, P50, P90, P95, P99, RATE, SERVICE
from .lab import ServingLab, amount

if TYPE_CHECKING:
    from ....serving.result import ServingResult
    from .environments import Environment

CONNECTIONS = 64
HEADINGS = (AVERAGE, P50, P90, P95, P99, SERVICE, RATE, CPU)


@dataclass
class Arrivals(Measurement):
    closed: Environment
    """Environment C, measured before: rates are shares of its slowest client's saturation."""
    name: str = "open"
    title: str = "C in an open loop"
    seconds = 11

    def run(self, bench: Bench) -> Part:
        rates = [
            (cell, figures.at(RATE))
            for cell, figures in self.closed.by_cell.items()
            if cell.way == BATCH
        ]
        if not rates:
            raise CannotRunError("environment C gave no rates to go by")
        slowest = min(rate for _, rate in rates)
        shares: tuple[float, ...] = bench.pick((0.5,), (0.5,), (0.25, 0.5, 0.75, 0.9))
        cells = {
            replace(cell, rate=slowest * share): share for share in shares for cell, _ in rates
        }
        much = replace(amount(bench), users=CONNECTIONS)
        outcomes: Outcomes[Cell, ServingResult] = Outcomes()
        bench.measure(ServingLab(bench, list(cells), much, outcomes), outcomes)
        measured = figures_of(list(cells), outcomes)
        rows: list[Row] = []
        for cell, share in cells.items():
            fields = measured[cell].fields() if cell in measured else {}
            flaws = [
                *outcomes.failures(cell),
                *(measured[cell].flaws() if cell in measured else ()),
            ]
            text = f"{cell.client}, {share:.0%}{python_of(cell, measured.get(cell))}"
            rows.append(Row(text, fields, cell.client, "; ".join(flaws)))
        how = (
            f"{WAYS[BATCH].capitalize()}; Poisson arrivals, up to {CONNECTIONS} connections;"
            f" percentages are of {slowest:,.0f} requests a second, the slowest client's in the"
            f" closed loop. {much.duration:g} s after {much.warmup:g} s of a closed loop of"
            f" {WARMING} users as warm-up; rounds: {much.rounds}."
        )
        table = Table(MODEL_OPEN, self.title, how, HEADINGS, tuple(rows), "client and load")
        table = replace(table, notes=of_rows(rows, HEADINGS))
        section = Section(self.name, self.title, TEXT, (table,), closed_loops.bars(table, P95))
        conclusions, losses = compared(measured)
        return Part(section, outcomes.runs(), conclusions, losses, outcomes.interrupted)


MODEL_OPEN = f"{MODEL}-open"
TEXT = (
    "Requests begin when they are due, whether or not those before them are answered; times count"
    " from then, so that a stall is charged to every request that it delayed. The same rates for"
    " all clients."
)
