"""Our client and the best other client, from the lines of one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from spikewire_lab.studies.closed_loops import setting
from spikewire_lab.studies.relative import plain
from spikewire_lab.studies.report import Median
from spikewire_lab.studies.text import number
from spikewire_lab.table.versus import Versus, versus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spikewire_lab.studies.report import Entry, Report, Row, Table

OURS = "spikewire"
NAMES = {"aerospike-rust": "the crate `aerospike`", "aerospike-node": "npm `aerospike`"}


@dataclass(frozen=True)
class Figure:
    """A column for our client and one for the best other client."""

    title: str
    more: bool
    """Whether more is better."""
    digits: int | None = None


RATE = Figure("op/s", more=True, digits=0)
CPU = Figure("CPU µs/op", more=False)


@dataclass(frozen=True)
class Candidate:
    """A client with its values, in the order of the columns."""

    name: str
    values: Sequence[float | None]
    rounds: Sequence[float] = ()
    """The first value in each round."""


def table_of(report: Report, name: str) -> Table | None:
    """The table of that name; None if that part was not measured."""
    tables = (table for section in report.sections for table in section.tables)
    return next((table for table in tables if table.name == name), None)


def in_rows(
    report: Report, table: str, chosen: Callable[[Row], bool], keys: Sequence[str]
) -> tuple[list[Candidate], list[Candidate]]:
    """Our client and the others, from a table that has a line for each client. Flawed lines do not
    count."""
    content = table_of(report, table)
    rows = [row for row in content.rows if chosen(row) and not row.flawed] if content else []
    candidates = [
        Candidate(
            row.client,
            [plain(row.fields.get(key)) for key in keys],
            _rounds(row.fields.get(keys[0])),
        )
        for row in rows
    ]
    ours = [one for one in candidates if one.name in (OURS, f"{OURS}-rust", f"{OURS}-node")]
    return ours, [one for one in candidates if not one.name.startswith(OURS)]


def in_columns(
    report: Report, tables: Sequence[str], label: str, ours: str, others: Mapping[str, str]
) -> tuple[list[Candidate], list[Candidate]]:
    """The same for a table that has a column for each client and a table for each figure. `ours` is
    the key of our column, `others` has those of the others with their names."""

    def candidate(name: str, key: str) -> Candidate:
        entries = [_field(report, table, label, key) for table in tables]
        return Candidate(name, list(map(plain, entries)), _rounds(entries[0]))

    return [candidate(OURS, ours)], [candidate(name, key) for key, name in others.items()]


def _field(report: Report, table: str, label: str, key: str) -> Entry:
    content = table_of(report, table)
    row = next((row for row in content.rows if row.label == label), None) if content else None
    return None if row is None or row.flawed else row.fields.get(key)


def _rounds(entry: Entry) -> tuple[float, ...]:
    return entry.values if isinstance(entry, Median) else ()


def alike(words: str, state: str = "") -> Callable[[Row], bool]:
    """Rows with these words after their client; in a run with several interpreters or GIL states,
    those that end in `state`."""

    def chosen(row: Row) -> bool:
        behind = setting(row)
        if not state:
            return behind == words
        return behind.startswith(f"{words}, ") and behind.endswith(state)

    return chosen


def line(
    text: str,
    figures: Sequence[Figure],
    ours: Sequence[Candidate],
    others: Sequence[Candidate] | None,
) -> str | None:
    """A line of a table, or None if ours was not measured. Each column has the best of the others,
    with its name if it differs from the one in the column before; the last column says how many
    times better ours is in the first figure. Without others these columns are absent."""
    if not any(value is not None for one in ours for value in one.values):
        return None
    fields = [text]
    before = ""
    for at, figure in enumerate(figures):
        mine = _best(ours, at, more=figure.more)
        fields.append("" if mine is None else number(mine[1], figure.digits))
        if others is None:
            continue
        best = _best(others, at, more=figure.more)
        if best is None:
            fields.append("")
            continue
        name = NAMES.get(best[0], f"`{best[0]}`")
        fields.append(number(best[1], figure.digits) + ("" if name == before else f" ({name})"))
        before = name
    if others is not None:
        times = ratio(figures[0], ours, others)
        fields.append("" if times is None else times.text())
    return "| " + " | ".join(fields) + " |"


def ratio(figure: Figure, ours: Sequence[Candidate], others: Sequence[Candidate]) -> Versus | None:
    """How many times better ours is than the best other in the first column, by round; None without
    another."""
    mine = _best(ours, 0, more=figure.more)
    best = _best(others, 0, more=figure.more)
    if mine is None or best is None or not mine[1] or not best[1]:
        return None
    one, other = (
        next(each.rounds or (known[1],) for each in those if each.values[0] == known[1])
        for those, known in ((ours, mine), (others, best))
    )
    return versus(one, other) if figure.more else versus(other, one)


def head(figures: Sequence[Figure], first: str = "") -> Iterator[str]:
    """The header and separator lines of a table."""
    titles = [
        title
        for one in figures
        for title in (f"Spikewire, {one.title}", f"best other, {one.title}")
    ]
    yield "| " + " | ".join([first, *titles, "times better (95 %)"]).lstrip() + " |"
    yield "|---|" + "--:|" * (len(titles) + 1)


def _best(those: Sequence[Candidate], at: int, *, more: bool) -> tuple[str, float] | None:
    known = [(one.name, value) for one in those if (value := one.values[at]) is not None]
    if not known:
        return None
    return (max if more else min)(known, key=lambda one: one[1])
