"""The pages of the reference for Python: which names stand on which page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Pages: file, title, a sentence, and contents: a module with all its public names, or single
#: names.
PAGES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "clients",
        "Clients",
        "The blocking and asynchronous clients.",
        ("spikewire.Client", "spikewire.AsyncClient", "spikewire.Node"),
    ),
    (
        "datasets",
        "Datasets",
        "The verbs on the records of a namespace and set.",
        ("spikewire.Dataset", "spikewire.AsyncDataset"),
    ),
    (
        "records",
        "Keys, records, batches",
        "Arguments and results of the verbs.",
        (
            "spikewire.Key",
            "spikewire.Record",
            "spikewire.Batch",
            "spikewire.Late",
            "spikewire.Row",
            "spikewire.Read",
            "spikewire.Write",
            "spikewire.Apply",
            "spikewire.Delete",
            "spikewire.Newer",
            "spikewire.Operation",
            "spikewire.Expression",
            "spikewire.GeoJSON",
            "spikewire.HyperLogLog",
            "spikewire.ArrowTable",
        ),
    ),
    (
        "queries",
        "Queries",
        "Scans, index queries and index ranges.",
        (
            "spikewire.Query",
            "spikewire.AsyncQuery",
            "spikewire.Page",
            "spikewire.QueryPlan",
            "spikewire.query",
        ),
    ),
    ("submit", "Submitted calls", "Calls that return futures at once.", ("spikewire.in_flight",)),
    (
        "recording",
        "Recordings",
        "Samples of live traffic, for rehearsals.",
        ("spikewire.recording",),
    ),
    (
        "transactions",
        "Transactions",
        "Several records at once.",
        ("spikewire.transactions",),
    ),
    ("builder", "Builder", "Chains of steps over the verbs.", ("spikewire.builder",)),
    (
        "op",
        "Operations",
        "Operations for `operate`.",
        (
            "spikewire.op",
            "spikewire.op.list",
            "spikewire.op.map",
            "spikewire.op.bit",
            "spikewire.op.hll",
            "spikewire.op.path",
            "spikewire.op.string",
        ),
    ),
    (
        "exp",
        "Expressions",
        "Expressions for filters and computed bins.",
        (
            "spikewire.exp",
            "spikewire.exp.list",
            "spikewire.exp.map",
            "spikewire.exp.bit",
            "spikewire.exp.hll",
            "spikewire.exp.path",
            "spikewire.exp.loop",
            "spikewire.exp.string",
        ),
    ),
    ("ctx", "Paths", "Steps into nested lists and maps.", ("spikewire.ctx",)),
    ("codec", "Codecs", "Storage of custom types.", ("spikewire.codec",)),
    (
        "errors",
        "Errors",
        "Exceptions raised by calls.",
        ("spikewire.errors", "spikewire.error_details"),
    ),
    (
        "options",
        "Options",
        "Options for opening clients.",
        ("spikewire.options", "spikewire.opening", "spikewire.opening.flags"),
    ),
    (
        "profiles",
        "Profiles",
        "Options by kind of operation.",
        ("spikewire.profiles", "spikewire.profiles.view.view"),
    ),
    (
        "pool",
        "Pool and tasks",
        "Event loops in threads; asyncio tasks; trio and anyio.",
        ("spikewire.pool", "spikewire.tasks", "spikewire.anyio"),
    ),
    (
        "metrics",
        "Metrics",
        "Statistics, events, Prometheus, OpenTelemetry; how the package was built.",
        ("spikewire.metrics", "spikewire.metrics.otel", "spikewire.build"),
    ),
    (
        "admin",
        "Indexes, modules, jobs, users, roles",
        "Administrative operations on the cluster.",
        (
            "spikewire.indexes",
            "spikewire.modules",
            "spikewire.jobs",
            "spikewire.users",
            "spikewire.roles",
        ),
    ),
    ("django", "Django", "A cache backend.", ("spikewire.contrib.django",)),
    (
        "testing",
        "Testing",
        "The embedded cluster.",
        ("spikewire.testing", "spikewire.testing.cluster"),
    ),
    ("types", "Types", "Names for annotations.", ("spikewire.types",)),
    (
        "cql",
        "Cassandra",
        "Sessions, statements, rows.",
        ("spikewire.cql", "spikewire.cql.options", "spikewire.cql.errors"),
    ),
    (
        "cassandra-testing",
        "Cassandra for tests",
        "A real Cassandra, network faults.",
        ("spikewire.testing.cassandra",),
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    listed = [f"| [{title}]({name}.md) | {summary} |" for name, title, summary, _ in PAGES]
    yield (
        "api/index.md",
        "\n".join(
            [
                "# Python reference",
                "",
                "Generated from docstrings and the type stub; `help()` and editors show the same.",
                "",
                "| page | |",
                "|---|---|",
                *listed,
                "",
            ]
        ),
    )
    for name, title, summary, subjects in PAGES:
        text = [f"# {title}", "", summary, ""]
        for subject in subjects:
            text += [f"::: {subject}", ""]
        yield f"api/{name}.md", "\n".join(text)
