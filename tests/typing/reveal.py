"""What type checkers infer. Never run: ``test_typing.py`` has it checked.

``assert_type`` states the expected type; a line that must be rejected has the marks of both
checkers, and an unneeded mark fails the check.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
from collections import OrderedDict
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from typing_extensions import assert_type

import spikewire
from spikewire import (
    ArrowTable,
    AsyncClient,
    AsyncDataset,
    Batch,
    Client,
    Dataset,
    Delete,
    GeoJSON,
    Key,
    Newer,
    Node,
    Operation,
    Profile,
    Profiles,
    Read,
    Record,
    Write,
    ctx,
    errors,
    exp,
    op,
)
from spikewire.builder import AsyncBuilder, Builder, Result, Results
from spikewire.profiles import AsyncClientView, ClientView, DatasetView
from spikewire.testing import Cluster, NodeStats
from spikewire.types import Bins, BinValue, MapKey, UserKey, Value


def clients() -> None:
    with Client("127.0.0.1:3000", timeout=2, replica="master", racks=[1]) as client:
        assert_type(client, Client)
        assert_type(client.dataset("test", "users"), Dataset)
        assert_type(client.nodes(), list[Node])
        assert_type(client.nodes()[0].name, str)
        assert_type(client.info("build"), str)
        assert_type(client.is_connected, bool)
        assert_type(client.close(), None)
    assert_type(Client.connect(["a", "b:3000"], timeout=timedelta(seconds=2)), Client)

    class Mine(Client):
        pass

    assert_type(Mine.connect("a"), Mine)
    Client("a", timeuot=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Client("a", timeout="1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client("a", replica="nearest")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    Client(b"a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


Masked: TypeAlias = "np.ma.MaskedArray[tuple[int], np.dtype[np.void]]"
Plain: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.void]]"


def columns(users: Dataset, found: Batch) -> None:
    dtype = np.dtype([("age", "i4"), ("id", "i8")])
    assert_type(found.to_numpy(dtype, key="id"), Masked)
    assert_type(found.to_numpy([("age", "i4")], missing="mask", errors="mask"), Masked)
    assert_type(found.to_numpy(dtype, missing="raise"), Plain)
    assert_type(users.get_numpy(["alice"], dtype, key="id"), Masked)
    assert_type(users.get_numpy(["alice"], dtype, missing="mask", errors="mask"), Masked)
    assert_type(users.get_numpy(["alice"], dtype, missing="raise", timeout=1), Plain)
    table = found.to_arrow(key="id", errors="mask")
    assert_type(table, ArrowTable)
    assert_type(table.column_names, list[str])
    assert_type(found.to_arrow(table), ArrowTable)
    found.to_arrow(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    found.to_numpy(dtype, missing="zero")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue,reportArgumentType]


def verbs(users: Dataset, client: Client, key: Key) -> None:
    record = users.get("alice")
    assert_type(record, Record[Bins])
    assert_type(users.get("alice", default=None), Record[Bins] | None)
    assert_type(users.get("alice", default=0), Record[Bins] | int)
    assert_type(users.get("alice", ["name"], default={"a": 1}), Record[Bins] | dict[str, int])
    assert_type(users.get("alice", bins=("name", "age"), timeout=0.5), Record[Bins])
    assert_type(users.exists("alice"), bool)
    assert_type(users.delete("alice", generation=3), bool)
    assert_type(users.put("alice", {"name": "Alice"}), None)
    assert_type(users.touch("alice", ttl=60), None)
    assert_type(users.operate("alice", [op.add("n", 1), op.get("n")]), Record[Bins])
    assert_type(users.operate("alice", (op.touch(),)), Record[Bins])
    assert_type(client.get(("test", "users", "alice")), Record)
    assert_type(client.get(key, default=None), Record | None)
    client.get(("test", None, 7))
    client.get(("test", "users", None, b"x" * 20))
    users.get(key)
    users.get(7)
    users.get(b"raw")
    users.get(bytearray(b"raw"))

    adult = exp.bin("age") >= 18
    assert_type(users.get("alice", where=adult), Record[Bins])
    assert_type(users.get("alice", where="$.age > 18", default=None), Record[Bins] | None)
    assert_type(users.get_many(["alice"], where=("$.age > ?0", 18)), Batch[Bins])
    users.put("alice", {"name": "A"}, where=("$.a == ?0 or $.b == ?1", "x", b"y"))
    users.get("alice", where=(18, "$.age > ?0"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {"name": "A"}, where=True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    now = datetime.now(timezone.utc)
    users.put("alice", {"n": 1}, ttl=now, generation=Newer(3), replica="any")
    assert_type(users.get("alice", read_touch=50, read_mode="all", replica="master"), Record[Bins])
    assert_type(Newer(3).generation, int)
    users.put("alice", {"n": 1}, generation="3")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.exists("alice", read_mode="strict")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]

    rows = [Read("a", ["n"]), Write("b", {"n": 1}, ttl=60), Delete("c")]
    assert_type(users.batch(rows), Batch[Bins])
    assert_type(users.batch([Read(1, ops=[op.get("n")], where="$.n > 1")]).in_doubt, list[int])
    assert_type(Delete("c", durable=True).durable, bool | None)
    client.batch([Write(("test", "users", 1), (op.add("n", 1),), generation=Newer(2))])
    users.batch([op.get("n")])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    Write("b")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

    users.get("alice", bins="name")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    users.get(1.5)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    users.get(None)  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]
    client.exists("alice")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", ["name"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {1: "name"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    users.put("alice", {"a": 1}, exists="insert")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {"a": 1}, ttl="forever")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {"a": 1}, ttl=1.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {"a": 1}, 60)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    users.add("alice", {"n": "1"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    users.append("alice", {"s": 1})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    users.operate("alice", ["get"])  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]


def bins(users: Dataset, known: dict[str, int], loose: dict[str, object], json: Any) -> None:
    # Every shape of dict that a program has is accepted, without copies and casts.
    mixed = {"name": "Alice", "age": 28, "tags": ["a", 1], "deep": {"x": [1, {"y": b"z"}]}}
    of_lists: dict[str, list[int]] = {"scores": [1, 2]}
    of_maps: dict[str, dict[str, dict[int, list[str]]]] = {"tree": {"a": {1: ["b"]}}}
    optional: dict[str, int | None] = {"n": None}
    users.put("k", mixed)
    users.put("k", known)
    users.put("k", loose)
    users.put("k", json)
    users.put("k", of_lists)
    users.put("k", of_maps)
    users.put("k", optional)
    users.put("k", OrderedDict(known))
    users.put("k", {"geo": GeoJSON("{}"), "nothing": None, "many": (1, 2.5, True)})
    users.put("k", users.get("k").bins)
    users.add("k", known)
    users.add("k", {"a": 1, "b": 2.5})
    users.append("k", {"s": "x", "b": b"y"})

    value: BinValue = known
    value = of_lists
    value = {1: "a", "b": 2}
    value = [1, "a", {"b": None}]
    value = users.get("k")["n"]
    assert_type(op.put("n", value), Operation)
    op.put("n", object())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.add("n", "1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def records(record: Record) -> None:
    assert_type(record.bins, dict[str, Value])
    assert_type(record["name"], Value)
    assert_type(record.get("name"), Value)
    assert_type(record.get("name", 0), Value | int)
    assert_type(record.generation, int)
    assert_type(record.ttl, int | None)
    assert_type(record.key, Key)
    assert_type(record.results, tuple[Value, ...])
    assert_type(record.items(), list[tuple[str, Value]])
    assert_type(list(record), list[str])
    assert_type(dict(record), dict[str, Value])
    name = record["name"]
    if isinstance(name, str):
        assert_type(name, str)
    entries: dict[MapKey, Value] = record["name"]
    items: list[Value] = record["name"]
    record.generation = 1  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    hash(record)
    record["name"] = 1  # type: ignore[index]  # pyright: ignore[reportIndexIssue]


def keys() -> None:
    key = Key("test", "users", 7)
    assert_type(key.namespace, str)
    assert_type(key.set, str | None)
    assert_type(key.key, UserKey | None)
    assert_type(key.digest, bytes)
    assert_type(key.partition, int)
    assert_type({key: 1}, dict[Key, int])
    assert_type(Key.from_digest("test", None, b""), Key)


def in_flight(client: Client, users: Dataset) -> None:
    future = users.submit.get("alice")
    assert_type(future, concurrent.futures.Future[Record[Bins]])
    assert_type(future.result(1), Record[Bins])
    assert_type(users.submit.get("alice", default=None).result(), Record[Bins] | None)
    assert_type(client.submit.get(("test", "users", "alice")).result(), Record)
    assert_type(users.submit.get_many(["alice"]).result(), Batch[Bins])
    for record in client.concurrent((users.get, n) for n in range(9)):
        assert_type(record, Record[Bins])
    for found in client.concurrent([(users.exists, 1), (users.exists, 2)], errors="return"):
        assert_type(found, bool | Exception)
    for nothing in client.concurrent(partial(users.put, n, {"n": n}, ttl=9) for n in range(9)):
        assert_type(nothing, None)
    client.concurrent([(len, "alice")], limit="many")  # type: ignore[call-overload]  # pyright: ignore[reportArgumentType]


def profiled(client: Client, path: str) -> None:
    profile = Profile("p", timeout=1, read={"replica": "any", "many": {"timeout": 2}})
    view = client.with_profile(profile)
    assert_type(view, ClientView)
    users = view.dataset(set="users")
    assert_type(users, DatasetView)
    assert_type(users.get("alice"), Record[Bins])
    assert_type(users.explain("get")["timeout"].source, str)
    assert_type(profile.derive("q", write={"ttl": "never"}), Profile)
    assert_type(Profiles(path)["fast"], Profile)
    Profile("p", speed=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    Profile("p", read={"ttl": 1})  # type: ignore[typeddict-unknown-key]  # pyright: ignore[reportArgumentType]
    with Client.from_url("aerospike://a/test", timeout=1) as opened:
        assert_type(opened, Client)
        assert_type(opened.namespace, str | None)


async def asynchronous(users: AsyncDataset) -> None:
    async with AsyncClient("127.0.0.1:3000", timeout=2) as client:
        assert_type(client, AsyncClient)
        assert_type(client.dataset("test"), AsyncDataset)
        assert_type(await client.info("build"), str)
        assert_type(await client.get(("test", "users", "alice")), Record)
        async for record in client.concurrent((users.get, n) for n in range(9)):
            assert_type(record, Record[Bins])
        async for found in client.concurrent([(users.exists, 1)], errors="return"):
            assert_type(found, bool | Exception)
    assert_type(await AsyncClient.connect("a"), AsyncClient)
    assert_type(await AsyncClient.from_url("aerospike://a").open(), AsyncClient)
    view = client.with_profile(Profile(timeout=1))
    assert_type(view, AsyncClientView)
    assert_type(await view.dataset("test").get("alice"), Record[Bins])
    assert_type(users.get("alice"), asyncio.Future[Record[Bins]])
    assert_type(await users.get("alice"), Record[Bins])
    assert_type(await users.get("alice", default=None), Record[Bins] | None)
    assert_type(await users.put("alice", {"a": 1}), None)
    assert_type(await users.exists("alice"), bool)
    assert_type(await users.operate("alice", [op.get()]), Record[Bins])
    one, two = await asyncio.gather(users.get(1), users.exists(2))
    assert_type(one, Record[Bins])
    assert_type(two, bool)
    assert_type(await asyncio.wait_for(users.get(1), 1), Record[Bins])
    users.get("alice")["name"]  # type: ignore[index]  # pyright: ignore[reportIndexIssue]
    with AsyncClient("a"):  # type: ignore[attr-defined]  # pyright: ignore[reportGeneralTypeIssues]
        pass
    async with Client("a"):  # type: ignore[attr-defined]  # pyright: ignore[reportGeneralTypeIssues]
        pass


def chains(client: Client, users: Dataset) -> None:
    session = client.session()
    assert_type(session, Builder)
    alice = users.key("alice")
    keys = users.keys([1, "a", b"k"])
    assert_type(alice, Key[Bins])
    assert_type(keys, list[Key[Bins]])
    assert_type(session.query(alice).bins("a").where("$.n > ?", 5).first(), Record[Bins])
    assert_type(session.query(keys).first_or_none(), Record[Bins] | None)
    assert_type(session.query(("test", "users", 1)).to_list(), list[Record])
    assert_type(session.query(keys).count(), int)
    assert_type(session.query(keys).to_arrow(), ArrowTable)
    assert_type(
        session.query(keys).to_numpy("f8"), np.ma.MaskedArray[tuple[int], np.dtype[np.void]]
    )
    assert_type(
        session.query(keys).to_numpy("f8", missing="raise"),
        np.ndarray[tuple[int], np.dtype[np.void]],
    )
    assert_type(session.upsert(alice).set("a", 1).ttl(5).add("b", 1.5).execute(), Record | None)
    assert_type(session.upsert(alice).set("a", {"b": 1}).execute(on_error="skip"), Results)
    assert_type(session.upsert(alice).set("a", [1]).first(), Record)
    assert_type(session.upsert(keys).set("a", 1).execute(on_error=print), Results)
    assert_type(session.upsert(alice, *keys).set("a", 1).execute(), Results)
    assert_type(session.delete(alice).generation(Newer(3)).execute(), bool)
    assert_type(session.exists(alice).execute(), bool)
    assert_type(session.touch(alice).ttl("never").execute(), None)
    assert_type(session.delete(keys).durable_delete().execute(missing="skip"), Results)
    chain = session.insert(alice).set("a", 1).delete(alice).query(alice)
    for result in chain.execute():
        assert_type(result, Result)
        assert_type(result.unwrap(), Record)
        assert_type(result.error, errors.Error | None)
    assert_type(next(chain.stream()), Result)
    assert_type(session.query(users).limit(5).to_list(), list[Record[Bins]])
    assert_type(next(session.query(users).stream()), Record[Bins])

    session.query(alice).set("a", 1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    session.delete(alice).ttl(1)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    session.query("alice")  # type: ignore[arg-type]  # pyright: ignore[reportCallIssue, reportArgumentType]
    chain.execute(on_error="ignore")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


async def awaited_chains(client: AsyncClient, users: AsyncDataset) -> None:
    session = client.session()
    assert_type(session, AsyncBuilder)
    alice = users.key("alice")
    assert_type(await session.query(alice).first(), Record[Bins])
    assert_type(await session.query([alice]).to_list(), list[Record[Bins]])
    assert_type(await session.upsert(alice).set("a", 1).execute(), Record | None)
    assert_type(await session.delete(alice).execute(), bool)
    assert_type(await session.touch([alice]).execute(), Results)
    assert_type(await session.query(users).where(exp.bin("a") > 1).count(), int)
    async for result in session.query([alice]).stream():
        assert_type(result, Result)
    async for record in session.query(users).stream():
        assert_type(record, Record[Bins])


def failures(users: Dataset) -> None:
    try:
        users.get("alice")
    except spikewire.RecordNotFound as error:
        assert_type(error.key, Key | None)
        missing: KeyError = error
    except spikewire.Timeout as error:
        assert_type(error.in_doubt, bool)
        late: TimeoutError = error
    except errors.Error as error:
        assert_type(error.code, int)
        assert_type(error.node, str | None)
        assert_type(error.attempts, int)
        assert_type(error.message, str)
        assert_type(error.advice, str)


def boxes() -> None:
    with Cluster(nodes=3, default_ttl=10) as cluster:
        assert_type(cluster, Cluster)
        assert_type(cluster.seeds, str)
        assert_type(cluster.stats(0), NodeStats)
        cluster.inject(0, delay=0.1, refuse="port")
        cluster.inject(0, dealy=0.1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    settings: Mapping[str, Any] = {"nodes": 2}
    assert_type(spikewire.testing.Cluster(**settings), Cluster)


def operations(step: ctx.Step) -> None:
    path = [ctx.map_key("a"), ctx.list_index_create(0, "ordered"), step]
    assert_type(path, list[ctx.Step])
    assert_type(op.list.append("l", {"a": [1]}, order="ordered", unique=True, ctx=path), Operation)
    assert_type(op.list.get_by_rank_range("l", -3, returning="rank_range"), Operation)
    assert_type(op.map.put_items("m", {1: "x"}, order="key_value"), Operation)
    assert_type(op.map.get_by_key_list("m", ["a", "b"], returning="ordered_map"), Operation)
    assert_type(op.bit.add("b", 0, 8, 1, overflow="wrap"), Operation)
    assert_type(op.hll.get_union("h", [spikewire.HyperLogLog(b"")]), Operation)
    assert_type(op.read("r", exp.bin("n") + 1), Operation)
    assert_type(op.write("w", ("$.n + ?0", 5), allow_delete=True), Operation)

    op.list.append("l", 1, order="key")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.list.get_by_index("l", 0, returning="key")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.map.get_by_key("m", "k", returning="rank_range")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.map.get_by_key_list("m", ["k"], returning="rank")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.bit.add("b", 0, 8, 1, overflow="stop")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    op.bit.get("b", 0, 8, ctx=path)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    op.add("n", 1, ctx=path)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    op.list.size("l", ctx="a")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def inside_expressions() -> None:
    size = exp.list.size(exp.bin("l"))
    assert_type(size, exp.Expression)
    assert_type(exp.list.get(exp.bin("l"), size - 1, kind=int) > 5, exp.Expression)
    assert_type(exp.map.put(exp.bin("m"), "k", size, order="key"), exp.Expression)
    assert_type(exp.bit.count(exp.bin("b"), 0, 8) == 8, exp.Expression)
    assert_type(exp.hll.get_count(exp.bin("h")), exp.Expression)
    exp.list.get(exp.bin("l"), 0, kind="int")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    exp.map.get_by_key(exp.bin("m"), "k", returning="all")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
