"""The batch sweeps: growing numbers of records in one call, at the same concurrency."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import OURS, PEERS
from ....clients.base import ASYNC, ASYNC_UVLOOP, SYNC
from ....plan import Sizes
from ....work.shape import BATCH_READ, BATCH_WRITE, SINGLES
from ... import closed_loops
from ...reasons import dearer, side, why
from ...recipe import Bench, Measurement, Part
from ...relative import beside
from ...report import (
    LESS,
    LINES,
    MORE,
    Axis,
    Chart,
    Heading,
    Median,
    Row,
    Section,
    Series,
    Table,
)
from ...wording import as_many
from .cases import (
    AEROSPIKE_PY,
    BUILDER,
    C_CLIENT,
    EXECUTOR,
    HOW,
    NATIVE,
    SDK_BUILDER,
    SDK_WINDOWS,
    Case,
    CaseCells,
    short,
)
from .published import SIZES, to_smallest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ....plan import Cell
    from ....run.compare import Comparison
    from ....table.line import Line
    from ....work.shape import Shape

CLIENTS = (OURS, BUILDER, SDK_BUILDER, NATIVE, C_CLIENT, EXECUTOR, AEROSPIKE_PY)
POOLED = (OURS, BUILDER, SDK_BUILDER)
CASES: tuple[Case, ...] = (
    *(
        Case(client, mode, 32)
        for mode in (SYNC, ASYNC, ASYNC_UVLOOP)
        for client in CLIENTS
        if PEERS[client].lacks(mode) is None
    ),
    *(Case(client, ASYNC_UVLOOP, 256, 4) for client in POOLED),
    # Windows that a pool reads: the vendor's benchmark has its best figure with 8 keys each.
    Case(SDK_WINDOWS, ASYNC_UVLOOP, 256, 4),
)
KINDS = {BATCH_READ: "read", BATCH_WRITE: "written"}


class Batches(Measurement):
    name = "batches"
    title = "batches of more and more records"
    seconds = 40

    def run(self, bench: Bench) -> Part:
        reads = bench.pick((4, 16), (16, 128), (SIZES[0], 16, SIZES[-1]))
        writes = bench.pick((16,), (128,), (128,))
        cases = [case for case in CASES if bench.pick(_plain, _plain, _one_loop)(case)]
        shapes = Sizes(reads, writes).batches()
        groups = [[each for case in cases for each in _ways(case, shape)] for shape in shapes]
        matrix = CaseCells.of(bench, groups)
        settings = bench.settings(
            matrix,
            duration=bench.pick(0.1, 0.2, 2.0),
            warmup=bench.pick(0.0, 0.1, 0.3),
            rounds=bench.pick(1, 1, 5),
        )
        comparison = bench.compare(settings)
        lines = [line for group in comparison.lines() for line in group if line.absent is None]
        tables, charts = _tables_and_charts(lines, comparison)
        section = Section(self.name, "Batches", _TEXT, tables, charts)
        conclusions, losses = _compared(lines)
        runs = comparison.as_json()["cells"]
        return Part(section, runs, conclusions, losses, comparison.interrupted)


def _plain(case: Case) -> bool:
    """Whether the short form measures it: no pools, and no chains of ours beside our verbs."""
    return short(case) and not case.loops and case.client != BUILDER


def _one_loop(case: Case) -> bool:
    """The full form also has only one kind of event loop: it matters less for batches than for
    single records."""
    return case.mode != ASYNC


def _ways(case: Case, shape: Shape) -> list[tuple[Case, Shape]]:
    """The ways in which a client does such a batch; a pool has only the default way."""
    mode = ASYNC if case.mode == ASYNC_UVLOOP else case.mode
    ways = PEERS[case.client].ways_of(shape.kind, mode, shape.rows)
    if case.loops:
        return [(case, shape)] if ways else []
    return [(case, replace(shape, way=way.name)) for way in ways if way.name != SINGLES]


_TEXT = (
    "So many records in one call, by 32 threads, by 32 tasks on one event loop, and by 256 tasks on"
    " four loops in threads. The caller looks at"
    " every bin of every record that is read. The study mixes reads and writes in one figure;"
    " here they"
    " are apart, since a client that is good at one can be poor at the other."
)


def _how(cell: Cell) -> str:
    tasks = cell.concurrency // max(1, cell.loops)
    return f"pool, {cell.loops} x {tasks} tasks" if cell.loops else HOW[cell.mode]


def _label(line: Line, words: Mapping[closed_loops.State, str]) -> str:
    cell = line.cell
    name = cell.client if cell.loops else cell.name
    return f"{name}, {_how(cell)}{words[closed_loops.state(line)]}"


def _tables_and_charts(
    lines: Sequence[Line], comparison: Comparison
) -> tuple[list[Table], list[Chart]]:
    tables: list[Table] = []
    charts: list[Chart] = []
    words = closed_loops.states(lines)
    how = closed_loops.caption(comparison.settings, "Rates and CPU are for each record.")
    for kind, done in KINDS.items():
        here = [line for line in lines if line.cell.shape.kind == kind]
        sizes = sorted({line.cell.shape.rows for line in here})
        if not sizes:
            continue
        headings = [Heading(f"rate{size}", f"{size}", "records/s", MORE, 0) for size in sizes]
        headings += [Heading(f"cpu{size}", f"CPU, {size}", "µs/record", LESS) for size in sizes]
        by_api: dict[str, list[Line]] = {}
        for line in here:
            by_api.setdefault(_label(line, words), []).append(line)
        rows = [_row(api, many) for api, many in by_api.items()]
        title = f"Records {done}, by how many are in a call"
        table = Table(kind, title, how, headings, rows, notes=closed_loops.remarks(comparison))
        tables.append(beside(table, to_smallest(sizes)))
        if len(sizes) > 1:
            charts += _charts(kind, title, how, by_api)
    return tables, charts


def _charts(
    kind: str, title: str, how: str, by_api: Mapping[str, Sequence[Line]]
) -> Iterator[Chart]:
    """One chart for each way to call, over the sizes."""
    ways: dict[str, list[Series]] = {}
    for api, lines in by_api.items():
        sizes = [(float(line.cell.shape.rows), line.rate.median) for line in lines if line.rate]
        cell = lines[0].cell
        ways.setdefault(_how(cell), []).append(Series(api, tuple(sizes), cell.client))
    axes = Axis("records in a call", logarithmic=True), Axis("throughput", "records/s")
    for number, (way, series) in enumerate(ways.items()):
        name = f"{kind}-sizes" + (f"-{number + 1}" if number else "")
        yield Chart(name, f"{title}: {way}", how, LINES, *axes, series)


def _row(api: str, lines: Sequence[Line]) -> Row:
    fields: dict[str, Median | None] = {}
    flaws: list[str] = []
    for line in lines:
        size = line.cell.shape.rows
        fields[f"rate{size}"] = closed_loops.measured(line.rate, line.rounds)
        fields[f"cpu{size}"] = closed_loops.measured(line.cpu, line.rounds)
        flaws += [] if not line.flawed else [f"{size}: {line.first_error or line.failures}"]
    return Row(api, fields, lines[0].cell.client, "; ".join(flaws))


def _compared(lines: Sequence[Line]) -> tuple[list[str], list[str]]:
    """Our verbs against the best of the others at each size and API."""
    conclusions: list[str] = []
    losses: list[str] = []
    words = closed_loops.states(lines)
    groups: dict[tuple[str, str, closed_loops.State], list[float]] = {}
    for line in lines:
        cell = line.cell
        if cell.client != OURS or line.rate is None:
            continue
        others = [
            other
            for other in lines
            if other.rate
            and not other.flawed
            and not other.cell.client.startswith("spikewire")
            and other.cell.beside(cell)
            and other.cell.loops == cell.loops
        ]
        if not others:
            continue
        best = max(others, key=_rate)
        ratio = line.rate.median / _rate(best)
        groups.setdefault((_how(cell), cell.shape.kind, closed_loops.state(line)), []).append(ratio)
        where = f"{cell.shape.rows} records {KINDS[cell.shape.kind]} at once, {_label(line, words)}"
        losses += dearer(f"Batches: {where}", line, others, "record")
        if ratio < 1:
            assert best.rate is not None
            text = as_many(line.rate, best.rate, best.cell.client, "records")
            sides = side(line, cell.client), side(best, best.cell.client)
            losses.append(f"Batches: {where}: {text}. {why(*sides, 'record')}")
    for (how, kind, state), ratios in groups.items():
        conclusions.append(
            f"Batches {KINDS[kind]}, {how}{words[state]}: {_range(ratios)} times as many records"
            " per second as the best other client"
            f"{f', over {len(ratios)} sizes' if len(ratios) > 1 else ''}."
        )
    return conclusions, losses


def _range(ratios: Sequence[float]) -> str:
    low, high = f"{min(ratios):.2f}", f"{max(ratios):.2f}"
    return low if low == high else f"{low} to {high}"


def _rate(line: Line) -> float:
    return line.rate.median if line.rate else 0.0
