"""A comparison of scans as tables on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..run.environment import cluster_in_words
from ..run.report import BUSY, console_for
from ..table.headings import ratio, tenths, whole
from .cells import GETS_SCANS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.table import Table

    from .lab import Scans
    from .lines import DuringLine, GetLine, ScanLine

SCAN_HEADINGS = (
    *("client", "mode", "records to", "consumer", "records", "records/s", "spread %"),
    *("CPU us", "server", "busy", "+MB", "records/s ÷ best", "CPU ÷ best"),
)
GET_HEADINGS = (
    *("client", "mode", "p50 us", "p99"),
    *("p50 beside", "p99", "÷ alone", "scanned/s"),
    *("p50 among", "p99", "÷ alone", "scanned/s"),
)
LOOP_HEADINGS = ("loop p50 us", "loop p99")
"""Columns of the tables for Node.js."""
LEFT = 4
"""The number of text columns of the first table."""


def show(scans: Scans, console: Console | None = None) -> None:
    """Prints all tables, then the remarks on them."""
    console = console or console_for()
    for lines in scans.scan_lines():
        size, runtime = lines[0].scan.size, next((one.runtime for one in lines if one.runtime), "?")
        selected = lines[0].scan.selected
        kind = "scans" if selected is None else f"index queries that select {selected:g} %"
        title = f"{kind} of records of {size:,} bytes, {runtime}"
        headings: tuple[str, ...] = SCAN_HEADINGS
        rows = [scan_row(line) for line in lines]
        if any(line.loop_delay is not None for line in lines):
            headings += LOOP_HEADINGS
            rows = [row + loop_cells(line) for row, line in zip(rows, lines, strict=True)]
        console.print(_table(title, headings, LEFT, rows))
        for note in dict.fromkeys(note for line in lines for note in notes(line)):
            console.print(f"  {note}", markup=False, highlight=False)
    gets = scans.get_lines()
    if gets:
        title = (
            f"single records: alone, beside {GETS_SCANS} full scans of another process, among "
            f"{GETS_SCANS} of the same"
        )
        console.print(_table(title, GET_HEADINGS, 2, [get_row(line) for line in gets]))
        for line in gets:
            for reason in dict.fromkeys(line.failures):
                console.print(f"  {line.getter}: {reason}", markup=False, highlight=False)
    let_in = cluster_in_words(scans.environment, access=True)
    if let_in:
        console.print(f"connected {let_in}", markup=False, highlight=False)
    for text in dict.fromkeys(f"{one.client}: {one.reason}" for one in scans.skipped):
        console.print(f"skipped: {text}", markup=False, highlight=False)
    if scans.interrupted:
        console.print("interrupted: the rounds above are not complete", markup=False)


def scan_row(line: ScanLine) -> list[str]:
    scan, rate, cpu = line.scan, line.rate, line.cpu
    return [
        scan.client + (" !" if line.failures else ""),
        scan.mode,
        scan.way,
        scan.consumer,
        f"{scan.records if line.rows is None else line.rows:,}",
        f"{rate.median:,.0f}" if rate else "-",
        f"{rate.percent:.0f}" if rate and line.rounds > 1 else "-",
        tenths(cpu.median if cpu else None),
        tenths(line.cpu_server),
        "-" if line.server_busy is None else f"{line.server_busy:.0%}",
        "-" if line.grown is None else f"{line.grown / 1e6:,.1f}",
        ratio(line.rate_ratio),
        ratio(line.cpu_ratio),
    ]


def loop_cells(line: ScanLine) -> list[str]:
    return [whole((line.loop_delay or {}).get(at)) for at in ("p50", "p99")]


def get_row(line: GetLine) -> list[str]:
    return [
        line.getter.client + (" !" if line.failures else ""),
        line.getter.mode,
        *(whole(line.alone.get(at)) for at in ("p50", "p99")),
        *_during_cells(line.beside),
        *_during_cells(line.among),
    ]


def _during_cells(during: DuringLine | None) -> list[str]:
    if during is None:
        return ["-"] * 4
    return [
        *(whole(during.latency.get(at)) for at in ("p50", "p99")),
        ratio(during.ratio),
        "-" if during.scan_rate is None else f"{during.scan_rate:,.0f}",
    ]


def notes(line: ScanLine) -> list[str]:
    """Remarks on this line that a reader must see."""
    scan, notes = line.scan, [f"{line.scan}: {reason}" for reason in dict.fromkeys(line.failures)]
    notes += [f"{scan}: {remark}" for remark in line.remarks]
    if line.server_busy is not None and line.server_busy >= BUSY:
        notes.append(f"{scan}: set by the server, busy {line.server_busy:.0%} of its time")
    return notes


def _table(title: str, headings: Sequence[str], left: int, rows: Sequence[list[str]]) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for at, name in enumerate(headings):
        table.add_column(name, justify="left" if at < left else "right", no_wrap=True)
    for cells in rows:
        table.add_row(*cells, style="bold red" if cells[0].endswith("!") else None)
    return table
