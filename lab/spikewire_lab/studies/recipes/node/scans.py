"""Scans: records per second and memory, with records dropped and written to a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....plan import NODE_CLIENTS, NODE_OURS
from ....queries.cells import (
    CONSUMERS,
    INDEX_MODE,
    NODE_QUERIES_MODE,
    NOTHING,
    QUERIES_MODE,
    lacks_waiting,
)
from ....queries.lab import Settings
from ... import closed_loops
from ...builds import of_rows
from ...reasons import side, why
from ...recipe import FULL, QUICK, Bench, Measurement, Part
from ...report import LESS, LINES, MORE, Axis, Chart, Heading, Row, Section, Series, Table

if TYPE_CHECKING:
    from ....queries.lab import Scans as ScanResults
    from ....queries.lines import ScanLine

PYTHON_CLIENTS = (OURS, "aerospike", "aerospike-py", "aerospike-sdk", "aerospike-native")
FEW = (*NODE_CLIENTS, OURS, "aerospike", "aerospike-py")
"""The clients of the short form."""
RATE = Heading("rate", "throughput", "records/s", MORE, 0)
CPU = Heading("cpu", "client CPU", "µs/record", LESS)
SERVER = Heading("server", "server CPU", "µs/record")
GROWN = Heading("grown", "memory added", "MB", LESS, 1)


class Scans(Measurement):
    name = "scans"
    title = "scans with consumers"
    seconds = 40

    def run(self, bench: Bench) -> Part:
        settings = settings_of(bench)
        results = bench.scans(settings)
        groups = results.scan_lines()
        table = table_of(groups, "scans", "Whole sets", _caption(settings))
        table = replace(table, notes=(*table.notes, *unwaiting(groups)))
        charts = [chart for consumer in CONSUMERS for chart in _memory(results, consumer)]
        section = Section(self.name, "Scans of whole sets", _TEXT, (table,), charts)
        conclusions, losses = compared(groups, "Scans")
        runs = results.as_json()["scans"]
        return Part(section, runs, conclusions, losses, results.interrupted)


_TEXT = (
    "A process reads every record of a set of records of a kilobyte. A consumer drops them, writes"
    " each to a file, or sleeps now and then; where a client has a way to hold the server back"
    " while its caller is slow, memory stays where it was. Node.js first, then the clients for"
    " Python."
)


class Index(Measurement):
    """Index queries. They have all ways of all clients again: too many for the short form."""

    name = "index"
    title = "queries by an index"
    seconds = 12
    sizes = (QUICK, FULL)

    def run(self, bench: Bench) -> Part:
        settings = replace(settings_of(bench), modes=(INDEX_MODE,), consumers=(NOTHING,))
        results = bench.scans(settings)
        groups = results.scan_lines()
        how = f"{settings.selected:g} % of {_caption(settings)}"
        table = table_of(groups, "index", "A range of an indexed bin", how)
        section = Section(self.name, "Queries by an index", _INDEX, (table,), ())
        conclusions, losses = compared(groups, "Index queries")
        runs = results.as_json()["scans"]
        return Part(section, runs, conclusions, losses, results.interrupted)


_INDEX = (
    "The study's queries have an index; those of its tables read every record. Here a range of an"
    " integer bin selects some of the same records, which are dropped, in the clients for Python."
)


def table_of(groups: list[list[ScanLine]], name: str, title: str, how: str) -> Table:
    """All lines of all groups, and the comparisons of builds."""
    rows = [_row(line) for group in groups for line in group]
    headings = (RATE, CPU, SERVER, GROWN)
    return Table(name, title, how, headings, rows, notes=of_rows(rows, headings))


def unwaiting(groups: list[list[ScanLine]]) -> list[str]:
    """The lines without a sleeping consumer, and why."""
    ways = dict.fromkeys(
        (line.scan.client, line.scan.mode, line.scan.way) for group in groups for line in group
    )
    return [
        f"{client} {mode}, {way}: no consumer that sleeps: {reason}"
        for client, mode, way in ways
        for reason in [lacks_waiting(mode, way)]
        if reason
    ]


def settings_of(bench: Bench) -> Settings:
    target = bench.target
    clients = (*NODE_CLIENTS, *PYTHON_CLIENTS)
    names = bench.few(clients, Scans.title, FEW)
    settings = Settings(
        modes=(NODE_QUERIES_MODE, QUERIES_MODE),
        clients=names,
        interpreters=bench.interpreters[:1],
        records=bench.pick(500, 20_000, 200_000),
        slow_records=bench.pick(500, 10_000, 50_000),
        sizes=(1_000,),
        **target.place(),
        duration=bench.pick(0.05, 0.25, 2.0),
        warmup=bench.pick(0.0, 0.1, 0.0),
        pause=bench.pick(0.0, 0.05, 0.2),
        rounds=bench.pick(1, 1, 5),
        seed=bench.seed,
        populate=True,
        gil=None,
        client_cpus=target.client_cpus,
        keep_awake=target.keep_awake,
    )
    settings = bench.overrides.of(settings, keys="records")
    return replace(settings, slow_records=min(settings.slow_records, settings.records))


def _caption(settings: Settings) -> str:
    many = settings.rounds
    rounds = f"each of {many} interleaved rounds" if many > 1 else "one round"
    return (
        f"{settings.records:,} records of 1,000 bytes, {settings.slow_records:,} for ways that"
        " keep all"
        " of them or take long; whole scans, one after the other, for at least"
        f" {settings.duration:g} s in {rounds}, a new process for each. Memory is the"
        " highest peak over what the process held before its first scan."
    )


def _label(line: ScanLine) -> str:
    scan = line.scan
    return f"{scan.client} {scan.mode}, {scan.way}, {scan.consumer}"


def _row(line: ScanLine) -> Row:
    fields = {
        "rate": closed_loops.measured(line.rate, line.rounds),
        "cpu": closed_loops.measured(line.cpu, line.rounds),
        "server": line.cpu_server,
        "grown": None if line.grown is None else line.grown / 1e6,
    }
    note = "; ".join(dict.fromkeys((*line.failures, *line.remarks)))
    return Row(_label(line), fields, line.scan.client, note)


def _memory(scan_results: ScanResults, consumer: str) -> list[Chart]:
    """Memory curves of the last successful rounds: Node.js and Python in separate charts."""
    charts: list[Chart] = []
    for in_node in (True, False):
        series: list[Series] = []
        for scan, rounds in scan_results.scans.items():
            results = [one for one in rounds if "failed" not in one]
            if scan.consumer != consumer or (scan.client in NODE_CLIENTS) != in_node or not results:
                continue
            memory = results[-1]["memory"]
            points = tuple(
                (float(at), (size - memory["start"]) / 1e6) for at, size in memory["curve"]
            )
            series.append(Series(f"{scan.client} {scan.mode}, {scan.way}", points, scan.client))
        if len(series) > 1 and any(len(one.points) > 1 for one in series):
            where = "Node.js" if in_node else "Python"
            name = f"memory-{'node' if in_node else 'python'}-{consumer}"
            title = f"{where}: resident memory over time, consumer: {consumer}"
            caption = "Ten times a second; zero is what the process held before its first scan."
            axes = Axis("time", "s"), Axis("memory added", "MB")
            charts.append(Chart(name, title, caption, LINES, *axes, series))
    return charts


def compared(groups: list[list[ScanLine]], what: str) -> tuple[list[str], list[str]]:
    """The best of our ways against the best of the other clients', with records dropped."""
    conclusions: list[str] = []
    losses: list[str] = []
    for group in groups:
        idle = [line for line in group if line.scan.consumer == NOTHING and line.rate]
        ours = [line for line in idle if line.scan.client in (OURS, NODE_OURS)]
        theirs = [line for line in idle if not line.scan.ours]
        if not ours or not theirs:
            continue
        best, other = max(ours, key=_rate), max(theirs, key=_rate)
        ratio = _rate(best) / _rate(other)
        times = f"{ratio:.2f} times the records per second"
        text = f"{what}: {_label(best)} gives {times} of {_label(other)}"
        if ratio >= 1:
            conclusions.append(f"{text}.")
        else:
            sides = side(best, best.scan.client), side(other, other.scan.client)
            losses.append(f"{text}. {why(*sides, 'record')}")
    return conclusions, losses


def _rate(line: ScanLine) -> float:
    return line.rate.median if line.rate else 0.0
