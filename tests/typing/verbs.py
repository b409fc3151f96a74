"""What type checkers infer for the verbs: on datasets and clients, of every API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterable
from concurrent.futures import Future as Submitted
from typing import TypeAlias

import numpy as np
from typing_extensions import assert_type

from spikewire import (
    AsyncClient,
    AsyncDataset,
    AsyncQuery,
    Batch,
    Client,
    Dataset,
    Key,
    Late,
    Node,
    Profile,
    Query,
    Read,
    Record,
    op,
)
from spikewire.aerospike.builder.asynchronous import AsyncBuilder
from spikewire.aerospike.builder.blocking import Builder
from spikewire.builder import Result
from spikewire.indexes import AsyncIndexes, Indexes
from spikewire.jobs import AsyncJob, Job
from spikewire.metrics import Metrics, Stats
from spikewire.modules import AsyncModules, Modules
from spikewire.profiles import AsyncClientView, ClientView
from spikewire.types import (
    Bins,
    ClientSubmit,
    DatasetSubmit,
    Explanation,
    RecordsByKey,
    UserKey,
    Value,
)

Masked: TypeAlias = "np.ma.MaskedArray[tuple[int], np.dtype[np.void]]"
Plain: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.void]]"


def of_records(users: Dataset, records: RecordsByKey[UserKey | Key]) -> None:
    assert_type(records.items(), Iterable[tuple[UserKey | Key, Bins]])
    assert_type(users.put_many(records), Batch[Bins])


def of_a_dataset(users: Dataset) -> None:
    assert_type(users.get("alice"), Record[Bins])
    assert_type(users.get("alice", default=None), Record[Bins] | None)
    assert_type(users.exists("alice"), bool)
    users.put("alice", {"n": 1})
    users.add("alice", {"n": 1})
    users.append("alice", {"s": "a"})
    users.prepend("alice", {"s": b"a"})
    users.touch("alice", ttl=5)
    assert_type(users.delete("alice"), bool)
    assert_type(users.operate("alice", [op.get("n")]), Record[Bins])
    assert_type(users.apply("alice", "module", "function", [1]), Value)
    assert_type(users.get_many(["alice"]), Batch[Bins])
    rows = users.get_many(["alice"], deadline=0.01)
    assert_type(rows, Batch[Bins, Late])
    assert_type(rows[0], Record[Bins] | Late | None)
    assert_type(users.get_many(["alice"])[0], Record[Bins] | None)
    assert_type(users.get_numpy(["alice"], "f8"), Masked)
    assert_type(users.get_numpy(["alice"], "f8", missing="raise"), Plain)
    assert_type(users.exists_many(["alice"]), Batch[Bins])
    assert_type(users.put_many([("alice", {"n": 1})]), Batch[Bins])
    assert_type(users.put_many({n: {"n": n, "of": "x"} for n in range(3)}), Batch[Bins])
    mixed: dict[int | str, dict[str, int]] = {1: {"n": 1}, "alice": {"n": 2}}
    assert_type(users.put_many(mixed), Batch[Bins])
    assert_type(users.delete_many(["alice"]), Batch[Bins])
    assert_type(users.operate_many(["alice"], [op.get("n")]), Batch[Bins])
    assert_type(users.apply_many(["alice"], "module", "function"), Batch[Bins])
    assert_type(users.batch([Read("alice")]), Batch[Bins])
    assert_type(users.operate_all([op.put("n", 1)]), Job)
    assert_type(users.apply_all("module", "function"), Job)
    assert_type(users.delete_all(), Job)
    assert_type(users.touch_all(ttl=5), Job)
    assert_type(users.query(), Query[Bins])
    assert_type(users.get_stream(iter([1]), window=5), Generator[Result, None, None])
    assert_type(users.explain("get", 1, timeout=5), Explanation)
    assert_type(users.key(1), Key[Bins])
    assert_type(users.keys([1]), list[Key[Bins]])
    assert_type(users.namespace, str)
    assert_type(users.set, str | None)
    assert_type(users.submit, DatasetSubmit)


def of_a_client(client: Client, key: Key) -> None:
    assert_type(client.get(key), Record)
    assert_type(client.get(key, default=None), Record | None)
    assert_type(client.exists(key), bool)
    client.put(key, {"n": 1})
    client.add(key, {"n": 1})
    client.append(key, {"s": "a"})
    client.prepend(key, {"s": b"a"})
    client.touch(key, ttl=5)
    assert_type(client.delete(key), bool)
    assert_type(client.operate(key, [op.get("n")]), Record)
    assert_type(client.apply(key, "module", "function", [1]), Value)
    assert_type(client.get_many([key]), Batch)
    assert_type(client.get_numpy([key], "f8"), Masked)
    assert_type(client.get_numpy([key], "f8", missing="raise"), Plain)
    assert_type(client.exists_many([key]), Batch)
    assert_type(client.put_many([(key, {"n": 1})]), Batch)
    assert_type(client.delete_many([key]), Batch)
    assert_type(client.operate_many([key], [op.get("n")]), Batch)
    assert_type(client.apply_many([key], "module", "function"), Batch)
    assert_type(client.batch([Read(key)]), Batch)
    assert_type(client.operate_all("test", None, [op.put("n", 1)]), Job)
    assert_type(client.apply_all("test", None, "module", "function"), Job)
    assert_type(client.delete_all("test", None), Job)
    assert_type(client.touch_all("test", None, ttl=5), Job)
    assert_type(client.query("test"), Query)
    assert_type(client.get_stream([key]), Generator[Result, None, None])
    assert_type(client.submit, ClientSubmit)
    assert_type(client.with_profile(Profile()), ClientView)
    assert_type(client.session(), Builder)
    assert_type(client.stats(), Stats)
    assert_type(client.metrics, Metrics)
    assert_type(client.indexes, Indexes)
    assert_type(client.modules, Modules)
    assert_type(client.namespace, str | None)
    assert_type(client.nodes()[0].address, str)


def submitted(users: Dataset) -> None:
    assert_type(users.submit.get("alice"), Submitted[Record[Bins]])
    assert_type(users.submit.get("alice", default=None), Submitted[Record[Bins] | None])
    assert_type(users.submit.exists("alice"), Submitted[bool])
    assert_type(users.submit.put("alice", {"n": 1}), Submitted[None])
    assert_type(users.submit.add("alice", {"n": 1}), Submitted[None])
    assert_type(users.submit.append("alice", {"s": "a"}), Submitted[None])
    assert_type(users.submit.prepend("alice", {"s": b"a"}), Submitted[None])
    assert_type(users.submit.touch("alice", ttl=5), Submitted[None])
    assert_type(users.submit.delete("alice"), Submitted[bool])
    assert_type(users.submit.operate("alice", [op.get("n")]), Submitted[Record[Bins]])
    assert_type(users.submit.apply("alice", "module", "function", [1]), Submitted[Value])
    assert_type(users.submit.get_many(["alice"]), Submitted[Batch[Bins]])
    assert_type(users.submit.get_numpy(["alice"], "f8"), Submitted[Masked])
    assert_type(users.submit.get_numpy(["alice"], "f8", missing="raise"), Submitted[Plain])
    assert_type(users.submit.exists_many(["alice"]), Submitted[Batch[Bins]])
    assert_type(users.submit.put_many([("alice", {"n": 1})]), Submitted[Batch[Bins]])
    assert_type(users.submit.delete_many(["alice"]), Submitted[Batch[Bins]])
    assert_type(users.submit.operate_many(["alice"], [op.get("n")]), Submitted[Batch[Bins]])
    assert_type(
        users.submit.apply_many(["alice"], "module", "function"),
        Submitted[Batch[Bins]],
    )
    assert_type(users.submit.batch([Read("alice")]), Submitted[Batch[Bins]])


def submitted_by_a_client(client: Client, key: Key) -> None:
    assert_type(client.submit.get(key), Submitted[Record])
    assert_type(client.submit.get(key, default=None), Submitted[Record | None])
    assert_type(client.submit.exists(key), Submitted[bool])
    assert_type(client.submit.put(key, {"n": 1}), Submitted[None])
    assert_type(client.submit.add(key, {"n": 1}), Submitted[None])
    assert_type(client.submit.append(key, {"s": "a"}), Submitted[None])
    assert_type(client.submit.prepend(key, {"s": b"a"}), Submitted[None])
    assert_type(client.submit.touch(key, ttl=5), Submitted[None])
    assert_type(client.submit.delete(key), Submitted[bool])
    assert_type(client.submit.operate(key, [op.get("n")]), Submitted[Record])
    assert_type(client.submit.apply(key, "module", "function", [1]), Submitted[Value])
    assert_type(client.submit.get_many([key]), Submitted[Batch])
    assert_type(client.submit.get_numpy([key], "f8"), Submitted[Masked])
    assert_type(client.submit.get_numpy([key], "f8", missing="raise"), Submitted[Plain])
    assert_type(client.submit.exists_many([key]), Submitted[Batch])
    assert_type(client.submit.put_many([(key, {"n": 1})]), Submitted[Batch])
    assert_type(client.submit.delete_many([key]), Submitted[Batch])
    assert_type(client.submit.operate_many([key], [op.get("n")]), Submitted[Batch])
    assert_type(client.submit.apply_many([key], "module", "function"), Submitted[Batch])
    assert_type(client.submit.batch([Read(key)]), Submitted[Batch])


async def of_an_asynchronous_dataset(users: AsyncDataset) -> None:
    assert_type(await users.get("alice"), Record[Bins])
    assert_type(await users.get("alice", default=None), Record[Bins] | None)
    assert_type(await users.exists("alice"), bool)
    await users.put("alice", {"n": 1})
    await users.add("alice", {"n": 1})
    await users.append("alice", {"s": "a"})
    await users.prepend("alice", {"s": b"a"})
    await users.touch("alice", ttl=5)
    assert_type(await users.delete("alice"), bool)
    assert_type(await users.operate("alice", [op.get("n")]), Record[Bins])
    assert_type(await users.apply("alice", "module", "function", [1]), Value)
    assert_type(await users.get_many(["alice"]), Batch[Bins])
    assert_type(await users.get_numpy(["alice"], "f8"), Masked)
    assert_type(await users.get_numpy(["alice"], "f8", missing="raise"), Plain)
    assert_type(await users.exists_many(["alice"]), Batch[Bins])
    assert_type(await users.put_many([("alice", {"n": 1})]), Batch[Bins])
    assert_type(await users.delete_many(["alice"]), Batch[Bins])
    assert_type(await users.operate_many(["alice"], [op.get("n")]), Batch[Bins])
    assert_type(await users.apply_many(["alice"], "module", "function"), Batch[Bins])
    assert_type(await users.batch([Read("alice")]), Batch[Bins])
    assert_type(await users.operate_all([op.put("n", 1)]), AsyncJob)
    assert_type(await users.apply_all("module", "function"), AsyncJob)
    assert_type(await users.delete_all(), AsyncJob)
    assert_type(await users.touch_all(ttl=5), AsyncJob)
    assert_type(users.query(), AsyncQuery[Bins])
    assert_type(users.get_stream(iter([1])), AsyncGenerator[Result, None])
    assert_type(users.explain("get"), Explanation)
    assert_type(users.key(1), Key[Bins])
    assert_type(users.keys([1]), list[Key[Bins]])
    assert_type(users.namespace, str)
    assert_type(users.set, str | None)


async def of_an_asynchronous_client(client: AsyncClient, key: Key) -> None:
    assert_type(await client.get(key), Record)
    assert_type(await client.get(key, default=None), Record | None)
    assert_type(await client.exists(key), bool)
    await client.put(key, {"n": 1})
    await client.add(key, {"n": 1})
    await client.append(key, {"s": "a"})
    await client.prepend(key, {"s": b"a"})
    await client.touch(key, ttl=5)
    assert_type(await client.delete(key), bool)
    assert_type(await client.operate(key, [op.get("n")]), Record)
    assert_type(await client.apply(key, "module", "function", [1]), Value)
    assert_type(await client.get_many([key]), Batch)
    assert_type(await client.get_numpy([key], "f8"), Masked)
    assert_type(await client.get_numpy([key], "f8", missing="raise"), Plain)
    assert_type(await client.exists_many([key]), Batch)
    assert_type(await client.put_many([(key, {"n": 1})]), Batch)
    assert_type(await client.delete_many([key]), Batch)
    assert_type(await client.operate_many([key], [op.get("n")]), Batch)
    assert_type(await client.apply_many([key], "module", "function"), Batch)
    assert_type(await client.batch([Read(key)]), Batch)
    assert_type(await client.operate_all("test", None, [op.put("n", 1)]), AsyncJob)
    assert_type(await client.apply_all("test", None, "module", "function"), AsyncJob)
    assert_type(await client.delete_all("test", None), AsyncJob)
    assert_type(await client.touch_all("test", None, ttl=5), AsyncJob)
    assert_type(client.query("test"), AsyncQuery)
    assert_type(client.get_stream([key]), AsyncGenerator[Result, None])
    assert_type(client.is_connected, bool)
    assert_type(client.session(), AsyncBuilder)
    assert_type(client.stats(), Stats)
    assert_type(client.metrics, Metrics)
    assert_type(client.indexes, AsyncIndexes)
    assert_type(client.modules, AsyncModules)
    assert_type(client.namespace, str | None)
    assert_type(client.nodes(), list[Node])
    await client.close()
    assert_type(client.dataset(), AsyncDataset)
    assert_type(client.with_profile(Profile()), AsyncClientView)
