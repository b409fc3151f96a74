"""Queries."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from spikewire.compat.aerospike.query import index_range
from spikewire.compat.aerospike_info import PARTITIONS
from spikewire.compat.aerospike_py.failures import FAILURES, failure, reject
from spikewire.compat.aerospike_py.policies import PartitionFilter, query_options
from spikewire.compat.aerospike_py.types import AerospikeKey, Record
from spikewire.compat.aerospike_py.values import incoming_bins, meta_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire import IndexRange

__all__ = [
    "AsyncQuery", "Query", "partition_filter_all", "partition_filter_by_id",
    "partition_filter_by_range",
]  # fmt: skip


def partition_filter_all() -> PartitionFilter:
    """All partitions."""
    return PartitionFilter(0, PARTITIONS)


def partition_filter_by_id(partition_id: int) -> PartitionFilter:
    """One partition."""
    if not 0 <= partition_id < PARTITIONS:
        message = f"partition_id must be from 0 to {PARTITIONS - 1}, not {partition_id}"
        raise ValueError(message)
    return PartitionFilter(partition_id, 1)


def partition_filter_by_range(begin: int, count: int) -> PartitionFilter:
    """Consecutive partitions."""
    if not 0 <= begin < PARTITIONS:
        message = f"begin must be from 0 to {PARTITIONS - 1}, not {begin}"
        raise ValueError(message)
    if count < 0 or begin + count > PARTITIONS:
        message = f"begin + count must be at most {PARTITIONS}, not {begin + count}"
        raise ValueError(message)
    return PartitionFilter(begin, count)


def _integer(predicate: tuple[Any, ...], at: int) -> int:
    value = predicate[at]
    if isinstance(value, bool) or not isinstance(value, int):
        reject(f"the bounds of {predicate[0]!r} must be integers, not {type(value).__name__}")
    return value


def _ranged(predicate: Any) -> Any:
    """The index range for the tuple of a predicate."""
    if not isinstance(predicate, tuple):
        message = f"a predicate must be a tuple, not {type(predicate).__name__}"
        raise TypeError(message)
    if len(predicate) < 3:
        reject(f"a predicate must have at least 3 items, not {len(predicate)}")
    kind, bin, first = predicate[:3]
    if not isinstance(bin, str):
        message = f"the bin of a predicate must be a str, not {type(bin).__name__}"
        raise TypeError(message)
    if not 0 < len(bin.encode()) <= 15:
        reject(f"{bin!r} is not a bin name: it must have 1 to 15 bytes")
    length = {"between": 4, "contains": 4, "geo_within_radius": 5}.get(kind, 3)
    if len(predicate) < length:
        reject(f"the predicate {kind!r} must have {length} items, not {len(predicate)}")
    if kind == "equals":
        if isinstance(first, bool) or not isinstance(first, (int, str, bytes, bytearray)):
            reject(f"an index contains integers, text or bytes, not {type(first).__name__}")
        return index_range((0, 0, bin, first))
    if kind == "between":
        return index_range((1, 0, bin, _integer(predicate, 2), _integer(predicate, 3)))
    if kind == "contains":
        if first not in (0, 1, 2, 3):
            reject(f"{first} is not an index type")
        if isinstance(predicate[3], bool) or not isinstance(predicate[3], (int, str)):
            message = f"{kind} takes int or str, not {type(predicate[3]).__name__}"
            raise TypeError(message)
        return index_range((0, 0, bin, predicate[3], None, first))
    if kind in ("geo_within_geojson_region", "geo_contains_geojson_point"):
        return index_range((1, 2, bin, first, None, 0))
    if kind == "geo_within_radius":
        lat, lng, radius = predicate[2:5]
        circle = {"type": "AeroCircle", "coordinates": [[lng, lat], radius]}
        return index_range((1, 2, bin, json.dumps(circle), None, 0))
    return reject(f"there is no predicate {kind!r}")


class _Base:
    """What both kinds of queries have in common."""

    def __init__(self, client: Any, namespace: Any, set_name: Any) -> None:
        for name, value in (("namespace", namespace), ("set_name", set_name)):
            if not isinstance(value, str):
                message = f"{name} must be a str, not {type(value).__name__}"
                raise TypeError(message)
        self._client = client
        self._of = namespace, set_name or None
        self._bins: list[str] = []
        self._ranges: list[IndexRange] = []

    def select(self, *bins: str) -> None:
        """Reads only these bins. Several calls add up."""
        for name in bins:
            if not isinstance(name, str):
                message = f"the name of a bin must be a str, not {type(name).__name__}"
                raise TypeError(message)
            if not 0 < len(name.encode()) <= 15:
                reject(f"{name!r} is not a bin name: it must have 1 to 15 bytes")
        self._bins.extend(bins)

    def where(self, predicate: Any) -> None:
        """Queries a secondary index."""
        self._ranges.append(_ranged(predicate))

    def _options(self, policy: Any) -> dict[str, Any]:
        options = query_options(policy)
        if len(self._ranges) > 1:
            reject("a query has one predicate; use filter_expression for the others")
        if self._ranges:
            options["index"] = self._ranges[0]
        if self._bins and options.get("include_values", True):
            options["bins"] = self._bins
        return options


def _to_record(record: Any) -> Record:
    key = record.key
    named = AerospikeKey(key.namespace, key.set or "", key.key, key.digest)
    return Record(named, meta_of(record), incoming_bins(record.bins))


class Query(_Base):
    """A query of a blocking client."""

    def results(self, policy: Any = None) -> list[Record]:
        """All records."""
        records: list[Record] = []

        def add(record: Record) -> None:
            records.append(record)

        self.foreach(add, policy)
        return records

    def foreach(self, callback: Callable[[Record], Any], policy: Any = None) -> None:
        """Calls a function with each record, until it returns ``False``."""
        options = self._options(policy)
        query = None
        try:
            query = self._client.query(*self._of, **options)
        except FAILURES as error:
            raise failure(error) from None
        with query:
            while True:
                try:
                    record = next(query)
                except StopIteration:
                    return
                except FAILURES as error:
                    raise failure(error) from None
                if callback(_to_record(record)) is False:
                    return


class AsyncQuery(_Base):
    """A query of an asyncio client."""

    async def results(self, policy: Any = None) -> list[Record]:
        """All records."""
        records: list[Record] = []

        def add(record: Record) -> None:
            records.append(record)

        await self.foreach(add, policy)
        return records

    async def foreach(self, callback: Callable[[Record], Any], policy: Any = None) -> None:
        """Calls a function with each record, until it returns ``False``."""
        options = self._options(policy)
        try:
            query = self._client.query(*self._of, **options)
        except FAILURES as error:
            raise failure(error) from None
        async with query:
            records = aiter(query)
            while True:
                try:
                    record = await anext(records)
                except StopAsyncIteration:
                    return
                except FAILURES as error:
                    raise failure(error) from None
                if callback(_to_record(record)) is False:
                    return
