"""`aerospike-sdk`: the vendor's new Python SDK, by its fast path `session.get` / `session.put`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .aerospike_native import PLAIN_LOOP, key_source, keys_source
from .base import ASYNC, SYNC, AsyncioClient, BlockingClient, ManyVerbs, Peer, Target, Verbs, Way
from .shape import BATCH_READ, BATCH_WRITE, COLUMNS, DICT

WINDOW = "get_many"
WINDOW_ROWS = 16
"""Wider windows are slower than its batches, and time out before they are a thousand wide."""

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Sequence


class _Session(Protocol):
    get: object
    put: object
    query: object
    upsert: object


class _AsyncSession(_Session, Protocol):
    get_many: object


class _Row(Protocol):
    def or_raise(self) -> object: ...


class _Cluster(Protocol):
    def create_session(self) -> _Session: ...

    def close(self) -> None: ...


class _AsyncCluster(Protocol):
    def create_session(self) -> _AsyncSession: ...

    async def close(self) -> None: ...


class _Definition(Protocol):
    def using_services_alternate(self, enabled: bool) -> _Definition: ...

    def connect(self) -> object: ...


class _Tree(Protocol):
    """`aerospike_sdk` or `aerospike_sdk.sync`: the same names in both."""

    def ClusterDefinition(self, *, hosts: Sequence[object]) -> _Definition: ...  # noqa: N802

    def Host(self, name: str, port: int) -> object: ...  # noqa: N802


def _definition(tree_name: str, target: Target) -> _Definition:
    tree = cast("_Tree", importlib.import_module(tree_name))
    hosts = cast("_Tree", importlib.import_module("aerospike_sdk"))
    seeds = [hosts.Host(host, port) for host, port in target.seeds]
    return tree.ClusterDefinition(hosts=seeds).using_services_alternate(False)


def _key_class() -> object:
    return cast("object", vars(importlib.import_module("aerospike_sdk"))["Key"])


def check(rows: Iterable[_Row]) -> None:
    """A row says by itself whether it failed."""
    for row in rows:
        row.or_raise()


def _many(target: Target, session: _Session, wait: str = "") -> ManyVerbs:
    """A query by keys is its batch read, rows under the names of their bins its batch write."""
    sdk = vars(importlib.import_module("aerospike_sdk"))
    collect = ".collect()"
    read = f"session.query({keys_source(target)}).execute()"
    rows = "rows((key, *one.values()) for key, one in zip(k, bins))"
    write = f"session.upsert(dataset).bins(*bins[0]).{rows}.execute()"
    if wait:
        read, write = f"await (await {read}){collect}", f"await (await {write}){collect}"
    return ManyVerbs(
        read=read,
        bins="row.record.bins",
        write=f"check({write})",
        names={
            "Key": sdk["Key"],
            "session": session,
            "dataset": sdk["DataSet"].of(target.namespace, target.set_name),
            "check": check,
        },
    )


class Blocking(BlockingClient):
    _cluster: _Cluster
    _session: _Session
    _key: str
    _target: Target

    def open(self, target: Target) -> None:
        self._cluster = cast("_Cluster", _definition("aerospike_sdk.sync", target).connect())
        self._session = self._cluster.create_session()
        self._key = key_source(target)
        self._target = target

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"get({self._key}).bins",
            write=f"put({self._key}, bins)",
            names={"Key": _key_class(), "get": self._session.get, "put": self._session.put},
        )

    def many(self, _way: str, /) -> ManyVerbs:
        return _many(self._target, self._session)

    def close(self) -> None:
        self._cluster.close()


class Asyncio(AsyncioClient):
    _cluster: _AsyncCluster
    _session: _AsyncSession
    _key: str
    _target: Target

    async def open(self, target: Target) -> None:
        connecting = _definition("aerospike_sdk", target).connect()
        self._cluster = await cast("Awaitable[_AsyncCluster]", connecting)
        self._session = self._cluster.create_session()
        self._key = key_source(target)
        self._target = target

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"(await get({self._key})).bins",
            write=f"await put({self._key}, bins)",
            names={"Key": _key_class(), "get": self._session.get, "put": self._session.put},
        )

    def many(self, way: str, /) -> ManyVerbs:
        if way == WINDOW:
            names = {"Key": _key_class(), "get_many": self._session.get_many}
            read = f"await get_many({keys_source(self._target)})"
            return ManyVerbs(read, "row.bins", names=names)
        return _many(self._target, self._session, "await ")

    async def close(self) -> None:
        await self._cluster.close()


PEER = Peer(
    "aerospike-sdk",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    asyncio=Asyncio,
    environment=PLAIN_LOOP,
    ways=(
        Way(BATCH_READ),
        Way(BATCH_READ, WINDOW, (ASYNC,), most=WINDOW_ROWS),
        Way(BATCH_WRITE),
        Way(COLUMNS, DICT, (SYNC,)),
    ),
)
