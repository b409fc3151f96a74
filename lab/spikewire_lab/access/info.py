"""Answers of nodes to info requests: by a plain connection, or by our own client behind a login or
TLS."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Any

from . import OPEN
from .seeds import seed_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from . import Access
    from .seeds import Seed


def first(seeds: Sequence[Seed], name: str, access: Access = OPEN) -> str | None:
    """The first answer of a node; None if there is none."""
    return next((answer for answer in _answers(seeds, name, access) if answer is not None), None)


def answers(seeds: Sequence[Seed], name: str, access: Access = OPEN) -> list[str | None]:
    """The answers of all seeds or, behind a login or TLS, of all nodes; None for one without an
    answer."""
    return list(_answers(seeds, name, access))


def _answers(seeds: Sequence[Seed], name: str, access: Access) -> Iterator[str | None]:
    if not access:
        yield from (ask(seed, name) for seed in seeds)
        return
    # Not at the top: workers of other clients must not load ours.
    import spikewire

    try:
        with spikewire.Client(seeds_text(seeds, access), **access.options()) as client:
            for node in client.nodes():
                yield _answer(client, name, node.name)
    except (spikewire.Error, OSError, ValueError):
        yield None


def _answer(client: Any, name: str, node: str) -> str | None:
    import spikewire

    try:
        return str(client.info(name, node=node)) or None
    except spikewire.Error as error:
        return str(error)


def seeds_text(seeds: Sequence[Seed], access: Access) -> str:
    """Seeds as text, with their TLS names if they have any."""
    return ",".join(seed_text(seed, access.name(at)) for at, seed in enumerate(seeds))


def rejection(seeds: Sequence[Seed], access: Access) -> str | None:
    """Why the cluster refuses our own client, or None."""
    import spikewire

    try:
        spikewire.Client(seeds_text(seeds, access), **access.options()).close()
    except (spikewire.Error, OSError, ValueError) as error:
        return str(error)
    return None


def ask(seed: Seed, name: str, timeout: float = 2.0) -> str | None:
    """One value by the info protocol (`build`, `edition`), or None if no node answers."""
    question = f"{name}\n".encode()
    try:
        with socket.create_connection(seed, timeout) as connection:
            connection.sendall(struct.pack(">Q", 2 << 56 | 1 << 48 | len(question)) + question)
            (header,) = struct.unpack(">Q", _exactly(connection, 8))
            answer = _exactly(connection, header & ((1 << 48) - 1)).decode()
    except (OSError, UnicodeDecodeError):
        return None
    _, _, value = answer.strip().partition("\t")
    return value or None


def _exactly(connection: socket.socket, size: int) -> bytes:
    if size > 1 << 20:
        raise OSError("an info answer of that size is not one")
    gathered = b""
    while len(gathered) < size:
        more = connection.recv(size - len(gathered))
        if not more:
            raise OSError("the node closed the connection")
        gathered += more
    return gathered
