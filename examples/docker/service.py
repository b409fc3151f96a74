"""A service on both databases, for the image of this folder: it counts visits and logs them.

    GET /live            200 as long as the process answers
    GET /ready           200 when both databases can be reached, else 503 and what is missing
    GET /visits/NAME     adds a visit; returns their number (Aerospike), the last times (Cassandra)

``SPIKEWIRE_AEROSPIKE_URL`` and ``SPIKEWIRE_CQL_URL`` say where the databases are, ``PORT`` where it
listens (default: 8000). It starts before the databases do, and ends by itself on SIGTERM.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, TypeVar

import spikewire
from spikewire import cql, op
from spikewire.cql import errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

Opened = TypeVar("Opened", spikewire.Client, cql.Session)

#: Seconds between two attempts to reach a database that is not there yet.
PAUSE = 1.0

SCHEMA = (
    """
    CREATE KEYSPACE IF NOT EXISTS visits
    WITH replication = {'class': 'NetworkTopologyStrategy', 'replication_factor': 1}
    """,
    """
    CREATE TABLE IF NOT EXISTS visits.log (name text, at timestamp, PRIMARY KEY (name, at))
    WITH CLUSTERING ORDER BY (at DESC)
    """,
)


class Databases:
    """Both clients, each from the moment when its database can be reached."""

    def __init__(self) -> None:
        self.aerospike: spikewire.Client | None = None
        self.cassandra: cql.Session | None = None
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._open_aerospike),
            threading.Thread(target=self._open_cassandra),
        ]
        for thread in self._threads:
            thread.start()

    def _until_opened(self, opened: Callable[[], Opened]) -> Opened | None:
        while not self._closing.is_set():
            try:
                return opened()
            except (spikewire.Error, errors.Error) as error:  # noqa: PERF203
                print(f"not yet: {error}", flush=True)
                self._closing.wait(PAUSE)
        return None

    def _open_aerospike(self) -> None:
        self.aerospike = self._until_opened(spikewire.Client.from_url)

    def _open_cassandra(self) -> None:
        def opened() -> cql.Session:
            session = cql.Session.from_url()
            try:
                for statement in SCHEMA:
                    session.execute(statement)
            except errors.Error:
                session.close()
                raise
            return session

        self.cassandra = self._until_opened(opened)

    def missing(self) -> list[str]:
        """The databases that cannot be reached now."""
        reached = {
            "aerospike": self.aerospike is not None and self.aerospike.is_connected,
            "cassandra": self.cassandra is not None and any(n.up for n in self.cassandra.nodes),
        }
        return [name for name, there in reached.items() if not there]

    def visit(self, name: str) -> dict[str, object]:
        """Counts a visit and writes it to the log."""
        assert self.aerospike is not None
        assert self.cassandra is not None
        counts = self.aerospike.dataset("test", "visits")
        record = counts.operate(name, [op.add("n", 1), op.get("n")])
        self.cassandra.execute(
            "INSERT INTO visits.log (name, at) VALUES (?, toTimestamp(now()))", (name,)
        )
        last = self.cassandra.execute("SELECT at FROM visits.log WHERE name = ? LIMIT 3", (name,))
        return {"name": name, "visits": record["n"], "last": [row.at.isoformat() for row in last]}

    def close(self) -> None:
        """Closes what is open, and stops waiting for what is not."""
        self._closing.set()
        for thread in self._threads:
            thread.join()
        if self.aerospike is not None:
            self.aerospike.close()
        if self.cassandra is not None:
            self.cassandra.close()


class Requests(BaseHTTPRequestHandler):
    """The paths of the module's first lines."""

    databases: Databases

    def do_GET(self) -> None:
        """Answers with JSON."""
        status, body = self._answer()
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _answer(self) -> tuple[int, dict[str, object]]:
        if self.path == "/live":
            return 200, {"live": True}
        missing = self.databases.missing()
        if self.path == "/ready":
            return (503, {"missing": missing}) if missing else (200, {"ready": True})
        folder, _, name = self.path.strip("/").partition("/")
        if folder != "visits" or not name:
            return 404, {"error": "there are /live, /ready and /visits/NAME"}
        if missing:
            return 503, {"missing": missing}
        try:
            return 200, self.databases.visit(name)
        except (spikewire.Error, errors.Error) as error:
            return 503, {"error": str(error)}


class Server(ThreadingHTTPServer):
    """Waits, when it is closed, for the requests that run."""

    daemon_threads = False


def main() -> None:
    """Serves until SIGTERM or Ctrl-C."""
    databases = Databases()
    Requests.databases = databases
    address = ("", int(os.environ.get("PORT", "8000")))
    with Server(address, Requests) as server:

        def stop(_number: int, _frame: FrameType | None) -> None:
            # In a thread of its own: shutdown() waits for the loop that the signal interrupts.
            threading.Thread(target=server.shutdown).start()

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        print(f"listening on port {address[1]}", flush=True)
        server.serve_forever()
    databases.close()


if __name__ == "__main__":
    main()
