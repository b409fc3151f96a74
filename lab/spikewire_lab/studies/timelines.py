"""Throughput and memory over time, for closed and open loops."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from ..clients import FLOOR
from ..clients.base import ASYNC, ASYNC_UVLOOP, NODE, RUST, RUST_SYNC, SYNC
from . import closed_loops
from .report import LINES, Axis, Chart, Series

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..contract.series import Series as Intervals
    from ..run.compare import Comparison
    from ..table.line import Line

TITLES = {
    ASYNC: "asyncio",
    ASYNC_UVLOOP: "uvloop",
    SYNC: "threads",
    RUST: "Rust",
    RUST_SYNC: "Rust, threads",
    NODE: "Node.js",
}
LEAST = 2
"""The fewest intervals that make a line."""


def charts(
    comparison: Comparison,
    name: str,
    caption: str,
    label: Callable[[Line], str] = lambda line: line.cell.name,
) -> list[Chart]:
    """Charts for each mode and for pools, of the lines with the most calls in flight or, in open
    loops, the highest rate: two charts for each interpreter and GIL state, fewer if intervals are
    missing."""
    known = [
        line
        for group in comparison.lines()
        for line in group
        if line.absent is None and line.cell.client != FLOOR
    ]
    words = closed_loops.states(known)
    widest: dict[tuple[str, bool, closed_loops.State], list[Line]] = {}
    for line in known:
        those = widest.setdefault(
            (line.cell.mode, line.cell.loops > 0, closed_loops.state(line)), []
        )
        if those and _load(line) > _load(those[0]):
            those.clear()
        if not those or _load(line) == _load(those[0]):
            those.append(line)
    charts: list[Chart] = []
    numbers: dict[str, int] = {}
    for (mode, pooled, state), lines in widest.items():
        place = f"{name}-{mode}{'-pool' if pooled else ''}"
        numbers[place] = number = numbers.get(place, 0) + 1
        place += f"-{number}" if number > 1 else ""
        title = _title(lines[0]) + words[state]
        charts += _charts(comparison, lines, place, title, caption, label)
    return charts


def _load(line: Line) -> tuple[float, int, int]:
    return line.cell.rate, line.cell.concurrency * line.cell.processes, line.cell.loops


def _title(line: Line) -> str:
    cell = line.cell
    loops = f" in a pool of {cell.loops} loops" if cell.loops else ""
    many = f"{cell.rate:,.0f} op/s" if cell.rate else f"{cell.concurrency} in flight"
    each = f" in each of {cell.processes} processes" if cell.processes > 1 else ""
    return f"{TITLES[cell.mode]}{loops}, {many}{each}"


def _charts(
    comparison: Comparison,
    lines: Sequence[Line],
    name: str,
    title: str,
    caption: str,
    label: Callable[[Line], str],
) -> Iterator[Chart]:
    whole = comparison.settings.duration
    rate: list[Series] = []
    held: list[Series] = []
    for line in lines:
        rounds = [
            one["series"]
            for one in comparison.rounds[line.cell]
            if "failed" not in one and "series" in one
        ]
        if not rounds:
            continue
        known, interval = (label(line), line.cell.client), rounds[0]["interval"]
        rate += _series(*known, [_rates(one, whole) for one in rounds], interval)
        held += _series(*known, [_held(one, whole) for one in rounds], interval)
    unit = "row/s" if lines[0].cell.shape.rows > 1 else "op/s"
    x = Axis("since the window opened", "s")
    if rate:
        text = f"{caption} Counted when the call ended."
        axes = x, Axis("throughput", unit)
        yield Chart(f"{name}-over-time", f"{title}: throughput over time", text, LINES, *axes, rate)
    if held:
        text = f"{caption} Resident memory of the client's process at the end of each interval."
        axes = x, Axis("resident memory", "B")
        yield Chart(f"{name}-memory", f"{title}: memory over time", text, LINES, *axes, held)


def _whole(intervals: Intervals, duration: float) -> int:
    """The intervals within the planned time: those after it hold only the last calls."""
    return int(duration / intervals["interval"] + 1e-6)


def _rates(intervals: Intervals, duration: float) -> list[float]:
    each = intervals["operations"][: _whole(intervals, duration)]
    return [count / intervals["interval"] for count in each]


def _held(intervals: Intervals, duration: float) -> list[float]:
    return [float(one) for one in intervals.get("rss", [])[: _whole(intervals, duration)]]


def _series(
    name: str, client: str, rounds: Sequence[Sequence[float]], interval: float
) -> list[Series]:
    """The median of the rounds at the end of each interval, and their spread; nothing if there are
    too few intervals."""
    each = list(zip(*rounds, strict=False))
    if len(each) < LEAST:
        return []
    points = [(round((at + 1) * interval, 6), median(values)) for at, values in enumerate(each)]
    several = len(rounds) > 1
    spread = [(min(values), max(values)) for values in each] if several else []
    return [Series(name, points, client, spread)]
