"""A comparison as tables on the terminal and as a JSON file."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .clients.base import RUST, SYNC

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from .compare import Comparison
    from .summary import Line

PLAIN_WIDTH = 180
WIDE = 150
"""Narrower terminals get the columns that matter most."""
TAIL_SAMPLES = 10_000
"""Below this many samples p99.9 says nothing and is not shown."""
NOISE = 0.1
"""The part of the machine in other hands from which a reader is warned."""
UNITS = {SYNC: "thread", RUST: "in flight"}


@dataclass(frozen=True)
class Column:
    """A heading, and whether a narrow terminal goes without it."""

    name: str
    narrow: bool = True


COLUMNS = (
    Column("client"),
    Column("op/s"),
    Column("spread %"),
    Column("CPU us/op"),
    Column("user", narrow=False),
    Column("sys", narrow=False),
    Column("server", narrow=False),
    Column("p50 us"),
    Column("p90", narrow=False),
    Column("p99"),
    Column("p99.9", narrow=False),
    Column("max", narrow=False),
    Column("errors"),
    Column("RSS MB", narrow=False),
    Column("op/s ÷ best"),
    Column("CPU ÷ best"),
)


def write_json(comparison: Comparison, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(comparison.as_json(), indent=1) + "\n", encoding="utf-8")


def show(comparison: Comparison, console: Console | None = None) -> None:
    """All tables, then what has to be known beside them."""
    console = console or _console()
    for lines in comparison.lines():
        console.print(_table(lines, console.width >= WIDE))
        for note in notes(lines):
            console.print(f"  {note}", markup=False, highlight=False)
    for text in dict.fromkeys(f"{one.client}: {one.reason}" for one in comparison.skipped):
        console.print(f"skipped: {text}", markup=False, highlight=False)
    if comparison.interrupted:
        console.print("interrupted: the rounds above are not complete", markup=False)


def title(lines: Sequence[Line]) -> str:
    """The mode, the concurrency and the interpreter that these lines share."""
    cell = lines[0].cell
    unit = UNITS.get(cell.mode, "task")
    plural = "s" if cell.concurrency != 1 and unit != "in flight" else ""
    text = f"{cell.mode}, {cell.concurrency} {unit}{plural}"
    python = next((line.python for line in lines if line.python), None)
    if python is not None:
        text += f", Python {python}"
    states = _gil_states(lines)
    if len(states) == 1:
        text += f", GIL {'on' if states.pop() else 'off'}"
    return text


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
        *(_tenths(at) for at in (line.cpu.median, line.cpu_user, line.cpu_system)),
        _tenths(line.cpu_server),
        *(_whole(latency.get(name)) for name in ("p50", "p90", "p99")),
        _whole(tail),
        _whole(line.latency_max),
        f"{line.errors:,}",
        "-" if line.peak_rss is None else f"{line.peak_rss / 1e6:.0f}",
        _ratio(line.rate_ratio),
        _ratio(line.cpu_ratio),
    ]


def notes(lines: Sequence[Line]) -> list[str]:
    """What a reader must not miss about these lines."""
    said: list[str] = []
    differing = len(_gil_states(lines)) > 1
    for line in lines:
        client = line.cell.client
        said += [f"{client}: round failed: {reason}" for reason in dict.fromkeys(line.failures)]
        if line.errors:
            said.append(f"{client}: {line.errors:,} errors, the first: {line.first_error}")
        if line.unserved:
            said.append(f"{client}: counted {line.unserved:,} operations that no server saw")
        if line.others is not None and line.others > NOISE:
            said.append(f"{client}: other programs used {line.others:.0%} of this machine")
        if differing and line.gil is not None:
            said.append(f"{client}: ran with the GIL {'on' if line.gil else 'off'}")
    return said


def _gil_states(lines: Sequence[Line]) -> set[bool]:
    return {line.gil for line in lines if line.gil is not None}


def _whole(value: float | None) -> str:
    """Microseconds, with a decimal only where they are few."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _tenths(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.1f}" if value >= 1 else f"{value:.2f}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _table(lines: Sequence[Line], wide: bool) -> Table:
    from rich.table import Table

    table = Table(title=title(lines), title_justify="left")
    shown = [at for at, column in enumerate(COLUMNS) if wide or column.narrow]
    for at in shown:
        table.add_column(COLUMNS[at].name, justify="right" if at else "left", no_wrap=True)
    for line in lines:
        cells = row(line)
        table.add_row(*(cells[at] for at in shown), style="bold red" if line.flawed else None)
    return table


def _console() -> Console:
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
