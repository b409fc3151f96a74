"""The surface of the clients: their repr, help, warnings and advice."""

from __future__ import annotations

import asyncio
import gc
import inspect
import pydoc
import re
import subprocess
import sys
import textwrap
import warnings
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import AsyncClient, Client
from spikewire.testing.cassandra.faults import faults_of
from spikewire.testing.cassandra.options import settings_of
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.testing import Cluster

VERBS = ("get", "exists", "put", "add", "append", "prepend", "delete", "touch", "operate")
CLASSES = (Client, AsyncClient, spikewire.Dataset, spikewire.AsyncDataset)


def test_repr_of_clients_and_datasets(cluster: Cluster) -> None:
    seeds = cluster.seeds
    client = Client(seeds, timeout=3, connect_timeout=20)
    assert repr(client) == f"<Client {seeds}, connected>"
    assert repr(client.dataset("test", "users")) == "Dataset('test', 'users')"
    client.close()
    assert repr(client) == f"<Client {seeds}, closed>"
    assert repr(AsyncClient("example", timeout=3)) == "<AsyncClient example:3000, not connected>"

    class Mine(Client):
        pass

    with Mine(seeds) as mine:
        assert repr(mine).startswith("<Mine ")


@pytest.mark.parametrize("of", CLASSES)
@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_signature_and_words(of: type, verb: str) -> None:
    text = pydoc.plain(pydoc.render_doc(getattr(of, verb)))
    # Newer versions write long signatures with one parameter per line.
    flat = re.sub(r"\s+", " ", text)
    assert re.search(rf"{verb}\( ?(self, /, )?key, ", flat)
    assert "timeout=None" in flat
    assert len(inspect.getdoc(getattr(of, verb)) or "") > 80


@pytest.mark.parametrize("name", spikewire.__all__)
def test_everything_public_is_documented(name: str) -> None:
    if name != "__version__":
        assert inspect.getdoc(getattr(spikewire, name))


@pytest.mark.parametrize("of", [*CLASSES[2:], spikewire.Key, spikewire.Record])
def test_values_are_final(of: type) -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (of,), {})


def test_clients_take_no_stray_attributes(cluster: Cluster) -> None:
    with Client(cluster.seeds) as client, pytest.raises(AttributeError):
        client.timout = 3  # type: ignore[attr-defined]


def test_unknown_options_are_named() -> None:
    for of in (Client, AsyncClient):
        with pytest.raises(TypeError, match=r"'?\"?timeuot.*there are: .*timeout"):
            of("127.0.0.1:1", timeuot=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (lambda: settings_of(1, nods=3), "no such option .*: nods; there are: .*cluster_name, "),  # type: ignore[call-arg]
        (lambda: faults_of(delai=3), "no such fault: delai; there are: corrupt, .*delay, "),  # type: ignore[call-arg]
    ],
)
def test_unknown_options_of_a_cassandra_cluster_are_named_with_those_that_exist(
    take: Callable[[], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        take()


def test_the_documented_options_are_those_that_exist() -> None:
    options = spikewire.options
    documented = {**options.BlockingOptions.__annotations__, **options.AsyncOptions.__annotations__}
    with pytest.raises(TypeError) as caught:
        Client("127.0.0.1:1", nonsense=1)  # type: ignore[call-arg]
    known = str(caught.value).partition("there are: ")[2].split(", ")
    assert sorted(documented) == sorted(known)


def test_with_on_an_async_client_raises(cluster: Cluster) -> None:
    with pytest.raises(TypeError, match="`async with`"), AsyncClient(cluster.seeds):  # type: ignore[attr-defined]
        pass

    async def main() -> None:
        client = Client(cluster.seeds)
        try:
            with pytest.raises(TypeError, match="use `with`"):
                async with client:  # type: ignore[attr-defined]
                    pass
        finally:
            client.close()

    asyncio.run(main())


def test_a_verb_without_a_loop_raises(cluster: Cluster) -> None:
    async def connect() -> AsyncClient:
        return await AsyncClient.connect(cluster.seeds)

    client = asyncio.run(connect())
    with pytest.raises(RuntimeError, match=r"no running event loop.*spikewire\.Client"):
        client.get(("test", "users", "k"))
    with pytest.raises(RuntimeError, match="no running event loop"):
        client.dataset("test", "users").put("k", {"n": 1})
    # Its first loop is closed; it continues on another one.
    asyncio.run(put(client))
    asyncio.run(client.close())


async def put(client: AsyncClient) -> None:
    await client.put(("test", "users", "k"), {"n": 1})


def forgotten(make: Callable[[], object]) -> list[warnings.WarningMessage]:
    """The warnings when the result of ``make`` is dropped."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        client = make()
        del client
        gc.collect()
    return [warning for warning in caught if warning.category is ResourceWarning]


def test_a_forgotten_client_warns(cluster: Cluster) -> None:
    (warning,) = forgotten(lambda: Client(cluster.seeds))
    assert str(warning.message) == f"unclosed client <Client {cluster.seeds}, connected>"
    assert warning.source is not None


def test_a_forgotten_async_client_warns(cluster: Cluster) -> None:
    async def main() -> list[warnings.WarningMessage]:
        client = await AsyncClient.connect(cluster.seeds)
        await client.exists(("test", "users", "k"))
        # The thread that connected it may still hold a reference for a moment.
        await asyncio.get_running_loop().shutdown_default_executor()
        holder: list[Any] = [client]
        del client
        return forgotten(holder.pop)

    (warning,) = asyncio.run(main())
    assert str(warning.message).startswith("unclosed client <AsyncClient ")


def test_clients_that_are_not_open_do_not_warn(cluster: Cluster) -> None:
    def closed() -> object:
        with Client(cluster.seeds) as client:
            return client

    def failed() -> None:
        with pytest.raises(spikewire.ConnectionFailed):
            Client("127.0.0.1:1", connect_timeout=0.2)

    async def used() -> None:
        async with AsyncClient(cluster.seeds) as client:
            await client.exists(("test", "users", "k"))

    assert not forgotten(closed)
    assert not forgotten(failed)
    assert not forgotten(lambda: AsyncClient(cluster.seeds))
    assert not forgotten(lambda: asyncio.run(used()))


def test_forgotten_clients_end_their_connections(
    cluster: Cluster, no_descriptor_leak: Callable[[], int]
) -> None:
    async def use() -> None:
        client = await AsyncClient.connect(cluster.seeds)
        await client.exists(("test", "users", "k"))
        before = no_descriptor_leak()
        del client
        gc.collect()
        # The loop still runs, so the exit must not wait for it.
        for _ in range(1500):
            await asyncio.sleep(0.02)
            if no_descriptor_leak() < before - 2:
                break
        assert no_descriptor_leak() < before - 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        asyncio.run(use())
        client = Client(cluster.seeds)
        client.exists(("test", "users", "k"))
        before, gone = no_descriptor_leak(), weakref.ref(client)
        del client
        gc.collect()
        assert gone() is None
        assert until(lambda: no_descriptor_leak() < before)


def test_datasets_keep_a_forgotten_client_alive(cluster: Cluster) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        users = Client(cluster.seeds, timeout=10, connect_timeout=20).dataset("test", "users")
        gc.collect()
        users.put("k", {"n": 1})
        assert users.get("k")["n"] == 1
        del users
        gc.collect()


@pytest.mark.parametrize("close", ["client.close()", ""])
def test_the_end_of_the_interpreter(cluster: Cluster, close: str) -> None:
    code = f"""
        import sys, spikewire
        client = spikewire.Client(sys.argv[1])
        users = client.dataset("test", "users")
        users.put("k", {{"n": 1}})
        {close}
        sys.exit(3)
    """
    options = ["-W", "error"] if close else []
    ran = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(code), cluster.seeds],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (3, "")


def test_errors_print_advice() -> None:
    error = spikewire.GenerationMismatch("generation error", code=3, attempts=2, node="N1 a:3000")
    assert str(error) == (
        "generation error (code 3, node N1 a:3000, 2 attempts) - the record has been written "
        "since it was read: read it again and retry"
    )


#: Packages, and modules that importing them does not import: the time is for nothing.
NOT_IMPORTED = {
    "spikewire": [
        "spikewire.build", "spikewire.cql", "spikewire.metrics", "spikewire.pool",
        "spikewire.typed", "json", "pickle", "decimal", "uuid", "numpy", "pandas", "pyarrow",
        "opentelemetry", "prometheus_client", "yaml",
    ],
    "spikewire.compat.aerospike": ["spikewire.cql", "spikewire.pool", "secrets", "yaml", "numpy"],
    "spikewire.compat.aerospike_py": [
        "spikewire.cql", "spikewire.pool", "http.server", "numpy", "opentelemetry",
    ],
}  # fmt: skip


@pytest.mark.parametrize("package", NOT_IMPORTED)
def test_rarely_used_modules_are_imported_on_first_use(package: str) -> None:
    program = f"import {package}, sys; print(*sys.modules)"
    run = [
        sys.executable,
        "-I",
        "-B",
        "-S",
        "-c",
        f"import sys; sys.path[:] = {sys.path!r}; {program}",
    ]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    result = done.stdout.split()
    assert package in result
    assert [name for name in NOT_IMPORTED[package] if name in result] == []


def test_lazily_imported_names_are_attributes() -> None:
    program = """
        import spikewire
        print(spikewire.Pool.__name__, spikewire.cql.connect.__name__, spikewire.pool.Job.__name__)
        print(spikewire.metrics.Stats.__name__)
        from spikewire import *
        print(Pool is spikewire.Pool)
        try:
            spikewire.pools
        except AttributeError as error:
            print(error)
    """
    run = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(run, check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [
        "Pool connect Job", "Stats", "True", "module 'spikewire' has no attribute 'pools'",
    ]  # fmt: skip
