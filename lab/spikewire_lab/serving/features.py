"""How each client reads the records of a request, as its users would write it in a service."""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..clients import OURS, aerospike_c, aerospike_native, aerospike_py, aerospike_sdk
from .cells import BATCH, EXECUTOR_THREADS, NATIVE, OFFICIAL, PEER, SDK, SETS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..clients.base import Target

Foreign = Any
Request = list[list[int]]
"""Keys of each set."""
Records = list[list[dict[str, Any]]]
"""Bins of the records of each set, in the order of the keys."""


def set_name(name: str, number: int) -> str:
    """The name of one of the sets that a request reads."""
    return f"{name}-{number}"


class Features(ABC):
    """One client, shared by all requests."""

    def __init__(self, target: Target, sets: int, way: str) -> None:
        self.target = target
        self.names = [set_name(target.set_name, number) for number in range(sets)]
        self.way = way

    @abstractmethod
    async def open(self) -> None: ...

    @abstractmethod
    async def singles(self, request: Request) -> list[dict[str, Any]]:
        """A call for each record, gathered."""

    @abstractmethod
    async def several(self, request: Request) -> Records:
        """A batch for each set, gathered."""

    @abstractmethod
    async def batch(self, request: Request) -> list[dict[str, Any]]:
        """One batch of all sets."""

    @abstractmethod
    async def close(self) -> None: ...

    async def read(self, request: Request) -> Records:
        """Reads in the way that is measured."""
        if self.way == SETS:
            return await self.several(request)
        flat = iter(await (self.batch if self.way == BATCH else self.singles)(request))
        return [list(islice(flat, len(keys))) for keys in request]


class Ours(Features):
    async def open(self) -> None:
        module = importlib.import_module("spikewire")
        self._client: Foreign = await module.AsyncClient.connect(
            self.target.seed_text, **self.target.options
        )
        self._sets = [self._client.dataset(self.target.namespace, name) for name in self.names]

    async def singles(self, request: Request) -> list[dict[str, Any]]:
        records = await asyncio.gather(
            *(one.get(key) for one, keys in zip(self._sets, request, strict=True) for key in keys)
        )
        return [record.bins for record in records]

    async def several(self, request: Request) -> Records:
        batches = await asyncio.gather(
            *(one.get_many(keys) for one, keys in zip(self._sets, request, strict=True))
        )
        return [[row.bins for row in rows] for rows in batches]

    async def batch(self, request: Request) -> list[dict[str, Any]]:
        reads = [
            key for one, keys in zip(self._sets, request, strict=True) for key in one.keys(keys)
        ]
        return [row.bins for row in await self._client.get_many(reads)]

    async def close(self) -> None:
        await self._client.close()


class _Tuples(Features):
    """Clients whose keys are tuples."""

    def keys(self, name: str, keys: Iterable[int]) -> list[tuple[str, str, int]]:
        namespace = self.target.namespace
        return [(namespace, name, key) for key in keys]

    def each(self, request: Request) -> list[list[tuple[str, str, int]]]:
        return [self.keys(name, keys) for name, keys in zip(self.names, request, strict=True)]

    def all(self, request: Request) -> list[tuple[str, str, int]]:
        return [key for keys in self.each(request) for key in keys]


class Peer(_Tuples):
    async def open(self) -> None:
        module = importlib.import_module("aerospike_py")
        self._client: Foreign = await module.AsyncClient(
            aerospike_py.config("aerospike_py", self.target)
        ).connect()

    async def singles(self, request: Request) -> list[dict[str, Any]]:
        records = await asyncio.gather(*map(self._client.get, self.all(request)))
        return [record.bins for record in records]

    async def several(self, request: Request) -> Records:
        batches = await asyncio.gather(*map(self._client.batch_read, self.each(request)))
        return [rows.to_list() for rows in batches]

    async def batch(self, request: Request) -> list[dict[str, Any]]:
        # A dictionary by user key would lose records that have the same key in two sets.
        rows: list[dict[str, Any]] = (await self._client.batch_read(self.all(request))).to_list()
        return rows

    async def close(self) -> None:
        await self._client.close()


class Official(_Tuples):
    """Calls in threads of an executor."""

    async def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike")
        self._client: Foreign = module.client(aerospike_c.config("aerospike", self.target))
        self._threads = ThreadPoolExecutor(EXECUTOR_THREADS)
        # One alone first: 19.3.0 can crash the process (signal 11) if its first batches begin at
        # once.
        self._client.batch_read([(self.target.namespace, self.names[0], 0)])

    def _one(self, key: tuple[str, str, int]) -> dict[str, Any]:
        bins: dict[str, Any] = self._client.get(key)[2]
        return bins

    def _many(self, keys: list[tuple[str, str, int]]) -> list[dict[str, Any]]:
        return [row.record[2] for row in self._client.batch_read(keys).batch_records]

    async def singles(self, request: Request) -> list[dict[str, Any]]:
        run = asyncio.get_running_loop().run_in_executor
        return await asyncio.gather(
            *(run(self._threads, self._one, key) for key in self.all(request))
        )

    async def several(self, request: Request) -> Records:
        run = asyncio.get_running_loop().run_in_executor
        return await asyncio.gather(
            *(run(self._threads, self._many, keys) for keys in self.each(request))
        )

    async def batch(self, request: Request) -> list[dict[str, Any]]:
        run = asyncio.get_running_loop().run_in_executor
        return await run(self._threads, self._many, self.all(request))

    async def close(self) -> None:
        self._threads.shutdown()
        self._client.close()


class _Keys(Features):
    """The vendor's newer clients, whose keys are objects."""

    _key: Foreign

    def keys(self, name: str, keys: Iterable[int]) -> list[Foreign]:
        namespace = self.target.namespace
        return [self._key(namespace, name, key) for key in keys]

    def each(self, request: Request) -> list[list[Foreign]]:
        return [self.keys(name, keys) for name, keys in zip(self.names, request, strict=True)]

    def all(self, request: Request) -> list[Foreign]:
        return [key for keys in self.each(request) for key in keys]

    @abstractmethod
    async def get(self, key: Foreign) -> Foreign:
        """A record."""

    @abstractmethod
    async def many(self, keys: list[Foreign]) -> list[dict[str, Any]]:
        """A batch."""

    async def singles(self, request: Request) -> list[dict[str, Any]]:
        records = await asyncio.gather(*map(self.get, self.all(request)))
        return [record.bins for record in records]

    async def several(self, request: Request) -> Records:
        return await asyncio.gather(*map(self.many, self.each(request)))

    async def batch(self, request: Request) -> list[dict[str, Any]]:
        return await self.many(self.all(request))


class Sdk(_Keys):
    async def open(self) -> None:
        connecting: Foreign = aerospike_sdk.definition("aerospike_sdk", self.target).connect()
        self._cluster: Foreign = await connecting
        self._session: Foreign = self._cluster.create_session()
        self._key = aerospike_sdk.key_class()

    async def get(self, key: Foreign) -> Foreign:
        return await self._session.get(key)

    async def many(self, keys: list[Foreign]) -> list[dict[str, Any]]:
        rows = await (await self._session.query(keys).execute()).collect()
        return [row.record.bins for row in rows]

    async def close(self) -> None:
        await self._cluster.close()


class Native(_Keys):
    async def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike_native")
        policy = aerospike_native.client_policy(self.target)
        self._client: Foreign = await module.new_client(
            policy, aerospike_native.seeds_of(self.target)
        )
        self._key = module.Key

    async def get(self, key: Foreign) -> Foreign:
        return await self._client.get(key)

    async def many(self, keys: list[Foreign]) -> list[dict[str, Any]]:
        return [row.record.bins for row in await self._client.batch_read(keys)]

    async def close(self) -> None:
        await self._client.close()


FEATURES: dict[str, type[Features]] = {
    OURS: Ours,
    PEER: Peer,
    SDK: Sdk,
    NATIVE: Native,
    OFFICIAL: Official,
}
