"""The arguments and results of ``get_stats`` and of the listeners of ``enable_metrics``."""

from __future__ import annotations

from spikewire.compat.aerospike.metrics import (
    Cluster,
    ClusterStats,
    ConnectionStats,
    MetricsListeners,
    MetricsPolicy,
    NamespaceMetrics,
    Node,
    NodeStats,
)

__all__ = [
    "Cluster",
    "ClusterStats",
    "ConnectionStats",
    "MetricsListeners",
    "MetricsPolicy",
    "NamespaceMetrics",
    "Node",
    "NodeStats",
]
