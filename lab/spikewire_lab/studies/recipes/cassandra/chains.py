"""Chains of callbacks: how the rate changes with their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....cql.cells import CHAINS, INSERT
from ....cql.servers import CANNED
from ... import closed_loops
from ...builds import of_rows
from ...recipe import Bench, Measurement, Part
from ...report import LINES, Axis, Chart, Row, Section, Series, Table
from .patterns import CPU_OF_CALL, RATE_OF_CALL, flaw
from .settings import SERVERS, caption, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....cql.lab import Settings
    from ....cql.lines import Line


class Chains(Measurement):
    name = "chains"
    title = "chains of callbacks"
    seconds = 20

    def run(self, bench: Bench) -> Part:
        chains = bench.pick((120, 500), (120, 500, 5_000), (120, 500, 5_000))
        options = settings(bench, (INSERT,), (CHAINS,), (1,), chains, CANNED)
        comparison = bench.cql(options)
        lines = [line for group in comparison.lines() for line in group]
        servers = list(dict.fromkeys(line.cell.shape.server for line in lines))
        tables = [_table(name, _at(lines, name), options) for name in servers]
        charts = [_chart(name, _at(lines, name), options) for name in servers]
        section = Section(self.name, "Chains of callbacks", _TEXT, tables, charts)
        runs = comparison.as_json()["cells"]
        conclusions = [f"{text[:1].upper()}{text[1:]}." for text in comparison.collapses()]
        return Part(section, runs, conclusions, (), comparison.interrupted)


_TEXT = (
    "One thread starts so many chains; in each the callback of a reply starts the next call. The"
    " notes"
    " saw the rate drop to a tenth between 250 and 500 chains, as connections ran out."
)


def _at(lines: Sequence[Line], server: str) -> list[Line]:
    return [line for line in lines if line.cell.shape.server == server]


def _table(server: str, lines: Sequence[Line], options: Settings) -> Table:
    rows = [
        Row(
            f"{line.cell.client}, {line.cell.shape.depth:,} chains",
            {
                "rate": closed_loops.measured(line.rate, line.rounds),
                "cpu": closed_loops.measured(line.cpu, line.rounds),
            },
            line.cell.client,
            flaw(line),
        )
        for line in sorted(lines, key=lambda line: line.cell.client)
    ]
    title = f"Chains at {SERVERS[server]}"
    headings = (RATE_OF_CALL, CPU_OF_CALL)
    notes = of_rows(rows, headings)
    return Table(f"chains-{server}", title, caption(options), headings, rows, notes=notes)


def _chart(server: str, lines: Sequence[Line], options: Settings) -> Chart:
    clients = dict.fromkeys(line.cell.client for line in lines)
    series = [
        Series(
            client,
            tuple(
                (float(line.cell.shape.depth), line.rate.median)
                for line in lines
                if line.cell.client == client and line.rate
            ),
            client,
        )
        for client in clients
    ]
    title = f"Throughput by chains, {SERVERS[server]}"
    axes = Axis("chains", logarithmic=True), Axis("throughput", "op/s")
    return Chart(f"chains-{server}", title, caption(options), LINES, *axes, series)
