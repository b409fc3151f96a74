"""How often a node that is down is dialled, counted in front of the server of canned replies."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
import warnings
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.compat.cassandra import CompatWarning, policies
from spikewire.compat.cassandra.cluster import Cluster
from spikewire.testing.cassandra import CannedServer
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessions import Sessions

#: Longer than any test takes.
LONG = 600.0


class Door:
    """Forwards to a server, or closes every new connection."""

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.is_shut = False
        #: The number of connections while it was closed.
        self.knocks = 0
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self.is_shut:
                    self.knocks += 1
                    client.close()
                    continue
                server = socket.create_connection(self._target)
                self._open += [client, server]
                for way in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=way, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := source.recv(1 << 16):
                target.sendall(some)
            target.shutdown(socket.SHUT_WR)

    def shut(self) -> None:
        self.is_shut = True
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for one in self._open:
            one.close()


@pytest.fixture
def door() -> Iterator[Door]:
    with CannedServer() as server:
        door = Door(server.address)
        yield door
        door.close()


def knocks_within(door: Door, seconds: float) -> int:
    door.shut()
    assert until(lambda: door.knocks > 0, 60)
    # That nothing comes for a while takes that while.
    time.sleep(seconds)
    return door.knocks


def test_long_pauses_delay_reconnecting(sessions: Sessions, door: Door) -> None:
    sessions.open([f"127.0.0.1:{door.port}"], reconnect=(LONG, timedelta(seconds=LONG)))
    # It is dialled, and sent a keep-alive; the next attempt is far away.
    assert knocks_within(door, 1.5) <= 3


def test_short_pauses_stay_short(sessions: Sessions, door: Door) -> None:
    sessions.open([f"127.0.0.1:{door.port}"], reconnect=(0.01, 0.02))
    door.shut()
    # With the default pauses, that would take minutes.
    assert until(lambda: door.knocks > 60, 60)


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (1.0, TypeError, "reconnect must be a list of two spans"),
        ((1.0,), TypeError, "reconnect must be a list of two spans"),
        ((1, 2, 3), TypeError, "reconnect must be a list of two spans"),
        ("12", TypeError, "reconnect must be a list of two spans"),
        (("1", 2), TypeError, "reconnect must be seconds as a number"),
        ((1, None), TypeError, "reconnect must be seconds as a number"),
        ((True, 2), TypeError, "reconnect must be seconds as a number"),
        ((0, 1), ValueError, r"reconnect must be at least 0\.001 s"),
        ((-1, 1), ValueError, "reconnect must be a number of seconds from 0"),
        ((2, 1), ValueError, "the longest pause must not be below the shortest"),
        ((1, float("nan")), ValueError, "reconnect"),
    ],
)
def test_pauses_that_make_no_sense(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        cql.Session("127.0.0.1:1", reconnect=value)


# --- Programs written for cassandra-driver --------------------------------------------------------


def cluster_at(door: Door, policy: policies.ReconnectionPolicy) -> Cluster:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return Cluster(["127.0.0.1"], port=door.port, reconnection_policy=policy)


@pytest.mark.parametrize(
    "policy",
    [
        policies.ConstantReconnectionPolicy(LONG),
        policies.ExponentialReconnectionPolicy(LONG, 2 * LONG),
    ],
)
def test_policies_with_long_pauses_delay_reconnecting(
    door: Door, policy: policies.ReconnectionPolicy
) -> None:
    with cluster_at(door, policy) as cluster:
        assert cluster.reconnection_policy is policy
        cluster.connect()
        # Two sessions of the engine: one is the cluster's own.
        assert knocks_within(door, 1.5) <= 6


@pytest.mark.parametrize(
    "policy",
    [
        policies.ConstantReconnectionPolicy(0, max_attempts=None),
        policies.ExponentialReconnectionPolicy(0.005, 0.02),
    ],
)
def test_policies_with_short_pauses_reconnect_often(
    door: Door, policy: policies.ReconnectionPolicy
) -> None:
    with cluster_at(door, policy) as cluster:
        cluster.connect()
        door.shut()
        assert until(lambda: door.knocks > 120, 60)


class OwnPauses(policies.ConstantReconnectionPolicy):
    pass


def test_other_policies_are_warned_of() -> None:
    with pytest.warns(CompatWarning, match="reconnection_policy"):
        Cluster(reconnection_policy=OwnPauses(1))
    with pytest.raises(TypeError, match="instance of that class"):
        Cluster(reconnection_policy=policies.ReconnectionPolicy)  # type: ignore[arg-type]
