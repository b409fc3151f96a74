"""Requests and replies of Aerospike as bytes, and a connection that pipelines them."""

from __future__ import annotations

import socket
import struct
from dataclasses import dataclass

from .values import unpack

NAMESPACE = "test"
SET = "paths"

# Operations.
READ_BIN, WRITE_BIN, READ_CDT, MODIFY_CDT, READ_EXPRESSION, WRITE_EXPRESSION = 1, 2, 3, 4, 7, 8
_READS = (READ_BIN, READ_CDT, READ_EXPRESSION)
# Particle types.
NO_PARTICLE, INTEGER, STRING, BLOB, MAP, LIST = 0, 1, 3, 4, 19, 20
_CONTAINERS = (MAP, LIST)
# Flags of a request.
_READ, _WRITE, _DELETE, _RESPOND_ALL = 1, 1, 2, 0x80
_FILTER_FIELD = 43
_HEADER = struct.Struct(">BBBBBBIIIHH")
_FRAME = struct.Struct(">BBHI")


def operation(code: int, name: str, particle: int = NO_PARTICLE, value: bytes = b"") -> bytes:
    """One operation of a request."""
    label = name.encode()
    length = 4 + len(label) + len(value)
    return struct.pack(">IBBBB", length, code, particle, 0, len(label)) + label + value


def request(
    digest: bytes, operations: list[bytes], *, where: bytes | None = None, respond_all: bool = False
) -> bytes:
    """A request about one record: `where` is a filter expression as msgpack."""
    codes = [operation[4] for operation in operations]
    info1 = _READ if any(code in _READS for code in codes) else 0
    info2 = _WRITE if any(code not in _READS for code in codes) else 0
    if respond_all:
        info2 |= _RESPOND_ALL
    return _message(info1, info2, digest, operations, where)


def deletion(digest: bytes) -> bytes:
    """A request that deletes a record."""
    return _message(0, _WRITE | _DELETE, digest, [], None)


def _message(
    info1: int, info2: int, digest: bytes, operations: list[bytes], where: bytes | None
) -> bytes:
    fields = [(0, NAMESPACE.encode()), (1, SET.encode()), (4, digest)]
    if where is not None:
        fields.append((_FILTER_FIELD, where))
    body = _HEADER.pack(22, info1, info2, 0, 0, 0, 0, 0, 30_000, len(fields), len(operations))
    body += b"".join(struct.pack(">IB", len(data) + 1, kind) + data for kind, data in fields)
    body += b"".join(operations)
    return _FRAME.pack(2, 3, len(body) >> 32, len(body) & 0xFFFFFFFF) + body


@dataclass(frozen=True, slots=True)
class Entry:
    """One bin or result of a reply."""

    name: str
    particle: int
    value: bytes

    def __str__(self) -> str:
        if self.particle in _CONTAINERS:
            return f"{self.name}={unpack(self.value)!r} ({self.value.hex()})"
        return f"{self.name}={self.particle}:{self.value.hex()}"


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply about one record."""

    code: int
    generation: int
    entries: tuple[Entry, ...]

    def __str__(self) -> str:
        return " ".join((f"[{self.code}]", f"gen {self.generation}", *map(str, self.entries)))


class Pipeline:
    """A connection to one server, which answers requests in their order."""

    def __init__(self, seed: str) -> None:
        host, _, port = seed.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._input = self._socket.makefile("rb", buffering=1 << 16)

    def send(self, requests: list[bytes]) -> None:
        """Sends requests without waiting for a reply: few enough for the buffers of a socket."""
        self._socket.sendall(b"".join(requests))

    def read_reply(self) -> Reply | None:
        """The next reply, or None if the server has closed the connection."""
        try:
            frame = self._input.read(8)
            if len(frame) < 8:
                return None
            _, _, high, low = _FRAME.unpack(frame)
            body = self._input.read(high << 32 | low)
        except ConnectionError:
            return None
        _, _, _, _, _, code, generation, _, _, fields, operations = _HEADER.unpack_from(body)
        at = _HEADER.size
        for _ in range(fields):
            at += 4 + struct.unpack_from(">I", body, at)[0]
        entries = []
        for _ in range(operations):
            length, _, particle, _, named = struct.unpack_from(">IBBBB", body, at)
            at += 8
            name = body[at : at + named].decode()
            value = body[at + named : at + length - 4]
            at += length - 4
            entries.append(Entry(name, particle, value))
        return Reply(code, generation, tuple(entries))

    def close(self) -> None:
        """Closes the connection."""
        self._input.close()
        self._socket.close()
