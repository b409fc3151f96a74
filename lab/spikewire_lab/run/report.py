"""A comparison as tables on the terminal and as a JSON file."""

from __future__ import annotations

import json
import sys
from itertools import groupby
from typing import TYPE_CHECKING

from ..build import described
from ..clients import OURS
from ..clients.base import NODE, RUST, RUST_SYNC, SYNC
from ..table.apis import conclusions, is_other_api
from ..table.builds import compared
from ..table.headings import columns, row
from ..table.open_figures import notes as open_notes
from ..table.open_figures import title as open_title
from ..table.pools import is_pooled, run_by
from ..table.pools import title as pools_title
from ..table.summary import failed_calls
from ..work.shape import BATCH_READ, BATCH_WRITE, COLUMNS, SINGLE, SINGLES, TABLE_WRITE
from .each_process import each_process
from .environment import cluster_in_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from ..table.headings import Column
    from ..table.line import Line
    from .compare import Comparison

PLAIN_WIDTH = 200
NARROW = 72
"""The width below which tables have no borders."""
WIDEST = 1_000
NOISE = 0.1
"""The share of the machine used by other programs from which a reader is warned."""
BUSY = 0.9
"""The busy share of the server's busiest thread from which the server is said to be the limit."""
UNITS = {SYNC: "thread", RUST_SYNC: "thread", RUST: "in flight", NODE: "in flight"}
WORK = {
    SINGLE: "",
    BATCH_READ: "batch reads, ",
    BATCH_WRITE: "batch writes, ",
    COLUMNS: "columns, ",
    TABLE_WRITE: "table writes, ",
}


def write_json(comparison: Comparison, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(comparison.as_json(), indent=1) + "\n", encoding="utf-8")


def show(comparison: Comparison, console: Console | None = None) -> None:
    """Prints all tables, then the remarks on them."""
    console = console or console_for()
    for _, groups in groupby(comparison.lines(), key=title):
        sections = list(groups)
        tables = (_table(sections, keep) for keep in _ROOM)
        fitting = (table for table in tables if _width(table, console) <= console.width)
        slim = console.width < NARROW
        console.print(next(fitting, None) or _table(sections, _ROOM[-1], slim=slim))
        texts = [note for lines in sections for note in notes(lines)]
        texts += _disturbed(sections)
        if comparison.settings.per_process:
            texts += [text for lines in sections for text in each_process(comparison, lines)]
        for note in dict.fromkeys(texts):
            console.print(f"  {note}", markup=False, highlight=False)
    for text in conclusions(comparison.lines()):
        console.print(text, markup=False, highlight=False)
    for client, build in comparison.builds().items():
        console.print(f"{client}: {described(build)}", markup=False, highlight=False)
    let_in = cluster_in_words(comparison.environment, access=True)
    if let_in:
        console.print(f"connected {let_in}", markup=False, highlight=False)
    if comparison.settings.rates_from:
        console.print(comparison.settings.rates_from, markup=False, highlight=False)
    for text in dict.fromkeys(f"{one.client}: {one.reason}" for one in comparison.skipped):
        console.print(f"skipped: {text}", markup=False, highlight=False)
    if comparison.settings.rounds == 1 and comparison.kind == "compare":
        console.print("one round: no spread", markup=False)
    if comparison.interrupted:
        console.print("interrupted: the rounds above are not complete", markup=False)


def title(lines: Sequence[Line]) -> str:
    """The work, the mode, the concurrency and the interpreter that these lines share."""
    cell = lines[0].cell
    if cell.rate:
        return WORK[cell.shape.kind] + open_title(lines) + _interpreter(lines)
    if any(is_pooled(line.cell) for line in lines):
        return pools_title(lines) + _interpreter(lines)
    unit = UNITS.get(cell.mode, "task")
    plural = "s" if cell.concurrency != 1 and unit != "in flight" else ""
    text = f"{WORK[cell.shape.kind]}{cell.mode}, {cell.concurrency} {unit}{plural}"
    if cell.processes > 1:
        text += f", {cell.processes} processes"
    runtime = next((line.loop for line in lines if line.loop), None)
    if cell.mode == NODE and runtime is not None:
        text += f", {runtime}"
    return text + _interpreter(lines)


def _interpreter(lines: Sequence[Line]) -> str:
    python = next((line.python for line in lines if line.python), None)
    text = "" if python is None else f", Python {python}"
    states = _gil_states(lines)
    if len(states) == 1:
        text += f", GIL {'on' if states.pop() else 'off'}"
    return text


def notes(lines: Sequence[Line]) -> list[str]:
    """Remarks on these lines that a reader must see."""
    texts: list[str] = []
    differing = len(_gil_states(lines)) > 1
    pools = any(is_pooled(line.cell) for line in lines)
    for line in lines:
        client = line.cell.name
        if pools:
            client = f"{line.cell.client}, {run_by(line.cell)}"
        if line.absent is not None:
            texts.append(f"{client}: {line.absent}")
        texts += [f"{client}: round failed: {reason}" for reason in dict.fromkeys(line.failures)]
        if line.errors:
            share = (
                f"{failed_calls(line.errors, line.timeouts)}, {line.error_share:.3%} of its calls"
            )
            texts.append(f"{client}: {share}; the first: {line.first_error}")
        if line.unserved:
            texts.append(f"{client}: counted {line.unserved:,} operations that no server saw")
        if line.missed is not None:
            texts.append(f"{client}: {line.missed:.1%} of its operations found no record")
        short = pools or line.cell.shape.kind != SINGLE
        if not short and line.others is not None and line.others > NOISE:
            texts.append(f"{client}: other programs used {line.others:.0%} of this machine")
        texts += _limited(line)
        texts += open_notes(line, pools=pools)
        if differing and line.gil is not None and line.cell.gil is None:
            texts.append(f"{client}: ran with the GIL {'on' if line.gil else 'off'}")
    return texts + _one_by_one(lines) + compared(lines)


def _disturbed(sections: Sequence[Sequence[Line]]) -> list[str]:
    """One sentence for a table of many records or of pools: each of its lines is a short run."""
    lines = [
        line
        for lines in sections
        for line in lines
        if line.cell.shape.kind != SINGLE or any(is_pooled(other.cell) for other in lines)
    ]
    shares = [line.others for line in lines if line.others is not None and line.others > NOISE]
    if not shares:
        return []
    measured = sum(line.rate is not None for line in lines)
    text = f"other programs used up to {max(shares):.0%} of this machine"
    return [f"{text} in {len(shares)} of {measured} lines"]


def _limited(line: Line) -> list[str]:
    """Whether the server was saturated."""
    shape, busy = line.cell.shape, line.server_busy
    if busy is None or busy < BUSY:
        return []
    records = "" if shape.kind == SINGLE else f", {shape.rows:,} records"
    records += f" of {shape.columns} bins" if shape.columns else ""
    return [f"{line.cell.name}{records}: set by the server, busy {busy:.0%} of its time"]


def _one_by_one(lines: Sequence[Line]) -> list[str]:
    """The gain of a batch, if the same records were also read one by one."""
    ours = {line.cell.shape.way: line for line in lines if line.cell.client == OURS}
    batch, singles = ours.get(""), ours.get(SINGLES)
    if batch is None or singles is None or batch.rate is None or singles.rate is None:
        return []
    times, rows = batch.rate.median / singles.rate.median, batch.cell.shape.rows
    return [f"{OURS}: a batch of {rows} reads {times:.2f} times the rows/s of {rows} single gets"]


def _gil_states(lines: Sequence[Line]) -> set[bool]:
    return {line.gil for line in lines if line.gil is not None}


_ROOM: tuple[Callable[[Column], bool], ...] = (
    lambda _column: True,
    lambda column: not column.optional,
    lambda column: column.narrow,
    lambda column: column.essential,
)
"""Sets of columns, from the widest table to the narrowest."""
WORDS = ("client", "run by")
"""Columns whose text may go on in a further line where even the narrowest table is too wide, as
intervals may: a figure is never cut."""
LEAST_WORDS, LEAST_INTERVAL = 9, 11
"""Widths of such columns in the narrowest table: `aerospike`, `(1.20-1.29)`."""


def _table(
    sections: Sequence[Sequence[Line]], keep: Callable[[Column], bool], *, slim: bool = False
) -> Table:
    """Groups that share a title, one below the other, with some of their columns; `slim` leaves out
    the borders."""
    from rich import box
    from rich.table import Table

    lines = sections[0]
    table = Table(title=title(lines), title_justify="left")
    if slim:
        table.box, table.pad_edge, table.padding = box.SIMPLE_HEAD, False, (0, 1, 0, 0)
    apis = any(is_other_api(line.cell.client) for line in lines)
    pools = any(is_pooled(line.cell) for line in lines)
    kind, mode, opened = lines[0].cell.shape.kind, lines[0].cell.mode, lines[0].cell.rate > 0
    headings = columns(kind, mode, apis=apis, pools=pools, opened=opened)
    chosen = [at for at, column in enumerate(headings) if keep(column)]
    for at in chosen:
        name = headings[at].name
        words, interval = name in WORDS, name.endswith("÷ best")
        table.add_column(
            name,
            justify="left" if words else "right",
            no_wrap=not (words or interval),
            overflow="fold",
            min_width=LEAST_WORDS if words else LEAST_INTERVAL if interval else None,
        )
    absent: set[str] = set()
    for section in sections:
        for line in section:
            if line.absent is not None:
                if line.cell.name in absent:
                    continue  # once per table is enough
                absent.add(line.cell.name)
            cells = row(line, apis=apis, pools=pools)
            table.add_row(*(cells[at] for at in chosen), style="bold red" if line.flawed else None)
        table.add_section()
    return table


def _width(table: Table, console: Console) -> int:
    """The width of a table without truncation."""
    from rich.measure import Measurement

    return Measurement.get(console, console.options.update(max_width=WIDEST), table).maximum


def console_for() -> Console:
    from rich.console import Console

    return Console() if sys.stdout.isatty() else Console(width=PLAIN_WIDTH)
