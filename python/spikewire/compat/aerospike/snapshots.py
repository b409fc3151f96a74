"""The counters of a client, in the classes of ``aerospike_helpers.metrics``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.metrics import (
    Cluster,
    ClusterStats,
    ConnectionStats,
    NamespaceMetrics,
    Node,
    NodeStats,
)
from spikewire.metrics import BOUNDS

if TYPE_CHECKING:
    from spikewire.metrics import CommandStats, Stats
    from spikewire.metrics import NodeStats as EngineNode

__all__ = ["cluster_of", "stats_of"]

_NOT_SET = "not-set"
_READS = ("get", "exists")
#: Results that are not errors. Timeouts and busy records are counted separately.
_FINE = ("ok", "not_found", "filtered_out")
_BUSY = ("key_busy", "record_busy", "hot_key")


def _counts(commands: list[CommandStats]) -> dict[str, int]:
    def of(results: tuple[str, ...]) -> int:
        return sum(each.count for each in commands if each.result in results)

    failed = sum(each.count for each in commands if each.result not in _FINE)
    timeouts, busy = of(("timeout",)), of(_BUSY)
    return {
        "error_count": failed - timeouts - busy,
        "timeout_count": timeouts,
        "key_busy_count": busy,
    }


def _identity(node: EngineNode) -> dict[str, Any]:
    """What both kinds of snapshot say about a node."""
    host, _, port = node.address.rpartition(":")
    connections = ConnectionStats(
        in_use=0,
        in_pool=node.connections,
        opened=node.opened,
        closed=max(node.opened - node.connections, 0),
        recovered=0,
        aborted=0,
    )
    return {"name": node.name, "address": host.strip("[]"), "port": int(port), "conns": connections}


def _at(stats: Stats, node: EngineNode) -> list[CommandStats]:
    return [each for each in stats.commands if each.node.partition(" ")[0] == node.name]


def _group(operation: str) -> str:
    if operation in _READS:
        return "read"
    if operation.startswith("batch"):
        return "batch"
    return "query" if operation.startswith(("query", "aggregate", "job")) else "write"


def _column(bound: float, columns: int, shift: int) -> int:
    """The bucket for latencies up to this many seconds. The first is for up to 1 ms, the second for
    more, and each later one begins at a power of 2 of milliseconds."""
    at, limit = 0, 1
    while at < columns - 1 and bound * 1000 > limit * 1.125:  # The engine's bounds are that close.
        at += 1
        limit = 1 << (shift * at)
    return at


def _latencies(commands: list[CommandStats], group: str, columns: int, shift: int) -> list[int]:
    counts = [0] * columns
    for each in commands:
        if each.operation != "info" and _group(each.operation) == group:
            _add(counts, each.buckets, shift)
    return counts


def _add(counts: list[int], buckets: tuple[int, ...], shift: int) -> None:
    for bound, count in zip((*BOUNDS, math.inf), buckets, strict=True):
        if count:
            counts[_column(bound, len(counts), shift)] += count


def cluster_of(
    stats: Stats, *, cluster_name: str | None, app_id: str | None, columns: int, shift: int
) -> Cluster:
    """A snapshot for listeners."""
    counted = [each for each in stats.commands if each.operation != "info"]
    return Cluster(
        cluster_name=cluster_name,
        app_id=app_id or _NOT_SET,
        invalid_node_count=0,
        command_count=sum(each.count for each in counted),
        retry_count=sum(each.retries for each in counted),
        nodes=[_node(stats, each, columns, shift) for each in stats.nodes],
    )


def _node(stats: Stats, node: EngineNode, columns: int, shift: int) -> Node:
    commands = _at(stats, node)
    metrics = [
        _namespace(
            name,
            [one for one in commands if one.namespace == name],
            # Connections, and the client's own requests, are about no namespace.
            None if name else node,
            (columns, shift),
        )
        for name in sorted({"", *(one.namespace for one in commands)}, reverse=True)
    ]
    return Node(**_identity(node), metrics=metrics)


def _namespace(
    name: str, commands: list[CommandStats], shared: EngineNode | None, shape: tuple[int, int]
) -> NamespaceMetrics:
    columns, shift = shape
    counted = [each for each in commands if each.operation != "info"]
    received = sum(each.bytes_received for each in counted)
    sent = sum(each.bytes_sent for each in counted)
    connects = [0] * columns
    if shared is not None:
        received += shared.control_received
        sent += shared.control_sent
        _add(connects, shared.connect_buckets, shift)
    latencies = {
        f"{group}_latency": _latencies(commands, group, columns, shift)
        for group in ("write", "read", "batch", "query")
    }
    return NamespaceMetrics(
        ns=name,
        bytes_in=received,
        bytes_out=sent,
        conn_latency=connects,
        **latencies,
        **_counts(commands),
    )


def stats_of(stats: Stats) -> ClusterStats:
    """The result of ``get_stats``."""
    return ClusterStats(
        nodes=[NodeStats(**_identity(each), **_counts(_at(stats, each))) for each in stats.nodes],
        retry_count=sum(each.retries for each in stats.commands),
        thread_pool_queued_tasks=0,
        recover_queue_size=0,
    )
