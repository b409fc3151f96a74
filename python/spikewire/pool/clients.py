"""The clients of a pool: one for all loops, or one per loop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from spikewire.aerospike.client import AsyncClient
from spikewire.opening.default_seeds import FROM_ENVIRONMENT
from spikewire.pool.routed_client import RoutedClient

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Clients", "Sharing", "clients_of"]

Sharing: TypeAlias = Literal["shared", "each"]

#: How many clients connect at the same time.
_AT_ONCE = 16


class Clients:
    """The clients of a pool, by number of the loop; a shared client stands for all loops."""

    def __init__(self, clients: list[Any], *, owned: bool) -> None:
        self.all = clients
        self._owned = owned
        self._has_failed = False
        self._of_thread: dict[int, Any] = {}
        #: The client as seen by the pool's users.
        self.api: Any = clients[0] if len(clients) == 1 else RoutedClient.over(self)

    def open(self) -> None:
        """Connects the clients. If one fails, none stays open."""
        if not self._owned:
            return
        if self._has_failed:
            message = (
                "a pool whose clients could not all be opened stays closed: create another one"
            )
            raise RuntimeError(message)
        # The first one alone: if there is no cluster, the others need not look for it.
        self.all[0]._open()  # noqa: SLF001
        others = self.all[1:]
        if others:
            try:
                with ThreadPoolExecutor(min(_AT_ONCE, len(others))) as threads:
                    list(threads.map(_open, others))
            except BaseException:
                self._has_failed = True
                self.close()
                raise

    def close(self) -> None:
        """Closes the clients that belong to the pool."""
        if self._owned:
            for client in self.all:
                client._close()  # noqa: SLF001

    def assign(self, number: int, thread: threading.Thread) -> None:
        """Makes the thread of a loop use the client with this number."""
        if len(self.all) > 1 and thread.ident is not None:
            self._of_thread[thread.ident] = self.all[number]

    @property
    def here(self) -> Any:
        """The client of the calling thread: that of its loop, or the first one in other threads."""
        return self._of_thread.get(threading.get_ident(), self.all[0])

    @property
    def is_here(self) -> bool:
        """Whether the calling thread runs a loop with its own client."""
        return threading.get_ident() in self._of_thread


def clients_of(
    source: Any, sharing: Sharing | None, loops: int, make: Callable[[Any], AsyncClient]
) -> Clients:
    """The clients for the arguments of a pool: seeds, for which ``make`` creates a client, or an
    open client.
    """
    # Seeds may be an iterator.
    is_whole = isinstance(source, str) or not hasattr(source, "__iter__")
    seeds: Any = source if is_whole else tuple(source)
    if sharing not in ("shared", "each", None):
        message = f'clients must be "shared" or "each", not {sharing!r}'
        raise ValueError(message)
    if source is not FROM_ENVIRONMENT and not isinstance(source, (str, Iterable)):
        if not isinstance(source, AsyncClient) and not _is_session(source):
            message = (
                "a pool is opened with seeds, an AsyncClient or an AsyncSession, not "
                f"{type(source).__name__}"
            )
            raise TypeError(message)
        if sharing == "each":
            message = 'clients="each" needs seeds: a client passed in is shared by all loops'
            raise TypeError(message)
        return Clients([source], owned=False)
    count = loops if (sharing or _default()) == "each" else 1
    return Clients([make(seeds) for _ in range(count)], owned=True)


def _default() -> Sharing:
    has_gil: Callable[[], bool] = getattr(sys, "_is_gil_enabled", lambda: True)
    return "shared" if has_gil() else "each"


def _open(client: AsyncClient) -> None:
    client._open()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def _is_session(value: object) -> bool:
    # Programs that do not use Cassandra do not import it.
    module = sys.modules.get("spikewire.cql")
    return module is not None and isinstance(value, module.AsyncSession)
