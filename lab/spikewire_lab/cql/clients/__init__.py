"""The Cassandra clients of the lab, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...clients.registry import Registry
from . import acsylla, datastax, scyllapy, spikewire

if TYPE_CHECKING:
    from .base import Peer

OURS = "spikewire"
COLUMNS_OF = {"page-arrow": "Arrow", "page-numpy": "NumPy"}
"""Operations whose result is columns."""

CLIENTS: Registry[Peer] = Registry(
    (spikewire.PEER, acsylla.PEER, scyllapy.PEER, datastax.PEER, datastax.SCYLLA)
)
