"""Ends servers of a lab that was killed: a process of its own waits for the lab to end."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_WATCH = """
import os, signal, sys, time
def born(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[19]
    except OSError:
        return None
known = {int(pid): born(int(pid)) for pid in sys.argv[1:]}
print(flush=True)
if sys.stdin.readline():
    sys.exit()
for number in (signal.SIGTERM, signal.SIGKILL):
    for pid, when in known.items():
        if when is not None and born(pid) == when:
            os.kill(pid, number)
    time.sleep(5)
"""


@contextlib.contextmanager
def guarded(pids: Sequence[int]) -> Generator[None]:
    """Has these processes ended if this one dies before the block is over, however that happens."""
    process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
        [sys.executable, "-S", "-c", _WATCH, *map(str, pids)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdout.readline()
            yield
        finally:
            process.kill()
