"""The servers that clients connect to."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..access import OPEN, cql_options, probe
from ..access.seeds import seed_text
from ..run.cluster import EmbeddedCluster, pin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from ..access import Access
    from ..access.seeds import Seed

CASSANDRA, CANNED, GIVEN = "cassandra", "canned", "given"
"""A real node started by the lab, canned replies without a database, and a cluster given by the
user."""
COMMAND = (
    *(sys.executable, "-m", "spikewire", "cassandra", "--canned"),
    *("--port", "0", "--with-parent"),
)


class UnavailableError(Exception):
    """A server is not available; says why."""


class Server:
    """A server that runs for the duration of the `with` block."""

    seed: Seed
    pid: int | None = None
    access: Access = OPEN
    """Login and TLS, known once it is started."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def start(self) -> dict[str, object]:
        """Starts it; returns its details for the report."""
        raise NotImplementedError

    def let_in(self) -> dict[str, object]:
        """Login and encryption in words."""
        text = probe.described(self.seed, self.access)
        return {"access": text} if text else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


class ExternalServer(Server):
    """A server that already runs."""

    def __init__(self, seed: Seed, access: Access) -> None:
        super().__init__()
        self.seed, self.access = seed, access

    def start(self) -> dict[str, object]:
        return {"kind": "given by -H", "address": seed_text(self.seed), **self.let_in()}


class CannedServer(Server):
    """Canned replies, in a process of their own."""

    def __init__(self, cpus: Sequence[int]) -> None:
        super().__init__()
        self._cpus = cpus

    def start(self) -> dict[str, object]:
        cluster = EmbeddedCluster(1, "", cpus=self._cpus, command=COMMAND)
        self._stack.enter_context(cluster)
        self.seed, self.pid = cluster.seeds[0], cluster.pid
        return {"kind": "canned replies in a process on this machine"}


class RealServer(Server):
    """Nodes of Apache Cassandra on this machine; clients are given the first. The processor time of
    the server is not known if there are several."""

    def __init__(
        self,
        heap: int | None,
        cpus: Sequence[int],
        say: Callable[[str], None],
        access: Access = OPEN,
        nodes: int = 1,
    ) -> None:
        super().__init__()
        self.access = access
        self._nodes = nodes
        self._heap = heap
        self._cpus = cpus
        self._say = say

    def start(self) -> dict[str, object]:
        # Not at the top: workers of other clients must not load ours.
        from spikewire.testing.cassandra import CassandraCluster, CassandraUnavailable

        heap: dict[str, Any] = {} if self._heap is None else {"heap": self._heap}
        encrypted = self.access.tls is not None
        try:
            cluster = CassandraCluster(self._nodes, progress=self._say, tls=encrypted, **heap)
        except CassandraUnavailable as error:
            raise UnavailableError(str(error)) from error
        self._stack.enter_context(cluster)
        endpoint = cluster.endpoints[0]
        self.seed, first = (endpoint.address, endpoint.port), cluster.pid(0)
        self.pid = first if self._nodes == 1 else None
        if self.access.tls is not None and cluster.certificates is not None:
            ca = str(cluster.certificates.ca)
            self.access = replace(self.access, tls=replace(self.access.tls, ca=ca))
        for node in range(self._nodes if self._cpus else 0):
            pin(cluster.pid(node), self._cpus)
        many = "a node" if self._nodes == 1 else f"{self._nodes} nodes"
        return {
            "kind": f"{many} on this machine",
            "version": cluster.version,
            "jvm": flags_of(first),
            **self.let_in(),
        }


def flags_of(pid: int) -> list[str]:
    """The flags in the command line of a JVM that affect how it runs, if the system shows them."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return []
    return [argument for argument in arguments if argument.startswith("-X")]


def make_tables(seed: Seed, statements: Sequence[str], access: Access = OPEN) -> None:
    """Runs these statements one after the other."""
    # Not at the top: workers of other clients must not load ours.
    from spikewire import cql

    with cql.Session(seed_text(seed), **cql_options(access)) as session:
        for statement in statements:
            session.execute(statement)
