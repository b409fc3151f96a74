"""Single records: operations per second, and the distribution of latencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients.base import NODE
from ....clients.registry import build_of
from ....plan import NODE_CLIENTS, NODE_OURS, NODE_PEER, NODE_PEER_UV, Matrix
from ... import closed_loops, timelines
from ...reasons import dearer, later, side, why
from ...recipe import Bench, Measurement, Part
from ...report import LINES, Axis, Chart, Heading, Row, Section, Series, Table
from ...wording import as_many, cost
from .headings import RATE, SHARE_HEADINGS

if TYPE_CHECKING:
    from ....table.line import Line

PROCESSES = 4
BINS = "S1024,B1024,I8"
"""The bins of the benchmark that comes with the vendor's client."""
DELAYS = (Heading("loop50", "loop late, p50", "µs"), Heading("loop99", "p99", "µs"))
SHOWN_HEADINGS = (
    RATE,
    closed_loops.CPU,
    closed_loops.SERVER,
    *SHARE_HEADINGS,
    closed_loops.P50,
    closed_loops.P99,
    *DELAYS,
)


class Singles(Measurement):
    name = "singles"
    title = "single records in processes of Node.js"
    seconds = 25

    def run(self, bench: Bench) -> Part:
        builds = ", ".join(filter(build_of, bench.clients))
        if builds:
            bench.note({}, [f"{self.title}: no lines for {builds}, a build of the Python package"])
        matrix = Matrix(
            clients=bench.clients_of((*NODE_CLIENTS, NODE_PEER_UV)),
            modes=(NODE,),
            tasks=(32,),
            threads=(1,),
            in_flight=(32,),
            interpreters=("",),
            node_in_flight=bench.pick((8,), (100,), (1, 10, 100)),
            processes=bench.pick((2,), (PROCESSES,), (1, PROCESSES)),
        )
        settings = bench.settings(matrix, bins=BINS, sample_every=1)
        comparison = bench.compare(settings)
        groups = [[line for line in group if line.absent is None] for group in comparison.lines()]
        rows = [_row(line) for group in groups for line in group]
        how = closed_loops.caption(
            settings, "Every call is timed; shares are of all calls of all rounds, by right edges."
        )
        table = Table("singles", "Single records", how, SHOWN_HEADINGS, rows)
        section = Section(
            self.name,
            "Single records",
            _TEXT,
            (table,),
            (*map(_chart, filter(None, groups)), *timelines.charts(comparison, self.name, how)),
        )
        lines = [line for group in groups for line in group]
        conclusions, losses = _compared(groups)
        return Part(
            section,
            comparison.as_json()["cells"],
            conclusions if lines else (),
            losses,
            comparison.interrupted,
        )


_TEXT = (
    "Half reads, half writes of records of about 2 KB. Each process has one client and so many"
    " calls"
    " in flight, each of which follows a reply. The study has its first version with 4 and with 8"
    " threads of libuv's pool (`UV_THREADPOOL_SIZE`); `aerospike-node-uv-128` is today's client"
    " with 128, beside the 4 that are the default."
)


def _label(line: Line) -> str:
    many = line.cell.processes
    processes = f", {many} processes" if many > 1 else ", 1 process"
    return f"{line.cell.client}{processes} x {line.cell.concurrency}"


def _row(line: Line) -> Row:
    row = closed_loops.row(line, _label(line))
    shares = {f"within{ms}": 100 * share for ms, share in (line.within or {}).items()}
    delay = line.loop_delay or {}
    late = {"loop50": delay.get("p50"), "loop99": delay.get("p99")}
    return Row(row.label, {**row.fields, **shares, **late}, row.client, row.flawed)


def _chart(group: list[Line]) -> Chart:
    cell = group[0].cell
    series = [
        Series(
            line.cell.client,
            tuple((float(ms), 100 * share) for ms, share in (line.within or {}).items()),
            line.cell.client,
        )
        for line in group
    ]
    name = f"shares-{cell.processes}-{cell.concurrency}"
    title = f"Calls that took no longer, {cell.processes} x {cell.concurrency} in flight"
    caption = "Closed loop: a stall delays the calls that would have come, and these are not seen."
    axes = Axis("latency", "ms", logarithmic=True), Axis("calls", "%")
    return Chart(name, title, caption, LINES, *axes, series)


def _compared(groups: list[list[Line]]) -> tuple[list[str], list[str]]:
    """Our client relative to the peer, in each group."""
    conclusions: list[str] = []
    losses: list[str] = []
    for group in groups:
        lines = {line.cell.client: line for line in group}
        ours, theirs = lines.get(NODE_OURS), lines.get(NODE_PEER)
        if ours is None or theirs is None or not (ours.rate and theirs.rate):
            continue
        ratio = ours.rate.median / theirs.rate.median
        cell = ours.cell
        where = f"{cell.processes} x {cell.concurrency} calls in flight"
        losses += [
            *dearer(f"Node.js, {where}", ours, [theirs]),
            *later(f"Node.js, {where}", ours, [theirs]),
        ]
        text = f"Node.js, {where}: {as_many(ours.rate, theirs.rate, 'npm `aerospike`')}"
        text += cost(ours.cpu, theirs.cpu)
        if ratio >= 1:
            conclusions.append(f"{text}.")
        else:
            losses.append(f"{text}. {why(side(ours, NODE_OURS), side(theirs, NODE_PEER))}")
    return conclusions, losses
