"""Metrics, traces and logs of all clients of the process, in aerospike-py's form.

The engine does the counting. Here the counters of all clients are added up, and formatted under
the names that dashboards expect.
"""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import logging
import os
import threading
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from spikewire._imports import import_late
from spikewire.compat.aerospike_py.constants import (
    LOG_LEVEL_DEBUG,
    LOG_LEVEL_ERROR,
    LOG_LEVEL_INFO,
    LOG_LEVEL_OFF,
    LOG_LEVEL_TRACE,
    LOG_LEVEL_WARN,
)
from spikewire.statistics.stats import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import ThreadingHTTPServer

__all__ = [
    "dropped_log_count", "get_metrics", "init_tracing", "internal_stage_profiling",
    "is_internal_stage_metrics_enabled", "is_metrics_enabled", "process",
    "set_internal_stage_metrics_enabled", "set_log_level", "set_metrics_enabled",
    "shutdown_tracing", "start_metrics_server", "stop_metrics_server",
]  # fmt: skip

_NAME = "db_client_operation_duration_seconds"
_STAGE = "db_client_internal_stage_seconds"
_TRUE = ("1", "true", "yes", "on")
_TRACE = 5
_LEVELS = {
    LOG_LEVEL_OFF: logging.CRITICAL + 1,
    LOG_LEVEL_ERROR: logging.ERROR,
    LOG_LEVEL_WARN: logging.WARNING,
    LOG_LEVEL_INFO: logging.INFO,
    LOG_LEVEL_DEBUG: logging.DEBUG,
    LOG_LEVEL_TRACE: _TRACE,
}
_LOGGERS = ("aerospike_py", "spikewire")

#: Namespace, operation and result, with the totals of such commands.
_Key = tuple[str, str, str]
_Sums = dict[_Key, tuple[int, float, tuple[int, ...]]]
#: By the name of a stage.
_Stages = dict[str, tuple[int, float, tuple[int, ...]]]


class Process:
    """The clients of the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._clients: WeakSet[Any] = WeakSet()
        self._past: _Sums = {}
        self._past_stages: _Stages = {}
        self.counting = True
        #: Whether stages are timed as well while metrics are enabled.
        self.staging = os.environ.get("AEROSPIKE_PY_INTERNAL_METRICS", "").strip().lower() in _TRUE
        self.tracing = False

    def register(self, client: Any) -> None:
        """Registers a client that was opened."""
        if self.counting:
            client.metrics.enable(stages=self.staging)
        with self._lock:
            self._clients.add(client)

    def with_tracing(self, client: Any) -> Any:
        """The client, or the view of it that creates spans."""
        if not self.tracing:
            return client
        return import_late("spikewire.metrics.otel").instrument(client)

    def unregister(self, client: Any) -> None:
        """Called before a client is closed: keeps its counters."""
        with self._lock:
            if client in self._clients:
                self._clients.discard(client)
                stats = client.stats()
                _add(self._past, stats)
                _add_stages(self._past_stages, stats)

    def count(self, counting: bool, staging: bool) -> None:
        """Enables or disables metrics, or the timing of stages."""
        with self._lock:
            self.counting, self.staging = counting, staging
            for client in self._clients:
                if counting:
                    client.metrics.enable(stages=staging)
                else:
                    client.metrics.disable()

    def sums(self) -> _Sums:
        """The sums over all clients."""
        with self._lock:
            sums = dict(self._past)
            for client in self._clients:
                _add(sums, client.stats())
        return sums

    def stages(self) -> _Stages:
        """The times of the stages of their commands."""
        with self._lock:
            sums = dict(self._past_stages)
            for client in self._clients:
                _add_stages(sums, client.stats())
        return sums


def _add_stages(sums: _Stages, stats: Any) -> None:
    for each in stats.stages:
        if not each.count:
            continue
        count, seconds, buckets = sums.get(each.stage, (0, 0.0, (0,) * len(each.buckets)))
        added = tuple(a + b for a, b in zip(buckets, each.buckets, strict=True))
        sums[each.stage] = count + each.count, seconds + each.seconds, added


def _add(sums: _Sums, stats: Any) -> None:
    for each in stats.commands:
        key = each.namespace, each.operation, "" if each.result == "ok" else each.result
        count, seconds, buckets = sums.get(key, (0, 0.0, (0,) * len(each.buckets)))
        added = tuple(a + b for a, b in zip(buckets, each.buckets, strict=True))
        sums[key] = count + each.count, seconds + each.seconds, added


process = Process()


def get_metrics() -> str:
    """The metrics of all clients, in the text format of Prometheus."""
    lines = [
        f"# HELP {_NAME} How long commands took.",
        f"# TYPE {_NAME} histogram",
    ]
    for (namespace, operation, result), histogram in sorted(process.sums().items()):
        labels = (
            f'db_system_name="aerospike",db_namespace="{namespace}",db_collection_name="",'
            f'db_operation_name="{operation}",error_type="{result}"'
        )
        lines.extend(_lines(_NAME, labels, *histogram))
    stages = sorted(process.stages().items())
    if stages:
        lines += [f"# HELP {_STAGE} How long parts of commands took.", f"# TYPE {_STAGE} histogram"]
    for stage, histogram in stages:
        lines.extend(_lines(_STAGE, f'stage="{stage}",db_operation_name=""', *histogram))
    return "\n".join([*lines, "# EOF", ""])


def _lines(name: str, labels: str, count: int, seconds: float, buckets: Any) -> Iterator[str]:
    yield f"{name}_sum{{{labels}}} {seconds!r}"
    yield f"{name}_count{{{labels}}} {count}"
    for at, seen in enumerate(accumulate(buckets)):
        # Every doubling: the engine has eight buckets per doubling.
        if at == len(BOUNDS):
            yield f'{name}_bucket{{le="+Inf",{labels}}} {seen}'
        elif at % 8 == 0:
            yield f'{name}_bucket{{le="{BOUNDS[at]!r}",{labels}}} {seen}'


def set_metrics_enabled(enabled: bool) -> None:
    """Enables or disables metrics. They are enabled by default."""
    process.count(bool(enabled), process.staging)


def is_metrics_enabled() -> bool:
    """Whether metrics are enabled."""
    return process.counting


def set_internal_stage_metrics_enabled(enabled: bool) -> None:
    """Enables or disables the timing of stages, which applies while metrics are enabled. Off by
    default."""
    process.count(process.counting, bool(enabled))


def is_internal_stage_metrics_enabled() -> bool:
    """Whether stages are timed."""
    return process.staging


@contextmanager
def internal_stage_profiling() -> Iterator[None]:
    """Times stages within a block."""
    before = process.staging
    set_internal_stage_metrics_enabled(True)
    try:
        yield
    finally:
        set_internal_stage_metrics_enabled(before)


class _MetricsServer:
    """The server of ``start_metrics_server``."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    def start(self, port: int) -> None:
        with self._lock:
            if self._server is not None and self._server.server_address[1] == port:
                self._stop()
            # Few programs have it, and its modules are a tenth of all that are imported.
            from spikewire.compat.aerospike_py.metrics_server import server_of

            server = server_of(port, get_metrics)
            self._stop()
            self._server = server
            self._thread = threading.Thread(
                target=server.serve_forever, name="spikewire-metrics", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join(timeout=5)


_serving = _MetricsServer()


def start_metrics_server(port: int = 9464) -> None:
    """Serves ``get_metrics()`` at ``/metrics``, on every address of this machine."""
    _serving.start(port)


def stop_metrics_server() -> None:
    """Stops that server, if it is running."""
    _serving.stop()


def init_tracing() -> None:
    """Clients that connect from now on have spans, which go where the program's tracer provider
    sends them. Raises ``ImportError`` without opentelemetry-api.
    """
    off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if off or os.environ.get("OTEL_TRACES_EXPORTER", "").lower() == "none":
        return
    import_late("spikewire.metrics.otel")  # Reports a missing package now.
    process.tracing = True


def shutdown_tracing() -> None:
    """Clients that connect from now on create no spans. Spans created so far are exported."""
    if not process.tracing:
        return
    process.tracing = False
    trace: Any = import_late("opentelemetry.trace")
    flush = getattr(trace.get_tracer_provider(), "force_flush", None)
    if flush is not None:
        flush()


def set_log_level(level: int) -> None:
    """The level of the loggers ``aerospike_py`` and ``spikewire``."""
    if level not in _LEVELS:
        message = f"level must be one of LOG_LEVEL_*, not {level!r}"
        raise ValueError(message)
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(_LEVELS[level])


def dropped_log_count() -> int:
    """0: no log record is dropped."""
    return 0
