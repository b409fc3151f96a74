"""Calling threads and their connections: signals, slow connecting, half-sent and cut requests."""

from __future__ import annotations

import signal
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MIB = 1 << 20


@contextmanager
def alarms(handler: Callable[..., object], after: float, every: float = 0.0) -> Iterator[None]:
    """Calls the handler when the time has passed, and then repeatedly if requested."""
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, after, every)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def shared(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=60, connections_per_node=4) as client:
        yield client


def test_signals_do_not_break_an_upload() -> None:
    calls: list[int] = []
    with (
        Cluster(nodes=1, max_record_size=64 * MIB) as cluster,
        spikewire.Client(cluster.seeds, timeout=60, max_retries=0) as client,
    ):
        value = bytes(48 * MIB)
        with alarms(lambda number, _: calls.append(number), 0.001, 0.001):
            for turn in range(5):
                client.put(("test", "uploads", turn), {"b": value})
    assert calls


def test_signals_while_calls_wait_for_their_replies_lose_nothing() -> None:
    calls: list[int] = []
    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(cluster.seeds, timeout=60, max_retries=0) as client,
    ):
        data = client.dataset("test", "signals")
        data.put(1, {"n": 0})
        cluster.inject(0, delay=0.01)
        with alarms(lambda number, _: calls.append(number), 0.003, 0.003):
            for turn in range(20):
                data.put(1, {"n": turn})
                assert data.get(1)["n"] == turn
    assert calls


def test_a_handler_that_raises_ends_a_call_that_waits_for_a_silent_node() -> None:
    class EnoughError(Exception):
        pass

    def handler(*_: object) -> None:
        raise EnoughError

    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(cluster.seeds, timeout=600, tend_interval=60) as client,
    ):
        data = client.dataset("test", "signals")
        data.put(1, {"n": 1})
        cluster.inject(0, drop=1)
        for turn in range(3):
            with pytest.raises(EnoughError), alarms(handler, 0.02 + turn / 100):
                data.get(1)
        cluster.clear_faults(0)
        assert data.get(1)["n"] == 1


@pytest.mark.parametrize("connections", [1, 4])
def test_a_call_in_a_signal_handler_does_not_wait_for_the_call_it_interrupts(
    connections: int,
) -> None:
    inner: list[Any] = []
    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(
            cluster.seeds, timeout=60, connections_per_node=connections, tend_interval=60
        ) as client,
    ):
        data = client.dataset("test", "nested")
        data.put(1, {"n": 1})

        def handler(*_: object) -> None:
            # If the outer call blocked it, this would end with the timeout.
            inner.append(data.get(1, timeout=30)["n"])

        cluster.inject(0, delay=1.0)
        with alarms(handler, 0.2):
            assert data.get(1)["n"] == 1
    assert inner == [1]


def test_a_call_in_a_handler_while_threads_share_connections(shared: spikewire.Client) -> None:
    data = shared.dataset("test", "nested")
    data.put(1, {"n": 1})
    inner: list[Any] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            data.get(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    try:
        with alarms(lambda *_: inner.append(data.get(1, timeout=30)["n"]), 0.05, 0.05):
            while len(inner) < 5:
                assert data.get(1)["n"] == 1
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert set(inner) == {1}


def test_a_broken_connection_counts_once_however_many_threads_wait_for_it() -> None:
    ended: list[str] = []
    with (
        Cluster(nodes=1) as cluster,
        # If threads start so slowly that some reconnect before the faults end, there are a few
        # cuts, but still not one for each thread.
        spikewire.Client(
            cluster.seeds,
            timeout=60,
            max_error_rate=20,
            max_retries=10,
            tend_interval=60,
            connections_per_node=4,
        ) as client,
    ):
        data = client.dataset("test", "cut")
        data.put(1, {"n": 1})
        cluster.inject(0, delay=8.0, cut=1.0)

        def work() -> None:
            try:
                data.get(1)
            except spikewire.Error as error:
                ended.append(type(error).__name__)
            else:
                ended.append("found")

        threads = [threading.Thread(target=work) for _ in range(100)]
        for thread in threads:
            thread.start()
        assert until(lambda: client.stats().in_flight == len(threads))
        # Connections that are already held are cut; new ones are answered.
        cluster.clear_faults(0)
        for thread in threads:
            thread.join()
    assert ended == ["found"] * 100


def test_a_write_that_timed_out_half_sent_is_never_finished() -> None:
    with (
        Cluster(nodes=1, max_record_size=120 * MIB) as cluster,
        spikewire.Client(cluster.seeds, timeout=60, connections_per_node=1) as client,
    ):
        data = client.dataset("test", "half")
        data.put("other", {"b": bytes(200_000)})
        value = bytes(100 * MIB)
        timeouts = 0
        for limit in (0.002, 0.005, 0.02):
            try:
                data.put("k", {"b": value}, timeout=limit)
            except spikewire.Timeout:
                timeouts += 1
            data.put("k", {"b": b"new"})
            # Would be the command that takes the rest along.
            data.put("other", {"b": bytes(200_000)})
            assert data.get("k")["b"] == b"new"
    assert timeouts


class SlowToConnect:
    """A proxy in front of a node; connecting through it takes a second or more while it is
    clogged."""

    def __init__(self, target: str) -> None:
        host, port = target.rsplit(":", 1)
        self.target = (host, int(port))
        # Whoever holds it decides whether a connection goes on.
        self.passage = threading.Lock()
        self.is_clogged = False
        self.holds_one = False
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.guests: list[socket.socket] = []
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def address(self) -> str:
        return "{}:{}".format(*self.listener.getsockname())

    def serve(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.holds_one = True
            with self.passage:
                self.holds_one = False
                try:
                    far = socket.create_connection(self.target)
                except OSError:
                    near.close()
                    continue
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    @staticmethod
    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            end.close()

    def clog(self) -> None:
        self.passage.acquire()
        self.is_clogged = True
        for _ in range(4):
            guest = socket.socket()
            guest.setblocking(False)
            guest.connect_ex(self.listener.getsockname())
            self.guests.append(guest)
            # One is accepted, if not one of the client's, the next ones fill the backlog.
            assert until(lambda: self.holds_one)

    def free(self) -> None:
        for guest in self.guests:
            guest.close()
        if self.is_clogged:
            self.is_clogged = False
            self.passage.release()

    def close(self) -> None:
        self.free()
        self.listener.close()


def test_connecting_outlasts_the_deadline_of_the_call_that_began_it() -> None:
    with Cluster(nodes=1) as cluster:
        proxy = SlowToConnect(cluster.addresses[0])
        ended: dict[str, object] = {}
        with spikewire.Client(
            proxy.address,
            connect_timeout=30,
            connections_per_node=1,
            max_retries=0,
            tend_interval=60,
        ) as client:
            data = client.dataset("test", "slow")
            proxy.clog()

            def call(name: str, timeout: float) -> None:
                try:
                    ended[name] = data.get(1, default=None, timeout=timeout)
                except spikewire.Error as error:
                    ended[name] = type(error)

            calls = [("hasty", 3.0), ("patient", 60.0), ("patient too", 60.0)]
            threads = [threading.Thread(target=call, args=each) for each in calls]
            for count, thread in enumerate(threads, 1):
                thread.start()
                assert until(lambda count=count: client.stats().in_flight == count)  # type: ignore[misc]
            threads[0].join()
            proxy.free()
            for thread in threads:
                thread.join()
        proxy.close()
    assert ended == {"hasty": spikewire.Timeout, "patient": None, "patient too": None}


@pytest.mark.parametrize(
    ("options", "least", "most"), [({}, 8, 8), ({"connections_per_node": 2}, 2, 4)]
)
def test_threads_have_connections_of_their_own_up_to_a_limit(
    options: dict[str, Any], least: int, most: int
) -> None:
    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(cluster.seeds, timeout=60, tend_interval=60, **options) as client,
    ):
        data = client.dataset("test", "own")
        before = cluster.stats(0)["connections"]
        cluster.inject(0, delay=1.0)
        threads = [threading.Thread(target=data.exists, args=(key,)) for key in range(8)]
        for thread in threads:
            thread.start()
        assert until(lambda: client.stats().in_flight == len(threads))
        cluster.clear_faults(0)
        for thread in threads:
            thread.join()
        opened = cluster.stats(0)["connections"] - before
    assert least <= opened <= most
