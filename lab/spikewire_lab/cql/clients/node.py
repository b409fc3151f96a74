"""The clients for Node.js, which the worker in lab/node calls: ours, our drop-in replacement for
cassandra-driver, and that one. All have promises on one event loop."""

from __future__ import annotations

from .base import Peer

OURS = Peer(
    "spikewire-node",
    module="spikewire/cql",
    distribution="spikewire",
    row_type="object",
    promises=True,
)

DROP_IN = Peer(
    "spikewire-node-compat",
    module="spikewire/compat/cassandra-driver",
    distribution="spikewire",
    row_type="Row",
    promises=True,
)

DRIVER = Peer(
    "cassandra-driver-node",
    module="cassandra-driver",
    distribution="cassandra-driver",
    row_type="Row",
    promises=True,
)
