"""What type checkers infer for ``spikewire.cql``."""

from __future__ import annotations

import concurrent.futures
import datetime as dt
import ipaddress
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypedDict

from typing_extensions import assert_type

from spikewire import ArrowTable, cql
from spikewire.cql import (
    AsyncQuery,
    AsyncSession,
    Batch,
    BoundStatement,
    Duration,
    Late,
    Node,
    Prepared,
    Query,
    Row,
    Rows,
    Session,
    SessionSubmit,
    Time,
    Trace,
    TraceEvent,
)
from spikewire.metrics import Metrics, Stats


def sessions(session: Session, rows: Rows) -> None:
    assert_type(session.stats(), Stats)
    assert_type(session.metrics, Metrics)
    assert_type(session.execute("SELECT"), Rows)
    assert_type(session.page("SELECT"), Rows)
    assert_type(session.prepare("SELECT"), Prepared)
    assert_type(session.execute_many("INSERT", [(1,)]), list[Rows])
    assert_type(session.execute_many("INSERT", [(1,)], errors="return"), list[Rows | Exception])
    assert_type(session.execute_many("INSERT", [(1,)], results=False), int)
    assert_type(session.execute_many("INSERT", [(1,)], deadline=0.1), list[Rows | Late])
    assert_type(session.trace(rows), Trace)
    assert_type(session.batch(), Batch)
    assert_type(session.query("SELECT"), Query)
    assert_type(session.is_open, bool)
    assert_type(session.protocol_version, int)
    assert_type(session.keyspace, str | None)
    assert_type(session.nodes, list[Node])
    assert_type(session.replicas("k", 1), list[str])
    session.register_type("t", tuple)
    session.close()
    assert_type(session.submit, SessionSubmit)
    assert_type(session.submit.page("SELECT"), concurrent.futures.Future[Rows])
    assert_type(session.submit.prepare("SELECT"), concurrent.futures.Future[Prepared])
    assert_type(session.submit.execute("SELECT"), concurrent.futures.Future[Rows])
    assert_type(Session.connect("a"), Session)
    assert_type(Session.from_url("cassandra://a"), Session)
    assert_type(cql.connect("a"), Session)


async def awaited_sessions(session: AsyncSession, rows: Rows) -> None:
    assert_type(session.stats(), Stats)
    assert_type(session.metrics, Metrics)
    assert_type(await session.execute("SELECT"), Rows)
    assert_type(await session.page("SELECT"), Rows)
    assert_type(await session.prepare("SELECT"), Prepared)
    assert_type(await session.execute_many("INSERT", [(1,)]), list[Rows])
    assert_type(
        await session.execute_many("INSERT", [(1,)], errors="return"), list[Rows | Exception]
    )
    assert_type(await session.execute_many("INSERT", [(1,)], results=False), int)
    assert_type(await session.execute_many("INSERT", [(1,)], deadline=0.1), list[Rows | Late])
    assert_type(await session.trace(rows), Trace)
    assert_type(session.batch(), Batch)
    assert_type(session.query("SELECT"), AsyncQuery)
    assert_type(session.is_open, bool)
    assert_type(session.protocol_version, int)
    assert_type(session.keyspace, str | None)
    assert_type(session.nodes, list[Node])
    assert_type(session.replicas("k", 1), list[str])
    session.register_type("t", tuple)
    await session.close()
    assert_type(await session.open(), AsyncSession)
    assert_type(await AsyncSession.connect("a"), AsyncSession)
    assert_type(AsyncSession.from_url("cassandra://a"), AsyncSession)


def queries(query: Query) -> None:
    assert_type(next(query), Row)
    assert_type(query.pages(), Iterator[Rows])
    assert_type(query.batches(), Iterator[ArrowTable])
    query.close()
    assert_type(query.paging_state, bytes | None)


async def awaited_queries(query: AsyncQuery) -> None:
    assert_type(await anext(query), Row)
    assert_type(query.pages(), AsyncIterator[Rows])
    assert_type(query.batches(), AsyncIterator[ArrowTable])
    await query.close()
    assert_type(query.paging_state, bytes | None)


class Item(TypedDict):
    id: str


def of_rows(rows: Rows, row: Row) -> None:
    assert_type(rows[0], Row)
    assert_type(list(rows), list[Row])
    assert_type(rows.first(), Row | None)
    assert_type(rows.one(), Row | None)
    assert_type(rows.all(), list[Row])
    assert_type(rows.first(Item), Item | None)
    assert_type(rows.one(Item), Item | None)
    assert_type(rows.all(Item), list[Item])
    assert_type(row.anything, Any)
    assert_type(row["anything"], Any)
    assert_type(rows.to_arrow(), ArrowTable)
    assert_type(rows.columns, tuple[str, ...])
    assert_type(rows.class_names, list[str])
    assert_type(rows.types, list[str])
    assert_type(rows.applied, bool | None)
    assert_type(rows.paging_state, bytes | None)
    assert_type(rows.warnings, list[str])
    assert_type(rows.tracing_ids, list[uuid.UUID])
    assert_type(rows.payload, dict[str, bytes | None])
    assert_type(rows.node, str)
    assert_type(rows.attempts, int)
    assert_type(rows.schema_agreed, bool)
    assert_type(row.keys(), list[str])
    assert_type(row.values(), list[Any])
    assert_type(row.items(), list[tuple[str, Any]])
    assert_type(row.get("name"), Any)
    assert_type(row.as_dict(), dict[str, Any])
    assert_type(row.as_tuple(), tuple[Any, ...])


def statements(prepared: Prepared, bound: BoundStatement, batch: Batch) -> None:
    assert_type(prepared.text, str)
    assert_type(prepared.id, bytes)
    assert_type(prepared.parameters, list[tuple[str, str]])
    assert_type(prepared.partition_key, list[int])
    assert_type(prepared.token((1,)), int | None)
    assert_type(prepared.warnings, list[str])
    bound = prepared.bind((1,))
    assert_type(bound, BoundStatement)
    assert_type(bound.values, list[Any])
    assert_type(prepared.parameter_columns, list[tuple[str, str, str, str]])
    assert_type(bound.prepared, Prepared)
    batch.add("INSERT")
    batch.clear()
    assert_type(batch.kind, str)


def traces(trace: Trace, event: TraceEvent) -> None:
    assert_type(trace.trace_id, uuid.UUID)
    assert_type(trace.request, str)
    assert_type(trace.coordinator, ipaddress.IPv4Address | ipaddress.IPv6Address)
    assert_type(trace.client, ipaddress.IPv4Address | ipaddress.IPv6Address | None)
    assert_type(trace.duration, int)
    assert_type(trace.started_at, dt.datetime)
    assert_type(trace.parameters, dict[str, str])
    assert_type(trace.events, list[TraceEvent])
    assert_type(trace.nodes, set[ipaddress.IPv4Address | ipaddress.IPv6Address])
    assert_type(event.activity, str)
    assert_type(event.source, ipaddress.IPv4Address | ipaddress.IPv6Address)
    assert_type(event.elapsed, int | None)
    assert_type(event.thread, str | None)
    assert_type(event.event_id, uuid.UUID)


def values(duration: Duration, time: Time, node: Node) -> None:
    assert_type(duration.months, int)
    assert_type(duration.days, int)
    assert_type(duration.nanoseconds, int)
    assert_type(time.nanosecond, int)
    assert_type(node.address, str)
    assert_type(node.datacenter, str)
    assert_type(node.rack, str)
    assert_type(node.release, str)
    assert_type(node.up, bool)
