"""Metrics in files, one line per snapshot, for programs that set no listeners."""

from __future__ import annotations

import os
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import spikewire
from spikewire.compat.aerospike.failures import of_code
from spikewire.compat.aerospike.metrics import MetricsListeners

if TYPE_CHECKING:
    from typing import TextIO

    from spikewire.compat.aerospike.metrics import (
        Cluster,
        MetricsPolicy,
        NamespaceMetrics,
        Node,
    )

__all__ = ["Files"]

_HEADER = (
    "header(2) cluster[name,clientType,clientVersion,appId,label[],cpu,mem,invalidNodeCount,"
    "commandCount,retryCount,delayQueueTimeoutCount,eventloop[],node[]] label[name,value] "
    "eventloop[processSize,queueSize] node[name,address,port,syncConn,asyncConn,namespace[]] "
    "conn[inUse,inPool,opened,closed,recovered,aborted] "
    "namespace[name,errors,timeouts,keyBusy,bytesIn,bytesOut,latency[]] "
)
_GROUPS = ("conn", "write", "read", "batch", "query")


class Files:
    """The successive files of one measurement."""

    def __init__(self, policy: MetricsPolicy) -> None:
        self._policy = policy
        self._file: TextIO | None = None
        self._written = 0
        self._since = time.monotonic(), time.process_time()

    def listeners(self) -> MetricsListeners:
        """The listeners that write the files."""
        return MetricsListeners(self._open, self._snapshot, self._node_closed, self._end)

    def _open(self) -> None:
        folder = Path(self._policy.report_dir)
        path = folder / f"metrics-{datetime.now().astimezone():%Y%m%d%H%M%S}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8")
        except OSError as error:
            raise of_code(-1, f"Failed to open file: {path}") from error
        self._written = 0
        columns, shift = self._policy.latency_columns, self._policy.latency_shift
        self._line(f"{_HEADER}latency({columns},{shift})[type[l1,l2,l3...]]")

    def _line(self, text: str) -> None:
        if self._file is None:
            return
        line = f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} {text}\n"
        self._file.write(line)
        self._file.flush()
        self._written += len(line)

    def _load(self) -> int:
        wall, used = time.monotonic(), time.process_time()
        share = (used - self._since[1]) / max(wall - self._since[0], 1e-6)
        self._since = wall, used
        return round(100 * share / (os.cpu_count() or 1))

    def _snapshot(self, cluster: Cluster) -> None:
        limit = self._policy.report_size_limit
        if limit and self._written >= limit and self._file is not None:
            self._file.close()
            self._open()
        labels = ",".join(f"[{name},{value}]" for name, value in self._policy.labels.items())
        nodes = ",".join(_node(each) for each in cluster.nodes)
        self._line(
            f"cluster[{cluster.cluster_name or ''},python,{spikewire.__version__},"
            f"{cluster.app_id},[{labels}],{self._load()},{_memory()},"
            f"{cluster.invalid_node_count},{cluster.command_count},{cluster.retry_count},0,[],"
            f"[{nodes}]]"
        )

    def _node_closed(self, node: Node) -> None:
        del node  # The next snapshot does not include it.

    def _end(self, cluster: Cluster) -> None:
        self._snapshot(cluster)
        if self._file is not None:
            self._file.close()
            self._file = None


def _node(node: Node) -> str:
    conns = node.conns
    counts = (
        f"{conns.in_use},{conns.in_pool},{conns.opened},{conns.closed},{conns.recovered},"
        f"{conns.aborted}"
    )
    spaces = ",".join(_namespace(each) for each in node.metrics)
    return f"[{node.name},{node.address},{node.port},{counts},0,0,0,0,0,0,[{spaces}]]"


def _namespace(own: NamespaceMetrics) -> str:
    latencies = ",".join(
        f"{group}[{','.join(map(str, getattr(own, f'{group}_latency')))}]" for group in _GROUPS
    )
    return (
        f"{own.ns},{own.error_count},{own.timeout_count},{own.key_busy_count},{own.bytes_in},"
        f"{own.bytes_out},[{latencies}]"
    )


def _memory() -> int:
    """The process's memory in kibibytes; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024
