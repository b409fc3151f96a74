"""How each client's users read every record of a set, in the ways of `cells.WAYS`.

The loops are written out for each client, so that none pays for an adapter. All of them take the
bins of every record as a mapping.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, cast

from ..clients import (
    OURS,
    aerospike_c,
    aerospike_native,
    aerospike_py,
    aerospike_sdk,
    spikewire,
)
from . import consumers
from .cells import ARROW, FOREACH

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Iterable

    from ..clients.base import Target
    from .consumers import Read, Record

# Other clients' query objects have no types that hold in every release.
Foreign = Any


class Ours(spikewire.Blocking):
    def scan(self, _target: Target, way: str, consumer: str) -> Read:
        with cast("Foreign", self._dataset).query() as query:
            if way == ARROW:
                return consumers.tables(query.arrow_batches(), consumer)
            return consumers.records(query, consumer)


class OursAsync(spikewire.Asyncio):
    async def scan(self, _target: Target, way: str, consumer: str) -> Read:
        async with cast("Foreign", self._dataset).query() as query:
            if way == ARROW:
                return await consumers.async_tables(query.arrow_batches(), consumer)
            return await consumers.async_records(query, consumer)


class C(aerospike_c.Blocking):
    def scan(self, target: Target, way: str, _consumer: str) -> Read:
        query = cast("Foreign", self._client).query(target.namespace, target.set_name)
        count, bins = 0, None
        if way == FOREACH:

            def take(row: tuple[object, object, object]) -> None:
                nonlocal count, bins
                bins = row[2]
                count += 1

            query.foreach(take)
            return count, bins
        for row in query.results():
            bins = row[2]
            count += 1
        return count, bins


class Py(aerospike_py.Blocking):
    def scan(self, target: Target, way: str, consumer: str) -> Read:
        query = cast("Foreign", self._client).query(target.namespace, target.set_name)
        if way == FOREACH:
            take = _Taken()
            query.foreach(take.take)
            return take.count, take.bins
        return consumers.records(query.results(), consumer)


class PyAsync(aerospike_py.Asyncio):
    async def scan(self, target: Target, way: str, consumer: str) -> Read:
        query = cast("Foreign", self._client).query(target.namespace, target.set_name)
        if way == FOREACH:
            take = _Taken()
            await query.foreach(take.take)
            return take.count, take.bins
        return consumers.records(await query.results(), consumer)


class _Taken:
    """What a callback has seen."""

    def __init__(self) -> None:
        self.count = 0
        self.bins: object = None

    def take(self, row: Record) -> None:
        self.bins = row.bins
        self.count += 1


class Sdk(aerospike_sdk.Blocking):
    def scan(self, target: Target, _way: str, _consumer: str) -> Read:
        count, bins = 0, None
        for row in cast("Foreign", self._session).query(_sdk_set(target)).execute():
            bins = row.record.bins
            count += 1
        return count, bins


class SdkAsync(aerospike_sdk.Asyncio):
    async def scan(self, target: Target, _way: str, _consumer: str) -> Read:
        count, bins = 0, None
        async for row in await cast("Foreign", self._session).query(_sdk_set(target)).execute():
            bins = row.record.bins
            count += 1
        return count, bins


def _sdk_set(target: Target) -> object:
    sdk = vars(importlib.import_module("aerospike_sdk"))
    return sdk["DataSet"].of(target.namespace, target.set_name)


class Native(aerospike_native.Blocking):
    def scan(self, target: Target, _way: str, consumer: str) -> Read:
        rows = cast("Foreign", self._client).query_blocking(*_native_statement(target))
        return consumers.records(cast("Iterable[Record]", rows), consumer)


class NativeAsync(aerospike_native.Asyncio):
    async def scan(self, target: Target, _way: str, consumer: str) -> Read:
        rows = await cast("Foreign", self._client).query(*_native_statement(target))
        return await consumers.async_records(cast("AsyncIterable[Record]", rows), consumer)


def _native_statement(target: Target) -> tuple[object, object]:
    native = vars(importlib.import_module("aerospike_native"))
    statement = native["Statement"](target.namespace, target.set_name, None)
    return statement, native["PartitionFilter"].all()


BlockingReader = Ours | C | Py | Sdk | Native
AsyncioReader = OursAsync | PyAsync | SdkAsync | NativeAsync

BLOCKING: dict[str, type[BlockingReader]] = {
    OURS: Ours,
    "aerospike": C,
    "aerospike-py": Py,
    "aerospike-sdk": Sdk,
    "aerospike-native": Native,
}
ASYNCIO: dict[str, type[AsyncioReader]] = {
    OURS: OursAsync,
    "aerospike-py": PyAsync,
    "aerospike-sdk": SdkAsync,
    "aerospike-native": NativeAsync,
}
