"""Instruction counts of calls with callgrind, which are reproducible, unlike CPU time.

Used by benchmarks that run as `python script.py --seeds ... --only name:which:count`: such a
process makes so many calls, and what each costs is the difference of two such processes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["instructions", "server"]

SERVE = """
import sys, spikewire
with spikewire.testing.Cluster(nodes=1) as cluster:
    print(cluster.seeds, flush=True)
    sys.stdin.read()
"""


@contextmanager
def server() -> Iterator[str]:
    """Starts the embedded cluster in a process of its own; yields its seeds."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait(20)


def instructions(command: list[str], case: str, few: int, rows: int) -> float:
    """Thousands of instructions that a call takes, or each of its rows. `case`: what `--only`
    takes, without the number of calls, of which there are few and three times as many."""
    low, high = (_counted([*command, "--only", f"{case}:{calls}"]) for calls in (few, 3 * few))
    return (high - low) / (2 * few * rows) / 1e3


def _counted(command: list[str]) -> int:
    counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", sys.executable]
    quiet = os.environ | {"PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [*counting, *command], check=True, stderr=subprocess.PIPE, text=True, env=quiet
    )
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match is not None, done.stderr
    return int(match[1])
