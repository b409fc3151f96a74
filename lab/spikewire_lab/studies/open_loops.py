"""Tables and charts of open-loop comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..measure import enough, merge
from ..table.open_figures import PACING
from ..table.open_figures import notes as open_notes
from . import closed_loops
from .report import LESS, LINES, Axis, Chart, Heading, Row, Series, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..measure import Histogram
    from ..run.compare import Comparison, Settings
    from ..table.line import Line
    from .closed_loops import State

ASKED = Heading("asked", "rate", "op/s", "", 0)
REACHED = Heading("reached", "reached", "op/s", "", 0)
RESPONSE = tuple(
    Heading(name, f"response {name}", "µs", LESS, 0)
    for name in ("p50", "p90", "p99", "p99.9", "max")
)
SERVICE = tuple(
    Heading(f"service-{name}", f"service {name}", "µs", LESS, 0) for name in ("p50", "p99")
)
LATE = Heading("late", "begun late p99", "µs", "", 0)
PACED = Heading("pacing", "of it pacing", "µs/op")
NET = Heading("net", "without pacing", "µs/op", LESS)
HEADINGS = (ASKED, REACHED, *RESPONSE, *SERVICE, LATE, closed_loops.CPU, PACED, NET)
CURVE = (1.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99)


def caption(settings: Settings) -> str:
    """How the lines of an open loop were measured."""
    return (
        f"Open loop, {settings.arrivals} arrivals: response time counts from when a call was to"
        " begin, service time from when it began. Of an event loop at most"
        f" {settings.matrix.tasks[0]} calls are outstanding; a call that is due when all threads"
        f" are busy begins late. {settings.keys:,} keys, bins {settings.bins}, workload"
        f" {settings.workload}; {closed_loops.in_rounds(settings.rounds)} of"
        f" {settings.duration:g} s after {settings.warmup:g} s of warm-up, a new process for each;"
        " percentiles are of all rounds together. What the pacing takes is measured before each"
        " run, in the same process, with calls that do nothing."
        + (
            f" {settings.rates_from[0].upper()}{settings.rates_from[1:]}."
            if settings.rates_from
            else ""
        )
    )


def lines(comparison: Comparison, mode: str, state: State | None = None) -> list[Line]:
    """The measured lines of one mode without the null client; optionally of one interpreter and GIL
    state."""
    all_lines = (line for group in _summed(comparison) for line in group)
    return [
        line
        for line in all_lines
        if line.cell.mode == mode
        and line.cell.client != FLOOR
        and line.absent is None
        and state in (None, closed_loops.state(line))
    ]


_known: list[tuple[Comparison, int, list[list[Line]]]] = []


def _summed(comparison: Comparison) -> list[list[Line]]:
    """The lines of the comparison requested last, cached: merging histograms takes seconds."""
    rounds = sum(map(len, comparison.rounds.values()))
    if not _known or _known[0][0] is not comparison or _known[0][1] != rounds:
        _known[:] = [(comparison, rounds, comparison.lines())]
    return _known[0][2]


def states(comparison: Comparison, mode: str) -> dict[State, str]:
    """The interpreters and GIL states that a mode was measured with, and the label suffix of
    each."""
    return closed_loops.states(lines(comparison, mode))


def row(line: Line, label: str) -> Row:
    """A line as a row under the headings of open loops."""
    plain = closed_loops.row(line, label)
    figures = {key: plain.fields.get(key) for key in ("p50", "p90", "p99", "p99.9", "cpu")}
    open_figures = line.open
    if open_figures is not None:
        figures |= {
            "asked": open_figures.asked,
            "reached": closed_loops.measured(line.rate, line.rounds),
            "max": line.latency_max,
            "service-p50": open_figures.service.get("p50"),
            "service-p99": open_figures.service.get("p99"),
            "late": open_figures.late.get("p99"),
            "pacing": open_figures.generator,
            "net": open_figures.less_pacing,
        }
    return Row(label, figures, line.cell.client, plain.flawed)


def table(comparison: Comparison, mode: str, name: str, title: str, labels: Sequence[str]) -> Table:
    """All lines of one mode, each labelled with its rate."""
    rates, words = comparison.settings.matrix.rates, states(comparison, mode)
    rows: list[Row] = []
    notes_of_lines: list[str] = []
    for line in lines(comparison, mode):
        label = labels[rates.index(line.cell.rate)]
        rows.append(row(line, f"{line.cell.client}, {label}{words[closed_loops.state(line)]}"))
        notes_of_lines += open_notes(line)
    # Remarks that apply to all lines come last.
    notes = [*dict.fromkeys(one for one in notes_of_lines if one != PACING)]
    notes += [PACING] if PACING in notes_of_lines else []
    return Table(name, title, caption(comparison.settings), HEADINGS, rows, notes=tuple(notes))


def by_percentile(
    comparison: Comparison, mode: str, state: State, rate: float, name: str, title: str
) -> Chart:
    """Response times of all clients at one rate, by percentile."""
    series: list[Series] = []
    for line in lines(comparison, mode, state):
        if line.cell.rate == rate and line.latency:
            points = curve(_response(comparison, line))
            series.append(Series(line.cell.client, points, line.cell.client))
    axes = (
        Axis("percentile", "%", percentiles=True),
        Axis("response time", "µs", logarithmic=True),
    )
    return Chart(name, title, caption(comparison.settings), LINES, *axes, series)


def over_rate(
    comparison: Comparison, mode: str, state: State, percentile: str, name: str, title: str
) -> Chart:
    """A percentile of the response time of all clients, by rate."""
    points: dict[str, list[tuple[float, float]]] = {}
    for line in lines(comparison, mode, state):
        latency = (line.latency or {}).get(percentile)
        if latency is not None:
            points.setdefault(line.cell.client, []).append((line.cell.rate, latency))
    series = [Series(client, sorted(curve), client) for client, curve in points.items()]
    axes = Axis("rate", "op/s"), Axis(f"response {percentile}", "µs", logarithmic=True)
    return Chart(name, title, caption(comparison.settings), LINES, *axes, series)


def curve(recorded: Histogram) -> list[tuple[float, float]]:
    """Percentiles and microseconds, as far into the tail as there are samples."""
    count = recorded.get_total_count()
    return [(at, recorded.get_value_at_percentile(at) / 1000) for at in CURVE if enough(count, at)]


def _response(comparison: Comparison, line: Line) -> Histogram:
    rounds = [one["latency"] for one in comparison.rounds[line.cell] if "failed" not in one]
    return merge(text for one in rounds for text in (one["read"], one["write"]))
