"""The clients the lab knows, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..work.shape import POOL
from . import (
    aerospike_c,
    aerospike_native,
    aerospike_py,
    aerospike_sdk,
    apis,
    executor,
    native_local,
    null,
    sdk_builder,
    sdk_local,
    sdk_pool,
    sdk_windows,
    spikewire,
)
from .registry import PACKAGE, Registry

if TYPE_CHECKING:
    from .base import Peer

OURS = "spikewire"
FLOOR = "null"
ONE_OF_EACH = (
    OURS,
    "aerospike-executor",
    "aerospike-py",
    "aerospike-sdk",
    "aerospike-native",
    "aerospike",
)
"""Without other APIs of a client and other ways to run it, for studies whose rows take long."""

PEERS: Registry[Peer] = Registry(
    (
        spikewire.PEER,
        apis.BUILDER,
        apis.FUTURES,
        apis.COMPAT,
        apis.COMPAT_PY,
        aerospike_c.PEER,
        executor.PEER,
        aerospike_py.PEER,
        replace(aerospike_sdk.PEER, pool=sdk_pool.PoolAdapter, pool_ways=(POOL,)),
        replace(sdk_builder.PEER, pool=sdk_pool.PooledBuilder, pool_ways=(POOL,)),
        aerospike_native.PEER,
        native_local.PEER,
        sdk_local.PEER,
        sdk_local.BUILDER,
        sdk_windows.APART,
        sdk_windows.WINDOWS,
        null.PEER,
    )
)
BUILT = tuple(name for name, peer in PEERS.items() if peer.distribution == PACKAGE)
"""The clients of this package; other builds of them can be measured."""
