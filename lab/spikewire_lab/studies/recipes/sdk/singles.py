"""The matrix of single keys: every client and API, the latencies, and the cost of each layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.registry import base_of
from ... import closed_loops, timelines
from ...recipe import Bench, Measurement, Part
from ...report import Heading, Row, Section, Table
from .cases import CASES, SINGLES, CaseCells, quick, short
from .layers import compared, layers
from .paths import paths, pools

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ....table.line import Line
    from .cases import Case

LATENCIES = (closed_loops.P50, closed_loops.P90, closed_loops.P99, closed_loops.TAIL)


class Singles(Measurement):
    name = "singles"
    title = "single keys with every client and API"
    seconds = 120

    def run(self, bench: Bench) -> Part:
        settings = bench.settings(
            _chosen(bench),
            duration=bench.pick(0.1, 0.35, 2.0),
            warmup=bench.pick(0.05, 0.15, 0.75),
        )
        comparison = bench.compare(settings)
        lines = [line for group in comparison.lines() for line in group if line.absent is None]
        how = closed_loops.caption(settings)
        words = closed_loops.states(lines)
        rows = [closed_loops.row(line, _label(line, words)) for line in lines]
        matrix = Table(
            "matrix", "Single keys", how, (*closed_loops.CLOSED[:3], _TIMES), _timed(rows)
        )
        latency = Table("latency", "Latencies", f"{how} {_LOOPS}", LATENCIES, rows)
        remarks = closed_loops.remarks(comparison)
        section = Section(
            self.name,
            "Single keys",
            _TEXT,
            (
                replace(matrix, notes=remarks),
                latency,
                *layers(lines, how),
                *paths(lines, how),
                *pools(lines, how),
            ),
            (
                *closed_loops.bars(matrix, closed_loops.RATE),
                *closed_loops.bars(matrix, closed_loops.CPU),
                *timelines.charts(comparison, self.name, how, lambda line: _label(line, words)),
            ),
        )
        conclusions, losses = compared(lines)
        runs = comparison.as_json()["cells"]
        return Part(section, runs, conclusions, losses, comparison.interrupted)


_TEXT = (
    "Half reads, half writes of one integer bin over uniform keys. All lines are measured in the"
    " same"
    " rounds, one process after the other. A pool has event loops in threads, with the tasks"
    " dealt out;"
    " all loops of a line are of one kind, which its label names."
)
_LOOPS = (
    "A loop that is closed sends less while it is stalled: these compare clients with each other,"
    " and"
    " the recipe `latency` says what users of a service would see."
)
_TIMES = Heading("times", "of Spikewire's", "times")


def _chosen(bench: Bench) -> CaseCells:
    included: Callable[[Case], bool] = bench.pick(quick, short, _every)
    return CaseCells.of(bench, [[(case, SINGLES) for case in CASES if included(case)]])


def _every(_case: Case) -> bool:
    return True


def _label(line: Line, words: Mapping[closed_loops.State, str]) -> str:
    cell = line.cell
    plain = replace(cell, client=base_of(cell.client))
    case = next(one for one in CASES if replace(one.cell(cell.interpreter), gil=cell.gil) == plain)
    return replace(case, client=cell.client).label + words[closed_loops.state(line)]


def _timed(rows: list[Row]) -> list[Row]:
    """Each line's throughput relative to our plain verbs used in the same way."""
    ours = {row.label.partition(", ")[2]: row.fields["rate"] for row in rows if row.client == OURS}
    timed: list[Row] = []
    for row in rows:
        ratio = closed_loops.ratio(row.fields["rate"], ours.get(row.label.partition(", ")[2]))
        timed.append(replace(row, fields={**row.fields, "times": ratio}))
    return timed
