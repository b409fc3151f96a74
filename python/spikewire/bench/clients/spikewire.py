"""Our own client, used exactly as a user would."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from .base import (
    SYNC,
    AsyncioClient,
    BlockingClient,
    Dtype,
    ManyVerbs,
    Peer,
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


class _Module(Protocol):
    Client: _Factory
    AsyncClient: _AsyncFactory


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


class Asyncio(AsyncioClient):
    _client: _AsyncClient
    _dataset: _Dataset

    async def open(self, target: Target) -> None:
        self._client = await _module().AsyncClient.connect(target.seed_text)
        self._dataset = self._client.dataset(target.namespace, target.set_name)

    def verbs(self) -> Verbs:
        return Verbs(
            read="(await get(k)).bins",
            write="await put(k, bins)",
            names={"get": self._dataset.get, "put": self._dataset.put},
        )

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


PEER = Peer(
    "spikewire",
    module="spikewire",
    distribution="spikewire",
    blocking=Blocking,
    asyncio=Asyncio,
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
