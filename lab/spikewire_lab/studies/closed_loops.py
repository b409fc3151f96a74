"""Tables and charts of closed-loop comparisons, shared by all recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..run.report import notes
from .interpreters import names
from .relative import plain
from .report import BARS, LESS, MORE, Axis, Chart, Heading, Median, Row, Series, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..run.compare import Comparison, Settings
    from ..table.figures import Spread
    from ..table.line import Line
    from .report import Entry

RATE = Heading("rate", "throughput", "op/s", MORE, 0)
CPU = Heading("cpu", "client CPU", "µs/op", LESS)
SERVER = Heading("server", "server CPU", "µs/op")
P50, P90, P99, TAIL = (
    Heading(f"p{at}", f"p{at}", "µs", LESS, 0) for at in ("50", "90", "99", "99.9")
)
CLOSED = (RATE, CPU, SERVER, P50, P90, P99, TAIL)
State = tuple[str, "bool | None"]
"""An interpreter as named by the user, and whether its GIL was on; empty and None for clients that
do not run in Python."""


def in_rounds(many: int, most: int | None = None) -> str:
    """The number of rounds, for captions; `most` if they went on until ratios were precise."""
    if most is not None and most > many:
        return f"{many} to {most} interleaved rounds"
    return f"{many} interleaved rounds" if many > 1 else "one round"


def caption(settings: Settings, more: str = "") -> str:
    """How the lines of a closed loop were measured, in a sentence or two."""
    rounds = in_rounds(settings.rounds, settings.most_rounds)
    text = (
        f"Closed loop: each caller has one call in flight. {settings.keys:,} keys, bins"
        f" {settings.bins}, workload {settings.workload}; {rounds} of"
        f" {settings.duration:g} s after {settings.warmup:g} s of warm-up, a new process for each;"
        " the median of the rounds, and their lowest and highest."
    )
    return f"{text} {more}".strip()


def measured(spread: Spread | None, rounds: int) -> Median | None:
    """The rounds of one line as a table field."""
    if spread is None:
        return None
    return Median(spread.median, spread.low, spread.high, rounds, spread.values)


def ratio(over: Entry, under: Entry) -> float | None:
    """The ratio of two fields; None if either is missing or zero."""
    one, other = plain(over), plain(under)
    return one / other if one is not None and other else None


def remarks(comparison: Comparison) -> tuple[str, ...]:
    """Remarks of a comparison that a reader must see, each once."""
    return tuple(dict.fromkeys(note for group in comparison.lines() for note in notes(group)))


def state(line: Line) -> State:
    """What lines must share to be comparable, apart from mode and work."""
    return line.cell.interpreter, line.cell.gil


def states(lines: Sequence[Line]) -> dict[State, str]:
    """Each state as the end of a label; empty if there is only one."""
    versions: dict[str, str] = {}
    for line in lines:
        named = line.cell.interpreter
        if named:
            versions[named] = line.python or versions.get(named, "")
    python_names = names(versions)
    words: dict[State, str] = {}
    for named, gil in map(state, lines):
        lock = "" if gil is None else f", GIL {'on' if gil else 'off'}"
        words[named, gil] = (f", {python_names[named]}" if named else "") + lock
    return words


def row(line: Line, label: str) -> Row:
    """A line of a comparison as a row, under any of the headings of `CLOSED`."""
    fields = {
        "rate": measured(line.rate, line.rounds),
        "cpu": measured(line.cpu, line.rounds),
        "server": line.cpu_server,
        **(line.latency or {}),
    }
    flaws = notes([line]) if line.flawed else []
    return Row(label, fields, line.cell.client, "; ".join(flaws))


def table(
    comparison: Comparison,
    name: str,
    title: str,
    label: Callable[[Line], str],
    headings: Sequence[Heading] = CLOSED,
    more: str = "",
) -> Table:
    """All lines of a comparison in one table, in the order in which they were measured."""
    lines = [line for group in comparison.lines() for line in group if line.absent is None]
    rows = [row(line, label(line)) for line in lines]
    how = caption(comparison.settings, more)
    return Table(name, title, how, headings, rows, notes=remarks(comparison))


MOST = 18
"""The most bars in one chart."""


def bars(table: Table, heading: Heading) -> list[Chart]:
    """One column of a table as bar charts. Bars that differ only in the client are grouped, and
    bars that exceed one chart are split over several. None if no line has the figure."""
    rows = [row for row in table.rows if plain(row.fields.get(heading.key)) is not None]
    groups: dict[str, list[Series]] = {}
    together = len({setting(row) for row in rows}) < len(rows)
    for row in rows:
        under = setting(row) if together else row.label
        groups.setdefault(under, []).append(_bar(row, heading, under, together))
    pictures: list[list[Series]] = []
    for group in groups.values():
        if not pictures or len(pictures[-1]) + len(group) > MOST:
            pictures.append([])
        pictures[-1] += group
    axes = Axis(table.first), Axis(heading.title, heading.unit)
    charts: list[Chart] = []
    for number, series in enumerate(pictures, 1):
        name = f"{table.name}-{heading.key}" + (f"-{number}" if number > 1 else "")
        part = f" ({number} of {len(pictures)})" if len(pictures) > 1 else ""
        title = f"{table.title}: {heading.title}{part}"
        charts.append(Chart(name, title, table.caption, BARS, *axes, series))
    return charts


def setting(row: Row) -> str:
    """The part of a label after the client: lines that share it differ only in the client."""
    own, _, behind = row.label.partition(", ")
    return behind if own == row.client and behind else row.label


def _bar(row: Row, heading: Heading, under: str, together: bool) -> Series:
    entry = row.fields.get(heading.key)
    spread: tuple[tuple[float, float], ...] = ()
    if isinstance(entry, Median) and entry.low is not None and entry.high is not None:
        spread = ((entry.low, entry.high),)
    name = row.client if together else row.label
    marked = f"{name} (!)" if row.flawed else name
    label = under if together else marked
    return Series(marked, ((label, plain(entry) or 0.0),), row.client, spread)
