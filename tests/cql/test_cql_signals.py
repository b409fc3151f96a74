"""Metrics and events of sessions: the same as those of clients for Aerospike."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spikewire import cql, metrics
from spikewire.cql import errors
from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

#: Longer than anything here takes on a loaded machine.
LONG = 60

TABLE = "CREATE TABLE IF NOT EXISTS shop.items (id int PRIMARY KEY, name text)"
KEYSPACE = (
    "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = "
    "{'class': 'SimpleStrategy', 'replication_factor': 1}"
)
INSERT = "INSERT INTO shop.items (id, name) VALUES (?, ?)"
SELECT = "SELECT name FROM shop.items WHERE id = ?"


@pytest.fixture
def server() -> Iterator[CannedServer]:
    with CannedServer(rows=10) as server:
        yield server


@pytest.fixture
def session(server: CannedServer) -> Iterator[cql.Session]:
    with cql.Session(server.address) as session:
        session.execute(KEYSPACE)
        session.execute(TABLE)
        yield session


def by_kind(stats: metrics.Stats) -> dict[tuple[str, str], int]:
    result: Counter[tuple[str, str]] = Counter()
    for command in stats.commands:
        result[command.operation, command.result] += command.count
    return dict(result)


def test_statements_are_counted_by_kind_keyspace_and_node(
    server: CannedServer, session: cql.Session
) -> None:
    assert session.stats().commands == ()
    session.metrics.enable()
    insert = session.prepare(INSERT)
    for number in range(10):
        session.execute(insert, (number, "pear"))
    batch = session.batch("unlogged")
    for number in range(7):
        batch.add(insert, (number, "plum"))
    session.execute(batch)
    session.execute("SELECT * FROM shop.items")
    stats = session.stats()
    assert by_kind(stats) == {
        ("prepare", "ok"): 1,
        ("execute", "ok"): 10,
        ("batch", "ok"): 1,
        ("query", "ok"): 1,
    }
    assert stats.select(operation="batch").records == 7
    assert stats.select(operation="execute", namespace="shop").count == 10
    assert 0 < stats.select(operation="execute").mean < LONG
    (node,) = stats.nodes
    assert {command.node for command in stats.commands} == {node.label}
    assert (node.address, node.label) == (server.address, server.address)
    assert node.connections >= 1
    assert not node.breaker_open
    assert stats.tends >= 1
    text = metrics.prometheus(session)
    assert f'node="{server.address}"' in text
    session.metrics.reset()
    session.metrics.disable()
    session.execute(insert, (1, "pear"))
    assert session.stats().commands == ()


def test_a_scrape_under_load_is_what_callers_counted(session: cql.Session) -> None:
    insert, select = session.prepare(INSERT), session.prepare(SELECT)
    session.metrics.enable()
    ends = threading.Event()
    totals: list[float] = []

    def scrape() -> None:
        while not ends.is_set():
            totals.append(counts(session).get(("execute", "ok"), 0))

    def work() -> None:
        for number in range(200):
            session.execute(insert, (number, "pear"))
            session.execute(select, (number,))

    scraper = threading.Thread(target=scrape)
    scraper.start()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ends.set()
    scraper.join()
    assert counts(session) == {("execute", "ok"): 1600}
    assert totals == sorted(totals)


def counts(session: Any) -> dict[tuple[str, str], float]:
    result: Counter[tuple[str, str]] = Counter()
    for family in text_string_to_metric_families(metrics.prometheus(session)):
        if family.name != "spikewire_command_duration_seconds":
            continue
        for sample in family.samples:
            if sample.name.endswith("_count"):
                result[sample.labels["operation"], sample.labels["result"]] += int(sample.value)
    return dict(result)


def test_asyncio_counts_the_same(server: CannedServer) -> None:
    async def run() -> None:
        async with cql.AsyncSession(server.address) as session:
            await session.execute(KEYSPACE)
            await session.execute(TABLE)
            insert = await session.prepare(INSERT)
            session.metrics.enable(stages=True)
            await asyncio.gather(*(session.execute(insert, (n, "pear")) for n in range(300)))
            assert by_kind(session.stats()) == {("execute", "ok"): 300}
            # On earlier connections, stages are timed after the first replies.
            session.metrics.reset()
            await asyncio.gather(*(session.execute(insert, (n, "pear")) for n in range(300)))
            stats = session.stats()
            assert by_kind(stats) == {("execute", "ok"): 300}
            stages = {stage.stage: stage.count for stage in stats.stages}
            # This stage is timed for some futures only, when their callbacks are called.
            assert 0 < stages.pop("hand_over") < 300
            names = ("encode", "queue", "wire", "turn", "deliver")
            assert stages == dict.fromkeys(names, 300)

    asyncio.run(run())


def told(session: cql.Session) -> dict[str, int]:
    return {stage.stage: stage.count for stage in session.stats().stages}


def test_stages_are_those_of_calls(session: cql.Session) -> None:
    insert = session.prepare(INSERT)
    session.metrics.enable(stages=True)
    session.execute(insert, (0, "pear"))
    calls = {
        "execute": lambda: session.execute(insert, (1, "pear")),
        "text": lambda: session.execute("SELECT name FROM shop.items"),
        "submit": lambda: session.submit.execute(insert, (1, "pear")).result(LONG),
        "copies": lambda: session.execute(
            insert, (1, "pear"), idempotent=True, speculative_delay=LONG
        ),
    }
    names = ("encode", "queue", "wire", "turn", "deliver", "hand_over")
    for name, call in calls.items():
        # The connections of another thread are timed from the start.
        session.metrics.reset()
        for _ in range(20):
            call()
        # Rows are decoded when they are accessed. A future is done before the time for this has
        # been recorded.
        end = time.monotonic() + LONG
        while told(session) != dict.fromkeys(names, 20):
            assert time.monotonic() < end, (name, told(session))
            time.sleep(0.01)
    session.metrics.reset()
    with pytest.raises(TypeError):
        session.execute(insert, ("one", "pear"))
    # The node was asked once whether the type of the column has changed.
    assert {stage.count for stage in session.stats().stages} == {1}


def test_stages_add_up_over_several_requests(session: cql.Session) -> None:
    names = ("encode", "queue", "wire", "turn", "deliver")
    session.metrics.enable(stages=True)
    session.execute(SELECT, (1,))
    session.metrics.reset()
    # It is prepared first.
    session.execute("SELECT id FROM shop.items WHERE id = ?", (1,))
    assert told(session) == dict.fromkeys((*names, "hand_over"), 2)
    session.metrics.reset()
    session.execute_many(SELECT, [(number,) for number in range(50)])
    end = time.monotonic() + LONG
    while told(session) != dict.fromkeys(names, 50):
        assert time.monotonic() < end, told(session)
        time.sleep(0.01)


def test_a_node_down_event_is_emitted(server: CannedServer) -> None:
    events: list[metrics.Event] = []
    with cql.Session(server.address, timeout=5) as session:
        session.metrics.enable()
        session.metrics.on_event(events.append)
        server.stop()
        with pytest.raises(errors.Error):
            session.execute("SELECT * FROM shop.items")
        end = time.monotonic() + LONG
        while not any(isinstance(event, metrics.NodeDown) for event in events):
            assert time.monotonic() < end
            time.sleep(0.01)
        failed = [command for command in session.stats().commands if command.result != "ok"]
        assert sum(command.count for command in failed) == 1
    assert metrics.NodeDown(server.address) in events


def test_slow_statements_are_logged(session: cql.Session, caplog: pytest.LogCaptureFixture) -> None:
    session.metrics.enable()
    with caplog.at_level(logging.WARNING, logger="spikewire.slow"):
        session.metrics.log_slow(1e-9)
        session.execute("SELECT * FROM shop.items")
        end = time.monotonic() + LONG
        while not caplog.records:
            assert time.monotonic() < end
            time.sleep(0.01)
        session.metrics.log_slow(None)
    assert caplog.records[0].getMessage().startswith("query in - took")


@pytest.mark.cassandra
def test_server_errors_are_counted_by_name(cassandra: SharedCassandra) -> None:
    with cql.Session(cassandra.addresses) as session:
        session.metrics.enable()
        with pytest.raises(errors.SyntaxException):
            session.execute("SELEC 1")
        with pytest.raises(errors.InvalidRequest):
            session.execute("SELECT * FROM system.nothing")
        session.execute("SELECT release_version FROM system.local")
        assert by_kind(session.stats()) == {
            ("query", "syntax_error"): 1,
            ("query", "invalid_request"): 1,
            ("query", "ok"): 1,
        }
