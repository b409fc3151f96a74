"""Processors kept from idling during a comparison."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from spikewire_lab.run.awake import awake

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="no idle class here")


def children() -> set[int]:
    """The processes that this one has started and not yet waited for."""
    pids: set[int] = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[1]) == os.getpid():
            pids.add(int(stat.parent.name))
    return pids


def test_one_idle_process_for_each_processor_and_none_afterwards() -> None:
    before = children()
    with awake() as number:
        spinning = children() - before
        assert len(spinning) == number == len(os.sched_getaffinity(0))
        assert {os.sched_getscheduler(pid) for pid in spinning} == {os.SCHED_IDLE}
        on = [os.sched_getaffinity(pid) for pid in spinning]
        assert set().union(*on) == os.sched_getaffinity(0)
        assert all(len(processors) == 1 for processors in on)
    assert children() - before == set()


@pytest.mark.skipif(
    not Path("/proc/self/autogroup").exists(), reason="processes are not weighed by session here"
)
def test_idle_processes_yield_to_other_sessions() -> None:
    before = children()
    with awake():
        spinning = children() - before
        groups = [Path(f"/proc/{pid}/autogroup").read_text().split() for pid in spinning]
        assert {nice for *_, nice in groups} == {"19"}


def test_idle_processes_end_when_the_block_fails() -> None:
    before = children()
    with pytest.raises(KeyError), awake():
        raise KeyError
    assert children() - before == set()


def test_no_idle_process_starts_by_default() -> None:
    before = children()
    with awake(enabled=False) as number:
        assert (number, children() - before) == (0, set())


def test_a_system_without_sched_idle_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "SCHED_IDLE")
    with pytest.raises(RuntimeError, match="--keep-awake"), awake():
        pass


LAB = """
import os
from test_bench_awake import awake, children
with awake():
    print(*children(), flush=True)
    os._exit(0)
"""


def test_idle_processes_do_not_outlive_the_lab() -> None:
    here = Path(__file__).parent
    lab = subprocess.run(
        [sys.executable, "-c", LAB], cwd=here, capture_output=True, text=True, check=True
    )
    left = {int(pid) for pid in lab.stdout.split()}
    assert len(left) == len(os.sched_getaffinity(0))
    while any(spins(pid) for pid in left):
        time.sleep(0.05)


def spins(pid: int) -> bool:
    try:
        return b"sched_setscheduler" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
