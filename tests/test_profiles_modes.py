"""Sections of profiles for namespaces with and without strong consistency."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Profile, ProfileError, Profiles, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

OPTIONS: Any = {
    "timeout": 20.0,
    "read": {
        "point": {"timeout": 21},
        "strong": {"read_mode": "linearize", "timeout": 22},
        "available": {"read_mode": "all"},
    },
    "write": {"not_retryable": {"timeout": 23}, "strong": {"max_retries": 7, "timeout": 24}},
    "batch": {"strong": {"timeout": 25}},
    "query": {"available": {"records_per_second": 1000}},
    "job": {"strong": {"timeout": 26}},
}


class Regimes:
    """A proxy in front of a node that reports a regime for one of its namespaces, as nodes do for
    namespaces with strong consistency."""

    def __init__(self, seed: str, namespace: str) -> None:
        host, port = seed.rsplit(":", 1)
        self._node = (host, int(port))
        self._old, self._new = f"{namespace}:0,".encode(), f"{namespace}:1,".encode()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()
        self.seed = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                node = socket.create_connection(self._node)
                self._open += [client, node]
                for talk in (
                    threading.Thread(target=self._ask, args=(client, node)),
                    threading.Thread(target=self._answer, args=(node, client)),
                ):
                    self._threads.append(talk)
                    talk.start()

    def _ask(self, client: socket.socket, node: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while requests := client.recv(65536):
                node.sendall(requests)
            node.shutdown(socket.SHUT_RDWR)

    def _answer(self, node: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError), node.makefile("rb") as replies:
            while len(header := replies.read(8)) == 8:
                body = replies.read(int.from_bytes(header[2:], "big"))
                if header[1] == 1:
                    body = body.replace(self._old, self._new)
                client.sendall(header + body)
            client.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for each in self._open:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(20)


@pytest.fixture(scope="module")
def seed() -> Iterator[str]:
    with Cluster(nodes=1, namespaces=["test", "ledger"]) as cluster:
        proxy = Regimes(cluster.seeds, "ledger")
        yield proxy.seed
        proxy.close()


@pytest.fixture(scope="module")
def client(seed: str) -> Iterator[spikewire.Client]:
    with spikewire.Client(seed, timeout=30) as client:
        yield client


def source(explanation: Any, option: str) -> tuple[Any, str]:
    return explanation[option].value, explanation[option].source


def test_the_mode_of_the_namespace_counts(client: spikewire.Client) -> None:
    view = client.with_profile(Profile("p", **OPTIONS))
    ledger, test = view.dataset("ledger", "s"), view.dataset("test", "s")
    explanation = ledger.explain("get", 1)
    assert source(explanation, "read_mode") == ("linearize", "profile 'p', read.strong.read_mode")
    assert source(explanation, "timeout") == (22, "profile 'p', read.strong.timeout")
    assert (explanation.consistency, "the namespace is 'strong'" in str(explanation)) == (
        "strong",
        True,
    )
    explanation = test.explain("get", 1)
    assert source(explanation, "read_mode") == ("all", "profile 'p', read.available.read_mode")
    assert source(explanation, "timeout") == (21, "profile 'p', read.point.timeout")
    assert explanation.consistency == "available"
    assert ledger.explain("add", 1, {})["timeout"].value == 24
    assert test.explain("add", 1, {})["timeout"].value == 23
    assert ledger.explain("put", 1, {})["max_retries"].value == 7
    assert test.explain("put", 1, {})["max_retries"].value == 2
    assert ledger.explain("operate", 1, [op.add("n", 1)])["timeout"].value == 24
    assert ledger.explain("operate", 1, [op.get("n")])["timeout"].value == 22
    assert ledger.explain("delete_all")["timeout"].value == 26
    assert test.explain("query")["records_per_second"].value == 1000
    assert ledger.explain("query")["records_per_second"].value is None
    assert ledger.explain("get", 1, timeout=1)["timeout"].source == "the call"
    # If the mode makes no difference, it is not mentioned.
    assert "consistency" not in str(client.with_profile(Profile("q")).explain("get"))


def test_the_namespace_of_a_key_selects_the_mode(client: spikewire.Client) -> None:
    view = client.with_profile(Profile("p", **OPTIONS))
    theirs, ours = spikewire.Key("ledger", "s", 1), ("test", "s", 1)
    both = [theirs, ours]
    assert view.explain("get", theirs).consistency == "strong"
    assert view.explain("get", key=ours).consistency == "available"
    assert view.explain("get_many", [theirs, theirs]).consistency == "strong"
    assert view.explain("put_many", {theirs: {"n": 1}}).consistency == "strong"
    assert view.explain("put_many", [(ours, {"n": 1})]).consistency == "available"
    rows = [spikewire.Read(theirs), spikewire.Delete(theirs)]
    explanation = view.explain("batch", rows)
    assert source(explanation, "timeout") == (25, "profile 'p', batch.strong.timeout")
    assert source(explanation, "read_mode") == ("linearize", "profile 'p', read.strong.read_mode")
    assert view.explain("query", "ledger").consistency == "strong"
    # Namespaces of both modes, one that does not exist, or none.
    for arguments in ((both,), ([("nowhere", "s", 1)],), ()):
        explanation = view.explain("get_many", *arguments)
        assert (explanation.consistency, explanation["read_mode"].value) == (None, "one")
        assert "neither 'available' nor 'strong' holds" in str(explanation)


def test_calls_have_the_options(client: spikewire.Client) -> None:
    # The embedded cluster refuses such reads, which shows which calls have the option.
    strong: Any = {"read_mode": "linearize"}
    profile = Profile("p", read={"strong": strong}, write={"strong": {"ttl": 500}})
    view = client.with_profile(profile)
    ledger, test = view.dataset("ledger", "s"), view.dataset("test", "s")
    for users in (ledger, test):
        users.put(1, {"n": 1})
    assert 400 < (client.dataset("ledger", "s").get(1).ttl or 0) <= 500
    assert test.get(1).ttl is None
    for call in (
        lambda: ledger.get(1),
        lambda: ledger.submit.get(1).result(),
        lambda: view.get(("ledger", "s", 1)),
        lambda: view.session().query(ledger.key(1)).first(),
        lambda: view.get_many(iter([ledger.key(1)])).raise_for_errors(),
        lambda: ledger.operate(1, [op.get("n")]),
    ):
        with pytest.raises(spikewire.ServerError, match="Enterprise"):
            call()
    assert ledger.get(1, read_mode="one")["n"] == 1
    assert view.session().query(test.key(1)).first()["n"] == 1
    batch = view.get_many(iter([test.key(1), test.key(2)]))
    assert [record and record["n"] for record in batch] == [1, None]
    assert ledger.operate(1, [op.add("n", 1), op.get("n")])["n"] == 2
    assert [record["n"] for record in view.concurrent([(view.get, test.key(1))])] == [1]
    with pytest.raises(spikewire.ServerError, match="Enterprise"):
        list(view.concurrent([(view.get, ledger.key(1))]))


def test_asyncio_before_the_client_is_open(seed: str) -> None:
    async def main() -> None:
        client = spikewire.AsyncClient(seed, timeout=30)
        view = client.with_profile(Profile("p", **OPTIONS))
        ledger = view.dataset("ledger", "s")
        assert ledger.explain("get", 1).consistency is None
        async with client:
            assert ledger.explain("get", 1).consistency == "strong"
            await ledger.put(5, {"n": 5})
            step = view.session().query(ledger.key(5))
            with pytest.raises(spikewire.ServerError, match="Enterprise"):
                await step.first()
            assert (await step.read_mode("one").first())["n"] == 5

    asyncio.run(main())


def test_modes_are_read_from_files_and_checked(tmp_path: Path, client: spikewire.Client) -> None:
    path = tmp_path / "profiles.toml"
    path.write_text('[p.read.strong]\nread_mode = "linearize"\n[p.write.available]\nttl = 60\n')
    view = client.with_profile(Profiles(path)["p"])
    explanation = view.dataset("ledger", "s").explain("get", 1)["read_mode"]
    assert explanation.source == "profile 'p', read.strong.read_mode (profiles.toml, line 2)"
    path.write_text('[p.read.strong]\nread_mode = "linearise"\n')
    with pytest.raises(ProfileError, match=r"line 2, p\.read\.strong\.read_mode: read_mode must"):
        Profiles(path)
    with pytest.raises(ProfileError, match=r"p\.read\.strict: there is no option or section"):
        Profile("p", read={"strict": {}})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ProfileError, match=r"p\.read\.strong\.ttl: there is no option or section"):
        Profile("p", read={"strong": {"ttl": 1}})  # type: ignore[typeddict-unknown-key]
    base = Profile("base", read={"strong": {"read_mode": "linearize"}})
    derived = base.derive("derived", read={"strong": {"timeout": 3}})
    assert derived.options == {"read.strong.read_mode": "linearize", "read.strong.timeout": 3}
