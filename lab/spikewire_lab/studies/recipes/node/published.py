"""The published figures."""

from __future__ import annotations

from ...report import LESS, MORE, Heading, Row, Table
from .headings import RATE, SHARE_HEADINGS

_SHARES = {
    "version 1.0.57, 4 threads": (54_791, 37.2, 65.7, 90.6, 99.7, 100),
    "version 1.0.57, 8 threads": (60_679, 38.9, 67.8, 90.3, 98.5, 100),
    "version 2.0.3": (78_474, 33.8, 82.9, 99.8, 100, 100),
}
CHANGE = Heading("change", "against version 1", "%", MORE, 1)
_CHANGES = {"version 2.0.3": 29.3}
"""Changes relative to version 1.0.57 with 8 threads."""
_KEYS = ("rate", *(heading.key for heading in SHARE_HEADINGS))

SHARES = Table(
    name="published-shares",
    title="Single records, four processes",
    caption="Half reads, half writes, four processes; two nodes of server 3.8.1 on Core i5-2400.",
    headings=(RATE, CHANGE, *SHARE_HEADINGS),
    rows=tuple(
        Row(name, {**dict(zip(_KEYS, values, strict=True)), "change": _CHANGES.get(name)})
        for name, values in _SHARES.items()
    ),
    notes=("The edges are whole milliseconds cut off: 1 ms there is below 2 ms here.",),
)

SCANS = Table(
    name="published-scans",
    title="Queries over a million records of 1 KB",
    caption="One process; the records are dropped, or written to a file.",
    headings=(
        Heading("rate", "throughput", "records/s", MORE, 0),
        CHANGE,
        Heading("grown", "most memory", "MB", LESS, 0),
        Heading("grown-change", "memory against version 1", "%", LESS, 1),
    ),
    rows=(
        Row("version 1.0.57, 8 threads, no-op", {"rate": 36_730, "grown": 184}),
        Row(
            "version 2.0.3, no-op",
            {"rate": 40_109, "change": 9.2, "grown": 40, "grown-change": -78.3},
        ),
        Row("version 1.0.57, 8 threads, file", {"rate": 2_963, "grown": 4_469}),
        Row(
            "version 2.0.3, file",
            {"rate": 3_494, "change": 17.9, "grown": 111, "grown-change": -97.5},
        ),
    ),
)
