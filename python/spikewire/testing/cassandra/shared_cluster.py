"""One cluster for several processes, such as the workers of a test run.

The first process starts an owner (``owner.py``), a separate process; the others use the same
cluster. It ends when the last user has left or died: each user holds a lock.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from spikewire.testing.cassandra.endpoints import Endpoint
from spikewire.testing.cassandra.errors import CassandraFailed, CassandraUnavailable
from spikewire.testing.cassandra.jars import LONGEST as FETCHING
from spikewire.testing.cassandra.locks import hold, is_held, take
from spikewire.testing.cassandra.options import settings_of
from spikewire.testing.cassandra.readiness import Access, run_statement
from spikewire.testing.certificates import Certificates

if TYPE_CHECKING:
    from collections.abc import Generator
    from types import TracebackType

    from typing_extensions import Self, Unpack

    from spikewire.testing.cassandra.options import CassandraOptions

__all__ = ["DOOR", "STATE", "USERS", "SharedCassandra"]

#: Lock files in the folder: for admission, for users, for the owner, for reserving the nodes; and
#: the owner's state and log.
DOOR, USERS, OWNER, ALONE = "door.lock", "users.lock", "owner.lock", "alone.lock"
STATE, LOG = "state.json", "owner.log"
INTERVAL = 0.05
#: Extra time beyond that for starting, in seconds.
PATIENCE = 60.0

#: Starts the command in its arguments without waiting, so that it outlives its parent.
LAUNCH = (
    "import os, subprocess, sys;"
    "subprocess.Popen(sys.argv[2:], pass_fds=[int(sys.argv[1])], start_new_session=True);"
    "os._exit(0)"
)

KINDS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (CassandraFailed, CassandraUnavailable, IndexError, OSError, TypeError, ValueError)
}


class SharedCassandra:
    """A cluster shared by all processes that name the same ``folder``.

    Options and errors are those of ``CassandraCluster``, without ``progress``; the options of the
    first process apply. Leave it with ``close()`` or a ``with`` block. The folder contains the
    owner's log; use a new one for each run.
    """

    def __init__(
        self, folder: Path | str, nodes: int = 1, **options: Unpack[CassandraOptions]
    ) -> None:
        # The time limit for starting, also by another process.
        self._patience = settings_of(nodes, **options).timeout + FETCHING + PATIENCE
        self._folder = Path(folder).absolute()
        self._folder.mkdir(parents=True, exist_ok=True)
        with hold(self._folder / DOOR, self._patience):
            self._users = take(self._folder / USERS, self._patience, shared=True)
            try:
                if not self._has_cluster():
                    self._launch(json.dumps({"nodes": nodes, **options}, default=str))
                self._state = self._await_state()
            except BaseException:
                self._users.close()
                raise

    @property
    def addresses(self) -> list[str]:
        """``host:port`` of every node, dead ones included: contact points for clients."""
        return [str(node) for node in self._endpoints()]

    @property
    def credentials(self) -> tuple[str, str] | None:
        """User name and password of the first user, if users must log in."""
        stored = self._state["credentials"]
        return (stored[0], stored[1]) if stored else None

    @property
    def certificates(self) -> Certificates | None:
        """The files for clients, if they must use TLS."""
        stored = self._state["certificates"]
        return Certificates(*map(Path, stored)) if stored else None

    @property
    def logs(self) -> list[Path]:
        """The log of every node."""
        return [Path(name) for name in self._state["logs"]]

    def is_alive(self, node: int) -> bool:
        """Whether the process of a node is running; a frozen node's is."""
        return bool(self._call("is_alive", node))

    def pid(self, node: int) -> int:
        """The process id of a node."""
        return int(cast("int", self._call("pid", node)))

    def kill(self, node: int) -> None:
        """Kills a node like a crash. The other nodes notice after some seconds."""
        self._call("kill", node)

    def stop(self, node: int) -> None:
        """Stops a node as an administrator would."""
        self._call("stop", node)

    def start(self, node: int) -> None:
        """Restarts a stopped or killed node; it is ready when this returns."""
        self._call("start", node)

    def freeze(self, node: int) -> None:
        """Suspends the process of a node: its port stays open, but it does not answer."""
        self._call("freeze", node)

    def thaw(self, node: int) -> None:
        """Resumes a frozen node."""
        self._call("thaw", node)

    def heal(self) -> None:
        """Starts and thaws nodes until all see each other and agree on one schema."""
        self._call("heal")

    def wait_settled(self, timeout: float = 60) -> bool:
        """Waits until all nodes see each other and agree on one schema; False if ``timeout``
        passes.
        """
        return bool(self._call("wait_settled", timeout))

    def execute(self, statement: str, node: int = 0) -> None:
        """Runs a statement without parameters, such as ``CREATE KEYSPACE``."""
        run_statement(
            self._endpoints()[node], statement, Access(self.credentials, self.certificates)
        )

    @contextmanager
    def alone(self, wait: float = 600) -> Generator[None, None, None]:
        """Reserves the nodes, to break some of them; they are healed at the end.

        Other processes that also reserve them wait.
        """
        with hold(self._folder / ALONE, wait):
            try:
                yield
            finally:
                self.heal()

    def close(self) -> None:
        """Leaves the cluster, which ends when the last user leaves."""
        self._users.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _endpoints(self) -> list[Endpoint]:
        return [Endpoint(*fields) for fields in self._state["endpoints"]]

    def _has_cluster(self) -> bool:
        """Whether there is a cluster to share, or a failed attempt that need not be repeated.

        No other process starts one meanwhile. Waits for a cluster that is ending.
        """
        state = self._folder / STATE
        end = time.monotonic() + self._patience
        while is_held(self._folder / OWNER) and time.monotonic() < end:
            if state.exists():
                return True
            time.sleep(INTERVAL)
        return state.exists() and "failed" in json.loads(state.read_text())

    def _launch(self, options: str) -> None:
        (self._folder / STATE).unlink(missing_ok=True)
        # The lock is passed to the owner, which holds it as long as it lives.
        with take(self._folder / OWNER, PATIENCE) as lock, (self._folder / LOG).open("a") as log:
            descriptor = lock.fileno()
            owner = [sys.executable, "-m", "spikewire.testing.cassandra.owner"]
            launch = [sys.executable, "-I", "-S", "-c", LAUNCH, str(descriptor), *owner]
            subprocess.run(  # noqa: S603 - this interpreter, with our own arguments
                [*launch, str(self._folder), options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[descriptor],
                timeout=PATIENCE,
                check=True,
            )

    def _await_state(self) -> dict[str, Any]:
        end = time.monotonic() + self._patience
        state = self._folder / STATE
        log = self._folder / LOG
        while not state.exists():
            if not is_held(self._folder / OWNER) and not state.exists():
                message = f"the owner of the cluster ended; its log is {log}"
                raise CassandraFailed(message)
            if time.monotonic() > end:
                message = f"the owner of the cluster did not start it in time; its log is {log}"
                raise CassandraFailed(message)
            time.sleep(INTERVAL)
        return _result(state.read_text())

    def _call(self, name: str, *arguments: object) -> object:
        with socket.socket(socket.AF_UNIX) as owner:
            owner.settimeout(self._patience)
            owner.connect(self._state["socket"])
            with owner.makefile("rw") as line:
                line.write(json.dumps([name, *arguments]) + "\n")
                line.flush()
                return _result(line.readline())["result"]


def _result(text: str) -> dict[str, Any]:
    """The owner's answer, or the exception it reports."""
    answer = cast("dict[str, Any]", json.loads(text))
    if "failed" in answer:
        raise KINDS.get(answer["kind"], CassandraFailed)(answer["failed"])
    return answer
