"""Source code of each client to read every record of a set, in the ways of `cells.WAYS`.

All of them take the bins of every record as a mapping and pass them to a consumer. With a range, an
index query selects the records.
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
from .check import RANGE_BIN
from .consumers import Row

if TYPE_CHECKING:
    from ..clients.base import Target
    from .check import Between
    from .consumers import Consumer, Read

# Query objects of other clients have no types that are valid for every release.
Foreign = Any


_C = Row("row[2]", "row[0][3]")
_SDK = Row("row.record.bins")


class Ours(spikewire.Blocking):
    def scan(
        self, _target: Target, way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        with cast("Foreign", self._dataset).query(index=_ours(between)) as query:
            if way == ARROW:
                return consumers.tables(query.arrow_batches(), consumer)
            return consumers.records(query, consumer)


class OursAsync(spikewire.Asyncio):
    async def scan(
        self, _target: Target, way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        async with cast("Foreign", self._dataset).query(index=_ours(between)) as query:
            if way == ARROW:
                return await consumers.async_tables(query.arrow_batches(), consumer)
            return await consumers.async_records(query, consumer)


def _ours(between: Between | None) -> object:
    return between and importlib.import_module("spikewire").between(RANGE_BIN, *between)


class C(aerospike_c.Blocking):
    def scan(
        self, target: Target, way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        query = _query(self._client, target, "aerospike", between)
        if way == FOREACH:
            return consumers.called(query.foreach, consumer, _C)
        return consumers.records(query.results(), consumer, _C)


class Py(aerospike_py.Blocking):
    def scan(
        self, target: Target, way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        query = _query(self._client, target, "aerospike_py", between)
        if way == FOREACH:
            return consumers.called(query.foreach, consumer)
        return consumers.records(query.results(), consumer)


class PyAsync(aerospike_py.Asyncio):
    async def scan(
        self, target: Target, way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        query = _query(self._client, target, "aerospike_py", between)
        if way == FOREACH:
            return await consumers.async_called(query.foreach, consumer)
        return consumers.records(await query.results(), consumer)


def _query(client: Foreign, target: Target, module: str, between: Between | None) -> Foreign:
    """A query of the whole set, or of a range of its index."""
    query = client.query(target.namespace, target.set_name)
    if between is not None:
        predicates = importlib.import_module(f"{module}.predicates")
        query.where(predicates.between(RANGE_BIN, *between))
    return query


class Sdk(aerospike_sdk.Blocking):
    def scan(
        self, target: Target, _way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        query = _sdk_query(self._session, target, between)
        return consumers.records(query.execute(), consumer, _SDK)


class SdkAsync(aerospike_sdk.Asyncio):
    async def scan(
        self, target: Target, _way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        query = _sdk_query(self._session, target, between)
        return await consumers.async_records(await query.execute(), consumer, _SDK)


def _sdk_query(session: Foreign, target: Target, between: Between | None) -> Foreign:
    sdk = vars(importlib.import_module("aerospike_sdk"))
    query = session.query(sdk["DataSet"].of(target.namespace, target.set_name))
    return query if between is None else query.filter(_range(between))


class Native(aerospike_native.Blocking):
    def scan(
        self, target: Target, _way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        rows = cast("Foreign", self._client).query_blocking(*_native_statement(target, between))
        return consumers.records(rows, consumer)


class NativeAsync(aerospike_native.Asyncio):
    async def scan(
        self, target: Target, _way: str, consumer: Consumer, between: Between | None = None
    ) -> Read:
        rows = await cast("Foreign", self._client).query(*_native_statement(target, between))
        return await consumers.async_records(rows, consumer)


def _native_statement(target: Target, between: Between | None) -> tuple[object, object]:
    native = vars(importlib.import_module("aerospike_native"))
    statement = native["Statement"](target.namespace, target.set_name, None)
    if between is not None:
        statement.filters = [_range(between)]
    return statement, native["PartitionFilter"].all()


def _range(between: Between) -> object:
    native = vars(importlib.import_module("aerospike_native"))
    return native["Filter"].range(RANGE_BIN, *between)


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
