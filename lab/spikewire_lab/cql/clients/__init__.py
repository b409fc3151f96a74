"""The Cassandra clients of the lab, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...clients.registry import Registry
from . import acsylla, datastax, node, rust, scylladb_rs, scyllapy, spikewire

if TYPE_CHECKING:
    from .base import Peer

OURS = "spikewire"
OWN = (OURS, node.OURS.name, node.DROP_IN.name, rust.OURS.name)
"""Our clients, which are no peers of each other."""
COLUMNS_OF = {"page-arrow": "Arrow", "page-numpy": "NumPy"}
"""Operations whose result is columns."""

CLIENTS: Registry[Peer] = Registry(
    (
        *(spikewire.PEER, acsylla.PEER, scyllapy.PEER, scylladb_rs.PEER),
        *(datastax.PEER, datastax.SCYLLA),
        *(node.OURS, node.DROP_IN, node.DRIVER),
        *(rust.OURS, rust.SCYLLA, rust.CDRS),
    )
)
