"""Our own client, used exactly as a user would."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from .base import AsyncioClient, BlockingClient, Peer, Target, Verbs


class _Dataset(Protocol):
    get: object
    put: object


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

    async def close(self) -> None:
        await self._client.close()


PEER = Peer(
    "spikewire",
    module="spikewire",
    distribution="spikewire",
    blocking=Blocking,
    asyncio=Asyncio,
)
