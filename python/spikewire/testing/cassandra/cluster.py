"""Several nodes as one cluster."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from spikewire.testing.cassandra.certificates import make_certificates
from spikewire.testing.cassandra.configuration import command_of, write_configuration
from spikewire.testing.cassandra.endpoints import choose_endpoints
from spikewire.testing.cassandra.errors import CassandraFailed, CassandraUnavailable
from spikewire.testing.cassandra.folder import Folder
from spikewire.testing.cassandra.jars import VERSION, fetch_jars
from spikewire.testing.cassandra.java import find_java
from spikewire.testing.cassandra.node import Node
from spikewire.testing.cassandra.options import seconds_of, settings_of, silent
from spikewire.testing.cassandra.readiness import Access, agree, is_ready, run_statement
from spikewire.testing.interrupts import interrupts_wait

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from spikewire.testing.cassandra.endpoints import Endpoint
    from spikewire.testing.cassandra.options import CassandraOptions
    from spikewire.testing.certificates import Certificates
    from spikewire.types import Seconds

__all__ = ["CassandraCluster", "need_cassandra"]

SWITCH = "SPIKEWIRE_CASSANDRA"
#: The user that Cassandra creates.
FIRST_USER = ("cassandra", "cassandra")
#: How often a starting node is checked, in seconds.
INTERVAL = 0.1


def need_cassandra(progress: Callable[[str], None] = silent) -> tuple[Path, Path]:
    """Returns Java and the folder with the jars, which are downloaded if necessary.

    Raises ``CassandraUnavailable``. Use it to check before starting a cluster.
    """
    if os.environ.get(SWITCH) == "none":
        message = f"{SWITCH} is none"
        raise CassandraUnavailable(message)
    return find_java(), fetch_jars(progress)


class CassandraCluster:
    """A Cassandra cluster of ``nodes`` nodes on this machine, ready when this returns.

    Every node is a JVM. The nodes end with the ``with`` block, with ``stop()``, and with this
    process, however it ends. Nodes are counted from 0.

    Raises ``CassandraUnavailable`` if Java 17 or Maven is missing, or if the variable
    ``SPIKEWIRE_CASSANDRA`` is ``none``; ``CassandraFailed`` if a node does not start; ``OSError``
    if a port is in use; ``TypeError`` or ``ValueError`` for invalid options. Methods raise
    ``IndexError`` for a node that does not exist, and ``OSError`` in the child of a fork, which can
    connect to the cluster but not change it; ``stop()`` has no effect there.
    """

    def __init__(self, nodes: int = 1, **options: Unpack[CassandraOptions]) -> None:
        self._settings = settings = settings_of(nodes, **options)
        java, jars = need_cassandra(settings.progress)
        self._stopped = False
        self._process = os.getpid()
        self._nodes: list[Node] = []
        self._certificates: Certificates | None = None
        with contextlib.ExitStack() as undo:
            with interrupts_wait():
                self._folder = Folder(settings)
                undo.push(self._give_up)
            self._make(java, jars)
            self._start(range(nodes))

    @property
    def addresses(self) -> list[str]:
        """``host:port`` of every node, dead ones included: contact points for clients."""
        return [str(endpoint) for endpoint in self.endpoints]

    @property
    def endpoints(self) -> list[Endpoint]:
        """Address and ports of every node."""
        return [node.endpoint for node in self._nodes]

    @property
    def credentials(self) -> tuple[str, str] | None:
        """User name and password of the first user, if users must log in."""
        return FIRST_USER if self._settings.password else None

    @property
    def certificates(self) -> Certificates | None:
        """The files for clients, if they must or may use TLS."""
        return self._certificates

    @property
    def _access(self) -> Access:
        return Access(self.credentials, self._certificates)

    @property
    def version(self) -> str:
        """The version of Cassandra."""
        return VERSION

    @property
    def logs(self) -> list[Path]:
        """The log of every node."""
        return [node.log for node in self._nodes]

    def is_alive(self, node: int) -> bool:
        """Whether the process of a node is running; a frozen node's is."""
        return self._node(node).is_alive

    def pid(self, node: int) -> int:
        """The process id of a node."""
        return self._node(node).pid

    def kill(self, node: int) -> None:
        """Kills a node like a crash. The other nodes notice after some seconds."""
        self._node(node).kill()

    def stop(self, node: int | None = None) -> None:
        """Stops a node as an administrator would; without a number, stops all nodes for good."""
        if node is None:
            self._end(keep_logs=False)
        else:
            self._node(node).stop()

    def start(self, node: int) -> None:
        """Restarts a stopped or killed node on its data; it is ready when this returns.

        If no other node is down, all nodes see each other by then.
        """
        self._start([node])

    def freeze(self, node: int) -> None:
        """Suspends the process of a node: its port stays open, but it does not answer."""
        self._node(node).freeze()

    def thaw(self, node: int) -> None:
        """Resumes a frozen node."""
        self._node(node).thaw()

    def heal(self) -> None:
        """Starts and thaws nodes until all see each other and agree on one schema."""
        self._check_process()
        for node in self._nodes:
            node.thaw()
        self._start([number for number, node in enumerate(self._nodes) if not node.is_alive])

    def execute(self, statement: str, node: int = 0) -> None:
        """Runs a statement without parameters, such as ``CREATE KEYSPACE``.

        An error from the node is raised as ``OSError``.
        """
        run_statement(self._node(node).endpoint, statement, self._access)

    def wait_settled(self, timeout: Seconds = 60) -> bool:
        """Waits until all nodes see each other and agree on one schema; False if ``timeout``
        passes.
        """
        end = time.monotonic() + seconds_of(timeout)
        while not agree(self.endpoints, self._access):
            if time.monotonic() > end:
                return False
            time.sleep(INTERVAL)
        return True

    def __repr__(self) -> str:
        number = len(self._nodes)
        nodes = "1 node" if number == 1 else f"{number} nodes"
        where = "stopped" if self._stopped else ",".join(self.addresses)
        return f"<{type(self).__name__} of {nodes}, {where}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _check_process(self) -> None:
        if self._process != os.getpid():
            message = (
                "the cluster belongs to the process that started it: in the child of a fork, "
                "clients can connect to it, but only the parent can change it"
            )
            raise OSError(message)

    def _node(self, number: int) -> Node:
        self._check_process()
        if self._stopped:
            message = "the cluster is stopped"
            raise OSError(message)
        if not 0 <= number < len(self._nodes):
            message = f"there is no node {number}: there are {len(self._nodes)}, counted from 0"
            raise IndexError(message)
        return self._nodes[number]

    def _make(self, java: Path, jars: Path) -> None:
        """Writes all files that are needed to start nodes."""
        settings, folder = self._settings, self._folder
        endpoints = choose_endpoints(settings.nodes, settings.host, settings.port)
        if settings.tls:
            names = settings.certificate_names
            if names is None:
                names = [*(one.address for one in endpoints), "localhost"]
            self._certificates = make_certificates(folder.certificates, names)
        for number, endpoint in enumerate(endpoints):
            own = folder.node(number)
            write_configuration(own, number, endpoints, settings, folder.certificates)
            command = command_of(java, jars, own, settings)
            node = Node(f"node {number}", endpoint, own, command, temporary=folder.temporary)
            self._nodes.append(node)

    def _start(self, numbers: range | list[int]) -> None:
        settings = self._settings
        end = time.monotonic() + settings.timeout
        nodes = [self._node(number) for number in numbers]
        for node in nodes:
            settings.progress(f"starting {node.name} at {node.endpoint}")
            node.start()
        for node in nodes:
            self._await_ready(node, end)
            settings.progress(f"{node.name} is ready")
        running = [node for node in self._nodes if node.is_alive and not node.frozen]
        if len(running) == len(self._nodes) > 1:
            settings.progress("waiting until all nodes see each other")
            if not self.wait_settled(end - time.monotonic()):
                what = f"and the others did not agree within {settings.timeout:g} s"
                raise self._nodes[-1].failure(what)

    def _await_ready(self, node: Node, end: float) -> None:
        while not is_ready(node.endpoint, self._access):
            if not node.is_alive:
                raise node.failure("ended while it was starting")
            if time.monotonic() > end:
                raise node.failure(f"was not ready within {self._settings.timeout} s")
            time.sleep(INTERVAL)

    def _give_up(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        """Cleans up if an error ends the start."""
        if error is not None:
            # Logs are kept if a node failed, but not if there are none or the user interrupted.
            self._end(keep_logs=isinstance(error, CassandraFailed))

    def _end(self, *, keep_logs: bool) -> None:
        if self._process != os.getpid():
            return
        self._stopped = True
        for node in self._nodes:
            # Temporary data need not be flushed.
            if self._folder.temporary:
                node.kill()
            else:
                node.terminate()
        for node in self._nodes:
            node.stop()
        self._folder.close(keep_logs=keep_logs)
