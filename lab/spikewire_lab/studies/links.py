"""Where the published studies are, and this project's own pages about the lab."""

from __future__ import annotations

STUDIES = {
    "sdk": "https://github.com/aerospike/aerospike-client-python-sdk/blob/"
    "7f425793fd0b3208f1ad587e61b3c20f981e59d2/docs/guide/benchmarking.md",
    "aerospike-py": "https://github.com/aerospike-ce-ecosystem/aerospike-py/blob/"
    "82ced2adc5a147ffea81295aab8d854ec8882320/benchmark/README.md",
    "serving": "https://github.com/aerospike-ce-ecosystem/aerospike-py",
    "node": "https://aerospike.com/blog/"
    "win-win-greater-speed-and-lower-latency-with-aerospikes-node-js-client-v2-0/",
    "cassandra": "https://docs.datastax.com/en/drivers/python/2.6/performance.html",
}
"""The published document by recipe; recipes of this project have none."""
Links = tuple[tuple[str, str], ...]
RUN: Links = (("../index.html", "all studies of this run"),)
"""The page around a report in the folder of a run, relative to the report."""
REPOSITORY: Links = (
    ("../../docs/reports.md", "all reports"),
    ("../../docs/lab.md", "how the lab works"),
    ("../../README.md", "Spikewire"),
)
"""The pages around a report in `lab/reports` of the repository."""
