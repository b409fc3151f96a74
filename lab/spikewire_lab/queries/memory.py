"""The resident memory of this process over time."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from .. import measure

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

EVERY = 0.1
"""Seconds between two points."""


class Curve:
    """Samples the memory in a thread for the duration of the `with` block. The peak is exact if the
    system records it, whatever happens between two samples. Free memory is returned to the system
    first: allocations that fit into memory that the process already holds would not show."""

    def __init__(self) -> None:
        self.start = 0
        self.peak = 0
        self.exact = False
        """Whether the peak is the system's; if not, it is the highest sample."""
        self.points: list[tuple[float, int]] = []
        """Seconds since the start, and resident bytes; empty if the system reports none."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Self:
        measure.give_back()
        self._forgotten, self._earlier = measure.forget_peak(), measure.peak_rss()
        held = measure.rss()
        self.start = self._earlier if self._forgotten or held is None else held
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        peak = measure.peak_rss()
        # A peak that could not be reset is meaningful once it has been exceeded.
        self.exact = self._forgotten or peak > self._earlier
        seen = [self.start, *(size for _, size in self.points)]
        self.peak = max([peak, *seen] if self.exact else seen)

    @property
    def grown(self) -> int:
        """Bytes from the start to the peak."""
        return max(0, self.peak - self.start)

    def _sample(self) -> None:
        began, statm = time.perf_counter(), Path("/proc/self/statm")
        page = os.sysconf("SC_PAGE_SIZE")
        while True:
            try:
                pages = int(statm.read_text().split()[1])
            except OSError:
                return
            self.points.append((round(time.perf_counter() - began, 3), pages * page))
            if self._stop.wait(EVERY):
                return
