"""Pickling to other processes, and what they find."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import GeoJSON, HyperLogLog, Key, errors
from spikewire.testing.cassandra.certificates import make_certificates

if TYPE_CHECKING:
    from pathlib import Path

    from spikewire.testing import Cluster

POINT = GeoJSON('{"type": "Point", "coordinates": [1, 2]}')
PROTOCOLS = range(2, pickle.HIGHEST_PROTOCOL + 1)


def elsewhere(code: str, data: bytes, *, timeout: float = 60) -> str:
    """Runs code in a fresh interpreter with ``data`` unpickled as ``it``; returns its output."""
    program = "import pickle, sys\nit = pickle.load(sys.stdin.buffer)\n" + textwrap.dedent(code)
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        input=data,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()
    assert not ran.stderr, ran.stderr.decode()
    return ran.stdout.decode().strip()


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "value",
    [
        Key("test", "users", "alice"),
        Key("test", None, 7),
        Key("test", "", b"\x00\xff"),
        Key.from_digest("test", "users", bytes(range(20))),
        POINT,
        HyperLogLog(b"\x00sketch"),
    ],
)
def test_values_pickle(value: object, protocol: int) -> None:
    again = pickle.loads(pickle.dumps(value, protocol))
    assert again == value
    assert hash(again) == hash(value)
    assert repr(again) == repr(value)


def test_a_key_is_its_own_copy() -> None:
    key = Key("test", "users", "alice")
    assert copy.copy(key) is key
    assert copy.deepcopy([key])[0] is key


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_records_pickle(cluster: Cluster, protocol: int) -> None:
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20) as client:
        users = client.dataset("test", "pickled")
        users.put("alice", {"n": 1, "list": [1, "x"], "geo": POINT}, ttl=100)
        for record in (
            users.get("alice"),
            users.get("alice", bins=[]),
            users.operate("alice", [spikewire.op.get("n"), spikewire.op.touch()]),
        ):
            again = pickle.loads(pickle.dumps(record, protocol))
            assert again == record
            assert again.bins == record.bins
            assert again.key == record.key
            assert again.key.key == "alice"
            assert again.results == record.results
            assert (again.generation, again.ttl) == (record.generation, record.ttl)
        deep = copy.deepcopy(record)
        deep.bins["n"] = 5
        assert record["n"] == 1


ERRORS = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", ERRORS)
def test_errors_pickle(kind: type[errors.Error], protocol: int) -> None:
    key = Key("test", "users", "alice")
    error = kind("it broke", code=9, node="N1 host:1", attempts=3, in_doubt=True, key=key)
    error.extra = "noted"  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is kind
    assert str(again) == str(error)
    assert (again.message, again.code, again.node) == ("it broke", 9, "N1 host:1")
    assert (again.attempts, again.in_doubt, again.key) == (3, True, key)
    assert again.extra == "noted"  # type: ignore[attr-defined]
    assert str(copy.copy(error)) == str(error)


def test_an_error_of_the_server_pickles(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20) as client:
        with pytest.raises(spikewire.RecordNotFound) as caught:
            client.get(("test", "pickled", "nobody"))
        again = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(again, KeyError)
        assert again.key == Key("test", "pickled", "nobody")  # type: ignore[attr-defined]
        assert again.code == 2  # type: ignore[attr-defined]


def test_clients_say_why_they_do_not_pickle(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds) as client:
        with pytest.raises(TypeError, match="Client objects hold connections"):
            pickle.dumps(client)
        assert copy.copy(client) is client
        assert copy.deepcopy(client) is client
    other = spikewire.AsyncClient(cluster.seeds)
    with pytest.raises(TypeError, match="AsyncClient objects hold"):
        pickle.dumps(other)
    assert copy.copy(other) is other


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_dataset_finds_its_live_client(cluster: Cluster, protocol: int) -> None:
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20) as client:
        users = client.dataset("test", "live")
        again = pickle.loads(pickle.dumps(users, protocol))
        assert again == users
        assert hash(again) == hash(users)
        assert (again.namespace, again.set) == ("test", "live")
        assert copy.copy(users) is users
        assert copy.deepcopy(users) is users
        users.put("k", {"n": 1})
        assert again.get("k")["n"] == 1
        assert again != client.dataset("test", "other")
        with spikewire.Client(cluster.seeds) as stranger:
            assert stranger.dataset("test", "live") != users
    # Its client is the one that was just closed.
    with pytest.raises(spikewire.ClientClosed):
        again.get("k")


def test_an_async_dataset_finds_its_live_client(cluster: Cluster) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=10, connect_timeout=20) as client:
            users = client.dataset("test", "live")
            again = pickle.loads(pickle.dumps(users))
            assert again == users
            assert hash(again) == hash(users)
            assert copy.deepcopy(users) is users
            await users.put("k", {"n": 2})
            assert (await again.get("k"))["n"] == 2
        with pytest.raises(spikewire.ClientClosed):
            await again.get("k")

    asyncio.run(main())


def test_a_dataset_opens_its_client_in_another_process(cluster: Cluster) -> None:
    options: spikewire.options.ClientOptions = {
        "timeout": timedelta(seconds=10),
        "send_key": True,
        "racks": [1, 2],
        "ip_map": {"10.0.0.1": "127.0.0.1"},
    }
    with spikewire.Client(cluster.seeds, **options) as client:
        users, others = client.dataset("test", "travel"), client.dataset("test", None)
        users.put("k", {"n": 3})
        code = """
            users, others, again = it
            assert users == again and hash(users) == hash(again) and users != others
            # One client for all of them, connected on first use.
            import os
            users.get("k")
            before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
            others.exists("k"), again.get("k"), pickle.loads(pickle.dumps(users)).get("k")
            after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
            assert after <= before + 3, (before, after)
            print(users.get("k")["n"], users.namespace, users.set, others.set)
        """
        assert elsewhere(code, pickle.dumps((users, others, users))) == "3 test travel None"


def test_an_async_dataset_opens_its_client_in_another_process(cluster: Cluster) -> None:
    async def pickled() -> bytes:
        async with spikewire.AsyncClient(cluster.seeds, timeout=10, connect_timeout=20) as client:
            users = client.dataset("test", "travel-async")
            await users.put("k", {"n": 4})
            return pickle.dumps(users)

    code = """
        import asyncio
        async def main():
            return (await it.get("k"))["n"]
        print(asyncio.run(main()), asyncio.run(main()))
    """
    assert elsewhere(code, asyncio.run(pickled())) == "4 4"


def test_a_dataset_whose_client_was_closed_makes_one_like_it(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20) as client:
        users = client.dataset("test", "revived")
        users.put("k", {"n": 5})
        data = pickle.dumps(users)
    again, third = pickle.loads(data), pickle.loads(data)
    assert again == users == third
    assert again.get("k")["n"] == third.get("k")["n"] == 5
    with pytest.raises(spikewire.ClientClosed):
        users.get("k")


def test_threads_unpickle_datasets_concurrently(cluster: Cluster) -> None:
    with spikewire.Client(cluster.seeds, timeout=10, connect_timeout=20) as client:
        users = client.dataset("test", "rush")
        users.put("k", {"n": 6})
        data = pickle.dumps(users)
    start = threading.Barrier(8)

    def work(_: int) -> object:
        start.wait(10)
        return pickle.loads(data).get("k")["n"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [6] * 8


def test_options_are_those_of_the_moment(cluster: Cluster) -> None:
    racks = [1]
    with spikewire.Client(cluster.seeds, racks=racks) as client:
        racks.append(99)
        _, arguments = client.dataset("test", "t").__reduce__()
        assert isinstance(arguments, tuple)
        assert arguments[2] == {"racks": [1]}


def test_clients_of_forgotten_datasets_are_let_go(cluster: Cluster) -> None:
    # A worker that gets datasets of many clients keeps only a few of them open.
    seeds = cluster.seeds
    pickles = []
    for _ in range(12):
        with spikewire.Client(seeds, connect_timeout=20) as client:
            pickles.append(pickle.dumps(client.dataset("test", "adopted")))
    out = elsewhere(
        """
        import threading, os
        threads = lambda: len(os.listdir("/proc/self/task"))
        seen = []
        for blob in it:
            data = pickle.loads(blob)
            data.put("k", {"n": 1}, timeout=20)
            del data
            seen.append(threads())
        kept = [pickle.loads(blob) for blob in it]
        for data in kept:
            assert data.get("k", timeout=20)["n"] == 1
        print(seen[3], seen[-1])
        """,
        pickle.dumps(pickles),
    )
    few, many = out.split()
    assert int(many) <= int(few) + 1


def pickled_with(**options: Any) -> bytes:
    """A pickled dataset of a client that is gone."""
    return pickle.dumps(spikewire.AsyncClient("127.0.0.1:1", **options).dataset("test", "secret"))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_password_is_in_no_pickle(protocol: int, monkeypatch: pytest.MonkeyPatch) -> None:
    client = spikewire.AsyncClient("127.0.0.1:1", user="app", password="hidden")
    users = client.dataset("test", "secret")
    pickled = pickle.dumps(users, protocol)
    assert b"app" in pickled
    assert b"hidden" not in pickled
    assert pickle.loads(pickled) == users
    del client, users
    gc.collect()
    monkeypatch.delenv("SPIKEWIRE_AEROSPIKE_PASSWORD", raising=False)
    with pytest.raises(ValueError, match=r"not pickled: .* password of user 'app' .* variable"):
        pickle.loads(pickled)
    monkeypatch.setenv("SPIKEWIRE_AEROSPIKE_PASSWORD", "from the variable")
    again = pickle.dumps(pickle.loads(pickled), protocol)
    assert b"from the variable" not in again


def test_a_key_that_is_in_no_file_is_in_no_pickle(tmp_path: Path) -> None:
    pytest.importorskip("trustme", reason="nothing is installed that makes certificates")
    files = make_certificates(tmp_path, ["localhost"])
    key = files.key.read_bytes()
    tls = {"ca": files.ca, "certificate": files.certificate}
    by_bytes = pickled_with(tls={**tls, "private_key": key})
    by_path = pickled_with(tls={**tls, "private_key": files.key})
    gc.collect()
    assert key.splitlines()[1] not in by_bytes
    with pytest.raises(ValueError, match="private keys passed as bytes are not pickled"):
        pickle.loads(by_bytes)
    assert pickle.loads(by_path).set == "secret"
