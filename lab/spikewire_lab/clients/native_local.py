"""`aerospike-native-local`: the vendor's Rust core with a runtime and a client for each thread.

The vendor calls it experimental: each thread has connections and a tend loop of its own. It has no
batches or queries. The SDK's study calls it ct_runtime.
"""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, cast

from ..work.mix import ADD
from .aerospike_native import client_policy, key_source, seeds_of, single_verbs
from .base import BlockingClient, Peer, Target
from .more import ALL

if TYPE_CHECKING:
    from collections.abc import Callable

    from .base import Verbs

LACKS = frozenset({ADD})
"""Its clients can add only by `operate`."""


class Blocking(BlockingClient):
    """Each thread opens its own client when it asks for its verbs and drops it when it ends: the
    extension does not allow another thread to do so."""

    _target: Target
    _own: threading.local

    def open(self, target: Target) -> None:
        self._target, self._own = target, threading.local()

    def verbs(self) -> Verbs:
        module = vars(importlib.import_module("aerospike_native"))
        make = cast("Callable[[object, str], object]", module["_LocalClient"])
        client = make(client_policy(self._target), seeds_of(self._target))
        self._own.client = client
        return single_verbs(client, key_source(self._target), "_blocking", lacks=LACKS)

    def close(self) -> None:
        del self._own


PEER = Peer(
    "aerospike-native-local",
    module="aerospike_native",
    distribution="aerospike-native",
    blocking=Blocking,
    usual=False,
    verbs=ALL - LACKS,
)
