"""A comparison as tables on the terminal and as a JSON file."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .clients.base import RUST, SYNC
from .compare import Comparison
from .summary import Line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PLAIN_WIDTH = 180
TAIL_SAMPLES = 10_000
"""Below this many samples p99.9 says nothing and is not shown."""
COLUMNS = (
    ("client", "left"),
    ("op/s", "right"),
    ("±%", "right"),
    ("CPU us/op", "right"),
    ("user", "right"),
    ("sys", "right"),
    ("server", "right"),
    ("p50 us", "right"),
    ("p90", "right"),
    ("p99", "right"),
    ("p99.9", "right"),
    ("max", "right"),
    ("errors", "right"),
    ("RSS MB", "right"),
    ("op/s ÷ best", "right"),
    ("CPU ÷ best", "right"),
)
UNITS = {SYNC: "thread", RUST: "in flight"}


def write_json(comparison: Comparison, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(comparison.as_json(), indent=1) + "\n", encoding="utf-8")


def show(comparison: Comparison, console: Console | None = None) -> None:
    """All tables, then what has to be known beside them."""
    console = console or _console()
    for lines in comparison.lines():
        console.print(_table(lines))
        for line in lines:
            for note in notes(line):
                console.print(f"  {line.cell.client}: {note}", markup=False, highlight=False)
    for skipped in comparison.skipped:
        text = f"skipped: {skipped.client}: {skipped.reason}"
        console.print(text, markup=False, highlight=False)
    if comparison.interrupted:
        console.print("interrupted: the rounds above are not complete", markup=False)


def title(line: Line) -> str:
    """The mode, the concurrency and the interpreter that the lines of a group share."""
    cell = line.cell
    unit = UNITS.get(cell.mode, "task")
    plural = "s" if cell.concurrency != 1 and unit != "in flight" else ""
    text = f"{cell.mode}, {cell.concurrency} {unit}{plural}"
    if line.gil is not None:
        text += f", GIL {'on' if line.gil else 'off'}"
    return f"{text} ({cell.interpreter})" if cell.interpreter else text


def row(line: Line) -> list[str]:
    """One line as text, with a dash for what was not measured."""
    name = f"{line.cell.client} {line.version or ''}".strip()
    if line.rate is None or line.cpu is None:
        return [f"{name} !", *["-"] * (len(COLUMNS) - 1)]
    latency = line.latency or {}
    tail = latency.get("p99.9") if line.samples >= TAIL_SAMPLES else None
    return [
        f"{name} !" if line.flawed else name,
        f"{line.rate.median:,.0f}",
        f"{line.rate.percent:.0f}",
        _number(line.cpu.median, 1),
        _number(line.cpu_user, 1),
        _number(line.cpu_system, 1),
        _number(line.cpu_server, 1),
        *(_number(latency.get(name), 0) for name in ("p50", "p90", "p99")),
        _number(tail, 0),
        _number(line.latency_max, 0),
        f"{line.errors:,}",
        "-" if line.peak_rss is None else f"{line.peak_rss / 1e6:.0f}",
        _number(line.rate_ratio, 2),
        _number(line.cpu_ratio, 2),
    ]


def notes(line: Line) -> list[str]:
    """What a reader must not miss about a line."""
    said = [f"round failed: {reason}" for reason in sorted(set(line.failures))]
    if line.errors:
        said.append(f"{line.errors:,} errors, the first: {line.first_error}")
    return said


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _table(lines: Sequence[Line]) -> Table:
    from rich.table import Table

    table = Table(title=title(_speaking(lines)), title_justify="left")
    for name, justify in COLUMNS:
        table.add_column(name, justify="left" if justify == "left" else "right", no_wrap=True)
    for line in lines:
        table.add_row(*row(line), style="bold red" if line.flawed else None)
    return table


def _speaking(lines: Sequence[Line]) -> Line:
    """A line that ran, for what all share."""
    return next((line for line in lines if line.gil is not None), lines[0])


def _console() -> Console:
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
