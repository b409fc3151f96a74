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


def _connections(node: EngineNode) -> ConnectionStats:
    stats = ConnectionStats()
    stats.in_use, stats.in_pool = 0, node.connections
    stats.opened, stats.closed = node.opened, max(node.opened - node.connections, 0)
    stats.recovered = stats.aborted = 0
    return stats


def _identify(snapshot: Any, node: EngineNode) -> None:
    host, _, port = node.address.rpartition(":")
    snapshot.name, snapshot.address, snapshot.port = node.name, host.strip("[]"), int(port)
    snapshot.conns = _connections(node)


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
            for bound, count in zip((*BOUNDS, math.inf), each.buckets, strict=True):
                if count:
                    counts[_column(bound, columns, shift)] += count
    return counts


def cluster_of(
    stats: Stats, *, cluster_name: str | None, app_id: str | None, columns: int, shift: int
) -> Cluster:
    """A snapshot for listeners."""
    cluster = Cluster()
    cluster.cluster_name, cluster.app_id = cluster_name, app_id or _NOT_SET
    cluster.invalid_node_count = 0
    counted = [each for each in stats.commands if each.operation != "info"]
    cluster.command_count = sum(each.count for each in counted)
    cluster.retry_count = sum(each.retries for each in counted)
    cluster.nodes = []
    for each in stats.nodes:
        node = Node()
        _identify(node, each)
        own = _at(stats, each)
        node.metrics = [
            _namespace(name, [one for one in own if one.namespace == name], columns, shift)
            for name in sorted({"", *(one.namespace for one in own)}, reverse=True)
        ]
        cluster.nodes.append(node)
    return cluster


def _namespace(
    name: str, commands: list[CommandStats], columns: int, shift: int
) -> NamespaceMetrics:
    metrics = NamespaceMetrics()
    metrics.ns, metrics.bytes_in, metrics.bytes_out = name, 0, 0
    vars(metrics).update(_counts(commands))
    metrics.conn_latency = [0] * columns
    for group in ("write", "read", "batch", "query"):
        setattr(metrics, f"{group}_latency", _latencies(commands, group, columns, shift))
    return metrics


def stats_of(stats: Stats) -> ClusterStats:
    """The result of ``get_stats``."""
    snapshot = ClusterStats()
    snapshot.nodes = []
    for each in stats.nodes:
        node = NodeStats()
        _identify(node, each)
        vars(node).update(_counts(_at(stats, each)))
        snapshot.nodes.append(node)
    snapshot.retry_count = sum(each.retries for each in stats.commands)
    snapshot.thread_pool_queued_tasks = snapshot.recover_queue_size = 0
    return snapshot
