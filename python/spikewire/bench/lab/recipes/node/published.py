"""The figures of the document."""

from __future__ import annotations

from ...report import LESS, MORE, Heading, Row, Table
from .headings import RATE, SHARE_HEADINGS

_SHARES = {
    "version 1.0.57, 4 threads": (54_791, 37.2, 65.7, 90.6, 99.7, 100),
    "version 1.0.57, 8 threads": (60_679, 38.9, 67.8, 90.3, 98.5, 100),
    "version 2.0.3": (78_474, 33.8, 82.9, 99.8, 100, 100),
}
_KEYS = ("rate", *(heading.key for heading in SHARE_HEADINGS))

SHARES = Table(
    name="published-shares",
    title="Single records, four processes",
    caption="Half reads, half writes, four processes; two nodes of server 3.8.1 on Core i5-2400.",
    headings=(RATE, *SHARE_HEADINGS),
    rows=tuple(
        Row(name, dict(zip(_KEYS, values, strict=True))) for name, values in _SHARES.items()
    ),
    notes=("The edges are whole milliseconds cut off: 1 ms there is below 2 ms here.",),
)

SCANS = Table(
    name="published-scans",
    title="Queries over a million records of 1 KB",
    caption="One process; the records are dropped, or written to a file.",
    headings=(
        Heading("rate", "throughput", "records/s", MORE, 0),
        Heading("grown", "most memory", "MB", LESS, 0),
    ),
    rows=(
        Row("version 1.0.57, no-op", {"rate": 36_730, "grown": 184}),
        Row("version 2.0.3, no-op", {"rate": 40_109, "grown": 40}),
        Row("version 1.0.57, file", {"rate": 2_963, "grown": 4_469}),
        Row("version 2.0.3, file", {"rate": 3_494, "grown": 111}),
    ),
)
