"""Interrupts while the lab starts an embedded cluster: no process is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

STARTS = 30
#: Seconds until the latest interrupt.
LATEST = 0.2
#: Starts a cluster for each line of input, and reports what an interrupt left of it.
STARTER = """
import os, signal, sys, time
from spikewire_lab.run.cluster import EmbeddedCluster

signal.signal(signal.SIGINT, signal.default_int_handler)
SILENT = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"]

for _ in sys.stdin:
    cluster = EmbeddedCluster(1, "test", command=SILENT)
    try:
        print("starting", flush=True)
        # It waits for a word of the server by itself.
        cluster.__enter__()
    except KeyboardInterrupt:
        pass
    try:
        os.waitpid(-1, os.WNOHANG)
    except ChildProcessError:
        print("nothing", flush=True)
    else:
        print("a child", flush=True)
"""


def test_interrupted_at_any_moment_no_process_is_lost() -> None:
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", STARTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdin is not None
        assert starter.stdout is not None
        try:
            for number in range(STARTS):
                starter.stdin.write("\n")
                starter.stdin.flush()
                assert starter.stdout.readline() == "starting\n"
                # From immediately to when it runs, at shorter intervals in the beginning.
                time.sleep(LATEST * (number / STARTS) ** 3)
                starter.send_signal(signal.SIGINT)
                first_line = starter.stdout.readline()
                assert first_line == "nothing\n", (number, starter.communicate(timeout=60))
            _, text = starter.communicate(timeout=60)
        finally:
            starter.kill()
    assert (starter.returncode, text) == (0, "")
