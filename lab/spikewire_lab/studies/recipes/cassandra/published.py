"""The published figures."""

from __future__ import annotations

from ...report import MORE, Heading, Row, Table

THREAD_COUNTS = (1, 2, 4, 8, 16)
_THREADS = {
    "blocking": (434.08, 830.49, 1078.27, 1275.20, 1345.56),
    "batches of 120 futures": (3477.56, 2360.52, 2293.21, 2244.85, None),
    "full pipeline of 120": (3635.76, 2213.62, 2707.62, 2462.42, None),
    "unthrottled": (3474.11, 2389.61, 2371.75, 2165.29, None),
    "120 callback chains": (7647.30, 7704.58, None, None, None),
}

THREADS = Table(
    name="published-threads",
    title="Inserts per second by threads",
    caption="100,000 small inserts, replication factor 3; driver 1.0.0 with libev, three nodes of"
    " Cassandra 1.2.13 and the client on one laptop with four cores.",
    headings=tuple(
        Heading(f"{count}", f"{count} thread{'s' if count > 1 else ''}", "op/s", MORE, 0)
        for count in THREAD_COUNTS
    ),
    rows=tuple(
        Row(name, dict(zip(map(str, THREAD_COUNTS), values, strict=True)))
        for name, values in _THREADS.items()
    ),
    first="way",
)

CHAINS = Table(
    name="published-chains",
    title="Inserts per second by chains of callbacks",
    caption="The same, one thread.",
    headings=(Heading("rate", "throughput", "op/s", MORE, 0),),
    rows=(
        Row("120 chains", {"rate": 7647.30}),
        Row("250 chains", {"rate": 7794.22}),
        Row("500 chains", {"rate": 679.61}),
        Row("120 chains, PyPy", {"rate": 18782.00}),
    ),
    first="chains",
)
