"""The process that owns a shared cluster.

    python -m spikewire.testing.cassandra.owner FOLDER OPTIONS

It holds the lock that was passed to it, publishes how to reach the cluster or why it could not be
started, and executes calls that arrive on a socket as lines of JSON. When no user is left, it ends
the cluster and exits.
"""

from __future__ import annotations

import json
import socketserver
import sys
import tempfile
import threading
import time
from dataclasses import astuple
from pathlib import Path
from typing import Any

from spikewire.testing.cassandra.cluster import CassandraCluster
from spikewire.testing.cassandra.locks import hold, is_held
from spikewire.testing.cassandra.shared_cluster import DOOR, STATE, USERS

__all__ = ["main"]

#: How often to check for users, in seconds.
INTERVAL = 0.25
#: The methods that may be called.
CALLS = frozenset(
    ("freeze", "heal", "is_alive", "kill", "pid", "start", "stop", "thaw", "wait_settled")
)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = True

    def __init__(self, path: str, cluster: CassandraCluster) -> None:
        super().__init__(path, _Handler)
        self.cluster = cluster


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        assert isinstance(self.server, _Server)
        try:
            name, *arguments = json.loads(self.rfile.readline())
            if name not in CALLS:
                message = f"no such call: {name!r}"
                raise ValueError(message)
            reply = {"result": getattr(self.server.cluster, name)(*arguments)}
        except Exception as error:  # noqa: BLE001 - passed to the caller
            reply = _failure(error)
        self.wfile.write(json.dumps(reply).encode() + b"\n")


def main(arguments: list[str]) -> int:
    """Owns a cluster until no process uses it."""
    folder = Path(arguments[0])
    options = json.loads(arguments[1])
    try:
        cluster = CassandraCluster(options.pop("nodes"), progress=_say, **options)
    except Exception as error:
        _publish(folder, _failure(error))
        raise
    # The path of a socket must be short, unlike the folder's.
    with cluster, tempfile.TemporaryDirectory(prefix="spikewire-") as short:
        path = f"{short}/owner"
        with _Server(path, cluster) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            certificates = cluster.certificates
            state = {
                "socket": path,
                "endpoints": [
                    [one.address, one.port, one.storage_port] for one in cluster.endpoints
                ],
                "credentials": cluster.credentials,
                "certificates": [str(file) for file in astuple(certificates)]
                if certificates
                else None,
                "logs": [str(log) for log in cluster.logs],
            }
            _publish(folder, state)
            while not _is_left(folder):
                time.sleep(INTERVAL)
            server.shutdown()
    return 0


def _is_left(folder: Path) -> bool:
    """Whether no process uses it; if so, no further one is admitted."""
    if not folder.is_dir():
        return True
    if is_held(folder / USERS):
        return False
    with hold(folder / DOOR, 3600):
        if is_held(folder / USERS):
            return False
        (folder / STATE).unlink(missing_ok=True)
        return True


def _publish(folder: Path, state: dict[str, Any]) -> None:
    """Writes the state atomically."""
    part = folder / f"{STATE}.part"
    part.write_text(json.dumps(state))
    part.rename(folder / STATE)


def _failure(error: Exception) -> dict[str, Any]:
    return {"failed": str(error), "kind": type(error).__name__}


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
