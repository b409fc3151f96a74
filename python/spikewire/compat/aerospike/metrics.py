"""The arguments and results of ``get_stats`` and of the listeners of ``enable_metrics``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

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


class _Snapshot:
    """Values at one moment, as attributes."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


class ConnectionStats(_Snapshot):
    """The connections to a node. Connections shared by commands count as pooled."""

    in_use: int
    in_pool: int
    opened: int
    closed: int
    recovered: int
    aborted: int


class NamespaceMetrics(_Snapshot):
    """Counters and latency buckets of the commands on a namespace at one node."""

    ns: str
    bytes_in: int
    bytes_out: int
    error_count: int
    timeout_count: int
    key_busy_count: int
    conn_latency: list[int]
    write_latency: list[int]
    read_latency: list[int]
    batch_latency: list[int]
    query_latency: list[int]


class Node(_Snapshot):
    """A node, with the counters of its commands."""

    name: str
    address: str
    port: int
    conns: ConnectionStats
    metrics: list[NamespaceMetrics]


class Cluster(_Snapshot):
    """A cluster as the client sees it."""

    cluster_name: str | None
    app_id: str
    invalid_node_count: int
    command_count: int
    retry_count: int
    nodes: list[Node]


class NodeStats(_Snapshot):
    """A node in ``ClusterStats``."""

    name: str
    address: str
    port: int
    conns: ConnectionStats
    error_count: int
    timeout_count: int
    key_busy_count: int


class ClusterStats(_Snapshot):
    """The result of ``get_stats``."""

    nodes: list[NodeStats]
    retry_count: int
    thread_pool_queued_tasks: int
    recover_queue_size: int


class MetricsListeners:
    """Functions that receive metrics."""

    def __init__(
        self,
        enable_listener: Callable[[], None],
        snapshot_listener: Callable[[Cluster], None],
        node_close_listener: Callable[[Node], None],
        disable_listener: Callable[[Cluster], None],
    ) -> None:
        self.enable_listener = enable_listener
        self.snapshot_listener = snapshot_listener
        self.node_close_listener = node_close_listener
        self.disable_listener = disable_listener


class MetricsPolicy:
    """The interval, receivers and file of metrics, and the number of latency buckets."""

    def __init__(
        self,
        metrics_listeners: MetricsListeners | None = None,
        report_dir: str = ".",
        report_size_limit: int = 0,
        interval: int = 30,
        latency_columns: int = 7,
        latency_shift: int = 1,
        labels: dict[str, str] | None = None,
    ) -> None:
        self.metrics_listeners = metrics_listeners
        self.report_dir = report_dir
        self.report_size_limit = report_size_limit
        self.interval = interval
        self.latency_columns = latency_columns
        self.latency_shift = latency_shift
        self.labels = {} if labels is None else labels


# Where programs find them.
for _name in __all__:
    globals()[_name].__module__ = "spikewire.compat.aerospike_helpers.metrics"
