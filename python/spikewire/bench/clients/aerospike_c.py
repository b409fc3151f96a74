"""`aerospike`: the vendor's client over its C library. Blocking only."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Protocol, cast

from .base import BlockingClient, Peer, Target, Verbs

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Client(Protocol):
    def get(self, key: tuple[str, str, int]) -> tuple[object, object, dict[str, object]]: ...

    def put(self, key: tuple[str, str, int], bins: Mapping[str, object]) -> object: ...

    def close(self) -> None: ...


class _Module(Protocol):
    def client(self, config: Mapping[str, object]) -> _Client: ...


class Blocking(BlockingClient):
    _client: _Client
    _prefix: str

    def open(self, target: Target) -> None:
        module = cast("_Module", importlib.import_module("aerospike"))
        self._client = module.client({"hosts": list(target.seeds)})
        self._prefix = f"{target.namespace!r}, {target.set_name!r}"

    def verbs(self) -> Verbs:
        key = f"({self._prefix}, k)"
        return Verbs(
            read=f"get({key})[2]",
            write=f"put({key}, bins)",
            names={"get": self._client.get, "put": self._client.put},
        )

    def close(self) -> None:
        self._client.close()


PEER = Peer("aerospike", module="aerospike", distribution="aerospike", blocking=Blocking)
