"""Nodes as programs see them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.connection import DefaultEndPoint
from spikewire.compat.cassandra.missing_errors import resolve_name

if TYPE_CHECKING:
    import uuid

__all__ = ["Host", "NoConnectionsAvailable"]


class NoConnectionsAvailable(Exception):
    """Too many requests wait for a node."""


@functools.total_ordering
class Host:
    """A node of the cluster."""

    def __init__(
        self,
        address: str,
        port: int,
        *,
        datacenter: str | None = None,
        rack: str | None = None,
        release_version: str | None = None,
        is_up: bool | None = None,
        host_id: uuid.UUID | None = None,
    ) -> None:
        self.address = address
        self.port = port
        self.datacenter = datacenter
        self.rack = rack
        self.release_version = release_version
        self.is_up = is_up
        self.host_id = host_id
        self.endpoint = DefaultEndPoint(address, port)
        self.broadcast_rpc_address = address
        self.broadcast_rpc_port = port
        self.broadcast_address: str | None = None
        self.broadcast_port: int | None = None
        self.listen_address: str | None = None
        self.listen_port: int | None = None

    def _set_row(self, row: dict[str, Any]) -> None:
        """Adds what the server's tables say about the node."""
        self.host_id = row.get("host_id")
        broadcast = row.get("broadcast_address") or row.get("peer")
        listen = row.get("listen_address")
        self.broadcast_address = None if broadcast is None else str(broadcast)
        self.broadcast_port = row.get("broadcast_port") or row.get("peer_port")
        self.listen_address = None if listen is None else str(listen)
        self.listen_port = row.get("listen_port")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Host) and self.endpoint == other.endpoint

    def __hash__(self) -> int:
        return hash(self.endpoint)

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Host):
            return NotImplemented
        return (self.address, self.port) < (other.address, other.port)

    def __str__(self) -> str:
        return str(self.endpoint)

    def __repr__(self) -> str:
        place = f" {self.datacenter}" if self.datacenter else ""
        return f"<Host: {self.endpoint}{place}>"


def split(endpoint: str) -> tuple[str, int]:
    """Address and port of a node, from the engine's form."""
    address, _, port = endpoint.rpartition(":")
    return address.strip("[]"), int(port)


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
