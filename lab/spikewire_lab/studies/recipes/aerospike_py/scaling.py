"""The study's NumPy tables: time by number of records and of bins, and the memory of a read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients.base import SYNC
from ....clients.registry import base_of
from ....fixed.cells import BATCH_READ_DICT, BATCH_READ_NUMPY, OFFICIAL, Cell
from ....fixed.summary import Summary, summarise
from ....work.shape import column_bins
from ...builds import of_columns
from ...interleaved import Outcomes
from ...reasons import why
from ...recipe import Bench, Measurement, Part
from ...relative import beside
from ...report import LESS, LINES, Axis, Chart, Heading, Median, Row, Section, Series, Table
from .columns import (
    COLUMNS,
    OURS_ASYNC,
    OURS_SYNC,
    PEER_ASYNC,
    PEER_SYNC,
    Column,
    builds_in,
    savings,
    side_of,
    to_dictionaries,
    with_builds,
)
from .fixed import Amount, FixedLab
from .published import BINS, RECORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ....fixed.result import FixedResult
    from ...report import Entry

USUAL_RECORDS, USUAL_BINS = 1_000, 5
KINDS = {BATCH_READ_DICT: "dict", BATCH_READ_NUMPY: "numpy"}
Point = tuple[int, int]
"""Records and bins."""
Summaries = dict[tuple[Point, Column, str], Summary]


class Scaling(Measurement):
    name = "numpy"
    title = "NumPy: time and memory"
    seconds = 30

    def run(self, bench: Bench) -> Part:
        records = bench.pick((100, 1_000), (100, 1_000, 10_000), RECORDS)
        bins = bench.pick((USUAL_BINS,), (1, USUAL_BINS, 20), BINS)
        much = bench.pick(
            Amount(calls=1, groups=1, rounds=3, processes=1, warmup=1_000, concurrency=1),
            Amount(calls=1, groups=3, rounds=5, processes=1, warmup=1_000, concurrency=1),
            Amount(calls=1, groups=10, rounds=10, processes=3, warmup=20_000, concurrency=1),
        )
        much = replace(much, processes=bench.overrides.rounds or much.processes)
        by_records = [(count, USUAL_BINS) for count in records]
        by_bins = [(USUAL_RECORDS, count) for count in bins]
        points = list(dict.fromkeys((*by_records, *by_bins)))
        # One interpreter: the study has only one, and the first is that of most users.
        interpreter = bench.interpreters[0]
        columns = with_builds(bench.clients)
        cells = {
            (point, column, kind): Cell(
                column.client, column.mode, kind, point[0], column_bins(point[1]), interpreter
            )
            for point in points
            for column in columns
            for kind in KINDS
            if column.client in bench.clients_of((base_of(column.client),))
            and (column.client, kind) != (OFFICIAL, BATCH_READ_NUMPY)
        }
        outcomes: Outcomes[Cell, FixedResult] = Outcomes()
        bench.measure(FixedLab(bench, list(cells.values()), much, outcomes), outcomes)
        summaries = {
            key: summarise(outcomes.results(cell))
            for key, cell in cells.items()
            if outcomes.results(cell)
        }
        flaws = [
            f"{cell}: {reason}" for cell in cells.values() for reason in outcomes.failures(cell)
        ]
        tables = (
            _times(
                "records",
                "Time by records, for each record",
                by_records,
                0,
                summaries,
                much,
                columns,
            ),
            _times("bins", "Time by bins, for each record", by_bins, 1, summaries, much, columns),
            _memory(by_records, summaries, much, flaws, columns),
        )
        charts = [_chart(table, columns) for table in tables]
        gains = to_dictionaries(COLUMNS)
        tables = (
            beside(tables[0], gains),
            beside(tables[1], gains),
            beside(tables[2], savings(COLUMNS)),
        )
        section = Section(self.name, "NumPy beside dictionaries", TEXT, tables, charts)
        conclusions, losses = compared(summaries)
        return Part(section, outcomes.runs(), conclusions, losses, outcomes.interrupted)


TEXT = (
    "A read of many records into a dictionary for each, all of which the caller keeps, and into"
    " one structured array. Bins are integers and floats in turn. One call asks for all records,"
    " and one call is made at a time on both APIs, so that it is the API that differs and nothing"
    ' else. Every key exists; ours is called with `missing="raise"`, theirs gives zeros for what is'
    " missing.\n\n"
    "Memory is how far the first call of a new process takes the peak of its resident memory"
    " (`VmHWM`), the client's native memory included; free memory goes back to the system before"
    " it. The study took tracemalloc, which sees only what Python allocates, so its figures are"
    " lower for clients that keep records outside of Python. What Python's own allocator keeps"
    " free does not show: figures of a few KB say little."
)


def _fields(
    point: Point, summaries: Summaries, figure: Callable[[Summary], Entry]
) -> dict[str, Entry]:
    return {
        f"{column.key}-{KINDS[kind]}": figure(summary)
        for (at, column, kind), summary in summaries.items()
        if at == point
    }


def _headings(columns: Sequence[Column], unit: str, digits: int) -> tuple[Heading, ...]:
    return tuple(
        Heading(f"{column.key}-{what}", f"{column.title}, {what}", unit, LESS, digits)
        for column in columns
        for what in KINDS.values()
        if (column.client, what) != (OFFICIAL, "numpy")
    )


def _time(one: Summary) -> Entry:
    each = one.study
    values = tuple(one * 1e6 for one in each.values)
    return Median(each.each * 1e6, each.low * 1e6, each.high * 1e6, each.rounds, values)


def _times(
    name: str,
    title: str,
    points: Sequence[Point],
    at: int,
    summaries: Summaries,
    much: Amount,
    columns: Sequence[Column],
) -> Table:
    rows = tuple(Row(f"{point[at]:,}", _fields(point, summaries, _time)) for point in points)
    fixed = f"{USUAL_RECORDS:,} records" if at else f"{USUAL_BINS} bins"
    headings = _headings(columns, "µs", 2)
    notes = of_columns(rows, headings, builds_in(columns))
    return Table(name, title, _how(fixed, much), headings, rows, name, notes)


def _how(fixed: str, much: Amount) -> str:
    return (
        f"{fixed}; {much.groups} calls in each of {much.rounds * much.processes} rounds, a new"
        f" process for each figure; the median of the rounds' means after trimming, by record."
    )


def _memory(
    points: Sequence[Point],
    summaries: Summaries,
    much: Amount,
    flaws: Sequence[str],
    every: Sequence[Column],
) -> Table:
    columns = tuple(column for column in every if column.mode == SYNC)

    def kilobytes(one: Summary) -> Entry:
        sizes = [size / 1e3 for size in one.memory]
        if not sizes:
            return None
        return Median.of(sizes)

    rows = tuple(
        Row(f"{point[0]:,}", _fields(point, _of(summaries, columns), kilobytes)) for point in points
    )
    how = f"{USUAL_BINS} bins; the first call of {much.processes} new processes each, blocking."
    title = "Memory of one read"
    notes = ("aerospike has no NumPy: no figure.", *flaws)
    return Table("memory", title, how, _headings(columns, "KB", 0), rows, "records", notes)


def _of(summaries: Summaries, columns: Sequence[Column]) -> Summaries:
    return {key: summary for key, summary in summaries.items() if key[1] in columns}


def _chart(table: Table, columns: Sequence[Column]) -> Chart:
    series: list[Series] = []
    for heading in table.headings:
        points: list[tuple[float, float]] = []
        for row in table.rows:
            entry = row.fields.get(heading.key)
            if isinstance(entry, Median):
                points.append((float(row.label.replace(",", "")), entry.value))
        client = next(one.client for one in columns if heading.key.startswith(f"{one.key}-"))
        if points:
            series.append(Series(heading.title, tuple(points), client))
    x = Axis(table.first, logarithmic=True)
    y = Axis(table.title, table.headings[0].unit, logarithmic=table.name != "memory")
    return Chart(table.name, table.title, table.caption, LINES, x, y, series)


def compared(summaries: Summaries) -> tuple[list[str], list[str]]:
    """What arrays save compared with dictionaries, and where ours is behind."""
    conclusions: list[str] = []
    losses: list[str] = []
    for column in (PEER_SYNC, OURS_SYNC, PEER_ASYNC, OURS_ASYNC):
        gains = [
            summary.whole.each / summaries[at, column, BATCH_READ_NUMPY].whole.each
            for (at, one, kind), summary in summaries.items()
            if one == column
            and kind == BATCH_READ_DICT
            and (at, one, BATCH_READ_NUMPY) in summaries
        ]
        if gains:
            conclusions.append(
                f"{column.title}: an array takes {1 / max(gains):.2f} to {1 / min(gains):.2f} of"
                f" the time of dictionaries."
            )
    for ours, theirs in ((OURS_SYNC, PEER_SYNC), (OURS_ASYNC, PEER_ASYNC)):
        for (at, column, kind), summary in summaries.items():
            other = summaries.get((at, theirs, kind))
            if column == ours and other and summary.whole.each > other.whole.each:
                ratio = summary.whole.each / other.whole.each
                losses.append(
                    f"{KINDS[kind]}, {at[0]:,} records of {at[1]} bins, {ours.mode}:"
                    f" {ratio:.2f} times the time of {theirs.client}."
                    f" {why(side_of(ours, summary), side_of(theirs, other), 'record')}"
                )
    return conclusions, losses
