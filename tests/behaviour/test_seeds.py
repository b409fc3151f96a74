"""Unreachable seeds and peers: an error in time that gives the reason for each."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import TYPE_CHECKING

import pytest

import spikewire
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api


@contextlib.contextmanager
def server(talk: Callable[[socket.socket], None]) -> Iterator[str]:
    """A listener whose connections are served by ``talk``, one after the other."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        done = threading.Event()

        def run() -> None:
            while not done.is_set():
                with contextlib.suppress(OSError):
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(20)
                        talk(connection)

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            done.set()
            thread.join()


@pytest.mark.any_api
@pytest.mark.parametrize(
    "seeds", ["", " ", ",", [], (), [""], "host:notaport", "host:0", "host:70000"]
)
def test_no_seeds_raise(api: Api, seeds: object) -> None:
    with pytest.raises(ValueError, match="seed"):
        api.open(seeds)


@pytest.mark.any_api
@pytest.mark.parametrize("seeds", [None, 3000, b"127.0.0.1", [3000], {"a": 1}])
def test_seeds_of_the_wrong_type_raise(api: Api, seeds: object) -> None:
    with pytest.raises(TypeError, match="seed"):
        api.open(seeds)


def test_a_refused_connection_names_the_seed(api: Api) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(spikewire.ConnectionFailed, match=rf"127.0.0.1:{port}.*refused"):
            api.open(f"127.0.0.1:{port}")


def test_an_unresolvable_name_raises(api: Api) -> None:
    match = r"no-such-host\.invalid"
    with pytest.raises(spikewire.ConnectionFailed, match=match):
        api.open("no-such-host.invalid:3000", connect_timeout=1)


def test_an_http_server_is_recognized(api: Api) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    with server(talk) as seed, pytest.raises(spikewire.ConnectionFailed) as caught:
        api.open(seed, connect_timeout=20)
    assert seed in str(caught.value)
    assert "not this protocol" in str(caught.value)
    assert "HTTP" in str(caught.value)


def test_a_server_that_closes_is_reported(api: Api) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(1)

    with server(talk) as seed, pytest.raises(spikewire.ConnectionFailed, match="closed"):
        api.open(seed, connect_timeout=20)


def test_a_silent_server_times_out(api: Api) -> None:
    def talk(connection: socket.socket) -> None:
        # Until the client gives up; one that does not would in the end see the connection closed.
        while connection.recv(1000):
            pass

    with server(talk) as seed, pytest.raises(spikewire.ConnectionFailed, match="no answer"):
        api.open(seed, connect_timeout=0.3)


def test_an_unreachable_address_times_out(api: Api) -> None:
    # A listener with a full backlog answers no further connection attempts: the operating system
    # itself would give up after minutes, with another message.
    with contextlib.ExitStack() as stack:
        hole = stack.enter_context(socket.socket())
        hole.bind(("127.0.0.1", 0))
        hole.listen(0)
        address = hole.getsockname()
        for _ in range(4):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(address)
        seed = f"127.0.0.1:{address[1]}"
        match = rf"{seed}: no connection within 300ms"
        with pytest.raises(spikewire.ConnectionFailed, match=match):
            api.open(seed, connect_timeout=0.3)


def test_random_bytes_from_a_server_raise(api: Api) -> None:
    def talk(connection: socket.socket) -> None:
        connection.recv(1000)
        connection.sendall(bytes([2, 1, 255, 255, 255, 255, 255, 255]) + bytes(100))

    with server(talk) as seed, pytest.raises(spikewire.ConnectionFailed, match=seed):
        api.open(seed, connect_timeout=20)


def test_one_good_seed_is_enough(api: Api, cluster: Cluster) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        bad = f"127.0.0.1:{unused.getsockname()[1]}"
        for seeds in (f"{bad},{cluster.addresses[0]}", [bad, cluster.addresses[2]]):
            with api.open(seeds, timeout=20) as client:
                assert len(client.raw.nodes()) == 3
                assert client.dataset("test", "seeds").exists(1) is False


def test_the_error_lists_every_seed(api: Api) -> None:
    with socket.socket() as one, socket.socket() as two:
        for unused in (one, two):
            unused.bind(("127.0.0.1", 0))
        seeds = [f"127.0.0.1:{unused.getsockname()[1]}" for unused in (one, two)]
        with pytest.raises(spikewire.ConnectionFailed) as caught:
            api.open(seeds)
        assert all(seed in str(caught.value) for seed in seeds)


def test_failing_to_connect_leaves_nothing_open(api: Api, no_descriptor_leak: object) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        for _ in range(20):
            with pytest.raises(spikewire.ConnectionFailed):
                api.open(f"127.0.0.1:{unused.getsockname()[1]}")


def test_peers_at_addresses_that_cannot_be_reached(api: Api) -> None:
    """As of nodes in containers or behind NAT: the client opens, and says why calls fail."""
    with Cluster(nodes=3, replication_factor=1) as cluster, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = f"127.0.0.1:{closed.getsockname()[1]}"
        first, *others = cluster.addresses
        why = f"{nowhere}: connection refused"
        with api.open(first, ip_map=dict.fromkeys(others, nowhere)) as client:
            assert list(client.raw.stats().unreachable.values()) == [why, why]
            rows = {key: {"a": 1} for key in range(100)}
            failed = client.dataset("test", "far").put_many(rows, max_retries=0).errors
            assert failed
            for error in failed.values():
                assert isinstance(error, spikewire.NodeUnavailable)
                assert "cannot be reached from here: " in error.message
                assert why in error.message
                assert "ip_map or use_services_alternate" in error.message
        with api.open(first) as client:
            assert client.raw.stats().unreachable == {}


def test_nodes_without_an_alternate_address_are_not_known(api: Api) -> None:
    """Servers do not list them, so it is not known that they exist: errors say what may be why."""
    with (
        Cluster(nodes=3, replication_factor=1) as cluster,
        api.open(cluster.addresses[0], use_services_alternate=True) as client,
    ):
        assert len(client.raw.nodes()) == 1
        assert client.raw.stats().unreachable == {}
        rows = {key: {"a": 1} for key in range(100)}
        failed = client.dataset("test", "far").put_many(rows, max_retries=0).errors
        assert failed
        for error in failed.values():
            assert isinstance(error, spikewire.NodeUnavailable)
            assert "with use_services_alternate, nodes without an alternate" in error.message
