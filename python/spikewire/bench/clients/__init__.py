"""The clients the lab knows, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    aerospike_c,
    aerospike_native,
    aerospike_py,
    aerospike_sdk,
    faces,
    null,
    spikewire,
)

if TYPE_CHECKING:
    from .base import Peer

OURS = "spikewire"
FLOOR = "null"

PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        spikewire.PEER,
        faces.BUILDER,
        faces.COMPAT,
        faces.COMPAT_PY,
        aerospike_c.PEER,
        aerospike_py.PEER,
        aerospike_sdk.PEER,
        aerospike_native.PEER,
        null.PEER,
    )
}
