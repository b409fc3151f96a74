"""The resident memory of this process over time, sampled by a thread."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

NS = 1_000_000_000


def resident() -> int | None:
    """Bytes; None if the system does not report them."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


class Memory:
    """The memory at the end of each interval."""

    def __init__(self, interval: int) -> None:
        """The interval is in nanoseconds."""
        self.held: list[int] = []
        self._interval = interval
        self._began = 0
        self._begun, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="bench-memory", daemon=True)

    def start(self) -> None:
        """Starts the thread, which waits for `begin`."""
        if resident() is not None:
            self._thread.start()

    def begin(self, instant: int) -> None:
        """The start is a value of `time.perf_counter_ns`."""
        self._began = instant
        self._begun.set()

    def end(self) -> None:
        self._over.set()
        self._begun.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        self._begun.wait()
        while True:
            due = self._began + (len(self.held) + 1) * self._interval
            if self._over.wait(max(0, due - time.perf_counter_ns()) / NS):
                return
            self.held.append(resident() or 0)
