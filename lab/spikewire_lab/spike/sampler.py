"""The processor time and the memory of this process over time, sampled by a thread."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING

from ..series.memory import resident

if TYPE_CHECKING:
    from typing_extensions import Self

NS = 1_000_000_000


class Sampler:
    """Samples at the end of each interval, from an instant of `time.perf_counter_ns` on."""

    def __init__(self, began: int, interval: float) -> None:
        self._began, self._interval = began, interval
        self._over = threading.Event()
        self._used: list[tuple[float, float]] = []
        self.rss: list[int] = []
        self._thread = threading.Thread(target=self._run, name="bench-sampler", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def cpu(self) -> list[float]:
        """Processors that were used in each interval."""
        return [
            round((used - before) / max(now - then, 1e-9), 4)
            for (then, before), (now, used) in pairwise(self._used)
        ]

    def _run(self) -> None:
        at = 0
        while True:
            wait = self._began / NS + at * self._interval - time.perf_counter()
            if self._over.wait(max(0.0, wait)):
                return
            self._used.append((time.perf_counter(), time.process_time()))
            if at:
                self.rss.append(resident() or 0)
            at += 1
