"""What programs do with the other driver's control connection: listeners for nodes, and waiting for
one schema.

The engine follows the cluster by itself, and says when its list of nodes has to be compared.
"""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import logging
import time
import weakref
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.missing_errors import raise_missing_attribute
from spikewire.compat.cassandra.synchronization import new_lock

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = ["ControlConnection", "Listeners"]

_log = logging.getLogger(__name__)
_LOCAL = "SELECT schema_version FROM system.local"
_PEERS = "SELECT native_address, schema_version FROM system.peers_v2"
#: Seconds between two looks at the schema.
_PAUSE = 0.2


class Listeners:
    """Calls listeners when nodes come and go: the engine's events say when to look."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = weakref.ref(cluster)
        self._listeners: set[Any] = set()
        self._known: dict[str, Host] = {}
        self._lock = new_lock()
        #: Ends the engine's events, while there are some.
        self._end: Callable[[], None] | None = None

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
        cluster = self._cluster()
        core = None if cluster is None else cluster._control
        with self._lock:
            if not self._listeners or core is None or self._end is not None:
                return
            # Not through on_event, which calls on an event loop that runs here.
            self._end = core.metrics._listener().add(self._on_event)
        self.look()

    def _on_event(self, _event: object) -> None:
        self.look()

    def end(self) -> None:
        """Ends watching."""
        with self._lock:
            end, self._end = self._end, None
        if end is not None:
            end()

    def look(self) -> None:
        """Compares the nodes with those of the last time."""
        with self._lock:
            events = self._news()
        for event, host in events:
            self._notify(event, host)

    def _news(self) -> list[tuple[str, Host]]:
        cluster = self._cluster()
        core = None if cluster is None else cluster._control
        if cluster is None or core is None:
            return []
        news: list[tuple[str, Host]] = []
        former, self._known = self._known, {str(host): host for host in cluster._hosts_of(core)}
        for name, host in self._known.items():
            known = former.get(name)
            if known is None:
                news.append(("on_add", host))
            elif known.is_up != host.is_up:
                news.append(("on_up" if host.is_up else "on_down", host))
        gone = former.keys() - self._known.keys()
        return [*news, *(("on_remove", former[name]) for name in gone)]

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
