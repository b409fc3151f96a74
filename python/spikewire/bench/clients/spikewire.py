"""Our own client, used exactly as a user would."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .base import (
    SYNC,
    AsyncioClient,
    BlockingClient,
    Dtype,
    ManyVerbs,
    Peer,
    PoolClient,
    TableVerbs,
    Target,
    Verbs,
    Way,
    numpy_table,
)
from .shape import (
    ARROW,
    BATCH_READ,
    BATCH_WRITE,
    COLUMNS,
    DICT,
    NUMPY,
    NUMPY_PLAIN,
    SINGLES,
    SINGLES_SIZE,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .base import Outstanding


class _Dataset(Protocol):
    get: object
    put: object
    get_many: object
    get_numpy: object
    put_many: object


class _Client(Protocol):
    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    def close(self) -> None: ...


class _AsyncClient(Protocol):
    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    async def close(self) -> None: ...


class _Factory(Protocol):
    def connect(self, seeds: str) -> _Client: ...


class _AsyncFactory(Protocol):
    async def connect(self, seeds: str) -> _AsyncClient: ...


class _Pool(Protocol):
    def open(self) -> _Pool: ...

    def dataset(self, namespace: str, set_name: str) -> _Dataset: ...

    def run(self, function: Callable[..., object], *args: object) -> Outstanding: ...

    def map(
        self,
        handler: Callable[..., object],
        items: Iterable[object],
        *,
        limit: int,
        ordered: bool,
        errors: str,
    ) -> Iterator[object]: ...

    def close(self) -> None: ...


class _PoolFactory(Protocol):
    def __call__(self, seeds: str, *, loops: int, uvloop: bool) -> _Pool: ...


class _Module(Protocol):
    Client: _Factory
    AsyncClient: _AsyncFactory
    Pool: _PoolFactory


def _module() -> _Module:
    return cast("_Module", importlib.import_module("spikewire"))


class Blocking(BlockingClient):
    _client: _Client
    _dataset: _Dataset

    def open(self, target: Target) -> None:
        self._client = _module().Client.connect(target.seed_text)
        self._dataset = self._client.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return Verbs(
            read="get(k).bins",
            write="put(k, bins)",
            names={"get": self._dataset.get, "put": self._dataset.put},
        )

    def many(self, way: str, /) -> ManyVerbs:
        dataset = self._dataset
        names = {"get": dataset.get, "get_many": dataset.get_many, "put_many": dataset.put_many}
        return ManyVerbs(
            read="[get(one) for one in k]" if way == SINGLES else "get_many(k)",
            bins="row.bins",
            write="put_many(zip(k, bins)).raise_for_errors()",
            names=names,
        )

    def table(self, way: str, names: tuple[str, ...], dtype: Dtype, /) -> TableVerbs:
        get_many = self._dataset.get_many
        if way == ARROW:
            arrow = cast("object", vars(importlib.import_module("pyarrow"))["table"])
            known = {"get_many": get_many, "arrow": arrow}
            return TableVerbs("get_many(k).to_arrow()", "arrow(table).to_pylist()", known)
        get_numpy = self._dataset.get_numpy
        plain = ', missing="raise"' if way == NUMPY_PLAIN else ""
        read = f"get_numpy(k, dtype{plain})"
        return numpy_table(read, "table", names, dtype, get_numpy=get_numpy)

    def close(self) -> None:
        self._client.close()


def _awaited(dataset: _Dataset) -> Verbs:
    return Verbs(
        read="(await get(k)).bins",
        write="await put(k, bins)",
        names={"get": dataset.get, "put": dataset.put},
    )


class Asyncio(AsyncioClient):
    _client: _AsyncClient
    _dataset: _Dataset

    async def open(self, target: Target) -> None:
        self._client = await _module().AsyncClient.connect(target.seed_text)
        self._dataset = self._client.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return _awaited(self._dataset)

    def many(self, way: str, /) -> ManyVerbs:
        dataset = self._dataset
        names = {"get": dataset.get, "get_many": dataset.get_many, "put_many": dataset.put_many}
        return ManyVerbs(
            read="[await get(one) for one in k]" if way == SINGLES else "await get_many(k)",
            bins="row.bins",
            write="(await put_many(zip(k, bins))).raise_for_errors()",
            names=names,
        )

    async def close(self) -> None:
        await self._client.close()


class Pooled(PoolClient):
    _pool: _Pool
    _dataset: _Dataset

    def open(self, target: Target, loops: int, *, uvloop: bool) -> None:
        self._pool = _module().Pool(target.seed_text, loops=loops, uvloop=uvloop).open()
        self._dataset = self._pool.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return _awaited(self._dataset)

    def run(self, function: Callable[..., object], *args: object) -> Outstanding:
        return self._pool.run(function, *args)

    def map(
        self, handler: Callable[..., object], items: Iterable[object], limit: int
    ) -> Iterator[object]:
        return self._pool.map(handler, items, limit=limit, ordered=False, errors="return")

    def close(self) -> None:
        self._pool.close()


PEER = Peer(
    "spikewire",
    module="spikewire",
    distribution="spikewire",
    blocking=Blocking,
    asyncio=Asyncio,
    pool=Pooled,
    ways=(
        Way(BATCH_READ),
        Way(BATCH_READ, SINGLES, least=SINGLES_SIZE, most=SINGLES_SIZE),
        Way(BATCH_WRITE),
        Way(COLUMNS, NUMPY, (SYNC,), columnar=True, needs="numpy"),
        Way(COLUMNS, NUMPY_PLAIN, (SYNC,), columnar=True, needs="numpy"),
        Way(COLUMNS, ARROW, (SYNC,), columnar=True, needs="pyarrow"),
        Way(COLUMNS, DICT, (SYNC,)),
    ),
)
