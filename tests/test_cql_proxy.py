"""The fault proxy, in front of an echo server."""

from __future__ import annotations

import select
import socket
import socketserver
import threading
import time
from typing import TYPE_CHECKING

import pytest

from spikewire.testing.cassandra import CqlProxy
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longer than anything here takes, unless it hangs.
PATIENCE = 60.0


class Echo(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        try:
            while data := self.request.recv(1 << 16):
                self.request.sendall(data)
        except ConnectionError:
            pass


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with Server(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def proxy(target: str) -> Iterator[CqlProxy]:
    with CqlProxy(target) as proxy:
        yield proxy


def connect(proxy: CqlProxy) -> socket.socket:
    host, _, port = proxy.address.partition(":")
    return socket.create_connection((host, int(port)), PATIENCE)


def read(client: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size and (more := client.recv(size - len(got))):
        got += more
    return got


def ask(client: socket.socket, data: bytes) -> bytes:
    client.sendall(data)
    return read(client, len(data))


def is_refused(proxy: CqlProxy) -> bool:
    """Whether a new connection is accepted, and cut before there is a reply."""
    try:
        with connect(proxy) as client:
            return ask(client, b"?") == b""
    except ConnectionResetError:
        return True


def test_forwards_and_counts_bytes(proxy: CqlProxy) -> None:
    large = bytes(range(256)) * 8192
    with connect(proxy) as client:
        sending = threading.Thread(target=client.sendall, args=(large,))
        sending.start()
        assert read(client, len(large)) == large
        sending.join()
        stats = proxy.stats()
        assert (stats["connections"], stats["connections_opened"]) == (1, 1)
        assert (stats["requests"], stats["replies"]) == (len(large), len(large))
        client.shutdown(socket.SHUT_WR)
        assert client.recv(1) == b""
    assert until(lambda: proxy.stats()["connections"] == 0)


@pytest.mark.parametrize("by", ["reset", "close"])
def test_cuts_in_the_middle_of_a_reply(proxy: CqlProxy, by: str) -> None:
    with connect(proxy) as client:
        assert ask(client, b"before") == b"before"
        proxy.inject("replies", cut=4, cut_by=by)  # type: ignore[arg-type]
        client.sendall(b"abcdefgh")
        assert read(client, 4) == b"abcd"
        if by == "close":
            assert client.recv(1) == b""
        else:
            with pytest.raises(ConnectionResetError):
                client.recv(1)
    assert proxy.stats()["struck"] == 1


def test_cuts_before_a_request_arrives(proxy: CqlProxy) -> None:
    proxy.inject("requests", cut=0)
    assert is_refused(proxy)
    assert proxy.stats()["requests"] == 0


def test_a_fault_occurs_the_requested_number_of_times(proxy: CqlProxy) -> None:
    proxy.inject("replies", cut=0, cut_by="close", times=1)
    with connect(proxy) as client:
        assert ask(client, b"one") == b""
    with connect(proxy) as client:
        assert ask(client, b"two") == b"two"


def test_corrupts_one_byte_wherever_pieces_end(proxy: CqlProxy) -> None:
    with connect(proxy) as client:
        assert ask(client, b"not counted") == b"not counted"
        proxy.inject("replies", corrupt=(5, 0x20))
        assert ask(client, b"abc") + ask(client, b"defgh") == b"abcdeFgh"
        assert ask(client, b"abcdef") == b"abcdef"
    with connect(proxy) as client:
        assert ask(client, b"abcdef") == b"abcdeF"


def test_drips_send_bytes_slowly(proxy: CqlProxy) -> None:
    proxy.inject("replies", drip=(1, 0.02))
    with connect(proxy) as client:
        began = time.monotonic()
        client.sendall(b"twenty bytes, slowly")
        assert read(client, 20) == b"twenty bytes, slowly"
        # However late this process reads: the last piece waited for those before it.
        assert time.monotonic() - began >= 19 * 0.02


def test_delays_and_keeps_the_order(proxy: CqlProxy) -> None:
    proxy.inject("replies", delay=0.5)
    with connect(proxy) as client:
        began = time.monotonic()
        for _ in range(10):
            client.sendall(b"ab")
            time.sleep(0.01)  # each piece is a delayed one of its own
        assert read(client, 20) == b"ab" * 10
        assert time.monotonic() - began >= 0.5


def test_delays_do_not_add_up(proxy: CqlProxy) -> None:
    proxy.inject("replies", delay=5)
    with connect(proxy) as client, ends_before(4 * 5):
        for _ in range(10):
            client.sendall(b"ab")
            time.sleep(0.05)  # each piece is a delayed one of its own
        assert read(client, 20) == b"ab" * 10


def test_swallows_replies_until_cleared(proxy: CqlProxy) -> None:
    proxy.inject("replies", swallow=True)
    with connect(proxy) as client:
        client.sendall(b"lost")
        assert until(lambda: proxy.stats()["swallowed"] == 4)
        proxy.clear()
        assert ask(client, b"found") == b"found"
    assert proxy.stats()["replies"] == 5


def test_holding_applies_backpressure(proxy: CqlProxy) -> None:
    with connect(proxy) as client:
        assert ask(client, b"open") == b"open"
        proxy.inject("requests", hold=True)
        client.setblocking(False)
        sent = 0
        # Until buffers have been full for a while.
        while select.select([], [client], [], 0.3)[1]:
            sent += client.send(bytes(1 << 16))
            assert sent < 1 << 28
        assert proxy.stats()["requests"] == 4
        client.settimeout(PATIENCE)
        proxy.clear()
        assert len(read(client, sent)) == sent


def test_rejects_only_new_connections(proxy: CqlProxy) -> None:
    with connect(proxy) as old:
        assert ask(old, b"old") == b"old"
        proxy.refuse("port")
        with pytest.raises(ConnectionRefusedError):
            connect(proxy)
        proxy.refuse("close")
        assert is_refused(proxy)
        proxy.refuse("silent")
        with connect(proxy) as silent:
            silent.sendall(b"later")
            assert ask(old, b"still") == b"still"
            proxy.refuse("never")
            assert read(silent, 5) == b"later"


def test_cuts_every_connection_at_once(proxy: CqlProxy) -> None:
    with connect(proxy) as one, connect(proxy) as two:
        for client in (one, two):
            assert ask(client, b"ok") == b"ok"
        proxy.cut()
        for client in (one, two):
            with pytest.raises(ConnectionResetError):
                client.recv(1)
    assert proxy.stats()["connections"] == 0


def test_a_node_that_is_down_resets_clients() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        with CqlProxy(f"127.0.0.1:{nobody.getsockname()[1]}") as proxy:
            assert is_refused(proxy)


def test_stopping_twice_does_nothing(target: str) -> None:
    proxy = CqlProxy(target)
    with connect(proxy) as client:
        assert ask(client, b"ok") == b"ok"
        proxy.stop()
        proxy.stop()
        with pytest.raises(ConnectionResetError):
            client.recv(1)
    with pytest.raises(OSError, match="stopped"):
        proxy.cut()


@pytest.mark.parametrize(
    ("faults", "error"),
    [
        ({"cuts": 3}, TypeError),
        ({"cut": -1}, ValueError),
        ({"delay": -1}, ValueError),
        ({"drip": (0, 1)}, ValueError),
        ({"corrupt": (0, 256)}, ValueError),
        ({"cut": 1, "cut_by": "magic"}, ValueError),
    ],
)
def test_invalid_faults_raise(
    proxy: CqlProxy, faults: dict[str, object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        proxy.inject("replies", **faults)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="direction"):
        proxy.inject("sideways")  # type: ignore[arg-type]
