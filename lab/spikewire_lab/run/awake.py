"""Keeps processors from idling while clients are measured.

On virtual processors, waking an idle one costs the program that wakes it as much as several
requests, and how often that happens depends on what else the machine does. A process of the idle
scheduling class on each processor prevents it: it runs only when nothing else wants to.

Where Linux groups processes by session (`sched_autogroup_enabled`, see sched(7)), sessions are
weighed first: the class then has no effect on processes of other sessions, so the session itself
has to be given the lowest weight.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from .cluster import stop_process

if TYPE_CHECKING:
    from collections.abc import Generator

_LOOP = """
import os, sys
parent, processor = map(int, sys.argv[1:])
os.sched_setaffinity(0, [processor])
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
os.nice(19)
if os.path.exists("/proc/self/autogroup"):
    with open("/proc/self/autogroup", "w") as session:
        session.write("19")
print(flush=True)
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@contextlib.contextmanager
def awake(enabled: bool = True) -> Generator[int]:
    """Keeps every processor that this process may use busy at the lowest priority; returns their
    number. The processes end with the block, or with this process.

    Raises:
        RuntimeError: the system has no such scheduling class.
    """
    if not enabled:
        yield 0
        return
    if not hasattr(os, "SCHED_IDLE"):
        raise RuntimeError("--keep-awake needs processes of the idle class, which Linux has")
    with contextlib.ExitStack() as stack:
        processors = sorted(os.sched_getaffinity(0))
        for processor in processors:
            process = stack.enter_context(_spinning(processor))
            assert process.stdout is not None
            if not process.stdout.readline():
                raise RuntimeError(f"processor {processor} could not be kept awake")
        yield len(processors)


@contextlib.contextmanager
def _spinning(processor: int) -> Generator[subprocess.Popen[str]]:
    process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
        [sys.executable, "-S", "-c", _LOOP, str(os.getpid()), str(processor)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            stop_process(process)
