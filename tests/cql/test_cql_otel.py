"""Spans and durations of sessions, as recorded by OpenTelemetry's own SDK."""

from __future__ import annotations

import asyncio
import copy
import threading
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("opentelemetry.sdk", reason="OpenTelemetry's SDK is not installed")

from opentelemetry.trace import StatusCode

from spikewire import cql
from spikewire.cql import errors
from spikewire.metrics import otel
from spikewire.metrics.otel.statements import summary
from spikewire.testing.cassandra import CannedServer
from telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

#: Longer than anything here takes on a loaded machine.
LONG = 60

KEYSPACE = (
    "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = "
    "{'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = "CREATE TABLE IF NOT EXISTS shop.items (id int PRIMARY KEY, name text)"
INSERT = "INSERT INTO shop.items (id, name) VALUES (?, ?)"
SELECT = "SELECT name FROM shop.items WHERE id = ?"


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(rows=10) as server:
        yield server


@pytest.fixture
def session(server: CannedServer, telemetry: Telemetry) -> Iterator[cql.Session]:
    with cql.Session(server.address) as session:
        session.execute(KEYSPACE)
        session.execute(TABLE)
        yield otel.instrument(session, **telemetry.providers())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SELECT, ("SELECT", "shop", "items")),
        (INSERT, ("INSERT", "shop", "items")),
        (" /* why */ update  Items set name = 'FROM x.y' where id = 1", ("UPDATE", "", "items")),
        ('-- first\nDELETE name FROM "Shop"."It""ems"', ("DELETE", "Shop", 'It"ems')),
        ("SELECT 'a from b' FROM shop . items", ("SELECT", "shop", "items")),
        ("TRUNCATE TABLE items", ("TRUNCATE", "", "items")),
        (TABLE, ("CREATE TABLE", "shop", "items")),
        (KEYSPACE, ("CREATE KEYSPACE", "shop", "")),
        ("drop table if exists shop.items", ("DROP TABLE", "shop", "items")),
        ("USE shop", ("USE", "shop", "")),
        ("BEGIN BATCH UPDATE a SET b = 1 APPLY BATCH", ("BEGIN", "", "")),
        ("GRANT ALL ON KEYSPACE shop TO someone", ("GRANT", "", "")),
        ("", ("", "", "")),
        ("(((", ("", "", "")),
    ],
)
def test_span_names_are_verb_and_table(text: str, expected: tuple[str, str, str]) -> None:
    assert tuple(summary(text)) == expected


def test_spans_keep_the_conventions(
    server: CannedServer, session: cql.Session, telemetry: Telemetry
) -> None:
    host, _, port = server.address.rpartition(":")
    insert = session.prepare(INSERT)
    name, attributes = telemetry.only_span()
    assert name == "PREPARE shop.items"
    assert attributes["db.operation.name"] == "PREPARE"
    session.execute(insert, (1, "pear"), consistency="quorum", idempotent=True)
    name, attributes = telemetry.only_span()
    assert name == "INSERT shop.items"
    assert attributes == {
        "db.system.name": "cassandra",
        "db.operation.name": "INSERT",
        "db.namespace": "shop",
        "db.collection.name": "items",
        "db.query.summary": "INSERT shop.items",
        "db.query.text": INSERT,
        "cassandra.consistency.level": "quorum",
        "cassandra.query.idempotent": True,
        "server.address": host,
        "server.port": int(port),
    }
    session.execute(insert.bind((2, "plum")))
    assert telemetry.only_span()[1]["db.query.text"] == INSERT
    # Text that contains values is not shown.
    session.execute("SELECT name FROM shop.items WHERE id = 4711")
    name, attributes = telemetry.only_span()
    assert name == "SELECT shop.items"
    assert "db.query.text" not in attributes
    session.page(SELECT, (1,), page_size=100)
    assert telemetry.only_span()[1]["cassandra.page.size"] == 100
    batch = session.batch("unlogged")
    for number in range(3):
        batch.add(insert, (number, "fig"))
    session.execute(batch)
    name, attributes = telemetry.only_span()
    assert (name, attributes["db.operation.batch.size"]) == ("BATCH", 3)
    assert session.execute_many(insert, [(n, "kiwi") for n in range(20)], results=False) == 20
    name, attributes = telemetry.only_span()
    assert (name, attributes["db.operation.batch.size"]) == ("BATCH INSERT shop.items", 20)


def test_a_query_is_one_span_and_submitted_statements_have_their_own(
    session: cql.Session, telemetry: Telemetry
) -> None:
    query = session.query("SELECT * FROM shop.items")
    assert telemetry.spans() == [], "nothing was sent"
    assert len(list(query)) == 10
    assert telemetry.only_span()[0] == "SELECT shop.items"
    with session.query("SELECT * FROM shop.items") as query:
        assert sum(len(page) for page in query.pages()) == 10
    assert telemetry.only_span()[0] == "SELECT shop.items"
    futures = [session.submit.execute(SELECT, (number,)) for number in range(5)]
    assert {future.result(LONG).node for future in futures} == {session.stats().nodes[0].address}
    assert [span.name for span in telemetry.spans()] == ["SELECT shop.items"] * 5
    assert session.is_open
    assert session.stats().nodes
    with pytest.raises(TypeError, match="already"):
        otel.instrument(session)
    with pytest.raises(TypeError, match="neither copied"):
        copy.copy(session)


def test_the_parent_is_the_span_of_the_caller(session: cql.Session, telemetry: Telemetry) -> None:
    tracer = telemetry.tracers.get_tracer("program")
    select = session.prepare(SELECT)
    telemetry.spans()

    def work(number: int) -> None:
        with tracer.start_as_current_span(f"request {number}"):
            session.execute(select, (number,))
            session.submit.execute(select, (number,)).result(LONG)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spans = telemetry.spans()
    requests = {
        span.context.span_id
        for span in spans
        if span.name.startswith("request") and span.context is not None
    }
    statements = [span for span in spans if span.name == "SELECT shop.items"]
    assert (len(requests), len(statements)) == (4, 8)
    assert {span.parent.span_id for span in statements if span.parent} == requests


def test_asynchronous_statements_have_spans(server: CannedServer, telemetry: Telemetry) -> None:
    tracer = telemetry.tracers.get_tracer("program")

    with cql.Session(server.address) as plain:
        plain.execute(KEYSPACE)
        plain.execute(TABLE)

    async def run() -> None:
        async with otel.instrument(
            cql.AsyncSession(server.address), **telemetry.providers()
        ) as session:
            insert = await session.prepare(INSERT)
            assert telemetry.only_span()[0] == "PREPARE shop.items"
            with tracer.start_as_current_span("request") as parent:
                await asyncio.gather(*(session.execute(insert, (n, "fig")) for n in range(5)))
            *spans, _ = telemetry.spans()
            assert {span.name for span in spans} == {"INSERT shop.items"}
            for span in spans:
                assert span.parent is not None
                assert span.parent.span_id == parent.get_span_context().span_id
                assert (span.attributes or {})["server.address"]
            assert len([row async for row in session.query("SELECT * FROM shop.items")]) == 10
            assert telemetry.only_span()[0] == "SELECT shop.items"
            await session.execute_many(insert, [(n, "kiwi") for n in range(20)])
            assert telemetry.only_span()[0] == "BATCH INSERT shop.items"
            cancelled = session.execute(insert, (1, "pear"))
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            await asyncio.sleep(0)
            assert telemetry.only_span()[1]["error.type"] == "asyncio.CancelledError"

    asyncio.run(run())


def test_failures_durations_and_gauges_are_exported(
    server: CannedServer, session: cql.Session, telemetry: Telemetry
) -> None:
    otel.observe(session, meter_provider=telemetry.meters)
    for number in range(10):
        session.execute(SELECT, (number,))
    with pytest.raises(TypeError):
        session.execute(SELECT, ("pear",))
    *_, failed = telemetry.spans()
    assert failed.status.status_code is StatusCode.ERROR
    assert (failed.attributes or {})["error.type"] == "TypeError"
    points = telemetry.points("db.client.operation.duration")
    counts = {dict(point.attributes).get("error.type"): point.count for point in points}
    assert counts == {None: 10, "TypeError": 1}
    for point in points:
        assert point.attributes["db.query.summary"] == "SELECT shop.items"
        assert "db.query.text" not in point.attributes
    assert telemetry.points("spikewire.node.connections")[0].value >= 1
    server.stop()
    with pytest.raises(errors.Error):
        session.execute("SELECT * FROM shop.items", timeout=5)
    *_, failed = telemetry.spans()
    assert str((failed.attributes or {})["error.type"]).startswith("spikewire.cql.errors.")


@pytest.mark.cassandra
def test_spans_describe_statements_on_a_real_cassandra(
    cassandra: SharedCassandra, telemetry: Telemetry
) -> None:
    with otel.instrument(cql.Session(cassandra.addresses), **telemetry.providers()) as session:
        with pytest.raises(errors.SyntaxException):
            session.execute("SELEC 1")
        name, attributes = telemetry.only_span()
        assert name == "SELEC"
        assert attributes["error.type"] == "spikewire.cql.errors.SyntaxException"
        assert attributes["db.response.status_code"] == "2000"
        with pytest.raises(errors.InvalidRequest):
            session.execute("SELECT * FROM system.nothing")
        assert telemetry.only_span()[1]["db.response.status_code"] == "2200"
        session.execute("USE system")
        assert telemetry.only_span()[0] == "USE system"
        result = session.execute("SELECT release_version FROM local")
        name, attributes = telemetry.only_span()
        assert (name, attributes["db.namespace"]) == ("SELECT local", "system")
        address = f"{attributes['server.address']}:{attributes['server.port']}"
        assert address == result.node
