"""What the first pages promise, and sentences with figures."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from spikewire_lab.studies.relative import plain

from .best import RATE, alike, head, in_rows, line, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .saved import SavedReport

#: What the row is called; report and table; the words of its lines, and the column.
ROWS = (
    ("Python, 32 tasks on uvloop", "sdk", "matrix", "uvloop, 32 tasks", "rate"),
    ("Node.js, 4 processes, 100 calls each", "node", "singles", "4 processes x 100", "rate"),
    (
        "Python, Cassandra, batches of 120 inserts",
        "cassandra",
        "patterns-cassandra",
        "batches of 120 futures",
        "rate1",
    ),
)


def promise(reports: Mapping[str, SavedReport], folder: str) -> Iterator[str]:
    """The best other client and ours, in one line for each language or database."""
    rows = [row for row in ROWS if row[1] in reports]
    if not rows:
        yield "There is no report of it yet."
        return
    yield from head((RATE,))
    for text, name, table, words, column in rows:
        chosen = alike(words)
        sides = in_rows(reports[name].report, table, chosen, (column,))
        text_of_row = line(text, (RATE,), *sides)
        if text_of_row is not None:
            yield text_of_row
    names = dict.fromkeys(row[1] for row in rows)
    dates = {str(reports[name].report.environment.get("date", ""))[:10] for name in names}
    links = ", ".join(f"[{name}]({folder}{name}.html)" for name in names)
    of = ", ".join(sorted(dates))
    source = f"From the reports {links} of {of}. Client and server share a machine"
    clusters = [reports[name].report.environment.get("cluster") or {} for name in names]
    if any(str(it.get("kind", "")).startswith("embedded") for it in clusters):
        source += "; the server of the rows without Cassandra is Spikewire's own embedded cluster"
    source += "."
    yield ""
    yield textwrap.fill(source, 120, break_long_words=False, break_on_hyphens=False)


#: Where blocking calls of 32 threads were measured: report, table, line and column.
SAME = (
    ("sdk", "matrix", "spikewire, blocking, 32 threads", "rate"),
    ("latency", "saturation", "spikewire, threads, 32 threads", "rate"),
    ("noise", "twins", "spikewire, 32 threads", "first"),
    ("gil", "shared", "spikewire, 32 threads", "rate"),
)


def between_reports(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """How far reports are apart that have the same line."""
    rates = []
    for name, table, label, column in SAME:
        content = table_of(reports[name].report, table) if name in reports else None
        for row in content.rows if content else ():
            rate = plain(row.fields.get(column)) if row.label == label else None
            if rate is not None:
                rates.append(rate)
    if len(rates) < 2:
        yield "There are no reports with the same line yet."
        return
    yield (
        f"Between reports even the same line may differ: blocking calls of 32 threads appear in "
        f"{len(rates)} of them,"
    )
    yield f"with {min(rates):,.0f} to {max(rates):,.0f} op/s."
