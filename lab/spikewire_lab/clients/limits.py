"""Clients that do not support the requested login or TLS: they are left out, never measured
without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import PEERS
from .registry import base_of

if TYPE_CHECKING:
    from ..access import Access


def barred(client: str, access: Access) -> str | None:
    """Why this client is left out, or None. The crates and the npm packages support everything."""
    if base_of(client) not in PEERS:
        return None
    peer = PEERS[client]
    if access.tls is not None and not peer.tls:
        return "has no TLS"
    if access.auth and access.auth not in peer.auths:
        return f"has no --auth {access.auth}"
    return None
