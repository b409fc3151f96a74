"""What type checkers infer for results: queries, batches, records, keys and rows."""

from __future__ import annotations

import array
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Literal, TypeAlias

import numpy as np
from typing_extensions import assert_type

from spikewire import (
    Apply,
    ArrowTable,
    AsyncQuery,
    Batch,
    Delete,
    Error,
    GeoJSON,
    HyperLogLog,
    IndexRange,
    Key,
    Newer,
    Operation,
    Page,
    Query,
    QueryPlan,
    Read,
    Record,
    Write,
    around,
    between,
    contains,
    ctx,
    equal,
    errors,
    within,
)
from spikewire.types import (
    BinNames,
    Bins,
    BinValue,
    Exists,
    Instance,
    KeyLike,
    ReadMode,
    Step,
    Ttl,
    UserKey,
    Value,
    Where,
)

Masked: TypeAlias = "np.ma.MaskedArray[tuple[int], np.dtype[np.void]]"
Plain: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.void]]"


def of_a_query(query: Query) -> None:
    assert_type(query.first(), Record)
    assert_type(query.first_or_none(), Record | None)
    assert_type(query.to_list(), list[Record])
    assert_type(query.count(), int)
    assert_type(query.to_numpy("f8"), Masked)
    assert_type(query.to_numpy("f8", missing="raise"), Plain)
    assert_type(query.page(), Page)
    assert_type(query.aggregate("m", "f"), list[Value])
    assert_type(query.explain(), QueryPlan)
    assert_type(query.arrow_batches(100), Iterator[ArrowTable])
    assert_type(query.numpy_batches("f8"), Iterator[Masked])
    assert_type(query.numpy_batches("f8", missing="raise"), Iterator[Plain])
    assert_type(query.cursor, bytes)
    query.close()
    assert_type(next(query), Record)
    assert_type(query.page().records, list[Record])
    assert_type(query.page().cursor, bytes)
    assert_type(query.page().done, bool)


async def of_an_asynchronous_query(query: AsyncQuery) -> None:
    assert_type(await query.first(), Record)
    assert_type(await query.first_or_none(), Record | None)
    assert_type(await query.to_list(), list[Record])
    assert_type(await query.count(), int)
    assert_type(await query.to_numpy("f8"), Masked)
    assert_type(await query.to_numpy("f8", missing="raise"), Plain)
    assert_type(await query.page(), Page)
    assert_type(await query.aggregate("m", "f"), list[Value])
    assert_type(await query.explain(), QueryPlan)
    assert_type(query.arrow_batches(100), AsyncIterator[ArrowTable])
    assert_type(query.numpy_batches("f8"), AsyncIterator[Masked])
    assert_type(query.numpy_batches("f8", missing="raise"), AsyncIterator[Plain])
    assert_type(query.cursor, bytes)
    query.close()
    assert_type(await anext(query), Record)
    assert_type(aiter(query), AsyncIterator[Record])


def of_a_plan(plan: QueryPlan) -> None:
    assert_type(plan.access, Literal["index", "scan", "nothing"])
    assert_type(plan.on_server, bool)
    assert_type(plan.index, str | None)
    assert_type(plan.bin, str | None)
    assert_type(plan.of, Literal["list", "mapkeys", "mapvalues"] | None)
    assert_type(plan.values, tuple[int, int] | str | bytes | GeoJSON | None)
    assert_type(plan.text, str | None)
    assert_type(plan.node, str | None)
    assert_type(plan.reason, str | None)


def of_a_batch(batch: Batch) -> None:
    assert_type(batch[0], Record | None)
    assert_type(list(batch), list[Record | None])
    assert_type(batch.codes, array.array[int])
    assert_type(batch.errors, dict[int, Error])
    assert_type(batch.late, list[int])
    assert_type(batch.found, int)
    assert_type(batch.keys, list[Key])
    assert_type(batch.in_doubt, list[int])
    assert_type(batch.raise_for_errors(), Batch)
    assert_type(batch.to_dict(), dict[int | str | bytes, Record])


def of_a_record(record: Record) -> None:
    assert_type(record.keys(), list[str])
    assert_type(record.values(), list[Value])
    assert_type(len(record), int)


def values(point: GeoJSON, sketch: HyperLogLog, key: Key) -> None:
    assert_type(point.text, str)
    assert_type(point.to_object(), object)
    assert_type(key.key, UserKey | None)
    assert_type(key.namespace, str)


def rows(read: Read, write: Write, delete: Delete, apply: Apply) -> None:
    assert_type(read.key, UserKey | KeyLike)
    assert_type(read.bins, BinNames | None)
    assert_type(read.ops, list[Operation] | tuple[Operation, ...] | None)
    assert_type(read.where, Where | None)
    assert_type(read.read_touch, int | None)
    assert_type(read.read_mode, ReadMode | None)
    assert_type(write.key, UserKey | KeyLike)
    assert_type(write.what, Bins | Instance | list[Operation] | tuple[Operation, ...])
    assert_type(write.ttl, Ttl | None)
    assert_type(write.generation, int | Newer | None)
    assert_type(write.exists, Exists | None)
    assert_type(write.durable, bool | None)
    assert_type(write.send_key, bool | None)
    assert_type(write.where, Where | None)
    assert_type(delete.key, UserKey | KeyLike)
    assert_type(delete.generation, int | Newer | None)
    assert_type(delete.durable, bool | None)
    assert_type(delete.send_key, bool)
    assert_type(delete.where, Where | None)
    assert_type(apply.key, UserKey | KeyLike)
    assert_type(apply.module, str)
    assert_type(apply.function, str)
    assert_type(apply.arguments, Sequence[BinValue] | None)
    assert_type(apply.ttl, Ttl | None)
    assert_type(apply.durable, bool | None)
    assert_type(apply.send_key, bool | None)
    assert_type(apply.where, Where | None)


def of_operations(operation: Operation) -> None:
    assert_type(operation.writes, bool)


def paused(error: errors.QueryPaused) -> None:
    assert_type(error.cursor, bytes)
    assert_type(error.advice, str)


def closed(error: errors.QueryClosed) -> None:
    assert_type(error.advice, str)


def told(mismatch: errors.GenerationMismatch, lost: errors.IndexNotFound) -> None:
    assert_type(mismatch.advice, str)
    assert_type(lost.advice, str)


def ranges(point: GeoJSON) -> None:
    assert_type(between("n", 1, 2), IndexRange)
    assert_type(equal("n", 1), IndexRange)
    assert_type(contains("l", 1), IndexRange)
    assert_type(within("g", point), IndexRange)
    assert_type(around("g", point), IndexRange)


def steps() -> None:
    assert_type(ctx.index(0), Step)
    assert_type(ctx.rank(0), Step)
    assert_type(ctx.value(1), Step)
    assert_type(ctx.list_index(0), Step)
    assert_type(ctx.list_rank(0), Step)
    assert_type(ctx.list_value(1), Step)
    assert_type(ctx.map_index(0), Step)
    assert_type(ctx.map_rank(0), Step)
    assert_type(ctx.map_key("a"), Step)
    assert_type(ctx.map_value(1), Step)
    assert_type(ctx.list_index_create(0), Step)
    assert_type(ctx.map_key_create("a"), Step)
