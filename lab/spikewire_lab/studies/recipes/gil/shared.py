"""Clients beside an event loop, and beside a thread that counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import ONE_OF_EACH, OURS
from ....clients.base import ASYNC, SYNC
from ....measure import merge, percentiles
from ....plan import Cell, Matrix
from ....run.report import NOISE, notes
from ....worker.background import COUNTER, TICK, TICKER
from ... import closed_loops
from ...reasons import ALIKE, sentence
from ...recipe import Measurement, Part
from ...relative import plain
from ...report import LESS, MORE, Heading, Median, Row, Section, Table
from .losses import losses_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....contract.result import BackgroundFigures
    from ....run.compare import Comparison
    from ....table.line import Line
    from ...recipe import Bench
    from .losses import Loss

FEW = (OURS, "aerospike-sdk", "aerospike")
"""The clients of the short form."""
RATE = Heading("rate", "throughput alone", "op/s", MORE, 0)
DONE = Heading("done", "throughput beside the thread", "op/s", MORE, 0)
OWN = Heading("own", "beside the thread", "% of alone", "", 0)
"""Not compared: the faster a client is alone, the smaller this share."""
OTHER = Heading("other", "the thread", "% of alone", MORE, 0)
GAPS = tuple(
    Heading(name, f"event loop late, {name}", "µs", LESS, 0)
    for name in ("p50", "p90", "p99", "p99.9")
)
WITHOUT = {
    name: Heading(f"before-{name}", f"{name} without the client", "µs", "", 0)
    for name in ("p90", "p99")
}
HEADINGS = (RATE, DONE, OWN, OTHER, *GAPS, *WITHOUT.values())


class Shared(Measurement):
    name = "shared"
    title = "clients beside an event loop and beside a busy thread"
    seconds = 40

    def __init__(self) -> None:
        self.comparison: Comparison | None = None
        """The results, once measured."""

    def run(self, bench: Bench) -> Part:
        matrix = Matrix(
            clients=bench.few(ONE_OF_EACH, self.title, FEW),
            modes=(ASYNC, SYNC),
            tasks=(32,),
            threads=bench.pick((8,), (32,), (1, 32)),
            in_flight=(1,),
            interpreters=bench.interpreters,
            companions=("", TICKER, COUNTER),
            gil=bench.gil_states(),
        )
        comparison = bench.compare(
            bench.settings(matrix, duration=bench.pick(0.15, 0.5, 2.0), rounds=bench.pick(1, 1, 5))
        )
        self.comparison = comparison
        table = _table(comparison)
        headings = (OTHER, DONE, tail(table.rows))
        charts = [one for heading in headings for one in closed_loops.bars(table, heading)]
        section = Section(
            self.name,
            "Beside an event loop and a busy thread",
            "With threads the event loop has a thread of its own; with tasks it is the client's."
            " With a GIL every call waits for the counting thread to give it away, which happens"
            " every 5 ms: no client makes many more calls in that time than there are callers.",
            (table,),
            tuple(charts),
        )
        runs = comparison.as_json()["cells"]
        return Part(section, runs, (), losses(table.rows), comparison.interrupted)


def _table(comparison: Comparison) -> Table:
    lines = {line.cell: line for group in comparison.lines() for line in group}
    words = closed_loops.states(list(lines.values()))
    rows = [_row(comparison, lines, cell, words) for cell in lines if not cell.companion]
    remarks = [note for group in comparison.lines() for note in notes(_calm(group))]
    busiest = max((line.others or 0.0 for line in lines.values()), default=0.0)
    if busiest > NOISE:
        remarks.append(f"other programs used up to {busiest:.0%} of this machine")
    more = (
        f"The event loop runs a task that sleeps {TICK * 1000:g} ms at a time; the other thread"
        " counts in plain Python. Both are measured in runs of their own, after half as long"
        " alone in the same process. Percentiles are of all rounds together."
    )
    how = closed_loops.caption(comparison.settings, more)
    title = "What is left beside a client"
    return Table("shared", title, how, HEADINGS, rows, notes=tuple(dict.fromkeys(remarks)))


def _calm(lines: Sequence[Line]) -> list[Line]:
    """The remarks without those about other programs, which appear once for the table."""
    return [replace(line, others=None) for line in lines]


def losses(rows: Sequence[Row]) -> list[str]:
    """Where another client does more beside the thread, or leaves it or the event loop more."""
    return [f"{one} {_why(one)}" for one in losses_in(rows, (DONE, tail(rows), OTHER))]


def tail(rows: Sequence[Row]) -> Heading:
    """The lateness of the event loop at the highest percentile, up to p99, that all lines have:
    short runs have too few timers for more."""
    known = [row for row in rows if not row.flawed]
    return next(
        (
            heading
            for heading in reversed(GAPS[:-1])
            if all(plain(row.fields.get(heading.key)) is not None for row in known)
        ),
        GAPS[0],
    )


def _why(one: Loss) -> str:
    """What each of the two did meanwhile, with the rounds."""
    ours, theirs = (plain(row.fields.get(DONE.key)) for row in (one.ours, one.theirs))
    if ours is None or theirs is None:
        return sentence(())
    other = one.theirs.client
    beside = f"beside the thread {OURS} did {ours:,.0f} op/s and {other} {theirs:,.0f}"
    if ours > ALIKE * theirs:
        return sentence([f"{beside}, and each of them takes the interpreter for a while"])
    return sentence(
        [f"{beside}: ours took more of the interpreter's time, or waited longer for it"]
    )


def _row(
    comparison: Comparison,
    lines: Mapping[Cell, Line],
    cell: Cell,
    words: Mapping[closed_loops.State, str],
) -> Row:
    alone = lines[cell]
    counting = lines.get(replace(cell, companion=COUNTER))
    ticks = beside(comparison, replace(cell, companion=TICKER))
    late = percentiles(merge(one["together"] for one in ticks if "together" in one))
    before = percentiles(merge(one["alone"] for one in ticks if "alone" in one))
    done = own = None
    if counting is not None and counting.rate is not None:
        done = closed_loops.measured(counting.rate, counting.rounds)
        if alone.rate is not None:
            own = 100 * counting.rate.median / alone.rate.median
    flawed = alone.flawed or (counting is not None and counting.flawed)
    fields = {
        "rate": closed_loops.measured(alone.rate, alone.rounds),
        "done": done,
        "own": own,
        "other": share(beside(comparison, replace(cell, companion=COUNTER))),
        **{heading.key: late.get(heading.key) for heading in GAPS},
        **{heading.key: before.get(name) for name, heading in WITHOUT.items()},
    }
    reason = "; ".join(notes([alone] if counting is None else [alone, counting])) if flawed else ""
    return Row(label(alone, words[closed_loops.state(alone)]), fields, cell.client, reason)


def label(line: Line, state: str) -> str:
    cell = line.cell
    unit = "tasks" if cell.mode != SYNC else "thread" if cell.concurrency == 1 else "threads"
    return f"{cell.client}, {cell.concurrency} {unit}{state}"


def beside(comparison: Comparison, cell: Cell) -> list[BackgroundFigures]:
    rounds = comparison.rounds.get(cell, [])
    return [one["beside"] for one in rounds if "failed" not in one and "beside" in one]


def share(figures: Sequence[BackgroundFigures]) -> Median | None:
    """The thread's speed, in percent of its speed alone."""
    shares = [
        100 * one["together_rate"] / one["alone_rate"]
        for one in figures
        if "together_rate" in one and "alone_rate" in one
    ]
    return Median.of(shares) if shares else None
