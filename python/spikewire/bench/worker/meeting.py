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
    """Comes back when all processes of the job may begin; their windows will open at the same
    instant. Of a job in one process, or where they have met before, nothing is waited for.

    Raises:
        RuntimeError: another process will not come.
    """
    if job.get("processes", 1) == 1 or window.opens is not None:
        return
    begin = _told(job)
    if "open" in job:
        # What comes before takes longer where a client does not keep up: they meet once more.
        window.opens = lambda: _told(job)
    else:
        opening = begin + round((job["warmup"] + SETTLING) * NS)
        window.opens = lambda: opening
    # This clock is the same in all processes of a machine.
    time.sleep(max(0, begin - time.perf_counter_ns()) / NS)


def _told(job: Job) -> int:
    """The instant that all processes are told when the last of them has said that it is ready."""
    say({"ready": job.get("part", 0)})
    told = sys.stdin.readline().strip()
    if not told:
        raise RuntimeError(GONE)
    return int(told)
