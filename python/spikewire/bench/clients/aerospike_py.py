"""`aerospike-py`: a Rust core with a blocking and an asyncio face."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .base import AsyncioClient, BlockingClient, Peer, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Client(Protocol):
    get: object
    put: object

    def connect(self) -> _Client: ...

    def close(self) -> None: ...


class _AsyncClient(Protocol):
    get: object
    put: object

    async def connect(self) -> _AsyncClient: ...

    async def close(self) -> None: ...


class _Module(Protocol):
    def client(self, config: Mapping[str, object]) -> _Client: ...

    def AsyncClient(self, config: Mapping[str, object]) -> _AsyncClient: ...  # noqa: N802


def _module() -> _Module:
    return cast("_Module", importlib.import_module("aerospike_py"))


def _config(target: Target) -> dict[str, object]:
    return {"hosts": list(target.seeds)}


def _key(target: Target) -> str:
    return f"({target.namespace!r}, {target.set_name!r}, k)"


class Blocking(BlockingClient):
    _client: _Client
    _key: str

    def open(self, target: Target) -> None:
        self._client = _module().client(_config(target)).connect()
        self._key = _key(target)

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"get({self._key}).bins",
            write=f"put({self._key}, bins)",
            names={"get": self._client.get, "put": self._client.put},
        )

    def close(self) -> None:
        self._client.close()


class Asyncio(AsyncioClient):
    _client: _AsyncClient
    _key: str

    async def open(self, target: Target) -> None:
        self._client = await _module().AsyncClient(_config(target)).connect()
        self._key = _key(target)

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"(await get({self._key})).bins",
            write=f"await put({self._key}, bins)",
            names={"get": self._client.get, "put": self._client.put},
        )

    async def close(self) -> None:
        await self._client.close()


PEER = Peer(
    "aerospike-py",
    module="aerospike_py",
    distribution="aerospike-py",
    blocking=Blocking,
    asyncio=Asyncio,
)
