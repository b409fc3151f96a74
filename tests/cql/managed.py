"""A managed cluster as Astra has them: real nodes behind a proxy that leads to each by the server
name of a connection, a metadata service, and the archive with which programs find both."""

from __future__ import annotations

import contextlib
import http.server
import importlib
import json
import selectors
import socket
import ssl
import threading
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Self

LOCALHOST = "127.0.0.1"


class Managed:
    """The proxy and the service in front of nodes, whose addresses are known by their ids."""

    def __init__(self, folder: Path, nodes: dict[str, str]) -> None:
        trustme: Any = importlib.import_module("trustme")
        self.nodes = nodes
        #: The server names of connections, in the order in which they came.
        self.names: list[str | None] = []
        #: What the service replies with, and how.
        self.metadata: Any = None
        self.status = 200
        self._ended = threading.Event()
        authority = trustme.CA()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # Of a name that no client knows.
        authority.issue_cert("proxy.example").configure_cert(self.context)
        authority.configure_trust(self.context)
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.context.sni_callback = self._note
        self._of_connection: dict[int, str | None] = {}
        self._listener = socket.create_server((LOCALHOST, 0))
        self._service = self._metadata_service()
        self.proxy = f"{LOCALHOST}:{self._listener.getsockname()[1]}"
        self.contact_info: dict[str, Any] = {
            "type": "sni_proxy",
            "local_dc": "dc1",
            "contact_points": list(nodes),
            "sni_proxy_address": self.proxy,
        }
        client = authority.issue_cert("client", common_name="client")
        self.entries = {
            "ca.crt": authority.cert_pem.bytes(),
            "cert": client.cert_chain_pems[0].bytes(),
            "key": client.private_key_pem.bytes(),
            "config.json": json.dumps(
                {"host": LOCALHOST, "port": self._service.server_address[1], "keyspace": "k"}
            ).encode(),
        }
        self.bundle = folder / "bundle.zip"
        self.write(self.bundle)

    def write(self, path: Path, **others: bytes | str | None) -> Path:
        """Writes the archive, with other entries or without some."""
        entries: dict[str, bytes | str | None] = {**self.entries, **others}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in entries.items():
                if content is not None:
                    archive.writestr(name, content)
        return path

    def names_so_far(self) -> list[str | None]:
        """The server names of connections, for programs in other languages."""
        return self.names

    def __enter__(self) -> Self:
        for target in (self._accept, self._service.serve_forever):
            threading.Thread(target=target, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        self._service.shutdown()
        self._service.server_close()
        self._listener.close()

    def _metadata_service(self) -> http.server.ThreadingHTTPServer:
        of = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != "/metadata":
                    return self.send_error(404)
                known = {"version": 1, "region": "local", "contact_info": of.contact_info}
                body = json.dumps(known).encode() if of.metadata is None else of.metadata
                self.send_response(of.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                return None

            def log_message(self, *_args: object) -> None:
                pass

        server = http.server.ThreadingHTTPServer((LOCALHOST, 0), Handler)
        server.socket = self.context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        return server

    def _note(self, connection: Any, name: str | None, _context: ssl.SSLContext) -> None:
        self._of_connection[id(connection)] = name

    def _accept(self) -> None:
        while not self._ended.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with (
            contextlib.suppress(OSError, ValueError),
            client,
            self.context.wrap_socket(client, server_side=True) as secured,
        ):
            name = self._of_connection.pop(id(secured), None)
            self.names.append(name)
            if name not in self.nodes:
                return
            host, _, port = self.nodes[name].rpartition(":")
            with socket.create_connection((host, int(port))) as node:
                relay(secured, node)


def relay(secured: ssl.SSLSocket, node: socket.socket) -> None:
    """Passes bytes on in both directions until either side ends; one thread uses a TLS socket."""
    node.setblocking(False)
    secured.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(secured, selectors.EVENT_READ)
        selector.register(node, selectors.EVENT_READ)
        while True:
            if not secured.pending():
                selector.select(1)
            for source, target in ((secured, node), (node, secured)):
                try:
                    data = source.recv(1 << 16)
                except (BlockingIOError, ssl.SSLWantReadError):
                    continue
                if not data:
                    return
                target.setblocking(True)
                target.sendall(data)
                target.setblocking(False)


@contextlib.contextmanager
def managed(folder: Path, addresses: list[str]) -> Iterator[Managed]:
    """These nodes, managed."""
    import pytest

    from spikewire import cql

    pytest.importorskip("trustme")
    nodes = {}
    for address in addresses:
        with cql.Session(address, timeout=60) as session:
            row: Any = session.execute(
                "SELECT host_id FROM system.local", node=address, consistency="one"
            ).one()
            nodes[str(row["host_id"])] = address
    with Managed(folder, nodes) as cluster:
        yield cluster
