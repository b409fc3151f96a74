"""Where one of several processes waits for the others, so that all are under load together."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ..series.lines import say

if TYPE_CHECKING:
    from ..measure import Window
    from ..result import Job

NS = 1_000_000_000
SETTLING = 0.25
"""Seconds from the end of the warm-up to the opening of the window, for its last calls to end."""
GONE = "another process failed"


def meet(job: Job, window: Window) -> None:
    """Comes back when all processes of the job may warm up; their windows will open at the same
    instant. Of a job in one process nothing is waited for.

    Raises:
        RuntimeError: another process will not come.
    """
    if job.get("processes", 1) == 1:
        return
    say({"ready": job.get("part", 0)})
    told = sys.stdin.readline().strip()
    if not told:
        raise RuntimeError(GONE)
    begin = int(told)
    window.opens = begin + round((job["warmup"] + SETTLING) * NS)
    # This clock is the same in all processes of a machine.
    time.sleep(max(0, begin - time.perf_counter_ns()) / NS)
