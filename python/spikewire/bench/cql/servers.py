"""What the clients talk to."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ..run.cluster import EmbeddedCluster, pin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from ..run.cluster import Seed

CASSANDRA, CANNED, GIVEN = "cassandra", "canned", "given"
"""A real node of one's own, replies without a database, and a cluster that the user named."""
COMMAND = (
    *(sys.executable, "-m", "spikewire", "cassandra", "--canned"),
    *("--port", "0", "--with-parent"),
)


class UnavailableError(Exception):
    """A server cannot be had, and why."""


class Server:
    """A server as long as the block lasts."""

    seed: Seed
    pid: int | None = None

    def __init__(self) -> None:
        self._stack = ExitStack()

    def start(self) -> dict[str, object]:
        """Starts it; what is to be known of it."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class Given(Server):
    """One that runs already."""

    def __init__(self, seed: Seed) -> None:
        super().__init__()
        self.seed = seed

    def start(self) -> dict[str, object]:
        return {"kind": "given by -H", "address": f"{self.seed[0]}:{self.seed[1]}"}


class Canned(Server):
    """Canned replies, in a process of their own."""

    def __init__(self, cpus: Sequence[int]) -> None:
        super().__init__()
        self._cpus = cpus

    def start(self) -> dict[str, object]:
        cluster = EmbeddedCluster(1, "", cpus=self._cpus, command=COMMAND)
        self._stack.enter_context(cluster)
        self.seed, self.pid = cluster.seeds[0], cluster.pid
        return {"kind": "canned replies in a process on this machine"}


class Real(Server):
    """A node of Apache Cassandra on this machine."""

    def __init__(self, heap: int | None, cpus: Sequence[int], say: Callable[[str], None]) -> None:
        super().__init__()
        self._heap = heap
        self._cpus = cpus
        self._say = say

    def start(self) -> dict[str, object]:
        # Not at the top: workers of other clients load this package without the one around it.
        from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable

        try:
            if self._heap is None:
                cluster = CassandraCluster(1, progress=self._say)
            else:
                cluster = CassandraCluster(1, progress=self._say, heap=self._heap)
        except CassandraUnavailable as error:
            raise UnavailableError(str(error)) from error
        self._stack.enter_context(cluster)
        endpoint = cluster.endpoints[0]
        self.seed, self.pid = (endpoint.address, endpoint.port), cluster.pid(0)
        if self._cpus:
            pin(self.pid, self._cpus)
        return {
            "kind": "a node on this machine",
            "version": cluster.version,
            "jvm": flags_of(self.pid),
        }


def flags_of(pid: int) -> list[str]:
    """Those that say how a JVM runs, of its command line, where the system shows it."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []
    return [argument for argument in arguments if argument.startswith("-X")]


def make_tables(seed: Seed, statements: Sequence[str]) -> None:
    """Runs these statements, one after the other."""
    from spikewire.testing.cassandra.asking import run_statement
    from spikewire.testing.cassandra.endpoints import Endpoint

    for statement in statements:
        run_statement(Endpoint(seed[0], seed[1], 0), statement)
