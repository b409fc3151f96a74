"""The cluster under load: given by the user, or an embedded one started for the run."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections import deque
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..access import OPEN, Access, info, server
from ..access.seeds import parse_named_seeds
from .guard import guarded
from .interrupts import interrupts_wait

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ..access.seeds import NamedSeed, Seed

ROWS = "spikewire_rows"
SERVING = ("spikewire-node", "spikewire-flow")
"""Names of the embedded cluster's threads that serve connections."""
START_SECONDS = 30.0
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class ExternalCluster:
    """A running cluster given by the user."""

    seeds: tuple[Seed, ...]
    pid: int | None = None
    access: Access = OPEN

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes of this machine that belong to it."""
        return ()

    def describe(self) -> str:
        return "given by -H"

    def workers(self) -> int | None:
        """Not known, as its activity is not."""
        return None

    def rows(self) -> int | None:
        """Not known: other programs may use it, and not all nodes need be seeds."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class Cluster(Protocol):
    """A cluster for the duration of the `with` block."""

    @property
    def seeds(self) -> tuple[Seed, ...]: ...

    @property
    def pid(self) -> int | None:
        """The only process of this machine that belongs to it, if it is one."""

    @property
    def pids(self) -> tuple[int, ...]:
        """All processes of this machine that belong to it."""
        ...

    @property
    def access(self) -> Access: ...

    def describe(self) -> str: ...

    def workers(self) -> int | None: ...

    def rows(self) -> int | None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class EmbeddedCluster:
    """`spikewire serve` as a child process, stopped by its process id at the end. If it has users
    or TLS, it gets the settings through its standard input."""

    def __init__(
        self,
        nodes: int,
        namespace: str,
        threads: int = 1,
        cpus: Sequence[int] = (),
        command: Sequence[str] = (),
        copies: int = 1,
        access: Access = OPEN,
    ) -> None:
        self._nodes = nodes
        self._threads = threads
        self._cpus = cpus
        self._copies = copies
        self._command = list(command) or [
            *(sys.executable, "-m", "spikewire", "serve"),
            *("--nodes", str(nodes), "--port", "0", "--namespace", namespace),
            *("--threads", str(threads), "--replication-factor", str(copies)),
        ]
        self._options = ""
        if access:
            self._command = [sys.executable, "-m", server.__name__]
            self._options = server.options(nodes, namespace, threads, copies, access)
        self.access = access
        """Includes the certificates that the cluster creates, once it is ready."""
        self._process: subprocess.Popen[str] | None = None
        self._guard = ExitStack()
        self._listener: threading.Thread | None = None
        self._last_lines: deque[str] = deque(maxlen=20)
        self._ready = threading.Event()
        self.seeds: tuple[Seed, ...] = ()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    @property
    def pids(self) -> tuple[int, ...]:
        return () if self.pid is None else (self.pid,)

    def describe(self) -> str:
        storage = f"threads: {self._threads}, copies: {self._copies}"
        return f"embedded on this machine, nodes: {self._nodes}, {storage}"

    def workers(self) -> int | None:
        """Threads that can work at the same time: those that serve connections, at most one for
        each of its processors."""
        if self.pid is None:
            return None
        names = _thread_names(self.pid)
        serving = sum(name.startswith(SERVING) for name in names) or 2 * self._threads
        return min(serving, len(self._cpus) or os.cpu_count() or 1)

    def rows(self) -> int | None:
        """Records read and written, as counted by all nodes together; a batch counts its rows."""
        statistics = info.answers(self.seeds, "statistics", self.access)
        counts = [_statistic(one, ROWS) for one in statistics]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def __enter__(self) -> Self:
        try:
            # A server whose start is not recorded would run for ever.
            with interrupts_wait():
                process = self._start()
            self._ready.wait(START_SECONDS)
            if not self.seeds:
                output = "\n".join(self._last_lines) or "it said nothing"
                raise RuntimeError(f"the embedded cluster did not start: {output}")
            self._guard.enter_context(guarded(self.pids))
            if self._cpus:
                pin(process.pid, self._cpus)
        except BaseException:
            self._stop()
            raise
        return self

    def _start(self) -> subprocess.Popen[str]:
        self._process = process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            self._command,
            stdin=subprocess.PIPE if self._options else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        if process.stdin is not None:
            # One that exits at once gives the reason on its standard output.
            with suppress(OSError), process.stdin as stdin:
                stdin.write(self._options)
        self._listener = threading.Thread(target=self._listen, args=(process,), daemon=True)
        self._listener.start()
        return process

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self._last_lines.append(line.rstrip())
            if line.startswith(server.CERTIFICATES):
                self.access = server.with_certificates(self.access, line)
            elif line.startswith("ready ") and not self.seeds:
                self._met(parse_named_seeds(line.removeprefix("ready ").strip()))
                self._ready.set()
            else:
                self._other(line)
        self._ready.set()

    def _other(self, line: str) -> None:
        """What else it says; for clusters that say more."""

    def _met(self, seeds: Sequence[NamedSeed]) -> None:
        if self.access.tls is not None:
            names = tuple(name or server.NAME for _, _, name in seeds)
            self.access = replace(self.access, tls=replace(self.access.tls, names=names))
        self.seeds = tuple((host, port) for host, port, _ in seeds)

    def _stop(self) -> None:
        if self._process is not None:
            stop_process(self._process)
        self._guard.close()
        if self._listener is not None:
            self._listener.join(STOP_SECONDS)
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()


def is_local(host: str) -> bool:
    """Whether this is a loopback address or name of this machine."""
    return host in ("localhost", "::1") or host.startswith("127.")


def pin(pid: int, cpus: Sequence[int]) -> None:
    """Sets the processors of every thread of the server: setting those of a process affects only
    its first thread."""
    try:
        threads = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        threads = [pid]
    for thread in threads:
        os.sched_setaffinity(thread, cpus)


def _thread_names(pid: int) -> list[str]:
    try:
        return [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/comm")]
    except OSError:
        return []


def stop_process(process: subprocess.Popen[str]) -> None:
    """Terminates this one child, and kills it if it does not end."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def reachable(seeds: Sequence[Seed], timeout: float = 5.0) -> bool:
    """Whether any seed accepts connections, by whatever protocol; true without seeds."""
    return not seeds or any(_listens(seed, timeout) for seed in seeds)


def _listens(seed: Seed, timeout: float) -> bool:
    try:
        with socket.create_connection(seed, timeout):
            return True
    except OSError:
        return False


def truncate(cluster: Cluster, namespace: str, set_name: str) -> str | None:
    """Removes all records of the set in the whole cluster; returns why that failed, or None.

    Any node takes the command for all, so the first that answers is enough.
    """
    command = f"truncate:namespace={namespace};set={set_name}"
    answer = info.first(cluster.seeds, command, cluster.access)
    if answer is None:
        return "none of the seeds answers"
    return None if answer.lower() == "ok" else answer


def _statistic(statistics: str | None, name: str) -> int | None:
    for entry in (statistics or "").split(";"):
        if entry.startswith(f"{name}="):
            return int(entry.partition("=")[2])
    return None
