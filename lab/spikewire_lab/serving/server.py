"""The serving process: uvicorn with one worker on a loopback port chosen by the system."""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import importlib
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from ..clients import PEERS
from ..worker.run import describe_python
from .apps import Service, asgi, fastapi
from .cells import ASGI

if TYPE_CHECKING:
    from .result import ServingJob, ServingReport

SAY, SERVING = 2, "serving"
"""The parent process reads the port from its standard error."""
LOOK_EVERY = 0.2
IDLE_SECONDS = 3600
"""Connections are closed by their users, not because a user pauses between requests."""


def serve(job: ServingJob) -> ServingReport:
    """Serves until this process is told to end, or the process that started it has ended."""
    uvicorn: Any = importlib.import_module("uvicorn")
    if job["cpus"]:
        os.sched_setaffinity(0, job["cpus"])
    service = Service(job)
    app = asgi(service) if job["environment"] == ASGI else fastapi(service)
    config = uvicorn.Config(
        app,
        host="127.0.0.1",
        port=0,
        loop="asyncio",
        http="httptools",
        lifespan="on",
        log_level="error",
        access_log=False,
        timeout_keep_alive=IDLE_SECONDS,
    )
    server = uvicorn.Server(config)
    # uvicorn re-raises the signal once it has shut down, which would kill this process.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: None)
    # uvicorn creates the socket: one that is passed to it would lack TCP_NODELAY.
    threading.Thread(target=_say, args=(server,), daemon=True).start()
    threading.Thread(target=_orphaned, args=(server, os.getppid()), daemon=True).start()
    try:
        server.run()
    except SystemExit as error:
        # Its way to report that the application did not start.
        raise RuntimeError(service.startup_error or f"uvicorn ended with {error.code}") from None
    return {
        "version": PEERS[job["client"]].version(),
        "python": describe_python(),
        "answered": service.answered,
    }


def _say(server: Any) -> None:
    while not server.started and not server.should_exit:
        time.sleep(0.01)
    if server.started:
        port = server.servers[0].sockets[0].getsockname()[1]
        os.write(SAY, f"{SERVING} {port}\n".encode())


def _orphaned(server: Any, parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    server.should_exit = True
