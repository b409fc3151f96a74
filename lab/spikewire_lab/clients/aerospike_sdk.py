"""`aerospike-sdk`: the vendor's new Python SDK by its fast path, `session.get` / `session.put`."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from ..access import EXTERNAL, EXTERNAL_INSECURE, INTERNAL, PKI
from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from ..work.shape import BATCH_READ, BATCH_WRITE, COLUMNS, DICT, TABLE_WRITE
from .aerospike_native import PLAIN_LOOP, key_source, keys_source
from .base import (
    ASYNC,
    FIND,
    AsyncioClient,
    BlockingClient,
    ManyVerbs,
    Peer,
    Target,
    Verbs,
    Way,
)
from .more import ALL, MISSED, calls, expecting, held

WINDOW = "get_many"
WINDOW_ROWS = 16
"""Rows of a window. Wider ones are slower than its batches, and time out below a thousand rows."""

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence


class _Session(Protocol):
    get: object
    put: object
    query: object
    upsert: object


class _AsyncSession(_Session, Protocol):
    get_many: object


class _Row(Protocol):
    def or_raise(self) -> object: ...


class Cluster(Protocol):
    def create_session(self) -> _Session: ...

    def close(self) -> None: ...


class _AsyncCluster(Protocol):
    def create_session(self) -> _AsyncSession: ...

    async def close(self) -> None: ...


class _Definition(Protocol):
    def using_services_alternate(self, enabled: bool) -> _Definition: ...

    def with_tls_config(self, **files: str | None) -> _Definition: ...

    def with_certificate_credentials(self) -> _Definition: ...

    def connect(self) -> object: ...


class _Tree(Protocol):
    """The package `aerospike_sdk` or `aerospike_sdk.sync`: both have the same names."""

    def ClusterDefinition(self, *, hosts: Sequence[object]) -> _Definition: ...  # noqa: N802

    def Host(self, name: str, port: int, tls_name: str | None) -> object: ...  # noqa: N802


_LOGINS = {
    INTERNAL: "with_native_credentials",
    EXTERNAL: "with_external_credentials",
    EXTERNAL_INSECURE: "with_external_insecure_credentials",
}


def definition(tree_name: str, target: Target) -> _Definition:
    tree = cast("_Tree", importlib.import_module(tree_name))
    hosts = cast("_Tree", importlib.import_module("aerospike_sdk"))
    seeds = [hosts.Host(host, port, name or None) for host, port, name in target.tls_seeds]
    cluster = tree.ClusterDefinition(hosts=seeds).using_services_alternate(
        target.services_alternate
    )
    access = target.access
    if access.auth == PKI:
        cluster.with_certificate_credentials()
    elif access.auth:
        log_in = cast("Callable[[str, str], object]", getattr(cluster, _LOGINS[access.auth]))
        log_in(access.user, access.password.text())
    if access.tls is not None:
        tls = access.tls
        cluster.with_tls_config(
            ca_file=tls.ca or None,
            client_cert_file=tls.certificate or None,
            client_key_file=tls.key or None,
        )
    return cluster


def key_class() -> object:
    return cast("object", vars(importlib.import_module("aerospike_sdk"))["Key"])


def _with(session: _Session, verbs: Verbs) -> Verbs:
    """Verbs of single records on this session."""
    bound = {"session": session, "get": session.get, "put": session.put}
    return replace(verbs, names={**verbs.names, **bound})


def check(rows: Iterable[_Row]) -> None:
    """Checks each row: it says itself whether it failed."""
    for row in rows:
        row.or_raise()


def many_verbs(target: Target, session: _Session, wait: str = "") -> ManyVerbs:
    """Batches: a query by keys is its batch read; rows under the names of their bins are its batch
    write."""
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


def fast(key: str, wait: str = "") -> Verbs:
    """Verbs of single records by the fast path of a `session`, and by its builder what that path
    lacks."""
    call = calls(wait)
    return Verbs(
        read=f"{call('get', key)}.bins",
        write=call("put", f"{key}, bins"),
        names={
            "Key": key_class(),
            "RecordNotFound": vars(importlib.import_module("aerospike_sdk.exceptions"))[
                "RecordNotFoundError"
            ],
        },
        more={
            **chained(key, wait).more,
            FIND: expecting(f"{call('get', key)}.bins", MISSED),
            READ_ONE: f"{call('get', f'{key}, [bins]')}.bins",
        },
    )


def chained(key: str, wait: str = "") -> Verbs:
    """The same verbs as chains."""
    call, counted = calls(wait), "bin(counter).add(bins)"
    operated = call(f"session.upsert({key}).{counted}.bin(counter).get().execute", "")
    exists = call(f"session.exists({key}).execute", "")
    one_bin = call(f"session.query({key}).bins([bins]).first_or_raise", "")
    more = {
        FIND: held(call(f"session.query({key}).first", ""), "row.record.bins"),
        READ_ONE: f"{one_bin}.record.bins",
        REPLACE: call(f"session.replace_if_exists({key}).put(bins).execute", ""),
        OPERATE: f"{call(f'{operated}.first_or_raise', '')}.record.bins",
        ADD: call(f"session.upsert({key}).{counted}.execute", ""),
        TOUCH: call(f"session.touch({key}).execute", ""),
        EXISTS: f"{call(f'{exists}.first', '')}.as_bool()",
        REMOVE: call(f"session.delete({key}).execute", ""),
    }
    return Verbs(
        read=f"{call(f'session.query({key}).first_or_raise', '')}.record.bins",
        write=call(f"session.upsert({key}).put(bins).execute", ""),
        names={"Key": key_class()},
        more=more,
    )


class Blocking(BlockingClient):
    _cluster: Cluster
    _session: _Session
    _key: str
    _target: Target
    written = staticmethod(fast)
    """Source for reading and writing single records."""

    def open(self, target: Target) -> None:
        self._cluster = cast("Cluster", definition("aerospike_sdk.sync", target).connect())
        self._session = self._cluster.create_session()
        self._key = key_source(target)
        self._target = target

    def verbs(self) -> Verbs:
        return _with(self._session, self.written(self._key))

    def many(self, _way: str, /) -> ManyVerbs:
        return many_verbs(self._target, self._session)

    def close(self) -> None:
        self._cluster.close()


class Asyncio(AsyncioClient):
    _cluster: _AsyncCluster
    _session: _AsyncSession
    _key: str
    _target: Target
    written = staticmethod(fast)

    async def open(self, target: Target) -> None:
        connecting = definition("aerospike_sdk", target).connect()
        self._cluster = await cast("Awaitable[_AsyncCluster]", connecting)
        self._session = self._cluster.create_session()
        self._key = key_source(target)
        self._target = target

    def verbs(self) -> Verbs:
        return _with(self._session, self.written(self._key, "await "))

    def many(self, way: str, /) -> ManyVerbs:
        if way == WINDOW:
            names = {"Key": key_class(), "get_many": self._session.get_many}
            read = f"await get_many({keys_source(self._target)})"
            return ManyVerbs(read, "row.bins", names=names)
        return many_verbs(self._target, self._session, "await ")

    async def close(self) -> None:
        await self._cluster.close()


PEER = Peer(
    "aerospike-sdk",
    module="aerospike_sdk",
    distribution="aerospike-sdk",
    blocking=Blocking,
    asyncio=Asyncio,
    environment=PLAIN_LOOP,
    verbs=ALL,
    ways=(
        Way(BATCH_READ),
        Way(BATCH_READ, WINDOW, (ASYNC,), most=WINDOW_ROWS),
        Way(BATCH_WRITE),
        Way(COLUMNS, DICT),
        Way(TABLE_WRITE, DICT),
    ),
)
