"""`aerospike-native-local`: the vendor's Rust core with a runtime and a client for each thread.

The vendor calls it experimental: each thread has connections and a tend loop of its own, and it
lacks batches and queries. It is what the SDK's study calls ct_runtime.
"""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Protocol, cast

from .aerospike_native import client_policy, key_source
from .base import BlockingClient, Peer, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Callable


class _Client(Protocol):
    get_blocking: object
    put_blocking: object


class Blocking(BlockingClient):
    """Each thread opens its own client when it asks for its verbs, and lets it go when it ends:
    the extension does not allow that from another thread."""

    _target: Target
    _own: threading.local

    def open(self, target: Target) -> None:
        self._target, self._own = target, threading.local()

    def verbs(self) -> Verbs:
        module = vars(importlib.import_module("aerospike_native"))
        make = cast("Callable[[object, str], _Client]", module["_LocalClient"])
        client = make(client_policy(self._target), self._target.seed_text)
        self._own.client = client
        return Verbs(
            read=f"get({key_source(self._target)}).bins",
            write=f"put({key_source(self._target)}, bins)",
            names={"Key": module["Key"], "get": client.get_blocking, "put": client.put_blocking},
        )

    def close(self) -> None:
        del self._own


PEER = Peer(
    "aerospike-native-local",
    module="aerospike_native",
    distribution="aerospike-native",
    blocking=Blocking,
    usual=False,
)
