"""One client for all threads, tasks and caches of a process that name the same cluster.

Django makes a cache object for each thread and each task, so a client cannot belong to one of
them. It is opened on first use. In a process that forks, as gunicorn's and Celery's do, it may have
been opened before: it connects again in the child.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, Any

import spikewire
from spikewire import _native, opening

if TYPE_CHECKING:
    from spikewire._native import Dataset

__all__ = ["Place", "close_clients", "shared"]


class SharedClient:
    """A client that is opened on first use."""

    def __init__(self, url: str | None, options: dict[str, Any]) -> None:
        self.of = (url, options)
        self.client: spikewire.Client | None = None

    def open(self) -> spikewire.Client:
        """The client; opens it on the first call."""
        client = self.client
        if client is None:
            with _state.lock:
                if self.client is None:
                    url, options = self.of
                    self.client = spikewire.Client.from_url(url, **options)
                client = self.client
        return client


class Place:
    """A set of a namespace, and its client."""

    def __init__(self, shared: SharedClient, namespace: str, name: str | None) -> None:
        self._shared = shared
        self._namespace = namespace
        self._name = name

    def is_open(self) -> bool:
        """Whether ``records`` does not need to connect."""
        return self._shared.client is not None

    def records(self) -> Dataset:
        """The records; connects if necessary."""
        return self._shared.open().dataset(self._namespace, self._name)

    def clear(self) -> None:
        """Deletes all records with a background job, and waits until it has ended."""
        self.records().delete_all().wait()


class _State:
    """The state of a process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.clients: list[SharedClient] = []

    def renew_lock(self) -> None:
        """Called in a forked child: another thread of the parent may have held the lock."""
        self.lock = threading.Lock()


_state = _State()


def shared(
    url: str | None, options: dict[str, Any], namespace: str | None, name: str | None
) -> Place:
    """A set in a namespace, that of the URL unless named, by the process's client for the URL.

    Opens nothing. Raises ``ValueError`` or ``TypeError`` that names what is wrong.
    """
    settings = opening.read(url, **options)
    namespace = settings.namespace if namespace is None else namespace
    if namespace is None:
        message = "no namespace: it is part of the URL, aerospike://host:port/namespace"
        raise ValueError(message)
    # Validates options and names without connecting.
    _native.Client(settings.seeds, **settings.options).dataset(namespace, name)
    with _state.lock:
        # A linear search: options may not be hashable, and a process has few caches.
        for one in _state.clients:
            if one.of == (url, options):
                break
        else:
            one = SharedClient(url, options)
            _state.clients.append(one)
    return Place(one, namespace, name)


def close_clients() -> None:
    """Closes the clients of all caches of this process; the next use of a cache opens one again.

    Called at the end of the process; tests may call it before their cluster ends.
    """
    with _state.lock:
        open_ones = [one.client for one in _state.clients if one.client is not None]
        for one in _state.clients:
            one.client = None
    for client in open_ones:
        client.close()


atexit.register(close_clients)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_state.renew_lock)
