"""A real Aerospike server, started for a run from a program that the user names: one node, or
several that form a cluster on the loopback address."""

from __future__ import annotations

import os
import re
import resource
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..access import OPEN, info
from .cluster import START_SECONDS, pin, stop_process
from .guard import guarded
from .interrupts import interrupts_wait

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from typing_extensions import Self

    from ..access import Access
    from ..access.seeds import Seed

HOST = "127.0.0.1"
CLUSTER = "spikewire-lab"
DATA_SIZE = "2G"
"""Memory for the records of each namespace on each node; pages that hold no records take none."""
DESCRIPTORS = 15_000
ADMIN_SINCE = (8, 1)
"""The first version with a port for administration."""
COUNTED = re.compile(
    r"(client_(read|write|delete|udf)_(success|complete|not_found)"
    r"|batch_sub_(read|write|delete|udf)_(success|complete|not_found))"
)
"""Statistics of a namespace that count records read and written."""
POLL = 0.1


@dataclass(frozen=True)
class Ports:
    """The ports of one node."""

    service: int
    fabric: int
    heartbeat: int
    admin: int

    @staticmethod
    def free(many: int) -> list[Ports]:
        """Ports that nothing listens on, all different."""
        with ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(4 * many)]
            for one in sockets:
                one.bind((HOST, 0))
            numbers = [int(one.getsockname()[1]) for one in sockets]
        return [Ports(*numbers[at : at + 4]) for at in range(0, 4 * many, 4)]


def version_of(program: str) -> tuple[int, ...]:
    """The version that the program says it has; empty if it says none. Raises `RuntimeError` if it
    cannot be started."""
    try:
        output = subprocess.run(  # noqa: S603 - no shell; the user names the program
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuntimeError(f"--server-binary {program}: {error}") from None
    match = re.search(r"\b(\d+)\.(\d+)(?:\.\d+)*", output.stdout + output.stderr)
    return () if match is None else (int(match[1]), int(match[2]))


def configuration(
    node: int,
    ports: Sequence[Ports],
    folder: Path,
    namespace: str,
    copies: int,
    version: tuple[int, ...],
    descriptors: int = DESCRIPTORS,
) -> str:
    """The configuration file of one node."""
    own = ports[node]
    others = [one for at, one in enumerate(ports) if at != node]
    mesh = "".join(f"\t\tmesh-seed-address-port {HOST} {one.heartbeat}\n" for one in others)
    admin = f"\tadmin {{\n\t\taddress {HOST}\n\t\tport {own.admin}\n\t}}\n"
    return f"""service {{
	cluster-name {CLUSTER}
	node-id a{node + 1}
	proto-fd-max {descriptors}
	work-directory {folder}
	pidfile {folder}/asd.pid
}}
logging {{
	file {folder}/aerospike.log {{
		context any info
	}}
}}
network {{
	service {{
		address {HOST}
		access-address {HOST}
		port {own.service}
	}}
	heartbeat {{
		mode mesh
		address {HOST}
		port {own.heartbeat}
{mesh}		interval 150
		timeout 10
	}}
	fabric {{
		address {HOST}
		port {own.fabric}
	}}
{admin if not version or version >= ADMIN_SINCE else ""}}}
mod-lua {{
	user-path {folder}/udf
}}
namespace {namespace} {{
	replication-factor {copies}
	default-ttl 0
	nsup-period 120
	storage-engine memory {{
		data-size {DATA_SIZE}
	}}
}}
"""


class AerospikeServer:
    """Nodes of a real server as child processes, for the duration of the `with` block. Their
    folder, with logs, is removed at the end; after a failure it stays, and the message says
    where."""

    def __init__(
        self,
        program: str,
        nodes: int,
        namespace: str,
        cpus: Sequence[int] = (),
        copies: int = 1,
    ) -> None:
        self._program, self._nodes, self._namespace = program, nodes, namespace
        self._cpus, self._copies = cpus, copies
        self._processes: list[subprocess.Popen[str]] = []
        self._stack = ExitStack()
        self._folder = Path()
        self.access: Access = OPEN
        self.seeds: tuple[Seed, ...] = ()

    @property
    def pids(self) -> tuple[int, ...]:
        """All nodes."""
        return tuple(one.pid for one in self._processes)

    @property
    def pid(self) -> int | None:
        """The only node; None if there are several."""
        return self._processes[0].pid if len(self._processes) == 1 else None

    def describe(self) -> str:
        return (
            f"started by the lab on this machine, nodes: {self._nodes}, copies: {self._copies},"
            f" storage: memory, {DATA_SIZE} for each namespace and node"
        )

    def workers(self) -> int | None:
        """The processors that its threads can work on at the same time."""
        return len(self._cpus) or os.cpu_count() or 1

    def rows(self) -> int | None:
        """Records read and written, as counted by all nodes together; a batch counts its rows."""
        answers = info.answers(self.seeds, f"namespace/{self._namespace}", self.access)
        if None in answers:
            return None
        return sum(map(_counted, filter(None, answers)))

    def __enter__(self) -> Self:
        version = version_of(self._program)
        # Not in the folder of reports: nothing of it is kept.
        self._folder = Path(tempfile.mkdtemp(prefix="spikewire-lab-"))
        try:
            ports = Ports.free(self._nodes)
            descriptors = _raise_limit()
            for node in range(self._nodes):
                folder = self._folder / f"node{node + 1}"
                for name in ("udf", "smd", "usr/udf/lua"):
                    (folder / name).mkdir(parents=True)
                text = configuration(
                    node, ports, folder, self._namespace, self._copies, version, descriptors
                )
                (folder / "aerospike.conf").write_text(text)
                # A server whose start is not recorded would run for ever.
                with interrupts_wait():
                    self._start(folder)
            self._stack.enter_context(guarded(self.pids))
            seeds = tuple((HOST, one.service) for one in ports)
            self._wait(seeds)
            self.seeds = seeds
            for pid in self.pids if self._cpus else ():
                pin(pid, self._cpus)
        except BaseException as error:
            self._stop(keep=isinstance(error, RuntimeError))
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        dead = [one.returncode for one in self._processes if one.poll() is not None]
        self._stop(keep=bool(dead))
        if dead and kind is None:
            raise RuntimeError(f"the server ended by itself, {self._log_place()}")

    def _start(self, folder: Path) -> None:
        command = [self._program, "--foreground", "--config-file", str(folder / "aerospike.conf")]
        if self._cpus and shutil.which("taskset"):
            # From the start: the server has as many threads as processors then.
            command = ["taskset", "-c", ",".join(map(str, self._cpus)), *command]
        with (folder / "output.log").open("w") as output:
            process = subprocess.Popen(  # noqa: S603 - no shell; the user names the program
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self._processes.append(process)

    def _wait(self, seeds: Sequence[Seed]) -> None:
        """Until all nodes serve, know each other, and have no partitions to move."""
        ends = time.monotonic() + 2 * START_SECONDS
        stable = f"cluster-stable:size={self._nodes}"
        while True:
            for process in self._processes:
                if process.poll() is not None:
                    raise RuntimeError(
                        f"{self._program} ended with status {process.returncode}"
                        f" ({self._last_words()}), {self._log_place()}"
                    )
            keys = {info.ask(seed, stable) for seed in seeds}
            if len(keys) == 1 and _is_key(next(iter(keys))):
                return
            if time.monotonic() > ends:
                raise RuntimeError(f"{self._program} does not serve, {self._log_place()}")
            time.sleep(POLL)

    def _last_words(self) -> str:
        for node in sorted(self._folder.iterdir()):
            for name in ("aerospike.log", "output.log"):
                with suppress(OSError):
                    lines = (node / name).read_text(errors="replace").split("\n")
                    known = [line for line in lines if "CRITICAL" in line or "FAILED" in line]
                    if known or lines[-2:-1]:
                        return (known or lines[-2:-1])[0][-200:]
        return "it said nothing"

    def _log_place(self) -> str:
        return f"its log is in {self._folder}"

    def _stop(self, *, keep: bool) -> None:
        for process in self._processes:
            with suppress(OSError):
                process.terminate()
        for process in self._processes:
            stop_process(process)
        self._stack.close()
        if not keep:
            shutil.rmtree(self._folder, ignore_errors=True)


def _counted(statistics: str) -> int:
    pairs = (entry.partition("=") for entry in statistics.split(";"))
    return sum(int(value) for name, _, value in pairs if COUNTED.fullmatch(name))


def _is_key(answer: str | None) -> bool:
    return bool(answer) and re.fullmatch(r"[0-9A-Fa-f]+", answer or "") is not None


def _raise_limit() -> int:
    """Allows this process, and so the server, as many descriptors as it may have; returns how many
    a server can use for clients."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS + 1_000
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and now < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, most))
    return max(1_000, min(DESCRIPTORS, limit - 1_000))
