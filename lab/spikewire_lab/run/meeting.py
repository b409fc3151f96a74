"""Where several processes under load at the same time wait for each other."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from typing import IO, TYPE_CHECKING

from .cluster import stop_process

if TYPE_CHECKING:
    import subprocess

NS = 1_000_000_000


SOON = 0.05
"""Seconds from when all processes are prepared until all begin."""


class Meeting:
    """Where processes wait for each other, each handled by a thread of the lab; can be used
    repeatedly."""

    def __init__(self, processes: int) -> None:
        self._gate = threading.Barrier(processes, action=self._agree)
        self._instant = 0
        self._lock = threading.Lock()
        self._children: list[subprocess.Popen[str]] = []

    def _agree(self) -> None:
        self._instant = time.perf_counter_ns() + round(SOON * NS)

    def joined(self, child: subprocess.Popen[str]) -> None:
        with self._lock:
            self._children.append(child)

    def reached(self, child: IO[str]) -> None:
        """A process is prepared. Returns when to begin, on the clock that all of them share, or
        that the others will not arrive."""
        with suppress(OSError):
            try:
                self._gate.wait()
            except threading.BrokenBarrierError:
                child.close()
                return
            child.write(f"{self._instant}\n")
            child.flush()

    def missed(self) -> None:
        """One of the processes will not arrive."""
        self._gate.abort()

    def stop(self) -> None:
        self.missed()
        with self._lock:
            for child in self._children:
                stop_process(child)
