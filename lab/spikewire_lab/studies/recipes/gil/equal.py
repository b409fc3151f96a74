"""Clients at the same call rate beside a thread that counts.

In a closed loop a client that makes more calls uses more of the interpreter's time, so what it
leaves says little about the cost of a call. At the same rate for all clients it does.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....plan import OUTSTANDING, THREADS
from ....run import sweep
from ....run.compare import CannotRunError
from ....worker.background import COUNTER
from ... import closed_loops, open_loops
from ...reasons import Side, why
from ...recipe import FULL, QUICK, Measurement, Part
from ...relative import plain
from ...report import LESS, Heading, Median, Row, Section, Table
from .losses import losses_in
from .shared import OTHER, beside, label, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....contract.result import Failure, Result
    from ....run.compare import Comparison
    from ....table.line import Line
    from ...recipe import Bench
    from .shared import Shared

SHARE = 0.5
"""The rate, as a share of what the slowest client achieves beside the thread."""
RESPONSE = Heading("p50", "response p50", "µs", LESS, 0)
EACH = Heading("each", "client CPU beside the thread", "µs/op", LESS)
HEADINGS = (open_loops.ASKED, open_loops.REACHED, OTHER, EACH, RESPONSE)


@dataclass
class Equal(Measurement):
    shared: Shared
    """Measured before: the rate is derived from its slowest client beside the thread."""
    name: str = "equal"
    title: str = "clients at one rate beside a busy thread"
    seconds = 35
    sizes = (QUICK, FULL)

    def run(self, bench: Bench) -> Part:
        before = self.shared.comparison
        groups = [] if before is None else before.lines()
        busy = [[line for line in group if line.cell.companion == COUNTER] for group in groups]
        if before is None or not any(line.rate for group in busy for line in group):
            raise CannotRunError("no client was measured beside the thread, so there is no rate")
        slowest = sweep.slowest(busy)
        rate = float(f"{SHARE * sweep.calls(slowest):.2g}")
        settings = before.settings
        matrix = replace(
            settings.matrix,
            tasks=(OUTSTANDING,),
            threads=(THREADS,),
            rates=(rate,),
            companions=(COUNTER,),
        )
        rates_from = (
            f"the rate is half of the {sweep.calls(slowest):,.0f} calls each second of the slowest"
            f" beside the thread: {slowest.cell}"
        )
        comparison = bench.compare(replace(settings, matrix=matrix, rates_from=rates_from))
        lines = [line for group in comparison.lines() for line in group if line.absent is None]
        words = closed_loops.states(lines)
        rows = [_row(comparison, line, words[closed_loops.state(line)]) for line in lines]
        how = open_loops.caption(comparison.settings)
        table = Table(self.name, "What is left at one rate", how, HEADINGS, tuple(rows))
        charts = [one for heading in (OTHER, EACH) for one in closed_loops.bars(table, heading)]
        section = Section(self.name, "Beside a busy thread, at one rate", TEXT, (table,), charts)
        runs = comparison.as_json()["cells"]
        return Part(section, runs, (), losses(rows), comparison.interrupted)


TEXT = (
    "All clients make the same calls each second, so that what they leave tells what a call takes."
    " Their processor time is that of the process without that of the thread, and with what paces"
    " the calls, which is alike for all: unlike the share of the thread, it hardly depends on what"
    " else the machine does."
)


def _row(comparison: Comparison, line: Line, state: str) -> Row:
    open_row = open_loops.row(line, "")
    rounds = [one for one in comparison.rounds.get(line.cell, []) if "failed" not in one]
    each = [figure for figure in map(_each, rounds) if figure is not None]
    fields = {
        **{
            heading.key: open_row.fields.get(heading.key)
            for heading in (open_loops.ASKED, RESPONSE)
        },
        open_loops.REACHED.key: open_row.fields.get(open_loops.REACHED.key),
        OTHER.key: share(beside(comparison, line.cell)),
        EACH.key: Median.of(each) if each else None,
    }
    return Row(label(line, state), fields, line.cell.client, open_row.flawed)


def _each(run: Result | Failure) -> float | None:
    """Microseconds of the client's processor time per call beside the thread."""
    if "failed" in run or "beside" not in run or not run["operations"]:
        return None
    thread = run["beside"].get("together_cpu")
    if thread is None:
        return None
    cpu = run["cpu"]["user"] + run["cpu"]["system"]
    return max(0.0, cpu - thread) / run["operations"] * 1e6


def losses(rows: Sequence[Row]) -> list[str]:
    """Where another client leaves more to the thread, or uses less for a call."""
    return [
        f"At one rate, {one} {why(_side(one.ours, one.heading), _side(one.theirs, one.heading))}"
        for one in losses_in(rows, (OTHER, EACH))
    ]


def _side(row: Row, heading: Heading) -> Side | None:
    entry = row.fields[heading.key]
    if not isinstance(entry, Median):
        return None
    low = entry.value if entry.low is None else entry.low
    high = entry.value if entry.high is None else entry.high
    return Side(row.client, low, high, entry.rounds, plain(row.fields.get(EACH.key)))
