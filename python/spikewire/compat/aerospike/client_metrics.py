"""Metrics: listeners or files that periodically receive counters of commands."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import contextlib
import copy
import os
import threading
import warnings
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.admin import Admin
from spikewire.compat.aerospike.failures import CompatWarning, of_code, reject
from spikewire.compat.aerospike.metrics import (
    Cluster,
    ClusterStats,
    MetricsPolicy,
    Node,
)
from spikewire.compat.aerospike.metrics_files import Files
from spikewire.compat.aerospike.metrics_policy import check_metrics
from spikewire.compat.aerospike.snapshots import cluster_of, stats_of
from spikewire.metrics import NodeDown

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.metrics import Event

__all__ = ["ClientMetrics"]


class _Measurement:
    """Metrics while they are enabled: a thread that takes snapshots."""

    def __init__(self, owner: ClientMetrics, policy: MetricsPolicy) -> None:
        self._owner, self._policy = owner, policy
        self._files = None
        listeners = policy.metrics_listeners
        if listeners is None:
            self._files = Files(policy)
            listeners = self._files.listeners()
        self._listeners = listeners
        self._stop = threading.Event()
        self._pid = os.getpid()

    def start(self) -> None:
        client = self._owner._client
        client.metrics.enable()
        _call("enable_listener", self._listeners.enable_listener)
        self._forget = client.metrics.on_event(self._on_event)
        self._thread = threading.Thread(target=self._run, name="aerospike metrics", daemon=True)
        self._thread.start()

    def _cluster(self) -> Cluster:
        configuration, policy = self._owner._configuration, self._policy
        return cluster_of(
            self._owner._client.stats(),
            cluster_name=configuration.cluster_name,
            app_id=configuration.app_id,
            columns=policy.latency_columns,
            shift=policy.latency_shift,
        )

    def _run(self) -> None:
        pause = self._policy.interval * self._owner._configuration.tend_interval
        # An exception of a listener must not prevent the next snapshot.
        while not self._stop.wait(max(pause, 0.25)):
            with contextlib.suppress(Exception):
                self._listeners.snapshot_listener(self._cluster())

    def _on_event(self, event: Event) -> None:
        if isinstance(event, NodeDown):
            name, _, address = event.node.partition(" ")
            node = Node()
            host, _, port = address.rpartition(":")
            node.name, node.address, node.port = name, host.strip("[]"), int(port or 0)
            node.metrics = []
            self._listeners.node_close_listener(node)

    def end(self) -> None:
        if self._pid != os.getpid():
            return  # The parent of a fork does that; its thread does not exist here.
        self._stop.set()
        self._forget()
        if threading.current_thread() is not self._thread:
            self._thread.join(10)
        client = self._owner._client
        cluster = self._cluster()
        client.metrics.disable()
        _call("disable_listener", self._listeners.disable_listener, cluster)


def _call(name: str, listener: Callable[..., Any], *args: Any) -> None:
    try:
        listener(*args)
    except Exception as error:
        try:
            description = f"Exception value: {error}"
        except Exception:  # noqa: BLE001
            description = "str() on exception value threw an error"
        kind = type(error).__name__
        raise of_code(
            -1, f"Python callback {name} threw a {kind} exception. {description}"
        ) from error


class ClientMetrics(Admin):
    """Statistics and metrics."""

    _measurement: _Measurement | None = None

    def get_stats(self) -> ClusterStats:
        """Connections, and the counters of commands since metrics were enabled."""
        return stats_of(self._client.stats())

    def enable_metrics(self, policy: Any = None) -> None:
        """Periodically reports the counters of commands to listeners, or to a file."""
        if policy is None:
            policy = self._policies.metrics
        elif not isinstance(policy, MetricsPolicy):
            reject("policy parameter must be an aerospike_helpers.MetricsPolicy type")
        check_metrics(policy)
        if not self._is_controlled_by_file():
            self._start_metrics(policy)

    def disable_metrics(self) -> None:
        """Stops that."""
        if not self._is_controlled_by_file():
            self._stop_metrics()

    def _is_controlled_by_file(self) -> bool:
        """Whether the file of a ``ConfigProvider`` decides if metrics are enabled."""
        file = self._configuration.config_file
        if file is None or "enable" not in file.settings.metrics:
            return False
        text = f"{file.path!r} controls whether metrics are enabled: this call has no effect"
        warnings.warn(text, CompatWarning, stacklevel=4)
        return True

    def _apply_metrics_settings(self, settings: dict[str, Any]) -> None:
        """Applies the metrics settings of such a file."""
        if settings.get("enable"):
            policy = copy.copy(self._policies.metrics)
            for name in settings.keys() - {"enable"}:
                setattr(policy, name, settings[name])
            check_metrics(policy)
            self._start_metrics(policy)
        elif "enable" in settings:
            self._stop_metrics()

    def _start_metrics(self, policy: MetricsPolicy) -> None:
        self._stop_metrics()
        measurement = _Measurement(self, policy)
        measurement.start()
        self._measurement = measurement

    def _stop_metrics(self) -> None:
        measurement, self._measurement = self._measurement, None
        if measurement is not None and self._client._holds_connections:
            measurement.end()

    def close(self) -> None:
        """Closes all connections; later calls raise ``ClusterError``."""
        with contextlib.suppress(Exception):
            self._stop_metrics()
        super().close()
