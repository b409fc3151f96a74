"""The ways by number of threads: a table like that of the study for each client and server."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from ....clients.registry import base_of
from ....cql.cells import (
    ASYNCIO,
    BATCHES,
    BLOCKING,
    CHAINS,
    CONCURRENT,
    INSERT,
    LOOPS,
    PIPELINE,
    UNTHROTTLED,
    UVLOOP,
)
from ....cql.clients import OWN
from ....cql.servers import CASSANDRA
from ....table.summary import failed_calls
from ... import closed_loops
from ...builds import of_rows
from ...reasons import dearer, side, why
from ...recipe import Bench, Measurement, Part
from ...report import BARS, LESS, MORE, Axis, Chart, Heading, Row, Section, Series, Table
from .settings import SERVERS, caption, settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....cql.lab import Settings
    from ....cql.lines import Line

RATE_OF_CALL = Heading("rate", "throughput", "op/s", MORE, 0)
CPU_OF_CALL = Heading("cpu", "client CPU", "µs/op", LESS)
WAYS = (BLOCKING, BATCHES, PIPELINE, UNTHROTTLED, CHAINS, CONCURRENT, ASYNCIO, UVLOOP)


class Patterns(Measurement):
    name = "patterns"
    title = "ways to keep calls in flight, by threads"
    seconds = 65

    def run(self, bench: Bench) -> Part:
        threads = bench.pick((1, 2), (1, 8), (1, 8))
        ways = bench.pick((BLOCKING, CHAINS), WAYS, WAYS)
        options = settings(bench, (INSERT,), ways, threads, (), CASSANDRA)
        comparison = bench.cql(options)
        lines = [line for group in comparison.lines() for line in group]
        servers = [(name, list(those)) for name, those in groupby(lines, key=_server)]
        tables = [_table(name, those, options, threads) for name, those in servers]
        charts = [_chart(name, those, options) for name, those in servers]
        section = Section(self.name, "Inserts by threads", _TEXT, tables, charts)
        conclusions, losses = compared(comparison.lines())
        runs = comparison.as_json()["cells"]
        first = [replace(table, notes=(*comparison.notes(), *table.notes)) for table in tables[:1]]
        section = replace(section, tables=(*first, *tables[1:]))
        return Part(section, runs, conclusions, losses, comparison.interrupted)


_TEXT = (
    "Each line is one client and one way; columns are numbers of threads. Ways on an event loop"
    " have"
    " one thread and 128 calls in flight. CPU is the client's process, user and system."
)


def _server(line: Line) -> str:
    return line.cell.shape.server


def _rate(line: Line) -> float:
    return line.rate.median if line.rate else 0.0


def _way(line: Line) -> str:
    """The way without its number of threads, which is a column."""
    return replace(line.cell.shape, threads=1).title.removesuffix(", 1 thread")


def _table(server: str, lines: Sequence[Line], options: Settings, threads: Sequence[int]) -> Table:
    headings: list[Heading] = []
    for count in threads:
        many = f"{count} thread{'s' if count > 1 else ''}"
        headings.append(Heading(f"rate{count}", many, "op/s", MORE, 0))
        headings.append(Heading(f"cpu{count}", f"CPU, {many}", "µs/op", LESS))
    rows: dict[str, Row] = {}
    for line in lines:
        label = f"{line.cell.client}, {_way(line)}"
        count = 1 if line.cell.shape.pattern in LOOPS else line.cell.shape.threads
        before = rows.get(label, Row(label, {}, line.cell.client))
        fields = {
            **before.fields,
            f"rate{count}": closed_loops.measured(line.rate, line.rounds),
            f"cpu{count}": closed_loops.measured(line.cpu, line.rounds),
        }
        rows[label] = replace(before, fields=fields, flawed=before.flawed or flaw(line))
    title = f"Inserts at {SERVERS[server]}"
    every = tuple(rows.values())
    notes = of_rows(every, headings)
    return Table(f"patterns-{server}", title, caption(options), headings, every, notes=notes)


def flaw(line: Line) -> str:
    reasons = list(dict.fromkeys(line.failures))
    if line.error_share > line.error_limit:
        errors = failed_calls(line.errors, line.timeouts)
        reasons.append(f"{errors}, the first: {line.first_error}")
    return "; ".join(reasons)


def _chart(server: str, lines: Sequence[Line], options: Settings) -> Chart:
    """The best rate of each client in any way."""
    best: dict[str, Line] = {}
    for line in lines:
        other = best.get(line.cell.client)
        if line.rate and (other is None or not other.rate or line.rate.median > other.rate.median):
            best[line.cell.client] = line
    series = [
        Series(client, ((f"{client}: {line.cell.shape.title}", line.rate.median),), client)
        for client, line in best.items()
        if line.rate
    ]
    title = f"Each client's best way, inserts at {SERVERS[server]}"
    axes = Axis("client and way"), Axis("throughput", "op/s")
    return Chart(f"best-{server}", title, caption(options), BARS, *axes, series)


def _range(ratios: Sequence[float]) -> str:
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return low if low == high else f"{low} to {high}"


def compared(groups: Sequence[Sequence[Line]]) -> tuple[list[str], list[str]]:
    """The number of groups in which ours is ahead, and those in which it is not."""
    ahead: dict[tuple[str, str], list[float]] = {}
    losses: list[str] = []
    for group in groups:
        ours = next((line for line in group if line.cell.client in OWN), None)
        if ours is None or ours.rate_ratio is None:
            continue
        shape = ours.cell.shape
        ahead.setdefault((shape.operation, shape.server), []).append(ours.rate_ratio)
        where = f"{shape.title}, {SERVERS[_server(ours)]}"
        peers = [
            line
            for line in group
            if base_of(line.cell.client) not in OWN and line.rate and not line.flawed
        ]
        what = f"{shape.operation.capitalize()}s, {where}"
        losses += dearer(what, ours, peers)
        if ours.rate_ratio < 1:
            best = max(peers, key=_rate)
            sides = side(ours, ours.cell.client), side(best, best.cell.client)
            losses.append(
                f"{what}: {ours.rate_ratio:.2f} times as many operations per second as"
                f" {best.cell.client}. {why(*sides)}"
            )
    conclusions = [
        f"{operation.capitalize()}s at {SERVERS[server]}: ahead of the best peer in"
        f" {sum(one >= 1 for one in ratios)} of"
        f" {len(ratios)} ways, with {_range(ratios)} times as many operations per second."
        for (operation, server), ratios in ahead.items()
    ]
    return conclusions, losses
