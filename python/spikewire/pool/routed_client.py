"""The client of a pool with one client per loop: each thread uses its own.

A ``threading.local`` is initialised where the thread first uses it, so that everything a loop's
tasks touch belongs to the loop, down to the dataset's reference count.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from spikewire._native import AsyncClient, AsyncDataset
from spikewire.aerospike.profiles.kinds import VERBS
from spikewire.statistics.combined import CombinedMetrics, sum_stats

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from spikewire.pool.clients import Clients
    from spikewire.statistics.control import Metrics
    from spikewire.statistics.stats import Stats

__all__ = ["PerThread", "RoutedClient"]

_NATIVE = (AsyncClient, AsyncDataset)


class PerThread(threading.local):
    """An object made from the calling thread's client: ``make(client)``."""

    def __init__(self, clients: Clients, make: Callable[[Any], Any], first: Any) -> None:
        # Called in every thread.
        self._clients = clients
        self._make = make
        self._first = first
        self._local: Any = make(clients.here)
        is_native = isinstance(self._local, _NATIVE)
        if is_native:
            # A view's verbs depend on its profile, which may change.
            for name in VERBS:
                self.__dict__[name] = getattr(self._local, name)

    @classmethod
    def over(cls, clients: Clients, make: Callable[[Any], Any] | None = None) -> Self:
        """A routed object of ``make(client)`` for each client, or of the client itself."""
        make = make or _itself
        return cls(clients, make, make(clients.all[0]))

    def __getattr__(self, name: str) -> Any:
        # Only called for names that are not in the instance's dict.
        if name.startswith("__") or name == "_local":
            raise AttributeError(name)
        return getattr(self._local, name)

    @property
    def _target(self) -> Any:
        """The client or dataset itself, without views."""
        return getattr(self._local, "_target", self._local)

    def through(self, change: Callable[[Any], Any]) -> Any:
        """A routed object of ``change(own)`` for each thread's own object."""
        make = self._make
        return type(self).over(self._clients, lambda client: change(make(client)))

    def with_profile(self, profile: Any) -> Any:
        """A routed object with a profile, whose options apply where a call has none."""
        return self.through(lambda own: own.with_profile(profile))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PerThread):
            return NotImplemented
        same: bool = self._first == other._first
        return same

    def __hash__(self) -> int:
        return hash(self._first)

    def __reduce__(self) -> Any:
        return self._first.__reduce__()

    def __repr__(self) -> str:
        return f"<{self._first!r}, a client for each of {len(self._clients.all)} loops>"


class RoutedClient(PerThread):
    """The clients of a pool as one client."""

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
        type: Any = None,  # noqa: A002
    ) -> Any:
        """A dataset of the clients."""
        make = self._make
        return PerThread.over(
            self._clients, lambda client: make(client).dataset(namespace, set, type)
        )

    def session(self, profile: Any = None) -> Any:
        """The start of builder chains."""
        make = self._make
        return PerThread.over(self._clients, lambda client: make(client).session(profile))

    def stats(self) -> Stats:
        """The summed statistics of the clients."""
        return sum_stats([client.stats() for client in self._clients.all])

    @property
    def metrics(self) -> Metrics:
        """Counting and events of all clients."""
        return CombinedMetrics(self._clients.all)

    async def open(self) -> Self:
        """Does nothing: the pool opens the clients."""
        return self

    async def close(self) -> None:
        """Closes all clients."""
        for client in self._clients.all:
            await client.close()


def _itself(client: Any) -> Any:
    return client
