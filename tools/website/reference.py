"""The pages of the reference for Python: which names stand on which page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Pages: file, title, a sentence, and what stands on them: a module with all its public names, or
#: single names.
PAGES: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "clients",
        "Clients",
        "What a program opens.",
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
        "What verbs take and give.",
        (
            "spikewire.Key",
            "spikewire.Record",
            "spikewire.Batch",
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
        "Scans, index queries, and what a query asks for.",
        ("spikewire.Query", "spikewire.AsyncQuery", "spikewire.Page", "spikewire.query"),
    ),
    ("submit", "Submitted calls", "Calls that return futures at once.", ("spikewire.in_flight",)),
    ("builder", "Builder", "Chains of steps over the verbs.", ("spikewire.builder",)),
    (
        "op",
        "Operations",
        "What `operate` applies.",
        (
            "spikewire.op",
            "spikewire.op.list",
            "spikewire.op.map",
            "spikewire.op.bit",
            "spikewire.op.hll",
        ),
    ),
    (
        "exp",
        "Expressions",
        "What filters and computed bins are made of.",
        (
            "spikewire.exp",
            "spikewire.exp.list",
            "spikewire.exp.map",
            "spikewire.exp.bit",
            "spikewire.exp.hll",
        ),
    ),
    ("ctx", "Paths", "Steps into nested lists and maps.", ("spikewire.ctx",)),
    ("codec", "Codecs", "What values of other types are stored as.", ("spikewire.codec",)),
    ("errors", "Errors", "What calls raise.", ("spikewire.errors",)),
    (
        "options",
        "Options",
        "What clients are opened with.",
        ("spikewire.options", "spikewire.opening"),
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
        "Event loops in threads; tasks of asyncio; trio and anyio.",
        ("spikewire.pool", "spikewire.tasks", "spikewire.anyio"),
    ),
    (
        "metrics",
        "Metrics",
        "Statistics, events, Prometheus, OpenTelemetry.",
        ("spikewire.metrics", "spikewire.metrics.otel"),
    ),
    (
        "admin",
        "Indexes, modules, jobs",
        "What changes more than records.",
        ("spikewire.indexes", "spikewire.modules", "spikewire.jobs"),
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
        "A real Cassandra, networks that fail.",
        ("spikewire.testing.cassandra",),
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Path and text of each page."""
    listed = [f"| [{title}]({name}.md) | {said} |" for name, title, said, _ in PAGES]
    yield (
        "api/index.md",
        "\n".join(
            [
                "# Python reference",
                "",
                "Made from the docstrings and the type stub: what `help()` and editors show.",
                "",
                "| page | |",
                "|---|---|",
                *listed,
                "",
            ]
        ),
    )
    for name, title, said, subjects in PAGES:
        text = [f"# {title}", "", said, ""]
        for subject in subjects:
            text += [f"::: {subject}", ""]
        yield f"api/{name}.md", "\n".join(text)
