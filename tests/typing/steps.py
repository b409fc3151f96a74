"""What type checkers infer for the builder, on both APIs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator
from typing import Any, TypeAlias

import numpy as np
from typing_extensions import assert_type

from spikewire import (
    ArrowTable,
    AsyncBuilder,
    AsyncDataset,
    AsyncQuery,
    Batch,
    Builder,
    Dataset,
    Error,
    Key,
    Query,
    Record,
    between,
    op,
)
from spikewire.aerospike.builder.asynchronous import (
    AsyncDeleteMany,
    AsyncDeleteOne,
    AsyncExistsMany,
    AsyncExistsOne,
    AsyncReadMany,
    AsyncScan,
    AsyncTouchMany,
    AsyncTouchOne,
    AsyncWriteMany,
    AsyncWriteOne,
)
from spikewire.aerospike.builder.blocking import (
    DeleteMany,
    DeleteOne,
    ExistsMany,
    ExistsOne,
    ReadMany,
    Scan,
    TouchMany,
    TouchOne,
    WriteMany,
    WriteOne,
)
from spikewire.aerospike.builder.rows import Rows
from spikewire.aerospike.builder.step import Step
from spikewire.builder import Result, Results
from spikewire.types import Bins, Explanation

Masked: TypeAlias = "np.ma.MaskedArray[tuple[int], np.dtype[np.void]]"
Plain: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.void]]"


def explained(rows: Rows, step: Step) -> None:
    assert_type(rows.explain(), Explanation)
    assert_type(step.explain(), Explanation)


def beginnings(session: Builder, key: Key) -> None:
    assert_type(session.query(key), ReadMany)
    assert_type(session.insert(key), WriteOne)
    assert_type(session.upsert(key), WriteOne)
    assert_type(session.update(key), WriteOne)
    assert_type(session.replace(key), WriteOne)
    assert_type(session.replace_if_exists(key), WriteOne)
    assert_type(session.delete(key), DeleteOne)
    assert_type(session.touch(key), TouchOne)
    assert_type(session.exists(key), ExistsOne)
    assert_type(session.query([key]), ReadMany)
    assert_type(session.insert([key]), WriteMany)
    assert_type(session.upsert([key]), WriteMany)
    assert_type(session.update([key]), WriteMany)
    assert_type(session.replace([key]), WriteMany)
    assert_type(session.replace_if_exists([key]), WriteMany)
    assert_type(session.delete([key]), DeleteMany)
    assert_type(session.touch([key]), TouchMany)
    assert_type(session.exists([key]), ExistsMany)
    assert_type(session.query(key, key), ReadMany)
    assert_type(session.insert(key, key), WriteMany)
    assert_type(session.upsert(key, key), WriteMany)
    assert_type(session.update(key, key), WriteMany)
    assert_type(session.replace(key, key), WriteMany)
    assert_type(session.replace_if_exists(key, key), WriteMany)
    assert_type(session.delete(key, key), DeleteMany)
    assert_type(session.touch(key, key), TouchMany)
    assert_type(session.exists(key, key), ExistsMany)


def continuations(session: Builder, key: Key) -> None:
    assert_type(session.delete(key).query(key), ReadMany)
    assert_type(session.delete(key).insert(key), WriteMany)
    assert_type(session.delete(key).upsert(key), WriteMany)
    assert_type(session.delete(key).update(key), WriteMany)
    assert_type(session.delete(key).replace(key), WriteMany)
    assert_type(session.delete(key).replace_if_exists(key), WriteMany)
    assert_type(session.delete(key).delete(key), DeleteMany)
    assert_type(session.delete(key).touch(key), TouchMany)
    assert_type(session.delete(key).exists(key), ExistsMany)


def reading(session: Builder, key: Key) -> None:
    assert_type(session.query(key).where("$.n > ?", 1), ReadMany)
    assert_type(session.query(key).replica("any"), ReadMany)
    assert_type(session.query(key).timeout(1), ReadMany)
    assert_type(session.query(key).retries(max_retries=2), ReadMany)
    assert_type(session.query(key).read_touch(5), ReadMany)
    assert_type(session.query(key).read_mode("all"), ReadMany)
    assert_type(session.query(key).hedge("p99"), ReadMany)
    assert_type(session.query(key).deadline(0.01), ReadMany)
    assert_type(session.query(key).priority("background"), ReadMany)
    assert_type(session.exists(key).hedge(0.02), ExistsOne)
    assert_type(session.exists(key).share_reads("unsent"), ExistsOne)
    assert_type(session.query(key).bins("n"), ReadMany)
    assert_type(session.query(key).get("n"), ReadMany)
    assert_type(session.query(key).read("r", "$.n"), ReadMany)
    assert_type(session.query(key).op(op.get("n")), ReadMany)
    assert_type(session.query(key).first(), Record)
    assert_type(session.query(key).explain(), Explanation)
    assert_type(session.upsert([key]).explain(), Explanation)
    assert_type(session.delete(key).explain().steps, tuple[Explanation, ...])
    assert_type(session.touch(key).explain().verb, str)
    assert_type(session.query(key).first_or_none(), Record | None)
    assert_type(session.query(key).to_list(), list[Record])
    assert_type(session.query(key).count(), int)
    assert_type(session.query(key).to_numpy("f8"), Masked)
    assert_type(session.query(key).to_numpy("f8", missing="raise"), Plain)
    assert_type(session.query(key).to_arrow(), ArrowTable)
    assert_type(session.query(key).execute(), Results)
    assert_type(session.query([key]).execute(), Results)
    assert_type(session.query(key).stream(), Generator[Result, None, None])


def writing(session: Builder, key: Key) -> None:
    assert_type(session.upsert(key).where("$.n > ?", 1), WriteOne)
    assert_type(session.upsert(key).replica("any"), WriteOne)
    assert_type(session.upsert(key).timeout(1), WriteOne)
    assert_type(session.upsert(key).retries(max_retries=2), WriteOne)
    assert_type(session.upsert(key).generation(3), WriteOne)
    assert_type(session.upsert(key).send_key(), WriteOne)
    assert_type(session.upsert(key).durable_delete(), WriteOne)
    assert_type(session.upsert(key).retry_in_doubt(), WriteOne)
    assert_type(session.upsert(key).put({"n": 1}), WriteOne)
    assert_type(session.upsert(key).remove("n"), WriteOne)
    assert_type(session.upsert(key).add("n", 1), WriteOne)
    assert_type(session.upsert(key).append("s", "a"), WriteOne)
    assert_type(session.upsert(key).prepend("s", b"a"), WriteOne)
    assert_type(session.upsert(key).get("n"), WriteOne)
    assert_type(session.upsert(key).read("r", "$.n"), WriteOne)
    assert_type(session.upsert(key).write("w", "$.n + 1"), WriteOne)
    assert_type(session.upsert(key).op(op.touch()), WriteOne)
    assert_type(session.upsert(key).set("n", 1), WriteOne)
    assert_type(session.upsert(key).ttl(5), WriteOne)
    assert_type(session.upsert(key).execute(), Record | None)
    assert_type(session.upsert(key).execute(on_error="skip"), Results)
    assert_type(session.upsert(key).execute(missing="skip"), Results)
    assert_type(session.upsert(key).first(), Record)
    assert_type(session.upsert([key]).execute(), Results)
    assert_type(session.upsert([key]).first(), Record)
    assert_type(session.upsert([key]).stream(ordered=True), Generator[Result, None, None])


def others(session: Builder, key: Key) -> None:
    assert_type(session.delete(key).execute(), bool)
    assert_type(session.delete(key).execute(on_error="collect"), Results)
    session.touch(key).execute()
    assert_type(session.touch(key).execute(on_error="collect"), Results)
    assert_type(session.exists(key).execute(), bool)
    assert_type(session.exists(key).execute(on_error="collect"), Results)
    assert_type(session.touch(key).ttl(5), TouchOne)
    assert_type(session.delete(key).stream(), Generator[Result, None, None])


def scans(session: Builder, users: Dataset) -> None:
    assert_type(session.query(users).where("$.n > ?", 1), Scan[Bins])
    assert_type(session.query(users).replica("any"), Scan[Bins])
    assert_type(session.query(users).timeout(1), Scan[Bins])
    assert_type(session.query(users).after(1), Scan[Bins])
    assert_type(session.query(users).bins("n"), Scan[Bins])
    assert_type(session.query(users).concurrent_nodes(2), Scan[Bins])
    assert_type(session.query(users).index(between("n", 1, 2)), Scan[Bins])
    assert_type(session.query(users).index("users_n"), Scan[Bins])
    assert_type(session.query(users).require_index(), Scan[Bins])
    assert_type(session.query(users).require_hint(), Scan[Bins])
    assert_type(session.query(users).server_filter(False), Scan[Bins])
    assert_type(session.query(users).op(op.get("n")), Scan[Bins])
    assert_type(session.query(users).page_size(5), Scan[Bins])
    assert_type(session.query(users).partitions(5), Scan[Bins])
    assert_type(session.query(users).records_per_second(5), Scan[Bins])
    assert_type(session.query(users).resume(b""), Scan[Bins])
    assert_type(session.query(users).socket_timeout(1), Scan[Bins])
    assert_type(session.query(users).limit(5), Scan[Bins])
    assert_type(session.query(users).first(), Record[Bins])
    assert_type(session.query(users).first_or_none(), Record[Bins] | None)
    assert_type(session.query(users).to_list(), list[Record[Bins]])
    assert_type(session.query(users).count(), int)
    assert_type(session.query(users).to_numpy("f8"), Masked)
    assert_type(session.query(users).to_numpy("f8", missing="raise"), Plain)
    assert_type(session.query(users).stream(), Query[Bins])
    assert_type(session.query(users).execute(), Any)


async def awaited_beginnings(session: AsyncBuilder, key: Key) -> None:
    assert_type(session.query(key), AsyncReadMany)
    assert_type(session.insert(key), AsyncWriteOne)
    assert_type(session.upsert(key), AsyncWriteOne)
    assert_type(session.update(key), AsyncWriteOne)
    assert_type(session.replace(key), AsyncWriteOne)
    assert_type(session.replace_if_exists(key), AsyncWriteOne)
    assert_type(session.delete(key), AsyncDeleteOne)
    assert_type(session.touch(key), AsyncTouchOne)
    assert_type(session.exists(key), AsyncExistsOne)
    assert_type(session.query([key]), AsyncReadMany)
    assert_type(session.insert([key]), AsyncWriteMany)
    assert_type(session.upsert([key]), AsyncWriteMany)
    assert_type(session.update([key]), AsyncWriteMany)
    assert_type(session.replace([key]), AsyncWriteMany)
    assert_type(session.replace_if_exists([key]), AsyncWriteMany)
    assert_type(session.delete([key]), AsyncDeleteMany)
    assert_type(session.touch([key]), AsyncTouchMany)
    assert_type(session.exists([key]), AsyncExistsMany)
    assert_type(session.query(key, key), AsyncReadMany)
    assert_type(session.insert(key, key), AsyncWriteMany)
    assert_type(session.upsert(key, key), AsyncWriteMany)
    assert_type(session.update(key, key), AsyncWriteMany)
    assert_type(session.replace(key, key), AsyncWriteMany)
    assert_type(session.replace_if_exists(key, key), AsyncWriteMany)
    assert_type(session.delete(key, key), AsyncDeleteMany)
    assert_type(session.touch(key, key), AsyncTouchMany)
    assert_type(session.exists(key, key), AsyncExistsMany)


async def awaited_continuations(session: AsyncBuilder, key: Key) -> None:
    assert_type(session.delete(key).query(key), AsyncReadMany)
    assert_type(session.delete(key).insert(key), AsyncWriteMany)
    assert_type(session.delete(key).upsert(key), AsyncWriteMany)
    assert_type(session.delete(key).update(key), AsyncWriteMany)
    assert_type(session.delete(key).replace(key), AsyncWriteMany)
    assert_type(session.delete(key).replace_if_exists(key), AsyncWriteMany)
    assert_type(session.delete(key).delete(key), AsyncDeleteMany)
    assert_type(session.delete(key).touch(key), AsyncTouchMany)
    assert_type(session.delete(key).exists(key), AsyncExistsMany)


async def awaited_reading(session: AsyncBuilder, key: Key) -> None:
    assert_type(session.query(key).where("$.n > ?", 1), AsyncReadMany)
    assert_type(session.query(key).replica("any"), AsyncReadMany)
    assert_type(session.query(key).timeout(1), AsyncReadMany)
    assert_type(session.query(key).retries(max_retries=2), AsyncReadMany)
    assert_type(session.query(key).read_touch(5), AsyncReadMany)
    assert_type(session.query(key).read_mode("all"), AsyncReadMany)
    assert_type(session.query(key).hedge("p99"), AsyncReadMany)
    assert_type(session.exists(key).hedge(0.02), AsyncExistsOne)
    assert_type(session.exists(key).share_reads("in_flight"), AsyncExistsOne)
    assert_type(session.query(key).bins("n"), AsyncReadMany)
    assert_type(session.query(key).get("n"), AsyncReadMany)
    assert_type(session.query(key).read("r", "$.n"), AsyncReadMany)
    assert_type(session.query(key).op(op.get("n")), AsyncReadMany)
    assert_type(await session.query(key).first(), Record)
    assert_type(await session.query(key).first_or_none(), Record | None)
    assert_type(await session.query(key).to_list(), list[Record])
    assert_type(await session.query(key).count(), int)
    assert_type(await session.query(key).to_numpy("f8"), Masked)
    assert_type(await session.query(key).to_numpy("f8", missing="raise"), Plain)
    assert_type(await session.query(key).to_arrow(), ArrowTable)
    assert_type(await session.query(key).execute(), Results)
    assert_type(await session.query([key]).execute(), Results)
    assert_type(session.query(key).stream(), AsyncGenerator[Result, None])


async def awaited_writing(session: AsyncBuilder, key: Key) -> None:
    assert_type(session.upsert(key).where("$.n > ?", 1), AsyncWriteOne)
    assert_type(session.upsert(key).replica("any"), AsyncWriteOne)
    assert_type(session.upsert(key).timeout(1), AsyncWriteOne)
    assert_type(session.upsert(key).retries(max_retries=2), AsyncWriteOne)
    assert_type(session.upsert(key).generation(3), AsyncWriteOne)
    assert_type(session.upsert(key).send_key(), AsyncWriteOne)
    assert_type(session.upsert(key).durable_delete(), AsyncWriteOne)
    assert_type(session.upsert(key).retry_in_doubt(), AsyncWriteOne)
    assert_type(session.upsert(key).put({"n": 1}), AsyncWriteOne)
    assert_type(session.upsert(key).remove("n"), AsyncWriteOne)
    assert_type(session.upsert(key).add("n", 1), AsyncWriteOne)
    assert_type(session.upsert(key).append("s", "a"), AsyncWriteOne)
    assert_type(session.upsert(key).prepend("s", b"a"), AsyncWriteOne)
    assert_type(session.upsert(key).get("n"), AsyncWriteOne)
    assert_type(session.upsert(key).read("r", "$.n"), AsyncWriteOne)
    assert_type(session.upsert(key).write("w", "$.n + 1"), AsyncWriteOne)
    assert_type(session.upsert(key).op(op.touch()), AsyncWriteOne)
    assert_type(session.upsert(key).set("n", 1), AsyncWriteOne)
    assert_type(session.upsert(key).ttl(5), AsyncWriteOne)
    assert_type(await session.upsert(key).execute(), Record | None)
    assert_type(await session.upsert(key).execute(on_error="skip"), Results)
    assert_type(await session.upsert(key).execute(missing="skip"), Results)
    assert_type(await session.upsert(key).first(), Record)
    assert_type(await session.upsert([key]).execute(), Results)
    assert_type(await session.upsert([key]).first(), Record)
    assert_type(session.upsert([key]).stream(ordered=True), AsyncGenerator[Result, None])


async def awaited_keys(session: AsyncBuilder, blocking: Builder, keys: AsyncIterator[Key]) -> None:
    assert_type(session.query(keys).stream(), AsyncGenerator[Result, None])
    assert_type(session.delete(keys), AsyncDeleteMany)
    blocking.delete(keys)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]


async def awaited_others(session: AsyncBuilder, key: Key) -> None:
    assert_type(await session.delete(key).execute(), bool)
    assert_type(await session.delete(key).execute(on_error="collect"), Results)
    await session.touch(key).execute()
    assert_type(await session.touch(key).execute(on_error="collect"), Results)
    assert_type(await session.exists(key).execute(), bool)
    assert_type(await session.exists(key).execute(on_error="collect"), Results)
    assert_type(session.touch(key).ttl(5), AsyncTouchOne)
    assert_type(session.delete(key).stream(), AsyncGenerator[Result, None])


async def awaited_scans(session: AsyncBuilder, users: AsyncDataset) -> None:
    assert_type(session.query(users).where("$.n > ?", 1), AsyncScan[Bins])
    assert_type(session.query(users).replica("any"), AsyncScan[Bins])
    assert_type(session.query(users).timeout(1), AsyncScan[Bins])
    assert_type(session.query(users).after(1), AsyncScan[Bins])
    assert_type(session.query(users).bins("n"), AsyncScan[Bins])
    assert_type(session.query(users).concurrent_nodes(2), AsyncScan[Bins])
    assert_type(session.query(users).index(between("n", 1, 2)), AsyncScan[Bins])
    assert_type(session.query(users).index("users_n"), AsyncScan[Bins])
    assert_type(session.query(users).require_index(), AsyncScan[Bins])
    assert_type(session.query(users).require_hint(), AsyncScan[Bins])
    assert_type(session.query(users).server_filter(False), AsyncScan[Bins])
    assert_type(session.query(users).op(op.get("n")), AsyncScan[Bins])
    assert_type(session.query(users).page_size(5), AsyncScan[Bins])
    assert_type(session.query(users).partitions(5), AsyncScan[Bins])
    assert_type(session.query(users).records_per_second(5), AsyncScan[Bins])
    assert_type(session.query(users).resume(b""), AsyncScan[Bins])
    assert_type(session.query(users).socket_timeout(1), AsyncScan[Bins])
    assert_type(session.query(users).limit(5), AsyncScan[Bins])
    assert_type(await session.query(users).first(), Record[Bins])
    assert_type(await session.query(users).first_or_none(), Record[Bins] | None)
    assert_type(await session.query(users).to_list(), list[Record[Bins]])
    assert_type(await session.query(users).count(), int)
    assert_type(await session.query(users).to_numpy("f8"), Masked)
    assert_type(await session.query(users).to_numpy("f8", missing="raise"), Plain)
    assert_type(session.query(users).stream(), AsyncQuery[Bins])
    assert_type(session.query(users).execute(), Any)


def results(found: Results, result: Result) -> None:
    assert_type(found[0], Result)
    assert_type(found[1:], list[Result])
    assert_type(list(found), list[Result])
    assert_type(found.batch, Batch)
    assert_type(found.errors, list[Result])
    assert_type(list(found.records()), list[Record])
    assert_type(found.first(), Record)
    assert_type(found.first_or_none(), Record | None)
    assert_type(found.to_list(), list[Record])
    assert_type(found.count(), int)
    assert_type(found.to_arrow(), ArrowTable)
    assert_type(found.to_numpy("f8"), Masked)
    assert_type(result.row, int)
    assert_type(result.key, Key)
    assert_type(result.record, Record | None)
    assert_type(result.error, Error | None)
    assert_type(result.ok, bool)
    assert_type(result.missing, bool)
    assert_type(result.late, bool)
    assert_type(result.unwrap(), Record)
