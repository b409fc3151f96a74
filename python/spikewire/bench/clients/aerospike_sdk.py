"""`aerospike-sdk`: the vendor's new Python SDK, by its fast path `session.get` / `session.put`."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .aerospike_native import PLAIN_LOOP, key_source
from .base import AsyncioClient, BlockingClient, Peer, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence


class _Session(Protocol):
    get: object
    put: object


class _Cluster(Protocol):
    def create_session(self) -> _Session: ...

    def close(self) -> None: ...


class _AsyncCluster(Protocol):
    def create_session(self) -> _Session: ...

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


class Blocking(BlockingClient):
    _cluster: _Cluster
    _session: _Session
    _key: str

    def open(self, target: Target) -> None:
        self._cluster = cast("_Cluster", _definition("aerospike_sdk.sync", target).connect())
        self._session = self._cluster.create_session()
        self._key = key_source(target)

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"get({self._key}).bins",
            write=f"put({self._key}, bins)",
            names={"Key": _key_class(), "get": self._session.get, "put": self._session.put},
        )

    def close(self) -> None:
        self._cluster.close()


class Asyncio(AsyncioClient):
    _cluster: _AsyncCluster
    _session: _Session
    _key: str

    async def open(self, target: Target) -> None:
        connecting = _definition("aerospike_sdk", target).connect()
        self._cluster = await cast("Awaitable[_AsyncCluster]", connecting)
        self._session = self._cluster.create_session()
        self._key = key_source(target)

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"(await get({self._key})).bins",
            write=f"await put({self._key}, bins)",
            names={"Key": _key_class(), "get": self._session.get, "put": self._session.put},
        )

    async def close(self) -> None:
        await self._cluster.close()


PEER = Peer(
    "aerospike-sdk",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    asyncio=Asyncio,
    environment=PLAIN_LOOP,
)
