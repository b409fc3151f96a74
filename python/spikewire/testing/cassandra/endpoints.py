"""Free addresses and ports for nodes."""

from __future__ import annotations

import contextlib
import ipaddress
import random
import socket
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Endpoint", "choose_endpoints"]

PORT = 9042
STORAGE_PORT = 7000
TRIES = 200


@dataclass(frozen=True)
class Endpoint:
    """The address and ports of a node."""

    address: str
    port: int
    storage_port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}"


def choose_endpoints(nodes: int, host: str | None, port: int) -> list[Endpoint]:
    """Chooses the addresses and ports of a cluster's nodes.

    With a host, the first node gets that address and the others the following ones. Without one,
    they get loopback addresses that no other cluster uses, if the system has more than one (Linux),
    otherwise different ports. Raises ``OSError`` if a port is in use.
    """
    if host is not None:
        if port == 0:
            port = _free_port(host)
        return _checked(_in_a_row(host, nodes, port))
    if not _is_free("127.0.0.2", 0):
        return _one_address(nodes, port)
    for _ in range(TRIES):
        # Not a secret; it only makes a collision with another cluster unlikely.
        first = f"127.{random.randint(1, 254)}.{random.randint(1, 254)}.1"  # noqa: S311
        with contextlib.suppress(OSError):
            return _checked(_in_a_row(first, nodes, port or PORT))
    message = f"no free loopback addresses for {nodes} nodes"
    raise OSError(message)


def _in_a_row(first: str, nodes: int, port: int) -> list[Endpoint]:
    start = ipaddress.IPv4Address(first)
    # A custom port for clients also gets a custom port between nodes.
    storage = STORAGE_PORT if port == PORT else _free_port(first)
    if nodes > 1 and not _is_free(str(start + 1), 0):
        message = f"{start + 1} is not an address of this machine: add it to the loopback interface"
        raise OSError(message)
    return [Endpoint(str(start + node), port, storage) for node in range(nodes)]


def _one_address(nodes: int, port: int) -> list[Endpoint]:
    address = "127.0.0.1"
    ports = count(port) if port else _free_ports(address)
    storage = _free_ports(address)
    return _checked([Endpoint(address, next(ports), next(storage)) for _ in range(nodes)])


def _checked(endpoints: list[Endpoint]) -> list[Endpoint]:
    for one in endpoints:
        for port in (one.port, one.storage_port):
            if not _is_free(one.address, port):
                message = f"{one.address}:{port} is in use"
                raise OSError(message)
    return endpoints


def _free_ports(address: str) -> Iterator[int]:
    while True:
        yield _free_port(address)


def _free_port(address: str) -> int:
    """A free port outside the range for outgoing connections."""
    for _ in range(TRIES):
        port = random.randint(20000, 30000)  # noqa: S311
        if _is_free(address, port):
            return port
    message = f"no free port on {address}"
    raise OSError(message)


def _is_free(address: str, port: int) -> bool:
    with socket.socket() as probe:
        # Like Cassandra, ignore connections that were just closed.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True
