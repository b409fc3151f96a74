"""How each client is opened with options, and how it reads: single records and batches."""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from ..clients import aerospike_c, aerospike_native, aerospike_py, aerospike_sdk
from ..clients.base import ASYNC, SYNC
from .options import OF_BATCH, OF_CLIENT, Choice, accepted, value_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..clients.base import Target

Foreign = Any
BIN = "b0"
"""The bin that a writer counts up."""
NOWHERE = "127.0.0.1:1"
"""No server listens here: options are checked before a client notices."""
PROBE_SECONDS = 0.2
RETRIES = "retries_sent"
COUNTERS = ("hedges_sent", "hedges_won", RETRIES, "retries_denied", "reads_shared", "rows_late")
"""Statistics of our client, whatever the build."""


class Caller:
    """One client with some options."""

    def __init__(self, target: Target, choices: Sequence[Choice], spend: float) -> None:
        self.target, self.spend = target, spend
        self.choices = tuple(choices)
        self.options: dict[str, Any] = {one.name: value_of(one.values[0], spend) for one in choices}
        """Those that are used; a client that rejects any takes them out."""
        self.rejected: dict[str, str] = {}

    def milliseconds(self) -> dict[str, int]:
        """The options of clients that take whole milliseconds."""
        return {
            name: max(1, round(value * 1000)) if isinstance(value, float) else value
            for name, value in self.options.items()
        }

    def counters(self) -> dict[str, int]:
        """What the client counts itself, as far as this build does."""
        return {}

    def key(self, key: int) -> tuple[str, str, int]:
        return (self.target.namespace, self.target.set_name, key)


class TaskCaller(Caller, ABC):
    """A client of an event loop."""

    @abstractmethod
    async def open(self) -> None: ...

    @abstractmethod
    async def get(self, key: int) -> Mapping[str, Any]:
        """The bins of a record."""

    @abstractmethod
    async def get_many(self, keys: Sequence[int]) -> int:
        """The number of records that are there."""

    @abstractmethod
    async def close(self) -> None: ...


class ThreadCaller(Caller, ABC):
    """A client that blocks."""

    @abstractmethod
    def open(self) -> None: ...

    @abstractmethod
    def get(self, key: int) -> Mapping[str, Any]: ...

    @abstractmethod
    def get_many(self, keys: Sequence[int]) -> int: ...

    @abstractmethod
    def close(self) -> None: ...


class _Ours(Caller):
    _client: Foreign
    _dataset: Foreign

    def checked(self) -> dict[str, Any]:
        """The options for the client; what this build rejects is left out."""
        connect = self._module().Client.connect

        def attempt(options: Mapping[str, Any]) -> None:
            with suppress(OSError):  # That is as far as it can get.
                connect(NOWHERE, connect_timeout=PROBE_SECONDS, **options)

        those = tuple(one for one in self.choices if one.place == OF_CLIENT)
        options, self.rejected = accepted(those, self.spend, attempt)
        self.options = dict(options)
        return options

    def batch_options(self) -> tuple[Choice, ...]:
        return tuple(one for one in self.choices if one.place == OF_BATCH)

    def counters(self) -> dict[str, int]:
        stats = self._client.stats()
        known = {name: getattr(stats, name, None) for name in COUNTERS}
        cache = getattr(stats, "near_cache", None)
        if cache is not None:
            known |= {"cache_hits": cache.hits, "cache_misses": cache.misses}
        return {name: count for name, count in known.items() if count is not None}

    def _module(self) -> Foreign:
        return importlib.import_module("spikewire")


class OursBlocking(_Ours, ThreadCaller):
    def open(self) -> None:
        options = self.checked()
        target = self.target
        self._client = self._module().Client.connect(target.seed_text, **target.options, **options)
        self._dataset = self._client.dataset(target.namespace, target.set_name)
        self._of_batch, rejected = accepted(
            self.batch_options(), self.spend, lambda some: self._dataset.get_many([1], **some)
        )
        self.options |= self._of_batch
        self.rejected |= rejected

    def get(self, key: int) -> Mapping[str, Any]:
        bins: dict[str, Any] = self._dataset.get(key).bins
        return bins

    def get_many(self, keys: Sequence[int]) -> int:
        codes = self._dataset.get_many(keys, **self._of_batch).codes
        return sum(code == 0 for code in codes)

    def close(self) -> None:
        self._client.close()


class OursAsyncio(_Ours, TaskCaller):
    async def open(self) -> None:
        options = self.checked()
        target = self.target
        self._client = await self._module().AsyncClient.connect(
            target.seed_text, **target.options, **options
        )
        self._dataset = self._client.dataset(target.namespace, target.set_name)
        sent: list[Foreign] = []
        self._of_batch, rejected = accepted(
            self.batch_options(),
            self.spend,
            lambda some: sent.append(self._dataset.get_many([1], **some)),
        )
        await asyncio.gather(*sent, return_exceptions=True)
        self.rejected |= rejected
        self.options |= self._of_batch

    async def get(self, key: int) -> Mapping[str, Any]:
        bins: dict[str, Any] = (await self._dataset.get(key)).bins
        return bins

    async def get_many(self, keys: Sequence[int]) -> int:
        codes = (await self._dataset.get_many(keys, **self._of_batch)).codes
        return sum(code == 0 for code in codes)

    async def close(self) -> None:
        await self._client.close()


class Official(ThreadCaller):
    """Options are policies of the client, which apply to every call."""

    def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike")
        config = aerospike_c.config("aerospike", self.target)
        if self.options:
            policy = self.milliseconds()
            policies = cast("dict[str, object]", config.setdefault("policies", {}))
            policies |= {"read": policy, "batch": policy}
        self._client: Foreign = module.client(config)

    def get(self, key: int) -> Mapping[str, Any]:
        bins: dict[str, Any] = self._client.get(self.key(key))[2]
        return bins

    def get_many(self, keys: Sequence[int]) -> int:
        rows = self._client.batch_read([self.key(key) for key in keys]).batch_records
        return sum(row.result == 0 for row in rows)

    def close(self) -> None:
        self._client.close()


class RustPy(TaskCaller):
    """aerospike-py: options are a policy of each call."""

    async def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike_py")
        config = aerospike_py.config("aerospike_py", self.target)
        self._client: Foreign = await module.AsyncClient(config).connect()
        self._policy = {"policy": self.milliseconds()} if self.options else {}

    async def get(self, key: int) -> Mapping[str, Any]:
        bins: dict[str, Any] = (await self._client.get(self.key(key), **self._policy)).bins
        return bins

    async def get_many(self, keys: Sequence[int]) -> int:
        rows = await self._client.batch_read([self.key(key) for key in keys], **self._policy)
        return sum(row.result == 0 for row in rows.batch_records)

    async def close(self) -> None:
        await self._client.close()


class Sdk(TaskCaller):
    """The vendor's SDK: options are those of a behavior."""

    async def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike_sdk")
        definition: Foreign = aerospike_sdk.definition("aerospike_sdk", self.target)
        self._cluster = await definition.connect()
        self._key: Foreign = module.Key
        if not self.options:
            self._session = self._cluster.create_session()
            return
        policy: Foreign = importlib.import_module("aerospike_sdk.policy")
        spans = {
            name: timedelta(seconds=value) if name.endswith("timeout") else value
            for name, value in self.options.items()
        }
        reads = policy.Settings(**spans)
        behavior = module.Behavior.DEFAULT.derive_with_changes("spike", reads=reads)
        self._session = self._cluster.create_session(behavior)

    async def get(self, key: int) -> Mapping[str, Any]:
        bins: dict[str, Any] = (await self._session.get(self._key(*self.key(key)))).bins
        return bins

    async def get_many(self, keys: Sequence[int]) -> int:
        rows = await self._session.query([self._key(*self.key(key)) for key in keys]).execute()
        return sum([row.is_ok async for row in rows])

    async def close(self) -> None:
        await self._cluster.close()


class Native(TaskCaller):
    """The native client below the SDK: options are a policy of each call."""

    async def open(self) -> None:
        module: Foreign = importlib.import_module("aerospike_native")
        policy: Foreign = aerospike_native.client_policy(self.target)
        self._client: Foreign = await module.new_client(
            policy, aerospike_native.seeds_of(self.target)
        )
        self._key: Foreign = module.Key
        self._okay: Foreign = module.ResultCode.OK
        self._read: dict[str, Any] = {}
        self._batch: dict[str, Any] = {}
        if self.options:
            one, many = module.ReadPolicy(), module.BatchPolicy()
            for name, value in self.milliseconds().items():
                setattr(one, name, value)
                setattr(many, name, value)
            self._read, self._batch = {"policy": one}, {"batch_policy": many}

    async def get(self, key: int) -> Mapping[str, Any]:
        record = await self._client.get(self._key(*self.key(key)), **self._read)
        bins: dict[str, Any] = record.bins
        return bins

    async def get_many(self, keys: Sequence[int]) -> int:
        those = [self._key(*self.key(key)) for key in keys]
        rows = await self._client.batch_read(those, **self._batch)
        return sum(row.result_code == self._okay for row in rows)

    async def close(self) -> None:
        await self._client.close()


CALLERS: dict[tuple[str, str], type[TaskCaller | ThreadCaller]] = {
    ("spikewire", ASYNC): OursAsyncio,
    ("spikewire", SYNC): OursBlocking,
    ("aerospike", SYNC): Official,
    ("aerospike-py", ASYNC): RustPy,
    ("aerospike-sdk", ASYNC): Sdk,
    ("aerospike-native", ASYNC): Native,
}
"""The clients that are measured, by name and mode."""
