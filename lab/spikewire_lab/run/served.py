"""What the nodes themselves counted: records read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..access import info

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cluster import Cluster

COUNTERS = (
    *("client_read_success", "client_read_not_found", "client_write_success"),
    *("batch_sub_read_success", "batch_sub_read_not_found", "batch_sub_write_success"),
)
"""Of a namespace of a server, each record once."""


def records(cluster: Cluster, namespace: str) -> int | None:
    """Records read and written so far: as the embedded cluster counts them, or the counters of the
    namespace; None where seeds do not cover all nodes, or one does not answer. Other programs on
    the same namespace count as well."""
    rows = cluster.rows()
    if rows is not None:
        return rows
    sizes = info.answers(cluster.seeds, "statistics", cluster.access)
    counts = info.answers(cluster.seeds, f"namespace/{namespace}", cluster.access)
    return total(sizes, counts)


def total(statistics: Sequence[str | None], namespaces: Sequence[str | None]) -> int | None:
    """The sum of the counters of all nodes, by the answers of those that were asked."""
    nodes = max((_number(one, "cluster_size") or 0 for one in statistics), default=0)
    if not nodes or len(namespaces) < nodes or None in namespaces:
        return None
    counts = [_number(one, name) for one in namespaces for name in COUNTERS]
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _number(statistics: str | None, name: str) -> int | None:
    for entry in (statistics or "").split(";"):
        key, _, value = entry.partition("=")
        if key == name and value.isdigit():
            return int(value)
    return None
