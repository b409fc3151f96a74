"""Flask on the blocking client, under gunicorn with several processes and threads.

Run it with ``gunicorn --preload --workers 2 --threads 4 flask_service:app`` and ``SEEDS`` in the
environment. Run as a script, it starts that and makes a few requests. The client may be created
before the fork, as with ``--preload``: each worker opens its own connections on first use, and all
of its threads share them.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import seeds
from flask import Flask

import spikewire
from spikewire import op


def make(where: str) -> Flask:
    """The application on a cluster."""
    client = spikewire.Client(where, timeout=5)
    visits = client.dataset("test", "visits")
    app = Flask(__name__)

    def visit(name: str) -> Any:
        record = visits.operate(name, [op.add("n", 1), op.get("n")], ttl=86_400)
        return {"name": name, "visits": record["n"], "process": os.getpid()}

    app.add_url_rule("/visits/<name>", view_func=visit, methods=["POST"])
    return app


def main(where: str) -> None:
    """Starts gunicorn on a free port, and sends it requests."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    host, port = listener.getsockname()[:2]
    command = [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--threads", "4"]
    command += ["--bind", f"fd://{listener.fileno()}", "--log-level", "error"]
    server = subprocess.Popen(
        [*command, "flask_service:app"],
        cwd=Path(__file__).parent,
        env=os.environ | {"SEEDS": where},
        pass_fds=[listener.fileno()],
    )

    def visit(_: int) -> dict[str, Any]:
        request = urllib.request.Request(f"http://{host}:{port}/visits/alice", method="POST")
        # The kernel keeps the first ones until the server accepts them.
        with urllib.request.urlopen(request, timeout=50) as answer:
            visits: dict[str, Any] = json.load(answer)
            return visits

    try:
        with ThreadPoolExecutor(8) as users:
            replies = list(users.map(visit, range(80)))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
        listener.close()
    print("counts", sorted(one["visits"] for one in replies) == list(range(1, 81)))
    print(f"answered by {len({one['process'] for one in replies})} processes")


if __name__ == "__main__":
    with seeds.find() as where:
        main(where)
elif "SEEDS" in os.environ:
    app = make(os.environ["SEEDS"])
