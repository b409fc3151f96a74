"""Lets several processes wait for each other, so that all are under load at the same time."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from ..series.lines import say

if TYPE_CHECKING:
    from ..contract.cql import CqlJob
    from ..contract.result import Job
    from ..measure import Window

NS = 1_000_000_000
SETTLING = 0.25
"""Seconds from the end of the warm-up to the opening of the window, for its last calls to end."""
GONE = "another process failed"


def meet(job: Job | CqlJob, window: Window) -> None:
    """Returns when all processes of the job may begin; their windows will open at the same instant.
    A job with one process, or whose processes have met before, does not wait.

    Raises:
        RuntimeError: another process will not arrive.
    """
    if job.get("processes", 1) == 1 or window.opens is not None:
        return
    begin = _begin_instant(job)
    if "open" in job:
        # The warm-up takes longer for a client that does not keep up: the processes meet once more.
        window.opens = lambda: _begin_instant(job)
    else:
        opening = begin + round((job["warmup"] + SETTLING) * NS)
        window.opens = lambda: opening
    # This clock is the same in all processes of a machine.
    time.sleep(max(0, begin - time.perf_counter_ns()) / NS)


def _begin_instant(job: Job | CqlJob) -> int:
    """The instant that all processes are given when the last of them is ready."""
    say({"ready": job.get("part", 0)})
    line = sys.stdin.readline().strip()
    if not line:
        raise RuntimeError(GONE)
    return int(line)
