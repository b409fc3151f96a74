"""Tables by operation: the study's four, and two with what those leave out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ....fixed.cells import ABSENT
from ....fixed.summary import Summary
from ...builds import of_columns
from ...relative import beside
from ...report import BARS, LESS, MORE, Axis, Chart, Heading, Median, Row, Series, Table
from .columns import COLUMNS, Column, builds_in, to_official

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ...report import Entry
    from .fixed import Amount

Summaries = dict[tuple[str, Column], Summary]
"""By operation and column."""


def _latency(one: Summary) -> Entry:
    each = one.study
    values = tuple(one * 1e6 for one in each.values)
    return Median(each.each * 1e6, each.low * 1e6, each.high * 1e6, each.rounds, values)


def _rate(one: Summary) -> Entry:
    each = one.study
    values = tuple(1 / one for one in each.values)
    return Median(each.rate, 1 / each.high, 1 / each.low, each.rounds, values)


def _microseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e6


Field = tuple[str, str, "Callable[[Summary], Entry]"]
"""The suffixes of a column's key and title, and the figure that it shows."""


class _Shape:
    """A table by operation: its name, and the fields of each column."""

    def __init__(
        self,
        name: str,
        title: str,
        heading: Heading,
        fields: Sequence[Field],
        more: str = "",
        *,
        rates: bool | None = None,
    ) -> None:
        self.name, self.title, self.heading = name, title, heading
        self.fields, self.more = fields, more
        self.rates = rates
        """Whether figures are rates rather than times; None: not compared."""


MICROSECONDS = Heading("", "", "µs", LESS, 1)
TABLES = (
    _Shape(
        "latency",
        "Average latency",
        MICROSECONDS,
        (("", "", _latency),),
        "Median of the rounds' means.",
        rates=False,
    ),
    _Shape(
        "throughput",
        "Throughput",
        Heading("", "", "op/s", MORE, 0),
        (("", "", _rate),),
        "Median of the rounds.",
        rates=True,
    ),
    _Shape(
        "stability",
        "Stability: standard deviation of the rounds' medians",
        MICROSECONDS,
        (("", "", lambda one: _microseconds(one.study.deviation)),),
    ),
    _Shape(
        "tail",
        "Tail latency, by call",
        MICROSECONDS,
        (
            ("-p50", ", p50", lambda one: one.p50 * 1e6),
            ("-p99", ", p99", lambda one: one.p99 * 1e6),
            ("-max", ", max", lambda one: one.most * 1e6),
        ),
        "Of whole calls, not divided by records; p99 and the maximum are of all rounds, none"
        " trimmed.",
    ),
    _Shape(
        "untrimmed",
        "Average latency and deviation without trimming",
        MICROSECONDS,
        (
            ("", "", lambda one: one.whole.each * 1e6),
            ("-stdev", ", deviation", lambda one: _microseconds(one.whole.deviation)),
        ),
    ),
    _Shape(
        "cpu",
        "Client CPU",
        Heading("", "", "µs/op", LESS),
        (("", "", lambda one: one.cpu * 1e6),),
        "Of the client's process with all its threads, which the study does not look at.",
    ),
)


def tables_of(
    summaries: Summaries,
    flaws: Mapping[str, str],
    operations: Sequence[str],
    much: Amount,
    under: str,
    columns: Sequence[Column] = COLUMNS,
) -> list[Table]:
    """Tables of all operations; `under` is the name of the interpreter if there are several."""
    absent = tuple(
        f"{client} {reason}: no figure for {operation}."
        for (client, operation), reason in ABSENT.items()
    )
    tables: list[Table] = []
    for shape in TABLES:
        headings = tuple(
            replace(shape.heading, key=f"{column.key}{key}", title=f"{column.title}{title}")
            for column in columns
            for key, title, _ in shape.fields
        )
        rows = tuple(
            Row(
                operation,
                {
                    f"{column.key}{key}": figure(summaries[operation, column])
                    for column in columns
                    if (operation, column) in summaries
                    for key, _, figure in shape.fields
                },
                flawed=flaws.get(operation, ""),
            )
            for operation in operations
        )
        how = f"{much.caption()} {shape.more}".strip()
        title = f"{shape.title} ({under})" if under else shape.title
        name = f"{shape.name} {under}".strip().lower().replace(" ", "-").replace("/", "-")
        notes = of_columns(rows, headings, builds_in(columns))
        table = Table(name, title, how, headings, rows, "operation", (*absent, *notes))
        if shape.rates is not None:
            table = beside(table, to_official(COLUMNS, rates=shape.rates))
        tables.append(table)
    return tables


def chart_of(table: Table, columns: Sequence[Column] = COLUMNS) -> Chart:
    """A chart with a series for each column and a bar for each operation."""
    series: list[Series] = []
    for column in columns:
        entries = [(row.label, row.fields.get(column.key)) for row in table.rows]
        known = [(label, entry) for label, entry in entries if isinstance(entry, Median)]
        if known:
            points = tuple((label, entry.value) for label, entry in known)
            spread = tuple(
                (
                    entry.value if entry.low is None else entry.low,
                    entry.value if entry.high is None else entry.high,
                )
                for _, entry in known
            )
            series.append(Series(column.title, points, column.client, spread))
    heading = table.headings[0]
    axes = Axis("operation"), Axis(table.title, heading.unit, logarithmic=True)
    return Chart(table.name, table.title, table.caption, BARS, *axes, series)
