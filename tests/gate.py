"""A gate in front of a server: it holds back what one connection sends, while others pass, or all
replies.

With it, a test decides which of two requests on different connections arrives first, and what is
sent before the reply to an earlier request.
"""

from __future__ import annotations

import contextlib
import socket
import threading


class Gate:
    """Forwards connections to a server. While it is armed, it holds the next one that sends, until
    that one sends again."""

    def __init__(self, target: tuple[str, int], host: str = "127.0.0.1", port: int = 0) -> None:
        self._target = target
        self._listener = socket.create_server((host, port), backlog=128)
        self.port: int = self._listener.getsockname()[1]
        #: How often another connection sent something while one was held.
        self.overtaken = 0
        self._changed = threading.Condition()
        self._is_armed = False
        #: How often these bytes were sent since the replies are held.
        self.sent = 0
        self._counted = b"\0"
        self._replies_pass = threading.Event()
        self._replies_pass.set()
        #: The connection that is held, its server, and what it sent.
        self._held: tuple[socket.socket, socket.socket, bytes] | None = None
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self) -> None:
        """Holds what the next connection sends."""
        with self._changed:
            self._is_armed = True

    def wait_until_held(self) -> None:
        """Returns when something is held."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._held is not None, 60)

    def release(self) -> None:
        """Lets everything pass."""
        with self._changed:
            held, self._held, self._is_armed = self._held, None, False
        if held is not None:
            held[1].sendall(held[2])

    def hold_replies(self, counted: bytes) -> None:
        """Holds all replies; requests pass, and those with these bytes are counted."""
        with self._changed:
            self.sent, self._counted = 0, counted
        self._replies_pass.clear()

    def wait_until_sent(self, times: int, limit: float = 60) -> bool:
        """Whether there are so many such requests within a limit in seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self.sent >= times, limit)

    def release_replies(self) -> None:
        """Lets replies pass."""
        self._replies_pass.set()

    def close(self) -> None:
        self.release()
        self.release_replies()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            one.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open += [client, server]
                threading.Thread(target=self._requests, args=(client, server), daemon=True).start()
                threading.Thread(target=self._replies, args=(client, server), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := client.recv(1 << 16):
                with self._changed:
                    if self._is_armed and self._held is None:
                        self._held = (client, server, some)
                        self._changed.notify_all()
                        continue
                    if self._held is not None and self._held[0] is not client:
                        self.overtaken += 1
                    elif self._held is not None:
                        some = self._held[2] + some
                        self._held, self._is_armed = None, False
                    self.sent += some.count(self._counted)
                    self._changed.notify_all()
                server.sendall(some)
            server.shutdown(socket.SHUT_WR)

    def _replies(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := server.recv(1 << 16):
                self._replies_pass.wait()
                client.sendall(some)
            client.shutdown(socket.SHUT_WR)
