"""How sessions find nodes again, and when they give a connection up, on a real node."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import textwrap
import threading
import time
from typing import TYPE_CHECKING

import pytest

from spikewire import cql
from spikewire.cql import errors
from spikewire.testing.cassandra import CqlProxy
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from spikewire.testing.cassandra import SharedCassandra

pytestmark = pytest.mark.faults

READ = "SELECT release_version FROM system.local"


# --- Names that resolve elsewhere later --------------------------------------------------------

#: In namespaces of its own, a process sees the hosts file of a test.
OWN_HOSTS = 'mount --bind "$0" /etc/hosts && exec "$@"'

PROGRAM = """
    import sys
    from spikewire import cql

    with cql.Session(sys.argv[1], timeout=2, connect_timeout=5) as session:
        print(session.nodes[0].address, flush=True)
        for line in sys.stdin:
            try:
                session.execute("SELECT release_version FROM system.local", idempotent=True)
                print(session.nodes[0].address, flush=True)
            except cql.errors.Error as error:
                print("failed", flush=True)
"""


@pytest.fixture
def hosts(tmp_path: Path) -> Path:
    """A file that replaces ``/etc/hosts``, if the system allows it."""
    file = tmp_path / "hosts"
    file.write_text("127.0.0.1 localhost\n")
    trial = ["unshare", "-Urm", "sh", "-c", OWN_HOSTS, str(file), "true"]
    try:
        subprocess.run(trial, check=True, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no namespaces here: {error}")
    return file


def test_a_contact_point_leads_elsewhere_later(cassandra: SharedCassandra, hosts: Path) -> None:
    first, second = "127.0.17.1", "127.0.17.2"
    with contextlib.ExitStack() as stack:
        before = stack.enter_context(CqlProxy(cassandra.addresses[0], host=first))
        port = int(before.address.rpartition(":")[2])
        after = stack.enter_context(CqlProxy(cassandra.addresses[0], host=second, port=port))
        hosts.write_text(f"{first} pomona.test\n")
        program = [sys.executable, "-c", textwrap.dedent(PROGRAM), f"pomona.test:{port}"]
        process = subprocess.Popen(
            ["unshare", "-Urm", "sh", "-c", OWN_HOSTS, str(hosts), *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(process.wait, 30)
        stack.callback(process.kill)
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = stack.enter_context(process.stdin), stack.enter_context(process.stdout)

        def ask() -> str:
            stdin.write("\n")
            stdin.flush()
            return stdout.readline().strip()

        assert stdout.readline().strip() == before.address
        assert ask() == before.address
        assert after.stats()["connections_opened"] == 0
        # The address stops working from now on, and the name resolves to another one.
        before.refuse("port")
        before.cut()
        hosts.write_text(f"{second} pomona.test\n")
        assert until(lambda: ask() == after.address, limit=60)


# --- Answers that never arrive --------------------------------------------------------------------


class Forwarder:
    """Forwards bytes to a node and back, or drops the answers on some connections."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.accepted = 0
        self._open: list[socket.socket] = []
        #: Connections up to this one get no more answers.
        self.deaf = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                node = socket.create_connection(self._target)
                self._open += [client, node]
                self.accepted += 1
                for way in ((client, node, 0), (node, client, self.accepted)):
                    threading.Thread(target=self._pass, args=way, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, number: int) -> None:
        with contextlib.suppress(OSError):
            while some := source.recv(1 << 16):
                if not 0 < number <= self.deaf:
                    target.sendall(some)
            target.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            one.close()


@pytest.fixture
def forwarder(cassandra: SharedCassandra) -> Iterator[Forwarder]:
    forwarder = Forwarder(cassandra.addresses[0])
    yield forwarder
    forwarder.close()


async def _answered(session: cql.AsyncSession) -> cql.Rows:
    """The answer that is read; without the end of the connection there is no time limit.

    The forwarder is part of this process, which was busy: to the session it may have looked like a
    paused node, whose answers it gives up and which it finds again.
    """
    end = time.monotonic() + 60
    while True:
        try:
            return await session.execute(READ)
        except errors.ConnectionFailed:
            if time.monotonic() > end:
                raise
        await asyncio.sleep(0.1)


def test_a_connection_with_too_many_orphans_is_replaced(forwarder: Forwarder) -> None:
    """Half of its ids: each is held by a statement whose caller has given up."""
    lost = 32_767 // 2 + 100

    async def main() -> None:
        async with cql.AsyncSession(
            forwarder.address, pipeline_depth=32_767, heartbeat=600.0, timeout=60.0
        ) as session:
            await session.execute(READ)
            # Later connections get answers, so that the node as a whole is not silent.
            forwarder.deaf = forwarder.accepted
            before = forwarder.accepted
            # All have been sent by then.
            late = (session.execute(READ, timeout=3.0) for _ in range(lost))
            ended = await asyncio.gather(*late, return_exceptions=True)
            assert sum(isinstance(one, errors.Timeout) for one in ended) > 32_767 // 2
            rows = await _answered(session)
            assert len(rows) == 1
            assert forwarder.accepted > before

    asyncio.run(main())
