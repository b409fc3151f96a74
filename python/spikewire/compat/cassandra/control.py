"""What programs do with the other driver's control connection: listeners for nodes, and waiting for
one schema.

The engine follows the cluster by itself; its list of nodes is compared.
"""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.missing_errors import raise_missing_attribute

if TYPE_CHECKING:
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = ["ControlConnection", "Listeners"]

_log = logging.getLogger(__name__)
_LOCAL = "SELECT schema_version FROM system.local"
_PEERS = "SELECT native_address, schema_version FROM system.peers_v2"
#: Seconds between two looks at the schema.
_PAUSE = 0.2


class Listeners:
    """Calls listeners when nodes come and go."""

    #: Seconds between two looks at the nodes.
    interval = 1.0

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = weakref.ref(cluster)
        self._listeners: set[Any] = set()
        self._known: dict[str, Host] = {}
        self._ended = threading.Event()
        self._is_watched = False

    def add(self, listener: Any, hosts: list[Host]) -> None:
        """Adds a listener. ``hosts`` are known to the cluster: it is not called for these."""
        if not self._listeners:
            self._known = {str(host): host for host in hosts}
        self._listeners.add(listener)

    def discard(self, listener: Any) -> None:
        """Removes a listener."""
        self._listeners.discard(listener)

    def watch(self) -> None:
        """Looks at the nodes from now on, if there are listeners."""
        if self._listeners and not self._is_watched:
            self._is_watched = True
            self.look()
            threading.Thread(target=self._run, name="spikewire-hosts", daemon=True).start()

    def end(self) -> None:
        """Ends watching."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(self.interval) and self._cluster() is not None:
            self.look()

    def look(self) -> None:
        """Compares the nodes with those of the last time."""
        cluster = self._cluster()
        core = None if cluster is None else cluster._control
        if cluster is None or core is None:
            return
        former, self._known = self._known, {str(host): host for host in cluster._hosts_of(core)}
        for name, host in self._known.items():
            known = former.get(name)
            if known is None:
                self._notify("on_add", host)
            elif known.is_up != host.is_up:
                self._notify("on_up" if host.is_up else "on_down", host)
        for name in former.keys() - self._known.keys():
            self._notify("on_remove", former[name])

    def _notify(self, event: str, host: Host) -> None:
        for listener in list(self._listeners):
            try:
                getattr(listener, event)(host)
            except Exception:  # noqa: BLE001, PERF203
                _log.exception("%s of %r failed", event, listener)


class ControlConnection:
    """Stands for the other driver's: the engine has its own, and moves it by itself."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def wait_for_schema_agreement(
        self,
        connection: Any = None,  # noqa: ARG002
        preloaded_results: Any = None,  # noqa: ARG002
        wait_time: float | None = None,
    ) -> bool:
        """Whether all nodes that are up have one schema within ``wait_time`` seconds. Default: the
        cluster's ``max_schema_agreement_wait``."""
        longest = self._cluster.max_schema_agreement_wait if wait_time is None else wait_time
        ends = time.monotonic() + longest
        while longest > 0 and len(self._versions()) > 1:
            if time.monotonic() > ends:
                return False
            time.sleep(_PAUSE)
        return True

    def _versions(self) -> set[Any]:
        cluster = self._cluster
        query = cluster.metadata._query
        up = {host.address for host in cluster._hosts_of(cluster._core()) if host.is_up}
        versions = {row["schema_version"] for row in query(_LOCAL)}
        return versions | {
            row["schema_version"] for row in query(_PEERS) if str(row["native_address"]) in up
        }

    def refresh_schema(self, force: bool = False, **_part: Any) -> bool:  # noqa: ARG002
        """Reads the schema, all of it."""
        self._cluster.refresh_schema_metadata()
        return True

    def refresh_node_list_and_token_map(self, force_token_rebuild: bool = False) -> None:
        """Does nothing: the engine keeps track of the cluster by itself."""

    def __getattr__(self, name: str) -> Any:
        return raise_missing_attribute(self, name)
