"""The first table of every report: for each row ours, the best other client, and their ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..table.versus import LEAST_ROUNDS, UNCLEAR, Versus, versus
from .closed_loops import setting
from .relative import plain
from .report import MORE, Median
from .text import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .report import Entry, Heading, Report, Row, Section, Table

OURS = ("spikewire", "spikewire-rust", "spikewire-node")
"""Clients that stand for ours: other APIs and builds of it are compared on the pages."""
OWN = "spikewire"
RATE = "rate"
LANGUAGES = {"-rust": "Rust, ", "-node": "Node.js, "}
"""Ends of the names of clients that are not for Python, and how rows begin that have them."""


@dataclass(frozen=True)
class SummaryRow:
    """Our client and the best other one, in one figure of the same rounds."""

    name: str
    heading: Heading
    ours: Entry
    other: Entry
    client: str
    """The best other client."""
    ratio: Versus
    """How many times better ours is: above 1 if it is ahead, whichever direction is better."""
    place: str
    """The table's name in links."""


def summary(report: Report) -> list[SummaryRow]:
    """All rows of all tables that have ours and another client in the same setting, each once."""
    rows: list[SummaryRow] = []
    seen: set[tuple[object, object]] = set()
    tables = [table for section in report.sections for table in section.tables]
    rates = any(_rates(table) for table in tables)
    for section in report.sections:
        for row in _of_section(section, rates=rates):
            key = plain(row.ours), plain(row.other)
            if key not in seen:
                seen.add(key)
                rows.append(row)
    return rows


def few_rounds(rows: Sequence[SummaryRow]) -> str:
    """What a reader must know of ratios without an interval; empty if all have one."""
    without = [row for row in rows if row.ratio.low is None]
    if not without:
        return ""
    rounds = sorted({row.ratio.rounds for row in without})
    many = f"{rounds[0]} to {rounds[-1]} rounds" if len(rounds) > 1 else _rounds(rounds[0])
    rows_ = "Rows" if len(without) < len(rows) else "All rows"
    return (
        f"{rows_} without an interval have {many}: fewer than the {LEAST_ROUNDS} that an interval"
        f" takes. Of these, a ratio below 2 is not told apart from noise, and shown as"
        f" {UNCLEAR}."
    )


def _rounds(many: int) -> str:
    return "one round" if many == 1 else f"{many} rounds"


def values_text(entry: Entry, heading: Heading) -> str:
    """The figure of one side, without its rounds."""
    known = plain(entry)
    return "" if known is None else number(known, heading.digits)


def _rates(table: Table) -> list[Heading]:
    """The columns of rates of one table: one, or one for each size."""
    return [one for one in table.headings if one.better and one.key.startswith(RATE)]


def _of_section(section: Section, *, rates: bool) -> Iterator[SummaryRow]:
    """Rows of the tables with rates; in a report that has none, of the first figure of each."""
    for table in section.tables:
        first = [one for one in table.headings if one.better][:1]
        for heading in _rates(table) if rates else first:
            yield from _of_table(section, table, heading)


def _language(client: str) -> str:
    """Clients of one language are compared with each other."""
    return next((words for end, words in LANGUAGES.items() if client.endswith(end)), "")


def _of_table(section: Section, table: Table, heading: Heading) -> Iterator[SummaryRow]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        if row.client and not row.flawed and isinstance(row.fields.get(heading.key), Median):
            groups.setdefault((_language(row.client), setting(row)), []).append(row)
    several = heading.key != RATE
    for (language, calls), rows in groups.items():
        name = f"{language}{calls}"
        if several:
            name = f"{table.title}: {name}, {heading.title}"
        ours = [row for row in rows if row.client in OURS]
        others = [row for row in rows if not row.client.startswith(OWN)]
        if not ours or not others:
            continue
        mine, best = (_best(those, heading) for those in (ours, others))
        ratio = times_better(mine.fields[heading.key], best.fields[heading.key], heading.better)
        if ratio is None:
            continue
        yield SummaryRow(
            name,
            heading,
            mine.fields[heading.key],
            best.fields[heading.key],
            best.client,
            ratio,
            f"{section.name}-{table.name}",
        )


def _best(rows: Sequence[Row], heading: Heading) -> Row:
    choose = max if heading.better == MORE else min
    return choose(rows, key=lambda row: plain(row.fields[heading.key]) or 0.0)


def times_better(ours: Entry, other: Entry, better: str) -> Versus | None:
    """How many times better the first figure is, by round."""
    if not isinstance(ours, Median) or not isinstance(other, Median):
        return None
    over, under = (ours, other) if better == MORE else (other, ours)
    return versus(over.values or (over.value,), under.values or (under.value,))
