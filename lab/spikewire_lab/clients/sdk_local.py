"""`aerospike-sdk-local`: the vendor's SDK with a runtime and a client for each thread, by its fast
path and by chains.

The vendor calls it experimental and does not offer it in the builder of its clusters. It has no
batches or queries. The SDK's study calls it ct_runtime.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from . import aerospike_sdk
from .aerospike_native import client_policy, key_source, seeds_of
from .base import Peer, Target
from .more import ALL

if TYPE_CHECKING:
    from collections.abc import Callable


class _Cluster(aerospike_sdk.Cluster, Protocol):
    def connect(self) -> None: ...


class Blocking(aerospike_sdk.Blocking):
    """The client of a thread is created by the thread's first call and dropped when the thread
    ends."""

    def open(self, target: Target) -> None:
        policy = client_policy(target)
        policy.conn_pools_per_node = 1  # as the vendor recommends for this mode
        module = vars(importlib.import_module("aerospike_sdk.sync.client"))
        make = cast("Callable[..., _Cluster]", module["SyncClient"])
        cluster = make(seeds_of(target), policy, current_thread_runtime=True)
        cluster.connect()
        self._cluster, self._session = cluster, cluster.create_session()
        self._key, self._target = key_source(target), target


class BlockingBuilder(Blocking):
    """The same by chains."""

    written = staticmethod(aerospike_sdk.chained)


PEER = Peer(
    "aerospike-sdk-local",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    usual=False,
    verbs=ALL,
)
BUILDER = Peer(
    "aerospike-sdk-local-builder",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=BlockingBuilder,
    usual=False,
    verbs=ALL,
)
