"""APIs of our own client: the builder, and drop-in replacements for other clients.

A drop-in is used exactly as the client that it replaces: it has that client's adapter with another
module.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, cast

from ..work.mix import ADD, EXISTS, OPERATE, READ_ONE, REMOVE, REPLACE, TOUCH
from ..work.shape import BATCH_READ, BATCH_WRITE
from . import aerospike_c, aerospike_py, spikewire
from .base import FIND, SYNC, AsyncioClient, BlockingClient, ManyVerbs, Peer, Target, Verbs, Way
from .more import ALL, calls, held

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


class _Dataset(Protocol):
    key: object
    keys: object


class _Client(Protocol):
    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    def session(self) -> object: ...


class _OpenClient(_Client, Protocol):
    def close(self) -> None: ...


class _AsyncOpenClient(_Client, Protocol):
    async def close(self) -> None: ...


class _Factory(Protocol):
    def connect(self, seeds: str, **options: object) -> _OpenClient: ...


class _AsyncFactory(Protocol):
    async def connect(self, seeds: str, **options: object) -> _AsyncOpenClient: ...


class _Module(Protocol):
    Client: _Factory
    AsyncClient: _AsyncFactory


def _module() -> _Module:
    return cast("_Module", importlib.import_module("spikewire"))


class _Step(Protocol):
    def upsert(self, key: object) -> _Step: ...

    def put(self, bins: Mapping[str, object]) -> _Step: ...


def upserts(
    step: _Step,
    key: Callable[[int], object],
    keys: Sequence[int],
    records: Sequence[Mapping[str, object]],
) -> _Step:
    """A chain that writes many records, each with bins of its own."""
    for one, bins in zip(keys, records, strict=True):
        step = step.upsert(key(one)).put(bins)
    return step


def _names(client: _Client, target: Target) -> dict[str, object]:
    dataset = client.dataset(target.namespace, target.set_name)
    return {"session": client.session(), "key": dataset.key, "keys": dataset.keys}


def _verbs(names: dict[str, object], wait: str = "") -> Verbs:
    call, counted = calls(wait), "session.upsert(key(k)).add(counter, bins)"
    return Verbs(
        read=f"{call('session.query(key(k)).first', '')}.bins",
        write=call("session.upsert(key(k)).put(bins).execute", ""),
        names=names,
        more={
            FIND: held(call("session.query(key(k)).first_or_none", ""), "row.bins"),
            READ_ONE: f"{call('session.query(key(k)).bins(bins).first', '')}.bins",
            REPLACE: call("session.replace_if_exists(key(k)).put(bins).execute", ""),
            OPERATE: f"{call(f'{counted}.get(counter).first', '')}.bins",
            ADD: call(f"{counted}.execute", ""),
            TOUCH: call("session.touch(key(k)).execute", ""),
            EXISTS: call("session.exists(key(k)).execute", ""),
            REMOVE: call("session.delete(key(k)).execute", ""),
        },
    )


def _many(names: dict[str, object], wait: str = "") -> ManyVerbs:
    return ManyVerbs(
        read=f"({wait}session.query(keys(k)).to_list())",
        bins="row.bins",
        write=f"{wait}upserts(session, key, k, bins).execute()",
        names={"upserts": upserts, **names},
    )


class Builder(BlockingClient):
    """Chains of steps, blocking."""

    _client: _OpenClient
    _target: Target

    def open(self, target: Target) -> None:
        self._client = _module().Client.connect(target.seed_text, **target.options)
        self._target = target

    def verbs(self) -> Verbs:
        return _verbs(_names(self._client, self._target))

    def many(self, _way: str, /) -> ManyVerbs:
        return _many(_names(self._client, self._target))

    def close(self) -> None:
        self._client.close()


class AsyncioBuilder(AsyncioClient):
    """Chains of steps, awaited."""

    _client: _AsyncOpenClient
    _target: Target

    async def open(self, target: Target) -> None:
        self._client = await _module().AsyncClient.connect(target.seed_text, **target.options)
        self._target = target

    def verbs(self) -> Verbs:
        return _verbs(_names(self._client, self._target), "await ")

    def many(self, _way: str, /) -> ManyVerbs:
        return _many(_names(self._client, self._target), "await ")

    async def close(self) -> None:
        await self._client.close()


class PooledBuilder(spikewire.PoolAdapter):
    """Chains of steps, awaited on the loops of a pool."""

    _bound: dict[str, object]

    def open(self, target: Target, loops: int, *, uvloop: bool) -> None:
        super().open(target, loops, uvloop=uvloop)
        self._bound = _names(cast("_Client", self._pool.client), target)

    def verbs(self) -> Verbs:
        return _verbs(self._bound, "await ")

    def many(self) -> ManyVerbs:
        return _many(self._bound, "await ")


def _waited_for(method: str, arguments: str) -> str:
    return f"{method}({arguments}).result()"


class Futures(spikewire.Blocking):
    """Calls that return futures for any thread; each future is waited for at once."""

    def verbs(self) -> Verbs:
        return spikewire.single_verbs(self._dataset.submit, _waited_for)

    def many(self, _way: str, /) -> ManyVerbs:
        submit = self._dataset.submit
        return ManyVerbs(
            read="get_many(k).result()",
            bins="row.bins",
            write="put_many(zip(k, bins)).result().raise_for_errors()",
            names={"get_many": submit.get_many, "put_many": submit.put_many},
        )


class Compat(aerospike_c.Blocking):
    """The drop-in for the official client."""

    module = "spikewire.compat.aerospike"
    helpers = "spikewire.compat.aerospike_helpers"


class CompatPy(aerospike_py.Blocking):
    """The drop-in for aerospike-py, blocking."""

    module = "spikewire.compat.aerospike_py"


class AsyncioCompatPy(aerospike_py.Asyncio):
    """The drop-in for aerospike-py, awaited."""

    module = CompatPy.module


def _drop_in(
    name: str,
    peer: Peer,
    module: str,
    blocking: type[BlockingClient],
    asyncio: type[AsyncioClient] | None = None,
) -> Peer:
    """A drop-in for another client, in the modes of that client."""
    return replace(
        peer,
        name=name,
        module=module,
        distribution="spikewire",
        blocking=blocking,
        asyncio=asyncio,
        ways=tuple(way for way in peer.ways if way.kind in (BATCH_READ, BATCH_WRITE)),
        usual=False,
        api_of=spikewire.PEER.name,
        replaces=peer.name,
    )


BUILDER = Peer(
    "spikewire-builder",
    module="spikewire",
    distribution="spikewire",
    blocking=Builder,
    asyncio=AsyncioBuilder,
    pool=PooledBuilder,
    usual=False,
    verbs=ALL,
    ways=(Way(BATCH_READ), Way(BATCH_WRITE)),
    api_of=spikewire.PEER.name,
)
FUTURES = Peer(
    "spikewire-futures",
    module="spikewire",
    distribution="spikewire",
    blocking=Futures,
    usual=False,
    verbs=ALL,
    ways=(Way(BATCH_READ, modes=(SYNC,)), Way(BATCH_WRITE, modes=(SYNC,))),
    api_of=spikewire.PEER.name,
)
COMPAT = _drop_in("spikewire-compat", aerospike_c.PEER, Compat.module, Compat)
COMPAT_PY = _drop_in(
    "spikewire-compat-py", aerospike_py.PEER, CompatPy.module, CompatPy, AsyncioCompatPy
)
