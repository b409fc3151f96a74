"""A proxy before a Cassandra node that meets each request, for version 4 of the protocol without
compression.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Literal

from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from typing_extensions import Self

    #: What happens to a request with this opcode and body: it is passed on, held for ever, or
    #: answered with an error with this body.
    Meets = Callable[[int, bytes], Literal["pass", "hold"] | bytes]

QUERY, PREPARE, EXECUTE = 7, 9, 10
UNPREPARED = 0x2500

#: Options of sessions whose frames the proxy understands.
PLAIN = {"protocol_version": 4, "compression": None}


class FrameProxy:
    """A proxy before the node at ``target``; ``meets`` is called for each request, in threads."""

    def __init__(self, target: str, meets: Meets) -> None:
        host, _, port = target.rpartition(":")
        self._target, self._meets = (host, int(port)), meets
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                node = socket.create_connection(self._target)
                self._sockets += [client, node]
                lock = threading.Lock()
                for work in (self._requests, self._replies):
                    threading.Thread(target=work, args=(client, node, lock), daemon=True).start()

    def _requests(self, client: socket.socket, node: socket.socket, lock: threading.Lock) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                header, body = _frame(client)
                what = self._meets(header[4], body)
                if what == "pass":
                    node.sendall(header + body)
                elif isinstance(what, bytes):
                    head = b"\x84\x00" + header[2:4] + b"\x00" + struct.pack(">i", len(what))
                    with lock:
                        client.sendall(head + what)

    def _replies(self, client: socket.socket, node: socket.socket, lock: threading.Lock) -> None:
        with contextlib.suppress(OSError, EOFError):
            while True:
                header, body = _frame(node)
                with lock:
                    client.sendall(header + body)

    def close(self) -> None:
        for one in [self._listener, *self._sockets]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class ForgetfulNode(FrameProxy):
    """A node of canned replies that forgets its prepared statements once it is told to, and never
    finishes preparing one again: ``held`` is set when it was asked for that.
    """

    def __init__(self) -> None:
        self._server = CannedServer()
        self._forgets = False
        self.held = threading.Event()
        super().__init__(self._server.address, self._meet)

    def forget(self) -> None:
        self._forgets = True

    def _meet(self, opcode: int, body: bytes) -> Literal["pass", "hold"] | bytes:
        if self._forgets and opcode == EXECUTE:
            known = body[: 2 + int.from_bytes(body[:2], "big")]
            return struct.pack(">iH", UNPREPARED, 0) + known
        if self._forgets and opcode == PREPARE:
            self.held.set()
            return "hold"
        return "pass"

    def close(self) -> None:
        super().close()
        self._server.stop()


def _frame(of: socket.socket) -> tuple[bytes, bytes]:
    header = _exactly(of, 9)
    return header, _exactly(of, int.from_bytes(header[5:], "big"))


def _exactly(of: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        piece = of.recv(count - len(got))
        if not piece:
            raise EOFError
        got += piece
    return got
