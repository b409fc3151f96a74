"""Each client as two cells of one group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....clients import FLOOR, OURS, PEERS
from ....clients.base import ASYNC, SYNC
from ....run.plan import Matrix
from ....table.faces import is_face
from ....table.report import notes
from ... import closed
from ...recipe import Measurement, Part
from ...report import LESS, Heading, Row, Section, Table

if TYPE_CHECKING:
    from ....run.compare import Comparison
    from ....table.measured import Spread
    from ....table.summary import Line
    from ...recipe import Bench
    from ...report import Entry

CLIENTS = tuple(name for name in PEERS if name != FLOOR and not is_face(name))
FEW = (OURS, "aerospike")
"""What the short form measures: how far twins lie apart is the machine's doing more than theirs."""
HEADINGS = (
    Heading("first", "throughput", "op/s", "", 0),
    Heading("second", "again", "op/s", "", 0),
    Heading("rate", "they differ by", "%", LESS, 1),
    Heading("rate-spread", "spread of the rounds", "%", "", 1),
    Heading("cpu", "CPU differs by", "%", LESS, 1),
    Heading("cpu-spread", "spread of CPU", "%", "", 1),
    Heading("within", "within the spread"),
)


class Twins(Measurement):
    name = "twins"
    title = "each client twice"
    seconds = 28

    def run(self, bench: Bench) -> Part:
        matrix = Matrix(
            clients=bench.few(CLIENTS, self.title, FEW),
            modes=(ASYNC, SYNC),
            tasks=(32,),
            threads=(32,),
            in_flight=(1,),
            interpreters=bench.interpreters,
            twins=2,
            gil=bench.gil_states(),
        )
        # A spread needs rounds.
        rounds: int = bench.pick(2, 3, 7)
        comparison = bench.compare(
            bench.settings(matrix, duration=bench.pick(0.15, 0.35, 5.0), rounds=rounds)
        )
        table = _table(comparison)
        section = Section(self.name, "Each client twice", "Half reads, half writes.", (table,), ())
        within = [row.fields["within"] == "yes" for row in table.rows if "within" in row.fields]
        said = f"{sum(within)} of {len(within)} lines differ by less than their spread."
        runs = comparison.as_json()["cells"]
        return Part(section, runs, [said] if within else [], (), comparison.interrupted)


def _table(comparison: Comparison) -> Table:
    lines = {line.cell: line for group in comparison.lines() for line in group}
    words = closed.states(list(lines.values()))
    rows = [
        row(line, lines.get(replace(cell, twin=1)), words[closed.state(line)])
        for cell, line in lines.items()
        if not cell.twin
    ]
    said = [note for group in comparison.lines() for note in notes(group)]
    more = "The spread is the larger of both: lowest to highest round, over the median."
    how = closed.caption(comparison.settings, more)
    title = "Each client twice"
    return Table("twins", title, how, HEADINGS, rows, notes=tuple(dict.fromkeys(said)))


def row(first: Line, second: Line | None, state: str = "") -> Row:
    """Two cells that are the same, as one line; `state` tells interpreters apart."""
    unit = "threads" if first.cell.mode == SYNC else "tasks"
    label = f"{first.cell.client}, {first.cell.concurrency} {unit}{state}"
    if second is None or not (first.rate and second.rate and first.cpu and second.cpu):
        flawed = "; ".join(notes([first])) or "not measured twice"
        alone = closed.measured(first.rate, first.rounds)
        return Row(label, {"first": alone}, first.cell.client, flawed)
    rate, rate_spread = differ(first.rate, second.rate)
    cpu, cpu_spread = differ(first.cpu, second.cpu)
    fields: dict[str, Entry] = {
        "first": closed.measured(first.rate, first.rounds),
        "second": closed.measured(second.rate, second.rounds),
        "rate": rate,
        "rate-spread": rate_spread,
        "cpu": cpu,
        "cpu-spread": cpu_spread,
    }
    if min(first.rounds, second.rounds) > 1:  # a single round has no spread
        fields["within"] = "yes" if rate <= rate_spread and cpu <= cpu_spread else "no"
    flaws = notes([first, second]) if first.flawed or second.flawed else []
    return Row(label, fields, first.cell.client, "; ".join(flaws))


def differ(first: Spread, second: Spread) -> tuple[float, float]:
    """By how many percent the medians differ, and the larger spread that either line states."""
    middle = (first.median + second.median) / 2
    apart = 100 * abs(first.median - second.median) / middle
    return apart, max(first.percent, second.percent)
