"""One environment of the study: all clients, in all ways to read the records of a request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.registry import base_of
from ....serving.cells import BATCH, CLIENTS, ENVIRONMENTS, MODEL, SETS, SINGLES, WAYS, Cell
from ... import closed_loops
from ...builds import of_rows
from ...interleaved import Outcomes
from ...reasons import Side, why
from ...recipe import Bench, Measurement, Part
from ...report import Heading, Row, Section, Table
from .figures import CPU, HEADINGS, P95, RATE, Figures
from .lab import Amount, ServingLab, amount
from .steps import steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....serving.result import ServingResult


class Replicas(Measurement):
    """The study's deployment of environment C: requests are shared by replicas of the service."""

    name = "replicas"
    title = "two replicas of the service"
    seconds = 10

    def run(self, bench: Bench) -> Part:
        much = amount(bench)
        cells = self.cells(bench)
        outcomes: Outcomes[Cell, ServingResult] = Outcomes()
        bench.measure(ServingLab(bench, cells, much, outcomes), outcomes)
        figures = figures_of(cells, outcomes)
        rows = table(self.name, cells, outcomes, figures, much)
        section = Section(self.name, "Two replicas", _REPLICAS, (rows,))
        conclusions, losses = compared(figures)
        return Part(section, outcomes.runs(), conclusions, losses, outcomes.interrupted)

    def cells(self, bench: Bench) -> list[Cell]:
        return [
            Cell(MODEL, client, BATCH, interpreter, replicas=many)
            for interpreter in bench.interpreters
            for many in bench.pick((2,), (1, 2), (1, 2))
            for client in bench.clients_of(CLIENTS)
        ]


_REPLICAS = (
    "Environment C with one server process and with two, among which the users' connections are"
    " dealt out in turn, as a balancer of connections does; there is no process between. Each"
    " replica has a client of its own. The study gave its replicas four processors each; here all"
    " share those of this machine."
)


@dataclass
class Environment(Measurement):
    """`name` is one of `ENVIRONMENTS`."""

    name: str
    text: str
    by_cell: dict[Cell, Figures] = field(default_factory=dict[Cell, Figures])
    """The results, once measured."""
    seconds = 11

    @property
    def title(self) -> str:  # type: ignore[override]
        return ENVIRONMENTS[self.name]

    def run(self, bench: Bench) -> Part:
        much = amount(bench)
        ways = bench.pick((BATCH,), (SETS, BATCH), (SINGLES, SETS, BATCH))
        cells = [
            Cell(self.name, client, way, interpreter)
            for interpreter in bench.interpreters
            for way in ways
            for client in bench.clients_of(CLIENTS)
        ]
        outcomes: Outcomes[Cell, ServingResult] = Outcomes()
        bench.measure(ServingLab(bench, cells, much, outcomes), outcomes)
        self.by_cell = figures = figures_of(cells, outcomes)
        rows = table(self.name, cells, outcomes, figures, much)
        charts = [one for heading in (P95, RATE) for one in closed_loops.bars(rows, heading)]
        tables = (rows, steps(figures, much)) if self.name == MODEL else (rows,)
        section = Section(self.name, self.title, self.text, tables, charts)
        conclusions, losses = compared(figures)
        return Part(section, outcomes.runs(), conclusions, losses, outcomes.interrupted)


def figures_of(
    cells: Sequence[Cell], outcomes: Outcomes[Cell, ServingResult]
) -> dict[Cell, Figures]:
    """The figures of the cells that have any."""
    return {cell: Figures(outcomes.results(cell)) for cell in cells if outcomes.results(cell)}


def label(cell: Cell, figures: Figures | None) -> str:
    """The client, the way, and the Python version if there are several."""
    several = f", {cell.replicas} replicas" if cell.replicas > 1 else ""
    return f"{cell.client}, {WAYS[cell.way]}{several}{python_of(cell, figures)}"


def python_of(cell: Cell, figures: Figures | None) -> str:
    """The version at the end of a label; empty for the default interpreter."""
    if figures is None or not cell.interpreter:
        return ""
    python = figures.results[0]["python"]
    free = "" if python["gil"] else ", free-threaded"
    return f" ({python['version']}{free})"


def table(
    name: str,
    cells: Sequence[Cell],
    outcomes: Outcomes[Cell, ServingResult],
    by_cell: Mapping[Cell, Figures],
    much: Amount,
) -> Table:
    rows: list[Row] = []
    for cell in cells:
        figures = by_cell.get(cell)
        failures = outcomes.failures(cell)
        if figures is None and not failures:
            continue
        flaws = [*failures, *(figures.flaws() if figures else ())]
        fields = figures.fields() if figures else {}
        rows.append(Row(label(cell, figures), fields, cell.client, "; ".join(flaws)))
    return Table(
        name,
        "Times, requests, processor time",
        much.caption(),
        HEADINGS,
        tuple(rows),
        "client and way",
        of_rows(rows, HEADINGS),
    )


def _side(cell: Cell, heading: Heading, figures: Figures) -> Side:
    rounds = figures.rounds(heading)
    return Side(cell.client, min(rounds), max(rounds), len(rounds), figures.at(CPU) * 1e3)


def compared(by_cell: Mapping[Cell, Figures]) -> tuple[list[str], list[str]]:
    """Ours against the best of the others for each way, by p95 and by requests."""
    conclusions: list[str] = []
    losses: list[str] = []
    for cell, figures in by_cell.items():
        if cell.client != OURS:
            continue
        others = {
            one: those
            for one, those in by_cell.items()
            if one == replace(cell, client=one.client) and base_of(one.client) != OURS
        }
        if not others:
            continue
        best = min(others, key=lambda one: others[one].at(P95))
        p95 = figures.at(P95) / others[best].at(P95)
        where = f"{ENVIRONMENTS[cell.environment]}, {WAYS[cell.way]}"
        where += f", {cell.replicas} replicas" if cell.replicas > 1 else ""
        where += f", {cell.rate:,.0f} due each second" if cell.rate else ""
        where += python_of(cell, figures)
        text = f"{where}: p95 {p95:.2f} of that of {best.client}"
        if p95 > 1:
            because = why(_side(cell, P95, figures), _side(best, P95, others[best]), "request")
            losses.append(f"{where}: p95 {p95:.2f} times that of {best.client}. {because}")
        if cell.rate:
            # All have the same request rate.
            conclusions.append(f"{text}.")
            continue
        most = max(others, key=lambda one: others[one].at(RATE))
        rate = figures.at(RATE) / others[most].at(RATE)
        conclusions.append(f"{text}, {rate:.2f} times the requests of the best other client.")
        if rate < 1:
            because = why(_side(cell, RATE, figures), _side(most, RATE, others[most]), "request")
            losses.append(f"{where}: {rate:.2f} of the requests of {most.client}. {because}")
    return conclusions, losses
