"""``execute_many`` with a deadline: what has come by then is returned, other rows are late."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.testing.cassandra import CannedServer, CqlProxy
from waiting import ends_before

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from sessions import Opened, Sessions

KEYSPACE = (
    "CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
)
TABLE = "CREATE TABLE shop.items (id int PRIMARY KEY, name text)"
SELECT = "SELECT id, name FROM shop.items WHERE id = ?"
ROWS = [(number,) for number in range(200)]
#: What a statement would wait, in seconds.
LIMIT = 60


@pytest.fixture
def proxy() -> Iterator[CqlProxy]:
    """The way to a node."""
    with CannedServer() as server, CqlProxy(server.address) as proxy:
        yield proxy


@pytest.fixture
def session(proxy: CqlProxy, sessions: Sessions) -> Opened:
    through = {proxy.target: proxy.address}
    options: dict[str, Any] = {"address_map": through, "timeout": LIMIT}
    session = sessions.open(proxy.address, **options, schema_agreement=0)
    session.execute(KEYSPACE)
    session.execute(TABLE)
    return session


def ids(results: list[Any]) -> list[int | None]:
    """The ids that were read; none for late rows."""
    return [None if isinstance(rows, cql.Late) else rows.one()["id"] for rows in results]


def test_rows_that_come_in_time_are_results(session: Opened) -> None:
    find = session.prepare(SELECT)
    results = session.execute_many(find, ROWS, deadline=LIMIT)
    assert ids(results) == [number for (number,) in ROWS]


def test_the_call_ends_at_its_deadline(proxy: CqlProxy, session: Opened) -> None:
    find = session.prepare(SELECT)
    session.execute_many(find, ROWS)
    proxy.inject("replies", swallow=True)
    with ends_before(LIMIT / 2):
        results = session.execute_many(find, ROWS, deadline=0.2, concurrency=10)
    assert results == [cql.Late()] * len(ROWS), "rows that were not sent are late, too"


def test_late_rows_are_told_from_others(proxy: CqlProxy, session: Opened) -> None:
    find = session.prepare(SELECT)
    session.execute_many(find, ROWS)
    proxy.inject("replies", delay=0.5)
    rows = ROWS * 50
    with ends_before(LIMIT / 2):
        results = session.execute_many(find, rows, deadline=4, concurrency=10)
    assert len(results) == len(rows)
    read = ids(results)
    assert any(number is not None for number in read)
    assert None in read
    for (expected,), number in zip(rows, read, strict=True):
        assert number in {expected, None}
    proxy.clear()
    # Replies that come afterwards are nobody's.
    assert ids(session.execute_many(find, ROWS)) == [number for (number,) in ROWS]


def test_an_endless_iterable_ends_with_the_deadline(proxy: CqlProxy, session: Opened) -> None:
    def endless() -> Iterator[tuple[int]]:
        while True:
            yield (1,)

    find = session.prepare(SELECT)
    proxy.inject("replies", delay=0.01)
    with ends_before(LIMIT / 2):
        results = session.execute_many(find, endless(), deadline=0.5, concurrency=4)
    assert results
    assert set(ids(results)) <= {1, None}


def test_rows_that_never_come_are_not_waited_for(proxy: CqlProxy) -> None:
    async def rows() -> AsyncIterator[tuple[int]]:
        yield (1,)
        await asyncio.sleep(LIMIT)
        yield (2,)

    async def main() -> list[Any]:
        options: Any = {"address_map": {proxy.target: proxy.address}, "schema_agreement": 0}
        async with cql.AsyncSession(proxy.address, **options) as session:
            await session.execute(KEYSPACE)
            await session.execute(TABLE)
            find = await session.prepare(SELECT)
            return await session.execute_many(find, rows(), deadline=1.0)

    with ends_before(LIMIT / 2):
        results = asyncio.run(main())
    assert ids(results) == [1]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"deadline": 0}, ValueError, "deadline must be at least 0.001 s, got 0 s"),
        ({"deadline": -1}, ValueError, "deadline.*-1"),
        ({"deadline": "1"}, TypeError, "deadline.*str"),
        ({"deadline": 1, "results": False}, ValueError, "deadline.*results"),
    ],
)
def test_invalid_deadlines_raise(
    session: Opened, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    find = session.prepare(SELECT)
    with pytest.raises(error, match=words):
        session.execute_many(find, ROWS, **options)


def test_there_is_one_late_row() -> None:
    late = cql.Late()
    assert not late
    assert repr(late) == "Late()"
    assert late is cql.Late() is copy.deepcopy(late) is pickle.loads(pickle.dumps(late))


@pytest.mark.parametrize("delay", ["p50", "p99", "p99.9"])
def test_copies_may_follow_a_percentile(session: Opened, delay: str) -> None:
    find = session.prepare(SELECT)
    for number in range(200):
        rows = session.execute(find, (number,), speculative_delay=delay)
        # There is no other node.
        assert (rows.one()["id"], rows.attempts) == (number, 1)


@pytest.mark.parametrize("delay", ["p10", "p100", "fast", "p"])
def test_other_percentiles_are_refused(session: Opened, delay: str) -> None:
    with pytest.raises(ValueError, match="speculative_delay must be a time, or a percentile from"):
        session.execute(SELECT, (1,), speculative_delay=delay)
