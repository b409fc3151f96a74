"""Addresses of nodes, and the exceptions of ``cassandra.connection``.

Connections are the engine's own. Its failures are in ``NoHostAvailable.errors`` as errors of
``spikewire.cql``; these exceptions are there for ``except``.
"""

from __future__ import annotations

import functools
from typing import Any

from spikewire.compat.cassandra.differences import DIFFERENCES
from spikewire.compat.cassandra.missing_errors import resolve_name

__all__ = [
    "Connection",
    "ConnectionBusy",
    "ConnectionException",
    "ConnectionShutdown",
    "DefaultEndPoint",
    "EndPoint",
    "ProtocolError",
    "ProtocolVersionUnsupported",
]


class ConnectionException(Exception):
    """A connection failed."""

    def __init__(self, message: str, endpoint: Any = None) -> None:
        super().__init__(message)
        self.endpoint = endpoint

    @property
    def host(self) -> str | None:
        """The address of the node."""
        address: str | None = getattr(self.endpoint, "address", None)
        return address


class ConnectionShutdown(ConnectionException):
    """A connection was closed."""


class ProtocolVersionUnsupported(ConnectionException):
    """The node does not speak this version of the protocol."""

    def __init__(self, endpoint: Any, startup_version: int) -> None:
        super().__init__(f"Unsupported protocol version on {endpoint}: {startup_version}", endpoint)
        self.startup_version = startup_version


class ConnectionBusy(Exception):
    """A connection cannot take more requests."""


class ProtocolError(Exception):
    """A node does not keep to the protocol."""


class Connection:
    """Stands for the other driver's, for programs that name it or derive classes from it. Those of
    the engine are no objects, and ``connection_class`` has no effect."""

    def __init__(self, *_args: Any, **_named: Any) -> None:
        DIFFERENCES.missing("connection.Connection()")


class EndPoint:
    """How to reach a node."""

    address: str
    port: int


@functools.total_ordering
class DefaultEndPoint(EndPoint):
    """An address and a port."""

    def __init__(self, address: str, port: int = 9042) -> None:
        self.address = address
        self.port = port

    def resolve(self) -> tuple[str, int]:
        """Address and port."""
        return self.address, self.port

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DefaultEndPoint):
            return NotImplemented
        return (self.address, self.port) == (other.address, other.port)

    def __hash__(self) -> int:
        return hash((self.address, self.port))

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, DefaultEndPoint):
            return NotImplemented
        return (self.address, self.port) < (other.address, other.port)

    def __str__(self) -> str:
        address = f"[{self.address}]" if ":" in self.address else self.address
        return f"{address}:{self.port}"

    def __repr__(self) -> str:
        return f"<DefaultEndPoint: {self}>"


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
