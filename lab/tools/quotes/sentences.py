"""What the first pages promise, and sentences with figures."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from spikewire_lab.run.environment import server_of
from spikewire_lab.studies.relative import plain

from .best import CPU, RATE, alike, head, in_rows, line, table_of
from .saved import is_embedded, preferred

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spikewire_lab.studies.report import Report

    from .saved import SavedReport

#: What the row is called; report and table; the words of its lines, and the columns.
ROWS = (
    ("Python, 32 tasks on uvloop", "sdk", "matrix", "uvloop, 32 tasks", ("rate", "cpu")),
    (
        "Node.js, 4 processes, 100 calls each",
        "node",
        "singles",
        "4 processes x 100",
        ("rate", "cpu"),
    ),
    (
        "Python, Cassandra, 128 inserts on uvloop",
        "cassandra",
        "patterns-cassandra",
        "uvloop, 128 in flight",
        ("rate1", "cpu1"),
    ),
)


def promise(reports: Mapping[str, SavedReport], folder: str) -> Iterator[str]:
    """The best other client and ours, in one line for each language or database."""
    rows = [(row, of) for row in ROWS if (of := preferred(reports, row[1])) is not None]
    if not rows:
        yield "There is no report of it yet."
        return
    yield from head((RATE, CPU))
    for (text, _, table, words, columns), of in rows:
        text_of_row = line(text, (RATE, CPU), *in_rows(of.report, table, alike(words), columns))
        if text_of_row is not None:
            yield text_of_row
    used = {of.name: of.report for _, of in rows}
    dates = {str(report.environment.get("date", ""))[:10] for report in used.values()}
    links = ", ".join(f"[{name}]({folder}{name}.html)" for name in used)
    source = f"From the reports {links} of {', '.join(sorted(dates))}."
    servers = dict.fromkeys(map(_server, used.values()))
    source += f" Client and server share a machine; servers: {', '.join(servers)}."
    yield ""
    yield textwrap.fill(source, 120, break_long_words=False, break_on_hyphens=False)


def _server(report: Report) -> str:
    if report.recipe == "cassandra":
        return "one node of Cassandra"
    if is_embedded(report):
        return "Spikewire's own embedded cluster"
    cluster = report.environment.get("cluster") or {}
    return server_of(cluster) if cluster else "not recorded"


#: Where blocking calls of 32 threads were measured: report, table, line and column.
SAME = (
    ("sdk", "matrix", "spikewire, blocking, 32 threads", "rate"),
    ("latency", "saturation", "spikewire, threads, 32 threads", "rate"),
    ("noise", "twins", "spikewire, 32 threads", "first"),
    ("gil", "shared", "spikewire, 32 threads", "rate"),
)


def between_reports(reports: Mapping[str, SavedReport]) -> Iterator[str]:
    """How far reports of the same server as the first are apart that have the same line."""
    rates: list[float] = []
    known = [reports[name].report for name, *_ in SAME if name in reports]
    server = _server(known[0]) if known else ""
    for name, table, label, column in SAME:
        if name in reports and _server(reports[name].report) != server:
            continue
        content = table_of(reports[name].report, table) if name in reports else None
        for row in content.rows if content else ():
            rate = plain(row.fields.get(column)) if row.label == label else None
            if rate is not None:
                rates.append(rate)
    if len(rates) < 2:
        yield "There are no reports with the same line yet."
        return
    yield (
        "Between reports of one server even the same line may differ: blocking calls of 32 threads"
        f" appear in {len(rates)} of them,"
    )
    yield f"with {min(rates):,.0f} to {max(rates):,.0f} op/s."
