"""Speculative executions while a node is slow, paused or silent: three real nodes."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.cql import errors
from spikewire.testing.cassandra import CqlProxy
from waiting import ends_before, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sessions import Sessions
    from spikewire.testing.cassandra import SharedCassandra

#: Seconds until a copy is sent, and what a statement would wait without one.
DELAY, LIMIT = 0.1, 60.0
READ = "SELECT name FROM fruit WHERE id = ?"
COUNT = "UPDATE picked SET times = times + 1 WHERE id = ?"


@pytest.fixture(scope="module")
def keyspace(cassandra_cluster: SharedCassandra, cluster_keyspace: str) -> str:
    for table in (
        # A read whose replica is paused is soon sent to another one.
        "fruit (id int PRIMARY KEY, name text) WITH speculative_retry = '50ms'",
        "picked (id int PRIMARY KEY, times counter) WITH speculative_retry = '50ms'",
    ):
        cassandra_cluster.execute(f"CREATE TABLE {cluster_keyspace}.{table}")
    assert cassandra_cluster.wait_settled()
    insert = f"INSERT INTO {cluster_keyspace}.fruit (id, name) VALUES (1, 'pear')"
    cassandra_cluster.execute(insert)
    return cluster_keyspace


@pytest.fixture
def proxies(cassandra_cluster: SharedCassandra) -> Iterator[list[CqlProxy]]:
    proxies = [CqlProxy(address) for address in cassandra_cluster.addresses]
    yield proxies
    for proxy in proxies:
        proxy.stop()


@pytest.fixture
def options(proxies: list[CqlProxy], keyspace: str) -> dict[str, Any]:
    """The options of a session whose connections all lead through the proxies."""
    through = {proxy.target: proxy.address for proxy in proxies}
    return {"keyspace": keyspace, "address_map": through, "speculative_delay": DELAY}


def addresses(proxies: list[CqlProxy]) -> list[str]:
    return [proxy.address for proxy in proxies]


def reach(session: Any, nodes: list[str], statement: Any, row: int = 1) -> None:
    """Opens connections to all nodes, and prepares the statement on them."""
    for address in nodes:
        session.execute(statement, (row,), node=address)
        if session.api.is_blocking:
            # Its thread, which sends statements that may have copies, has connections of its own.
            session.raw.submit.execute(statement, (row,), node=address).result(LIMIT)


def picked(keyspace: str, cassandra: SharedCassandra, row: int) -> int:
    """How often the nodes incremented the counter."""
    with cql.Session(cassandra.addresses, keyspace=keyspace, timeout=LIMIT) as session:
        text = "SELECT times FROM picked WHERE id = ?"
        result = session.execute(text, (row,), consistency="all").one()
        return result["times"] if result else 0


def test_a_copy_answers_for_a_silent_node(
    proxies: list[CqlProxy], sessions: Sessions, options: dict[str, Any]
) -> None:
    # Without retries nothing but a copy leaves a silent node.
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT, max_retries=0)
    read = session.prepare(READ)
    reach(session, addresses(proxies), read)
    silent = proxies[1]
    silent.inject("replies", swallow=True)
    with ends_before(LIMIT):
        values = [session.execute(read, (1,)) for _ in range(3)]
    assert all(rows[0]["name"] == "pear" for rows in values)
    assert silent.address not in {rows.node for rows in values}
    # Each node is the first in turn, and a busy machine is slow as well.
    assert max(rows.attempts for rows in values) >= 2


def test_only_idempotent_statements_are_speculated(
    proxies: list[CqlProxy],
    sessions: Sessions,
    options: dict[str, Any],
    keyspace: str,
    cassandra_cluster: SharedCassandra,
) -> None:
    """The nodes count their requests: counters are the one thing that must not be marked
    idempotent."""
    row = threading.get_ident() % 2**31
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT)
    count = session.prepare(COUNT)
    reach(session, addresses(proxies), count, row)
    before = picked(keyspace, cassandra_cluster, row)
    proxies[2].inject("replies", delay=0.5)
    alone = {"idempotent": True, "speculative_delay": None, "max_retries": 0}
    for how in ({}, {"idempotent": False}, alone):
        for _ in range(3):
            assert session.execute(count, (row,), **how).attempts == 1
    assert picked(keyspace, cassandra_cluster, row) == before + 9
    # A session that does not know yet that the node is slow.
    proxies[2].clear()
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT, max_retries=0)
    reach(session, addresses(proxies), count, -2)
    proxies[2].inject("replies", delay=0.5)
    attempts = [session.execute(count, (row,), idempotent=True).attempts for _ in range(3)]
    assert sum(attempts) > 3
    assert until(lambda: picked(keyspace, cassandra_cluster, row) > before + 9 + 3)
    # A copy that is not needed any more may stay unsent.
    assert picked(keyspace, cassandra_cluster, row) <= before + 9 + sum(attempts)


def test_a_cancelled_task_sends_no_copy(
    proxies: list[CqlProxy],
    options: dict[str, Any],
    keyspace: str,
    cassandra_cluster: SharedCassandra,
) -> None:
    # Without retries nothing leaves a silent node.
    options |= {"speculative_delay": 0.3, "max_retries": 0}
    late = 10 * 0.3

    async def main() -> None:
        async with cql.AsyncSession(proxies[0].address, **options) as session:
            count = await session.prepare(COUNT)
            for proxy in proxies:
                await session.execute(count, (-1,), node=proxy.address)
            for proxy in proxies:
                proxy.inject("replies", delay=late)
            waiting = [session.execute(count, (-1,), idempotent=True) for _ in range(6)]
            for task in waiting[3:]:
                task.cancel()
            results = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(each) for each in results[3:]] == [asyncio.CancelledError] * 3
            answers = [each for each in results[:3] if isinstance(each, cql.Rows)]
            assert [each.attempts for each in answers] == [2] * 3

    asyncio.run(main())
    least = 3 + 3 * 2
    assert until(lambda: picked(keyspace, cassandra_cluster, -1) >= least)
    # Those of the cancelled ones that had been sent were sent once.
    assert picked(keyspace, cassandra_cluster, -1) <= least + 3


def test_late_answers_give_their_places_back(
    proxies: list[CqlProxy], sessions: Sessions, options: dict[str, Any]
) -> None:
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT, pipeline_depth=2)
    read = session.prepare(READ)
    reach(session, addresses(proxies), read)
    late = proxies[2]
    for _ in range(3):
        late.inject("replies", delay=0.4)
        assert until(lambda: session.execute(read, (1,)).attempts == 2)
        late.clear()
        # A connection has two slots: two of three late answers without them would block it.
        assert session.execute(read, (1,), node=late.address).attempts == 1


def test_all_copies_share_one_deadline(
    proxies: list[CqlProxy], sessions: Sessions, options: dict[str, Any]
) -> None:
    options["speculative_attempts"] = 5
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT)
    read = session.prepare(READ)
    reach(session, addresses(proxies), read)
    for proxy in proxies:
        proxy.inject("replies", swallow=True)
    with ends_before(LIMIT), pytest.raises(errors.Timeout) as caught:
        session.execute(read, (1,), timeout=30 * DELAY)
    assert caught.value.attempts == 3, "one for each node, and no more"
    attempts = Counter(node for node, _ in caught.value.failed_attempts)
    assert attempts == Counter(proxy.address for proxy in proxies)
    reasons = ("no answer", "does not answer")
    assert all(any(map(reason.count, reasons)) for _, reason in caught.value.failed_attempts)


def test_mistakes_end_the_statement_at_once(
    proxies: list[CqlProxy], sessions: Sessions, options: dict[str, Any]
) -> None:
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT)
    reach(session, addresses(proxies), session.prepare(READ))
    proxies[1].inject("replies", swallow=True)
    with ends_before(LIMIT):
        for _ in range(3):
            with pytest.raises(errors.InvalidRequest):
                session.execute("SELECT nothing FROM fruit")


def test_copies_that_fail_leave_it_to_the_slow_one(
    proxies: list[CqlProxy], sessions: Sessions, options: dict[str, Any]
) -> None:
    session = sessions.open(proxies[0].address, **options, timeout=LIMIT, speculative_attempts=2)
    read = session.prepare(READ)
    reach(session, addresses(proxies), read)
    proxies[0].inject("replies", delay=0.5)
    for proxy in proxies[1:]:
        proxy.refuse("port")
        proxy.cut()
        # The session knows of it: nothing leaves the slow one for these.
        with pytest.raises(errors.ConnectionFailed):
            session.execute(read, (1,), node=proxy.address)
    for _ in range(3):
        rows = session.execute(read, (1,))
        assert (rows[0]["name"], rows.node) == ("pear", proxies[0].address)


def test_a_node_stands_still(
    sessions: Sessions, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    points = cassandra_cluster.addresses
    session = sessions.open(points, keyspace=keyspace, timeout=LIMIT, speculative_delay=DELAY)
    read = session.prepare(READ)
    reach(session, points, read)
    cassandra_cluster.freeze(1)
    try:
        with ends_before(LIMIT):
            values = [session.execute(read, (1,)) for _ in range(3)]
    finally:
        cassandra_cluster.thaw(1)
    assert points[1] not in {rows.node for rows in values}
    assert max(rows.attempts for rows in values) > 1


def succeeds(future: Any) -> bool:
    from spikewire.compat.cassandra import OperationTimedOut

    try:
        return len(future.result().all()) == 1
    except OperationTimedOut:
        return False


def test_execution_profiles_speculate(cassandra_cluster: SharedCassandra, keyspace: str) -> None:
    from spikewire.compat.cassandra.cluster import (
        EXEC_PROFILE_DEFAULT,
        Cluster,
        ExecutionProfile,
    )
    from spikewire.compat.cassandra.policies import ConstantSpeculativeExecutionPolicy

    policy = ConstantSpeculativeExecutionPolicy(delay=DELAY, max_attempts=2)
    profile = ExecutionProfile(speculative_execution_policy=policy, request_timeout=2.0)
    host, port = cassandra_cluster.addresses[0].rsplit(":", 1)
    cluster = Cluster([host], int(port), execution_profiles={EXEC_PROFILE_DEFAULT: profile})
    try:
        session = cluster.connect(keyspace)
        read = session.prepare(READ)
        for node in cluster.metadata.all_hosts():
            session.execute(read, (1,), host=node)
        cassandra_cluster.freeze(1)
        try:
            # None is marked, and one of them starts at the paused node. A read leaves it.
            ended = [session.execute_async(read, (1,)) for _ in range(3)]
            assert all(map(succeeds, ended))
        finally:
            cassandra_cluster.thaw(1)
        assert until(lambda: all(node.is_up for node in cluster.metadata.all_hosts()))
        for node in cluster.metadata.all_hosts():
            session.execute(read, (1,), host=node)
        read.is_idempotent = True
        cassandra_cluster.freeze(1)
        try:
            for _ in range(3):
                assert session.execute(read, (1,)).one().name == "pear"
        finally:
            cassandra_cluster.thaw(1)
    finally:
        cluster.shutdown()
