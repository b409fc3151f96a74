"""Whether nodes are ready: requested with a minimal client of the native protocol (version 4)."""

from __future__ import annotations

import contextlib
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from typing_extensions import Self

    from spikewire.testing.cassandra.endpoints import Endpoint
    from spikewire.testing.certificates import Certificates

__all__ = ["Access", "NodeError", "agree", "is_ready", "run_statement"]

STARTUP, AUTHENTICATE, QUERY, RESULT, AUTH_RESPONSE, AUTH_SUCCESS = (
    0x01,
    0x03,
    0x07,
    0x08,
    0x0F,
    0x10,
)
ERROR = 0x00
READY = 0x02
HEADER = struct.Struct(">BBhBi")
ONE, ALL = 0x0001, 0x0005
ROWS = 2
#: Time limit for a node's answer, in seconds; it may be busy.
PATIENCE = 30.0
LARGEST = 1 << 24

Rows: TypeAlias = "list[tuple[bytes | None, ...]]"


@dataclass(frozen=True)
class Access:
    """Credentials and certificates for connecting."""

    credentials: tuple[str, str] | None = None
    certificates: Certificates | None = None


OPEN = Access()


class NodeError(OSError):
    """A node answered with an error, or with something other than the native protocol."""


def is_ready(node: Endpoint, access: Access = OPEN) -> bool:
    """Whether a node accepts requests."""
    try:
        with _Connection(node, access) as connection:
            return bool(connection.query("SELECT key FROM system.local"))
    except OSError:
        return False


def agree(nodes: Sequence[Endpoint], access: Access = OPEN) -> bool:
    """Whether all nodes see each other alive and agree on one schema."""
    schemas: set[bytes | None] = set()
    try:
        for node in nodes:
            with _Connection(node, access) as connection:
                own = connection.query("SELECT schema_version FROM system.local")
                others = connection.query("SELECT schema_version FROM system.peers_v2")
                if len(others) != len(nodes) - 1:
                    return False
                schemas.update(row[0] for row in (*own, *others))
                # Every range has two copies, so this fails unless all nodes are alive.
                connection.query("SELECT session_id FROM system_traces.sessions LIMIT 1", ALL)
    except OSError:
        return False
    return len(schemas) == 1 and None not in schemas


def run_statement(node: Endpoint, statement: str, access: Access = OPEN) -> None:
    """Runs a statement and ignores its result; an error is raised as ``NodeError``."""
    with _Connection(node, access) as connection:
        connection.run(statement)


class _Connection:
    """A connection with one request at a time."""

    def __init__(self, node: Endpoint, access: Access) -> None:
        self._socket = socket.create_connection((node.address, node.port), PATIENCE)
        with contextlib.ExitStack() as undo:
            undo.callback(lambda: self._socket.close())
            if access.certificates is not None:
                context = access.certificates.context()
                # The nodes' certificate may be for other names, for clients to test.
                context.check_hostname = False
                self._socket = context.wrap_socket(self._socket)
            code, _ = self._request(STARTUP, b"\0\1" + _string("CQL_VERSION") + _string("3.0.0"))
            if code == AUTHENTICATE:
                user, password = access.credentials or ("", "")
                token = b"\0".join([b"", user.encode(), password.encode()])
                code, _ = self._request(AUTH_RESPONSE, struct.pack(">i", len(token)) + token)
            if code not in (READY, AUTH_SUCCESS):
                message = f"{node} replied to a login with opcode {code}"
                raise NodeError(message)
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def query(self, text: str, consistency: int = ONE) -> Rows:
        """The rows of a query, as bytes."""
        answer = self.run(text, consistency)
        try:
            return list(_rows(answer))
        except (IndexError, struct.error) as error:
            message = f"the reply to {text} is truncated"
            raise NodeError(message) from error

    def run(self, text: str, consistency: int = ONE) -> bytes:
        """Runs a statement; returns the body of the result."""
        statement = text.encode()
        body = struct.pack(">i", len(statement)) + statement + struct.pack(">HB", consistency, 0)
        code, answer = self._request(QUERY, body)
        if code != RESULT:
            message = f"opcode {code} in reply to {text}"
            raise NodeError(message)
        return answer

    def _request(self, code: int, body: bytes) -> tuple[int, bytes]:
        self._socket.sendall(HEADER.pack(4, 0, 0, code, len(body)) + body)
        _, _, _, opcode, size = HEADER.unpack(self._read(HEADER.size))
        if not 0 <= size <= LARGEST:
            message = f"invalid size of a reply: {size} bytes"
            raise NodeError(message)
        answer = self._read(size)
        if opcode == ERROR:
            # An error: its code, then its message with a length.
            message = answer[6:].decode(errors="replace")
            raise NodeError(message)
        return opcode, answer

    def _read(self, size: int) -> bytes:
        got = b""
        while len(got) < size:
            more = self._socket.recv(size - len(got))
            if not more:
                message = "the node closed the connection"
                raise NodeError(message)
            got += more
        return got


def _string(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


def _rows(answer: bytes) -> Iterator[tuple[bytes | None, ...]]:
    """Parses rows of columns without nested types, which is all that is needed here."""
    kind, flags, columns = struct.unpack_from(">iii", answer)
    if kind != ROWS:
        return
    at = 12
    # Keyspace and table, then each column's name and type number.
    for _ in range(2 if flags & 1 else 0):
        at += 2 + struct.unpack_from(">H", answer, at)[0]
    for _ in range(columns):
        at += 4 + struct.unpack_from(">H", answer, at)[0]
    (count,) = struct.unpack_from(">i", answer, at)
    at += 4
    for _ in range(count):
        row: list[bytes | None] = []
        for _ in range(columns):
            (size,) = struct.unpack_from(">i", answer, at)
            at += 4
            row.append(answer[at : at + size] if size >= 0 else None)
            at += max(size, 0)
        yield tuple(row)
