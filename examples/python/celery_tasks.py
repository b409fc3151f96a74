"""Celery with a prefork pool: each worker process has a client, shared by all of its tasks.

Run it with ``celery --app celery_tasks worker --pool prefork`` and ``SEEDS`` in the environment.
Run as a script, it starts that with two processes and a file-based broker, and sends some tasks.

Two clients show the two ways. ``counters`` is opened by the signal ``worker_process_init``, in each
process after its fork, and closed by ``worker_process_shutdown``. ``early`` is opened when this
module is imported, that is, before the fork, which is easily done and not a mistake: each process
connects again on its first call, and the parent's connections and threads are unaffected.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import seeds
from celery import Celery, group, signals

import spikewire
from spikewire import op


def configured(folder: str) -> Celery:
    """The application: tasks and results are exchanged through a folder."""
    app = Celery("celery_tasks", broker="filesystem://", backend=f"file://{folder}")
    app.conf.broker_transport_options = {
        "data_folder_in": folder,
        "data_folder_out": folder,
        "control_folder": folder,
        "polling_interval": 0.05,
    }
    app.conf.worker_prefetch_multiplier = 1
    return app


def make(where: str, folder: str) -> Celery:
    """The application as workers use it, with clients and tasks."""
    app = configured(folder)
    early = spikewire.Client(where, timeout=10)
    clients = {"early": early}

    def opened(**_: Any) -> None:
        clients["own"] = spikewire.Client(where, timeout=10)

    def closed(**_: Any) -> None:
        clients["own"].close()
        early.close()

    # Signals hold receivers weakly by default.
    signals.worker_process_init.connect(opened, weak=False)
    signals.worker_process_shutdown.connect(closed, weak=False)

    def count(name: str) -> dict[str, Any]:
        records = clients[name].dataset("test", "counts")
        record = records.operate(name, [op.add("n", 1), op.get("n")])
        return {"n": record["n"], "process": os.getpid()}

    app.task(name="count")(count)
    return app


def main(where: str, folder: str) -> None:
    """Starts a worker, sends tasks, and collects their results."""
    command = [sys.executable, "-m", "celery", "--app", "celery_tasks", "--quiet", "worker"]
    command += ["--pool", "prefork", "--concurrency", "2", "--loglevel", "ERROR"]
    command += ["--without-heartbeat", "--without-gossip", "--without-mingle"]
    environment = os.environ | {"SEEDS": where, "FOLDER": folder, "PYTHONWARNINGS": "ignore"}
    worker = subprocess.Popen(command, cwd=Path(__file__).parent, env=environment)
    try:
        app = configured(folder)
        calls = group(app.signature("count", args=[name]) for name in ["early", "own"] * 20)
        results = calls.apply_async().get(timeout=50, interval=0.05)
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(30)
    for name, outcomes in (("early", results[::2]), ("own", results[1::2])):
        counts = sorted(one["n"] for one in outcomes)
        processes = {one["process"] for one in outcomes}
        print(
            name, "counted", counts == list(range(1, 21)), "in forks", worker.pid not in processes
        )


if __name__ == "__main__":
    with seeds.find() as where, tempfile.TemporaryDirectory() as folder:
        main(where, folder)
elif "SEEDS" in os.environ:
    app = make(os.environ["SEEDS"], os.environ["FOLDER"])
