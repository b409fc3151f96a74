"""`aerospike-native`: the vendor's Rust core as a Python extension. Blocking and asyncio.

Importing it installs uvloop for the whole process unless its own variable says otherwise. The
driver makes the event loop itself, so each mode runs on the loop that its name says.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .base import ASYNC, AsyncioClient, BlockingClient, Peer, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Awaitable

PLAIN_LOOP = {ASYNC: {"AEROSPIKE_NO_UVLOOP": "1"}}


class _Policy(Protocol):
    use_services_alternate: bool


class _Client(Protocol):
    get: object
    put: object
    get_blocking: object
    put_blocking: object

    def close(self) -> Awaitable[None]: ...

    def close_blocking(self) -> None: ...


class _Module(Protocol):
    Key: object

    def ClientPolicy(self) -> _Policy: ...  # noqa: N802

    def new_client(self, policy: _Policy, seeds: str) -> Awaitable[_Client]: ...

    def new_client_blocking(self, policy: _Policy, seeds: str) -> _Client: ...


def _module() -> _Module:
    return cast("_Module", importlib.import_module("aerospike_native"))


def _policy() -> _Policy:
    policy = _module().ClientPolicy()
    policy.use_services_alternate = False
    return policy


def key_source(target: Target) -> str:
    """`Key(...)` with an integer key. `Key.from_int_user_key` would make a text key."""
    return f"Key({target.namespace!r}, {target.set_name!r}, k)"


class Blocking(BlockingClient):
    _client: _Client
    _key: str

    def open(self, target: Target) -> None:
        self._client = _module().new_client_blocking(_policy(), target.seed_text)
        self._key = key_source(target)

    def verbs(self) -> Verbs:
        client = self._client
        return Verbs(
            read=f"get({self._key}).bins",
            write=f"put({self._key}, bins)",
            names={"Key": _module().Key, "get": client.get_blocking, "put": client.put_blocking},
        )

    def close(self) -> None:
        self._client.close_blocking()


class Asyncio(AsyncioClient):
    _client: _Client
    _key: str

    async def open(self, target: Target) -> None:
        self._client = await _module().new_client(_policy(), target.seed_text)
        self._key = key_source(target)

    def verbs(self) -> Verbs:
        return Verbs(
            read=f"(await get({self._key})).bins",
            write=f"await put({self._key}, bins)",
            names={"Key": _module().Key, "get": self._client.get, "put": self._client.put},
        )

    async def close(self) -> None:
        await self._client.close()


PEER = Peer(
    "aerospike-native",
    module="aerospike_native",
    distribution="aerospike-native",
    blocking=Blocking,
    asyncio=Asyncio,
    environment=PLAIN_LOOP,
)
