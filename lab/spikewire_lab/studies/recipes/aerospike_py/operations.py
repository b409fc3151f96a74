"""The study's operations: single records, batches, scans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....clients.registry import base_of
from ....contract.result import version_of
from ....fixed.cells import (
    BATCH_READ,
    BATCH_READ_NUMPY,
    GET,
    OPERATIONS,
    PUT,
    SCAN,
    SINGLES,
    Cell,
)
from ....fixed.summary import summarise
from ...interleaved import Outcomes
from ...interpreters import names
from ...reasons import ALIKE, why
from ...recipe import Bench, Measurement, Part
from ...report import Chart, Section, Table
from .columns import RIVALS, side_of, with_builds
from .fixed import Amount, FixedLab, reckoned
from .tables import TABLES, Summaries, chart_of, tables_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ....fixed.result import FixedResult
    from .columns import Column

BINS = "S8,I8,F8"
"""A string, an integer and a float, as in the study."""


def amount(bench: Bench) -> Amount:
    """The study's amount at full size, with its 20 rounds as four processes of five."""
    amount: Amount = bench.pick(
        Amount(calls=40, groups=2, rounds=3, processes=1, warmup=10, concurrency=50),
        Amount(calls=500, groups=10, rounds=10, processes=1, warmup=100, concurrency=50),
        Amount(calls=5_000, groups=10, rounds=5, processes=4, warmup=500, concurrency=50),
    )
    return reckoned(bench, amount)


class Operations(Measurement):
    name = "operations"
    title = "operations one by one and in batches"
    seconds = 40

    def run(self, bench: Bench) -> Part:
        much = amount(bench)
        operations = bench.pick((PUT, GET, BATCH_READ, BATCH_READ_NUMPY), OPERATIONS, OPERATIONS)
        columns = with_builds(bench.clients)
        cells = [
            Cell(
                column.client,
                column.mode,
                operation,
                _rows(operation, much),
                BINS,
                interpreter,
            )
            for interpreter in bench.interpreters
            for operation in operations
            for column in columns
            if column.client in bench.clients_of((base_of(column.client),))
        ]
        outcomes: Outcomes[Cell, FixedResult] = Outcomes()
        usable = [cell for cell in cells if cell.lacks() is None]
        bench.measure(FixedLab(bench, usable, much, outcomes), outcomes)
        tables: list[Table] = []
        charts: list[Chart] = []
        conclusions: list[str] = []
        losses: list[str] = []
        called = _names(outcomes, cells, bench.interpreters)
        for interpreter in bench.interpreters:
            summaries = _summaries(outcomes, cells, interpreter, columns)
            flaws = _flaws(outcomes, cells, interpreter)
            under = called[interpreter] if len(bench.interpreters) > 1 else ""
            tables += tables_of(summaries, flaws, operations, much, under, columns)
            charts += [
                chart_of(table, columns) for table in tables[-len(TABLES) : -len(TABLES) + 2]
            ]
            ahead, behind = compared(summaries, under)
            conclusions += ahead
            losses += behind
        section = Section(self.name, "Operation by operation", TEXT, tables, charts)
        return Part(section, outcomes.runs(), conclusions, losses, outcomes.interrupted)


TEXT = (
    "The study's tables with a column of ours beside each of theirs. Sequential: one call after"
    " the other on one thread. Concurrent: all calls of a round gathered under a semaphore. Times"
    " are by record: those of a batch or a scan are divided by its records.\n\n"
    "Read with care: a sequential rate is one over a latency, no throughput that a client could"
    " reach. The average of a concurrent round is its length by its calls, a rate again; how long"
    " a concurrent call takes is in the table of tails. Trimming drops whole rounds that were slow"
    " or fast; the table without it stands below. Garbage collection is off, which programs do"
    " not do.\n\n"
    "On few processors a lone call of any client takes one of two times, the longer about twice the"
    " shorter: the client's thread and that of the node wait for each other, and whether they share"
    " a processor then decides how long one takes to wake the other. The system moves them now and"
    " then, so that rounds of one cell are as far apart as clients are. What tells clients apart is"
    " processor time, or both bound to processors (`--client-cpus`, `--server-cpus`)."
)


def _rows(operation: str, much: Amount) -> int:
    if operation in SINGLES:
        return 1
    return much.calls if operation == SCAN else much.batch


def _names(
    outcomes: Outcomes[Cell, FixedResult], cells: Sequence[Cell], interpreters: Sequence[str]
) -> dict[str, str]:
    """The name of each interpreter on pages, from what its processes reported."""
    versions = dict.fromkeys(interpreters, "")
    for cell in cells:
        for result in outcomes.results(cell):
            versions[cell.interpreter] = version_of(result["python"])
    return names(versions)


def _summaries(
    outcomes: Outcomes[Cell, FixedResult],
    cells: Sequence[Cell],
    interpreter: str,
    columns: Sequence[Column],
) -> Summaries:
    return {
        (cell.operation, column): summarise(outcomes.results(cell))
        for cell in cells
        if cell.interpreter == interpreter and outcomes.results(cell)
        for column in columns
        if (column.client, column.mode) == (cell.client, cell.mode)
    }


def _flaws(
    outcomes: Outcomes[Cell, FixedResult], cells: Sequence[Cell], interpreter: str
) -> dict[str, str]:
    flaws: dict[str, str] = {}
    for cell in cells:
        if cell.interpreter == interpreter:
            for reason in outcomes.failures(cell):
                before = flaws.get(cell.operation)
                text = f"{cell.client} {cell.mode}: {reason}"
                flaws[cell.operation] = f"{before}; {text}" if before else text
    return flaws


def compared(summaries: Summaries, under: str = "") -> tuple[list[str], list[str]]:
    """Where ours is ahead of the best client that does the same, and where it is not."""
    conclusions: list[str] = []
    losses: list[str] = []
    where = f" under {under}" if under else ""
    for ours, rivals in RIVALS.items():
        ratios: dict[str, float] = {}
        for operation in dict.fromkeys(operation for operation, _ in summaries):
            theirs = {
                one: summaries[operation, one] for one in rivals if (operation, one) in summaries
            }
            if (operation, ours) not in summaries or not theirs:
                continue
            best = min(theirs, key=lambda one: theirs[one].whole.each)
            mine = summaries[operation, ours].whole.each
            ratios[operation] = ratio = theirs[best].whole.each / mine
            if ratio < 1:
                sides = side_of(ours, summaries[operation, ours]), side_of(best, theirs[best])
                losses.append(
                    f"{operation}, {ours.mode}{where}: {1 / ratio:.2f} times the time of"
                    f" {best.client}. {why(sides[0], sides[1], 'record')}"
                )
            thrifty = min(theirs, key=lambda one: theirs[one].cpu)
            cost, least = summaries[operation, ours].cpu * 1e6, theirs[thrifty].cpu * 1e6
            if cost > ALIKE * least:
                losses.append(
                    f"{operation}, {ours.mode}{where}, processor time: {cost:,.1f} µs for each,"
                    f" {least:,.1f} of {thrifty.client}."
                )
        if ratios:
            ahead = sum(ratio >= 1 for ratio in ratios.values())
            conclusions.append(
                f"{ours.title}{where}: in {ahead} of {len(ratios)} operations no slower than the"
                f" fastest of {', '.join(one.client for one in rivals)}; their time is"
                f" {min(ratios.values()):.2f} to {max(ratios.values()):.2f} times ours."
            )
    return conclusions, losses
