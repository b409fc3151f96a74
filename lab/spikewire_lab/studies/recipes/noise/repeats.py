"""Each client as two cells of one group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....clients import OURS
from ....clients.base import ASYNC, SYNC
from ....noise import FALSE, RULE, UNCHANGED, UNTOLD, Figure, Judgement, Pair, in_words, judge
from ....plan import Matrix
from ....run.report import notes
from ... import closed_loops
from ...recipe import Measurement, Part
from ...report import LESS, Heading, Row, Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ....run.compare import Comparison
    from ....table.figures import Spread
    from ....table.line import Line
    from ...recipe import Bench
    from ...report import Entry

CLIENTS = (OURS, "aerospike", "aerospike-py", "aerospike-sdk")
"""One client of each kind: how far twins differ depends on the machine more than on the client."""
FEW = (OURS,)
"""The clients of the short form."""
HEADINGS = (
    Heading("first", "throughput", "op/s", "", 0),
    Heading("second", "again", "op/s", "", 0),
    Heading("rate", "they differ by", "%", LESS, 1),
    Heading("rate-spread", "spread of the rounds", "%", "", 1),
    Heading("rate-told", "significant"),
    Heading("cpu", "CPU differs by", "%", LESS, 1),
    Heading("cpu-spread", "spread of CPU", "%", "", 1),
    Heading("cpu-told", "significant"),
)
TOLD = {UNCHANGED: "no", UNTOLD: "too few rounds"}
RATE, CPU = "rate", "cpu"


@dataclass(frozen=True)
class Repeat:
    """Two lines of the same client, and the verdicts on their figures."""

    first: Line
    second: Line | None
    state: str = ""
    """Tells interpreters apart."""

    def pairs(self) -> dict[str, tuple[Spread, Spread]]:
        """The figures that both lines have."""
        first, second = self.first, self.second
        if second is None or not (first.rate and second.rate and first.cpu and second.cpu):
            return {}
        return {RATE: (first.rate, second.rate), CPU: (first.cpu, second.cpu)}


class Repeats(Measurement):
    name = "twins"
    title = "each client twice"
    seconds = 20

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
        # Enough rounds for the rule to detect a change of one figure.
        rounds: int = bench.pick(2, 5, 7)
        comparison = bench.compare(
            bench.settings(
                matrix,
                duration=bench.pick(0.15, 0.25, 2.0),
                warmup=bench.pick(0.05, 0.1, 0.75),
                rounds=rounds,
            )
        )
        repeats = _repeats(comparison)
        judged = judgements(repeats)
        table = _table(comparison, repeats, judged)
        section = Section(
            self.name, "Each client twice", f"Half reads, half writes. {RULE}", (table,)
        )
        runs = comparison.as_json()["cells"]
        return Part(section, runs, conclusions(repeats, judged), (), comparison.interrupted)


def _repeats(comparison: Comparison) -> list[Repeat]:
    lines = {line.cell: line for group in comparison.lines() for line in group}
    words = closed_loops.states(list(lines.values()))
    return [
        Repeat(line, lines.get(replace(cell, twin=1)), words[closed_loops.state(line)])
        for cell, line in lines.items()
        if not cell.twin
    ]


def judgements(repeats: Sequence[Repeat]) -> dict[tuple[int, str], Judgement]:
    """Verdicts on each figure of each twin, by the rule of all comparisons."""
    known = {
        (number, name): Pair(_figure(one), _figure(other), name == RATE)
        for number, repeat in enumerate(repeats)
        for name, (one, other) in repeat.pairs().items()
    }
    return dict(zip(known, judge(list(known.values())), strict=True))


def _figure(spread: Spread) -> Figure:
    return Figure(spread.median, len(spread.values), spread.values)


def _table(
    comparison: Comparison, repeats: Sequence[Repeat], judged: Mapping[tuple[int, str], Judgement]
) -> Table:
    rows = [
        row(repeat, {name: one.verdict for (at, name), one in judged.items() if at == number})
        for number, repeat in enumerate(repeats)
    ]
    remarks = [note for group in comparison.lines() for note in notes(group)]
    more = "The spread is the larger of both: lowest to highest round, over the median."
    how = closed_loops.caption(comparison.settings, more)
    title = "Each client twice"
    return Table("twins", title, how, HEADINGS, rows, notes=tuple(dict.fromkeys(remarks)))


def row(repeat: Repeat, verdicts: Mapping[str, str]) -> Row:
    """A pair of equal cells as one row."""
    first, second = repeat.first, repeat.second
    unit = "threads" if first.cell.mode == SYNC else "tasks"
    label = f"{first.cell.client}, {first.cell.concurrency} {unit}{repeat.state}"
    pairs = repeat.pairs()
    if second is None or not pairs:
        flawed = "; ".join(notes([first])) or "not measured twice"
        alone = closed_loops.measured(first.rate, first.rounds)
        return Row(label, {"first": alone}, first.cell.client, flawed)
    fields: dict[str, Entry] = {
        "first": closed_loops.measured(first.rate, first.rounds),
        "second": closed_loops.measured(second.rate, second.rounds),
    }
    for name, pair in pairs.items():
        fields[name], spread = differ(*pair)
        # A single round has no spread.
        fields[f"{name}-spread"] = spread if min(first.rounds, second.rounds) > 1 else None
        fields[f"{name}-told"] = TOLD.get(verdicts[name], "yes")
    flaws = notes([first, second]) if first.flawed or second.flawed else []
    return Row(label, fields, first.cell.client, "; ".join(flaws))


def differ(first: Spread, second: Spread) -> tuple[float, float]:
    """The difference of the medians in percent, and the larger of the two lines' spreads."""
    middle = (first.median + second.median) / 2
    apart = 100 * abs(first.median - second.median) / middle
    return apart, max(first.percent, second.percent)


def conclusions(
    repeats: Sequence[Repeat], judged: Mapping[tuple[int, str], Judgement]
) -> list[str]:
    """Whether a client was found to differ from itself, and the largest difference of twins."""
    if not judged:
        return []
    untold = [one for one in judged.values() if one.verdict == UNTOLD]
    apart = [one for one in judged.values() if one.verdict not in TOLD]
    text = (
        f"{len(apart)} of {len(judged) - len(untold)} figures differ significantly between the two"
        f" measurements of the same client, which chance does to any of them in {FALSE:.0%} of such"
        " runs."
    )
    if untold:
        rounds = min(repeat.first.rounds for repeat in repeats)
        few = f"{in_words(rounds)} cannot tell, {untold[0].needed} are needed"
        text = f"{text} Of {len(untold)} {few}." if len(untold) < len(judged) else f"{few}."
    known = [differ(*pair) for repeat in repeats for pair in repeat.pairs().values()]
    shares = [percent / spread for percent, spread in known if spread]
    if not shares:
        return [text]
    far, spread = max(known, key=lambda one: one[0] / one[1] if one[1] else 0.0)
    within = (
        f"The two medians of a client differ by at most {max(shares):.2f} of the spread of their"
        f" rounds: {far:.1f} % where the rounds differ by {spread:.1f} %."
    )
    return [text, within]
