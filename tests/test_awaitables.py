"""Every asynchronous verb, as named by stubs and sources: its return type, and that every function
of asyncio that takes an awaitable takes it.

A verb that has no call here fails ``test_every_verb_has_a_call``.
"""

from __future__ import annotations

import ast
import asyncio
import importlib.util
import itertools
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from loops import opened
from spikewire import cql, op
from spikewire.testing.cassandra import CannedServer
from test_tasks_of_verbs import FORMS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from spikewire.testing import Cluster

    Call = Callable[[], Awaitable[Any]]
    Definition = ast.FunctionDef | ast.AsyncFunctionDef

PACKAGE = Path(spikewire.__file__).parent
LUA = """
function visit(rec) return 1 end
function ones(stream) return stream : map(function(rec) return 1 end) end
"""
SELECT = "SELECT key FROM system.local"

#: The life of a client, and special methods.
COROUTINES = {
    "AsyncClient.connect",
    "AsyncClient.open",
    "AsyncClient.close",
    "AsyncClient.run_in_transaction",
    "cql.AsyncSession.connect",
    "cql.AsyncSession.open",
    "cql.AsyncSession.close",
    "cql.AsyncSession.schema",
    "cql.AsyncQuery.close",
    "AsyncQuery.__anext__",
    "cql.AsyncQuery.__anext__",
}
#: Not supported by the canned server; ``tests/cql`` covers them with a real one.
ELSEWHERE = {"cql.AsyncSession.trace"}

_numbers = itertools.count()


def definitions(path: str) -> Iterator[tuple[str, Definition]]:
    """The methods of the asynchronous classes in a file: class and definition."""
    for of in ast.walk(ast.parse((PACKAGE / path).read_text())):
        if isinstance(of, ast.ClassDef) and of.name.startswith(("Async", "_Chain", "_Many")):
            for method in ast.walk(of):
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    yield of.name.removesuffix("Core"), method


def named(*paths: str, prefix: str = "") -> tuple[set[str], set[str]]:
    """The methods that return futures, and those that are coroutines."""
    futures, coroutines = set(), set()
    for path in paths:
        for of, method in definitions(path):
            name, returns = (
                f"{prefix}{of}.{method.name}",
                ast.unparse(method.returns or ast.Name("")),
            )
            if method.name.startswith("_") and method.name != "__anext__":
                continue
            if isinstance(method, ast.AsyncFunctionDef) or returns.startswith("Coroutine["):
                coroutines.add(name)
            elif "Awaitable" in returns or "Future" in returns:
                futures.add(name)
    return futures, coroutines


AEROSPIKE = named(
    "_native.pyi",
    "aerospike/client.py",
    "aerospike/indexes.py",
    "aerospike/modules.py",
    "aerospike/jobs.py",
    "aerospike/builder/asynchronous.py",
)
CASSANDRA = named("cql/_native.pyi", "cql/session.py", "cql/query.py", prefix="cql.")


def record_verbs(of: Any, key: Callable[[int], Any], one: Callable[[], int]) -> dict[str, Call]:
    """The verbs on records; ``one`` is the number of a record that may be changed."""
    keys = [key(1), key(2)]
    calls: dict[str, Call] = {
        "get": lambda: of.get(key(1)),
        "exists": lambda: of.exists(key(1)),
        "put": lambda: of.put(key(one()), {"n": 1}),
        "add": lambda: of.add(key(one()), {"n": 1}),
        "append": lambda: of.append(key(one()), {"s": "a"}),
        "prepend": lambda: of.prepend(key(one()), {"s": "a"}),
        "touch": lambda: of.touch(key(1)),
        "delete": lambda: of.delete(key(one())),
        "operate": lambda: of.operate(key(1), [op.get("n")]),
        "apply": lambda: of.apply(key(1), "awaited", "visit"),
        "get_many": lambda: of.get_many(keys),
        "exists_many": lambda: of.exists_many(keys),
        "put_many": lambda: of.put_many([(key(one()), {"n": 1})]),
        "delete_many": lambda: of.delete_many([key(one())]),
        "operate_many": lambda: of.operate_many(keys, [op.get("n")]),
        "apply_many": lambda: of.apply_many(keys, "awaited", "visit"),
        "batch": lambda: of.batch([spikewire.Read(key(1))]),
    }
    if importlib.util.find_spec("numpy") is not None:
        calls["get_numpy"] = lambda: of.get_numpy(keys, [("n", "i8")])
    return calls


def set_verbs(of: Any, *place: Any) -> dict[str, Call]:
    """Those on whole sets."""
    return {
        "operate_all": lambda: of.operate_all(*place, [op.put("m", 1)]),
        "apply_all": lambda: of.apply_all(*place, "awaited", "visit"),
        "delete_all": lambda: of.delete_all(*place),
        "touch_all": lambda: of.touch_all(*place),
    }


def query_verbs(of: Callable[[], Any]) -> dict[str, Call]:
    """The results of a query or a scan."""
    calls: dict[str, Call] = {
        "first": lambda: of().first(),
        "first_or_none": lambda: of().first_or_none(),
        "to_list": lambda: of().to_list(),
        "count": lambda: of().count(),
    }
    for name, *needed in (
        ("to_numpy", "numpy"),
        ("to_arrow", "pyarrow"),
        ("to_pandas", "pandas", "pyarrow"),
    ):
        if all(importlib.util.find_spec(library) for library in needed):
            arguments = ([("n", "i8")],) if name == "to_numpy" else ()
            calls[name] = lambda name=name, arguments=arguments: getattr(of(), name)(*arguments)  # type: ignore[misc]
    return calls


def admin_verbs(client: spikewire.AsyncClient, name: str) -> dict[str, Call]:
    """Indexes, modules, info."""
    indexes, modules = client.indexes, client.modules

    def create() -> Awaitable[str]:
        own = f"{name}_{next(_numbers)}"
        return indexes.create("test", name, own, int, name=own)

    def create_on_set() -> Awaitable[str]:
        return indexes.create_on_set("test", f"{name}_{next(_numbers)}")

    return {
        "AsyncClient.info": lambda: client.info("namespaces"),
        "AsyncIndexes.create": create,
        "AsyncIndexes.create_on_set": create_on_set,
        "AsyncIndexes.wait": lambda: indexes.wait("test", f"{name}_known"),
        "AsyncIndexes.list": lambda: indexes.list("test"),
        "AsyncIndexes.drop": lambda: indexes.drop("test", name, f"{name}_unknown"),
        "AsyncModules.register": lambda: modules.register("awaited.lua", LUA),
        "AsyncModules.list": modules.list,
        "AsyncModules.source": lambda: modules.source("awaited.lua"),
        "AsyncModules.remove": lambda: modules.remove("unknown.lua"),
    }


def builder_verbs(session: Any, data: Any) -> dict[str, Call]:
    """The final steps of a chain."""
    key, keys = data.key(1), data.keys([1, 2])
    calls: dict[str, Call] = {
        "_Many.execute": lambda: session.upsert(keys).set("n", 1).execute(),
        "AsyncWriteMany.first": lambda: session.upsert(keys).get("n").first(),
        "AsyncWriteOne.execute": lambda: session.upsert(key).set("n", 1).execute(),
        "AsyncWriteOne.first": lambda: session.upsert(key).get("n").first(),
        "AsyncDeleteOne.execute": lambda: session.delete(data.key(3)).execute(),
        "AsyncTouchOne.execute": lambda: session.touch(key).execute(missing="keep"),
        "AsyncExistsOne.execute": lambda: session.exists(key).execute(),
    }
    for of, begun in (("AsyncScan", data), ("AsyncReadMany", keys)):
        verbs = query_verbs(lambda begun=begun: session.query(begun))  # type: ignore[misc]
        calls |= {f"{of}.{name}": call for name, call in verbs.items()}
    return calls


async def aerospike_verbs(client: spikewire.AsyncClient, set_name: str) -> dict[str, Call]:
    """A call for each of them."""
    data, gone = client.dataset("test", set_name), client.dataset("test", set_name + "_gone")
    await client.modules.register("awaited.lua", LUA)
    await data.put_many({n: {"n": n, "s": ""} for n in range(1, 3)})
    await gone.put(1, {"n": 1})
    known = f"{set_name}_known"
    await client.indexes.create("test", set_name, "n", int, name=known)
    job = await gone.touch_all()
    changed = lambda: next(_numbers) + 100  # noqa: E731
    calls = {
        f"AsyncDataset.{name}": it for name, it in record_verbs(data, lambda n: n, changed).items()
    }
    whole = record_verbs(client, data.key, changed)
    calls |= {f"AsyncClient.{name}": it for name, it in whole.items()}
    calls |= {f"AsyncDataset.{name}": it for name, it in set_verbs(gone).items()}
    place = ("test", gone.set)
    calls |= {f"AsyncClient.{name}": it for name, it in set_verbs(client, *place).items()}
    calls |= {f"AsyncQuery.{name}": it for name, it in query_verbs(data.query).items()}
    calls["AsyncQuery.page"] = lambda: data.query(page_size=5).page()
    calls["AsyncQuery.explain"] = lambda: data.query(where="$.n > 1").explain()
    calls["AsyncQuery.aggregate"] = lambda: data.query().aggregate("awaited", "ones")
    calls |= {f"AsyncJob.{name}": getattr(job, name) for name in ("progress", "wait", "abort")}
    calls |= admin_verbs(client, set_name)
    calls |= builder_verbs(client.session(), data)
    return calls


def cassandra_verbs(session: cql.AsyncSession) -> dict[str, Call]:
    return {
        "cql.AsyncSession.execute": lambda: session.execute(SELECT),
        "cql.AsyncSession.page": lambda: session.page(SELECT),
        "cql.AsyncSession.prepare": lambda: session.prepare(SELECT),
        "cql.AsyncSession.execute_many": lambda: session.execute_many(SELECT, [(), ()]),
    }


def optional(names: set[str]) -> set[str]:
    """Verbs that need a library that is not installed."""
    missing = {
        "to_numpy": "numpy",
        "get_numpy": "numpy",
        "to_arrow": "pyarrow",
        "to_pandas": "pandas",
    }
    return {
        name
        for name in names
        if (library := missing.get(name.rpartition(".")[2])) is not None
        and (
            importlib.util.find_spec(library) is None or importlib.util.find_spec("pyarrow") is None
        )
    }


def test_every_verb_has_a_call(cluster: Cluster, set_name: str) -> None:
    async def main() -> set[str]:
        async with opened(cluster) as client:
            return set(await aerospike_verbs(client, set_name))

    called = asyncio.run(main())
    futures = AEROSPIKE[0]
    assert len(futures) > 60
    assert called - futures == set()
    assert futures - called <= optional(futures)
    assert CASSANDRA[0] - ELSEWHERE == set(cassandra_verbs(cql.AsyncSession("a")))


def test_only_the_life_of_a_client_is_coroutines() -> None:
    assert AEROSPIKE[1] | CASSANDRA[1] == COROUTINES


def same(one: Any, other: Any) -> bool:
    return type(one) is type(other) or {type(one), type(other)} <= {type(None), spikewire.Record}


def test_every_verb_is_a_future_under_way(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            for name, call in (await aerospike_verbs(client, set_name)).items():
                begun = call()
                assert isinstance(begun, asyncio.Future), name
                # More than once, and by any number of waiters.
                assert same(await begun, await begun), name

    asyncio.run(main())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_takes_every_verb(
    run: Callable[[Any], Any], cluster: Cluster, set_name: str, form: Any
) -> None:
    async def main() -> None:
        async with opened(cluster) as client:
            for name, call in (await aerospike_verbs(client, set_name)).items():
                try:
                    result = await form(call)
                except BaseException as error:
                    raise AssertionError(f"{name}: {error!r}") from error
                assert same(result, await call()), name

    run(main())


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_takes_every_verb_of_cassandra(run: Callable[[Any], Any], form: Any) -> None:
    async def main() -> None:
        async with cql.AsyncSession(server.address, timeout=20) as session:
            for call in cassandra_verbs(session).values():
                assert isinstance(call(), asyncio.Future)
                assert type(await form(call)) is type(await call())

    with CannedServer() as server:
        run(main())
