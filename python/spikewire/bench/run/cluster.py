"""The cluster under load: given by the user, or an embedded one started for the run."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

DEFAULT_PORT = 3000
ROWS = "spikewire_rows"
SERVING = ("spikewire-node", "spikewire-flow")
"""How the threads of the embedded cluster that serve connections are called."""
START_SECONDS = 30.0
STOP_SECONDS = 5.0
Seed = tuple[str, int]


def parse_seeds(text: str, usual: int = DEFAULT_PORT) -> tuple[Seed, ...]:
    """`host`, `host:port` or `[v6 address]:port`, and comma lists of them."""
    return tuple(_parse_seed(item.strip(), text, usual) for item in text.split(","))


def _parse_seed(item: str, text: str, usual: int) -> Seed:
    host, port = item, ""
    if item.startswith("["):
        host, _, rest = item[1:].partition("]")
        port = rest[1:] if rest.startswith(":") else rest
    elif item.count(":") == 1:
        host, _, port = item.partition(":")
    elif item.count(":") > 1:
        raise ValueError(
            f"hosts {text!r}: write {item!r} as [address]:port; TLS names are not taken"
        )
    if not host:
        raise ValueError(f"hosts {text!r}: a host is missing")
    if not port:
        return host, usual
    if not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise ValueError(f"hosts {text!r}: {port!r} is not a port")
    return host, int(port)


@dataclass(frozen=True)
class GivenCluster:
    """A running cluster that the user named."""

    seeds: tuple[Seed, ...]
    pid: int | None = None

    def describe(self) -> str:
        return "given by -H"

    def workers(self) -> int | None:
        """Not known, and neither is what they do."""
        return None

    def rows(self) -> int | None:
        """Not known: other programs may be using it, and not all nodes need be seeds."""
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class EmbeddedCluster:
    """`spikewire serve` as a child process, stopped by its own process id at the end."""

    def __init__(
        self,
        nodes: int,
        namespace: str,
        threads: int = 1,
        cpus: Sequence[int] = (),
        command: Sequence[str] = (),
        copies: int = 1,
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
        self._process: subprocess.Popen[str] | None = None
        self._listener: threading.Thread | None = None
        self._said: deque[str] = deque(maxlen=20)
        self._ready = threading.Event()
        self.seeds: tuple[Seed, ...] = ()

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def describe(self) -> str:
        kept = f"threads: {self._threads}, copies: {self._copies}"
        return f"embedded on this machine, nodes: {self._nodes}, {kept}"

    def workers(self) -> int | None:
        """How many of its threads can work at once: those that serve connections, as many as it has
        processors."""
        if self.pid is None:
            return None
        names = _thread_names(self.pid)
        serving = sum(name.startswith(SERVING) for name in names) or 2 * self._threads
        return min(serving, len(self._cpus) or os.cpu_count() or 1)

    def rows(self) -> int | None:
        """Records read and written, as all nodes together have counted; a batch counts its rows."""
        counts = [_statistic(ask(seed, "statistics"), ROWS) for seed in self.seeds]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def __enter__(self) -> Self:
        # Not at the top: workers of other clients load this package without the one around it.
        from spikewire.testing.interrupts import interrupts_wait

        try:
            # A server that is not noted would run for ever.
            with interrupts_wait():
                process = self._start()
            self._ready.wait(START_SECONDS)
            if not self.seeds:
                said = "\n".join(self._said) or "it said nothing"
                raise RuntimeError(f"the embedded cluster did not start: {said}")
            if self._cpus:
                pin(process.pid, self._cpus)
        except BaseException:
            self._stop()
            raise
        return self

    def _start(self) -> subprocess.Popen[str]:
        self._process = process = subprocess.Popen(  # noqa: S603 - no shell, our own arguments
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
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
            self._said.append(line.rstrip())
            if line.startswith("ready ") and not self.seeds:
                self.seeds = parse_seeds(line.removeprefix("ready ").strip())
                self._ready.set()
        self._ready.set()

    def _stop(self) -> None:
        if self._process is not None:
            stop_process(self._process)
        if self._listener is not None:
            self._listener.join(STOP_SECONDS)
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()


Cluster = GivenCluster | EmbeddedCluster


def is_local(host: str) -> bool:
    """Whether this names the machine itself by its loopback interface."""
    return host in ("localhost", "::1") or host.startswith("127.")


def pin(pid: int, cpus: Sequence[int]) -> None:
    """Every thread of the server: the setting of a process is that of its first thread alone."""
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
    """Ask this one child to end, then make it."""
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def reachable(seeds: Sequence[Seed], timeout: float = 5.0) -> bool:
    """Whether any of them takes connections, of whatever protocol; without seeds there is nothing
    that could be out of reach."""
    return not seeds or any(_listens(seed, timeout) for seed in seeds)


def _listens(seed: Seed, timeout: float) -> bool:
    try:
        with socket.create_connection(seed, timeout):
            return True
    except OSError:
        return False


def ask(seed: Seed, name: str, timeout: float = 2.0) -> str | None:
    """One value by the info protocol (`build`, `edition`), or None if the node does not say."""
    question = f"{name}\n".encode()
    try:
        with socket.create_connection(seed, timeout) as connection:
            connection.sendall(struct.pack(">Q", 2 << 56 | 1 << 48 | len(question)) + question)
            (header,) = struct.unpack(">Q", _exactly(connection, 8))
            answer = _exactly(connection, header & ((1 << 48) - 1)).decode()
    except (OSError, UnicodeDecodeError):
        return None
    _, _, value = answer.strip().partition("\t")
    return value or None


def truncate(seeds: Sequence[Seed], namespace: str, set_name: str) -> str | None:
    """Removes all records of the set in the whole cluster; why it could not be done, or None.

    Any node takes the command for all, so the first that answers is enough.
    """
    for seed in seeds:
        said = ask(seed, f"truncate:namespace={namespace};set={set_name}")
        if said is not None:
            return None if said.lower() == "ok" else said
    return "none of the seeds answers"


def _statistic(statistics: str | None, name: str) -> int | None:
    for entry in (statistics or "").split(";"):
        if entry.startswith(f"{name}="):
            return int(entry.partition("=")[2])
    return None


def _exactly(connection: socket.socket, size: int) -> bytes:
    if size > 1 << 20:
        raise OSError("an info answer of that size is not one")
    gathered = b""
    while len(gathered) < size:
        more = connection.recv(size - len(gathered))
        if not more:
            raise OSError("the node closed the connection")
        gathered += more
    return gathered
