"""The server of ``start_metrics_server``."""

from __future__ import annotations

import logging
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["server_of"]


def server_of(port: int, text: Callable[[], str]) -> ThreadingHTTPServer:
    """A server on every address of this machine, whose ``/metrics`` is this text. It listens, and
    answers once ``serve_forever`` runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404)
                return
            body = text().encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            logging.getLogger("aerospike_py").debug(format, *args)

    server = ThreadingHTTPServer(("", port), Handler)
    server.daemon_threads = True
    return server
