"""One node: its files and its process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.errors import CassandraFailed
from spikewire.testing.interrupts import interrupts_wait

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spikewire.testing.cassandra.endpoints import Endpoint

__all__ = ["Node"]

GUARD = Path(__file__).with_name("guard.py")
#: How long a node may take to stop, in seconds; it flushes its data.
DRAINING = 30.0
#: How long the kernel may take to end a killed process, in seconds.
DYING = 30.0
#: How long the threads of a suspended process may run on, in seconds. The signal takes effect when
#: the thread that gets it is scheduled, which may take a while on a busy machine.
STOPPING = 10.0
LINES_SHOWN = 8
#: How much of the end of a log is searched for errors.
LOG_TAIL = 1 << 18


def _runs(pid: int) -> bool:
    """Whether a thread of the process is not suspended, as far as the system says."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        states = [(thread / "stat").read_text().rpartition(")")[2].split()[0] for thread in threads]
    except OSError:  # no such files here, or a thread has just ended
        return Path("/proc/self/task").exists() and Path(f"/proc/{pid}").exists()
    return any(state not in "TtXZ" for state in states)


class Node:
    """A node that can be started and stopped repeatedly."""

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        folder: Path,
        command: Sequence[str],
        *,
        temporary: bool,
    ) -> None:
        self.name = name
        self.endpoint = endpoint
        self.log = folder / "log" / "system.log"
        self.frozen = False
        # The folder to remove by the guard if no other process can, and the command.
        self._guarded = [str(folder) if temporary else "", *command]
        self._guard: subprocess.Popen[str] | None = None
        self._pid = 0
        self.log.parent.mkdir(parents=True, exist_ok=True)

    @property
    def is_alive(self) -> bool:
        """Whether its process is running; also true if frozen."""
        return self._guard is not None and self._guard.poll() is None

    @property
    def pid(self) -> int:
        """The process id."""
        if not self.is_alive:
            message = f"{self.name} is not running"
            raise OSError(message)
        return self._pid

    def start(self) -> None:
        """Starts the process; the node is ready some seconds later."""
        if self.is_alive:
            return
        self.frozen = False
        # An interrupt before the process is recorded would orphan it.
        with interrupts_wait():
            self._start()

    def _start(self) -> None:
        with self.log.open("a") as log:
            # Its own session: Ctrl-C goes to the program that owns the cluster, which ends it.
            guard = subprocess.Popen(  # noqa: S603
                [sys.executable, "-I", "-S", str(GUARD), *self._guarded],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.log.parent,
                text=True,
                start_new_session=True,
            )
        assert guard.stdout is not None
        with guard.stdout as out:
            pid = out.readline()
        self._guard = guard
        if not pid.strip().isdecimal():
            self._reap(DYING)
            raise self.failure("could not be started")
        self._pid = int(pid)

    def stop(self, wait: float = DRAINING) -> None:
        """Stops it as an administrator would: it drains and informs clients."""
        self.thaw()
        self._signal(signal.SIGTERM)
        if not self._reap(wait):
            self.kill()

    def terminate(self) -> None:
        """Tells it to stop, without waiting."""
        self.thaw()
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kills it like a crash."""
        self._signal(signal.SIGKILL)
        if not self._reap(DYING):
            message = f"{self.name}, process {self._pid}, cannot be killed"
            raise CassandraFailed(message)

    def freeze(self) -> None:
        """Suspends its process: its port stays open, but it does not answer."""
        os.kill(self.pid, signal.SIGSTOP)
        self.frozen = True
        end = time.monotonic() + STOPPING
        while _runs(self.pid) and time.monotonic() < end:
            time.sleep(0.001)

    def thaw(self) -> None:
        """Resumes a frozen process."""
        if self.frozen:
            self._signal(signal.SIGCONT)
            self.frozen = False

    def failure(self, what: str) -> CassandraFailed:
        """An error with the last errors of the log."""
        lines = [f"{self.name} at {self.endpoint} {what}; its log is {self.log}"]
        return CassandraFailed("\n  ".join(lines + self._last_errors()))

    def _last_errors(self) -> list[str]:
        with contextlib.suppress(OSError), self.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_TAIL))
            lines = log.read().decode(errors="replace").splitlines()
            telling = [line for line in lines if "ERROR" in line or "Exception" in line]
            return (telling or lines)[-LINES_SHOWN:]
        return []

    def _signal(self, number: signal.Signals) -> None:
        # The process cannot have been reaped while the guard runs, or is about to exit.
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def _reap(self, wait: float) -> bool:
        """Waits until it has ended; returns whether it has."""
        if self._guard is None:
            return True
        try:
            self._guard.wait(wait)
        except subprocess.TimeoutExpired:
            return False
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        self._guard = None
        self.frozen = False
        return True
