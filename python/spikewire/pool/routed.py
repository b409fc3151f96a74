"""What a pool with a client for each loop gives to its users: each thread reaches its own one.

An object of a thread (``threading.local``) is made where the thread first uses it, so that what a
loop's tasks touch is the loop's own, down to the dataset's reference count.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from spikewire._native import AsyncClient, AsyncDataset
from spikewire.metrics.several import SeveralMetrics, summed
from spikewire.profiles.kinds import VERBS

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

    from spikewire.metrics.control import Metrics
    from spikewire.metrics.stats import Stats
    from spikewire.pool.clients import Clients

__all__ = ["Routed", "RoutedClient"]

_NATIVE = (AsyncClient, AsyncDataset)


class Routed(threading.local):
    """Something of the client of the thread that uses it: ``make(client)``."""

    def __init__(self, clients: Clients, make: Callable[[Any], Any], first: Any) -> None:
        # Every thread comes by here.
        self._clients = clients
        self._make = make
        self._first = first
        self._local: Any = make(clients.here)
        if isinstance(self._local, _NATIVE):
            # A verb of a view depends on its profile, which may change.
            for name in VERBS:
                self.__dict__[name] = getattr(self._local, name)

    @classmethod
    def over(cls, clients: Clients, make: Callable[[Any], Any] | None = None) -> Self:
        """With what ``make`` makes of each client, or else the client itself."""
        make = make or _itself
        return cls(clients, make, make(clients.all[0]))

    def __getattr__(self, name: str) -> Any:
        # Only what is not in the instance's dict comes here.
        if name.startswith("__") or name == "_local":
            raise AttributeError(name)
        return getattr(self._local, name)

    @property
    def _target(self) -> Any:
        """The client or dataset itself, as of a view."""
        return getattr(self._local, "_target", self._local)

    def through(self, change: Callable[[Any], Any]) -> Any:
        """The same with what ``change`` makes of each thread's own."""
        make = self._make
        return type(self).over(self._clients, lambda client: change(make(client)))

    def with_profile(self, profile: Any) -> Any:
        """The same with the options of a profile where a call says nothing."""
        return self.through(lambda own: own.with_profile(profile))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Routed):
            return NotImplemented
        same: bool = self._first == other._first
        return same

    def __hash__(self) -> int:
        return hash(self._first)

    def __reduce__(self) -> Any:
        return self._first.__reduce__()

    def __repr__(self) -> str:
        return f"<{self._first!r}, a client for each of {len(self._clients.all)} loops>"


class RoutedClient(Routed):
    """The clients of a pool as one."""

    def dataset(
        self,
        namespace: str | None = None,
        set: str | None = None,  # noqa: A002
    ) -> Any:
        """A dataset of the clients."""
        make = self._make
        return Routed.over(self._clients, lambda client: make(client).dataset(namespace, set))

    def session(self, profile: Any = None) -> Any:
        """Where chains of the builder begin."""
        make = self._make
        return Routed.over(self._clients, lambda client: make(client).session(profile))

    def stats(self) -> Stats:
        """What the clients counted and hold, added up."""
        return summed([client.stats() for client in self._clients.all])

    @property
    def metrics(self) -> Metrics:
        """Counting and events of all clients."""
        return SeveralMetrics(self._clients.all)

    async def open(self) -> Self:
        """The pool opens them."""
        return self

    async def close(self) -> None:
        """Closes all of them."""
        for client in self._clients.all:
            await client.close()


def _itself(client: Any) -> Any:
    return client
