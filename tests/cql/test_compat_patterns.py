"""Five ways to drive a driver from threads: cassandra-driver and its drop-in."""

from __future__ import annotations

import queue
import threading
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import OURS, REAL, Driver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.testing.cassandra import SharedCassandra

ROWS = 600
CHAINS = 120
LONGEST = 120.0


@pytest.fixture(scope="module", params=[REAL, OURS])
def driver(
    request: pytest.FixtureRequest, cassandra: SharedCassandra, keyspace: str
) -> Iterator[Driver]:
    if request.param == REAL:
        pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")
    result = Driver(request.param, cassandra.addresses[0], keyspace)
    yield result
    result.close()


def blocking(session: Any, insert: Any, rows: list[Any]) -> None:
    for row in rows:
        session.execute(insert, row)


def batches_of_futures(session: Any, insert: Any, rows: list[Any]) -> None:
    futures: queue.Queue[Any] = queue.Queue(maxsize=CHAINS + 1)
    for at, row in enumerate(rows):
        if at % CHAINS == 0:
            while not futures.empty():
                futures.get_nowait().result()
        futures.put_nowait(session.execute_async(insert, row))
    while not futures.empty():
        futures.get_nowait().result()


def full_pipeline(session: Any, insert: Any, rows: list[Any]) -> None:
    futures: queue.Queue[Any] = queue.Queue(maxsize=CHAINS + 1)
    for at, row in enumerate(rows):
        if at >= CHAINS:
            futures.get_nowait().result()
        futures.put_nowait(session.execute_async(insert, row))
    while not futures.empty():
        futures.get_nowait().result()


def unthrottled(session: Any, insert: Any, rows: list[Any]) -> None:
    futures = [session.execute_async(insert, row) for row in rows]
    for future in futures:
        future.result()


def callback_chains(session: Any, insert: Any, rows: list[Any]) -> None:
    started, finished = count(), count(1)
    ended = threading.Event()
    errors: list[Any] = []

    def follow(result: Any) -> None:
        if isinstance(result, BaseException):
            errors.append(result)
        if next(finished) >= len(rows):
            ended.set()
        start()

    def start() -> None:
        at = next(started)
        if at < len(rows):
            session.execute_async(insert, rows[at]).add_callbacks(follow, follow)

    for _ in range(CHAINS):
        start()
    assert ended.wait(LONGEST)
    assert not errors


PATTERNS = [blocking, batches_of_futures, full_pipeline, unthrottled, callback_chains]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda of: of.__name__)
def test_every_row_is_written_once(
    driver: Driver, pattern: Callable[..., None], threads: int
) -> None:
    session = driver.session
    table = f"p_{driver.package[:5]}_{pattern.__name__}_{threads}"
    session.execute(f"CREATE TABLE {table} (k int PRIMARY KEY, n counter)")
    update = session.prepare(f"UPDATE {table} SET n = n + 1 WHERE k = ?")
    errors: list[BaseException] = []

    def work(rows: list[Any]) -> None:
        try:
            pattern(session, update, rows)
        except BaseException as error:
            errors.append(error)

    shares = [[(key,) for key in range(ROWS) if key % threads == at] for at in range(threads)]
    workers = [threading.Thread(target=work, args=(share,)) for share in shares]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(LONGEST)
        assert not worker.is_alive()
    assert not errors
    entries = {row.k: row.n for row in session.execute(f"SELECT k, n FROM {table}")}
    assert entries == dict.fromkeys(range(ROWS), 1)


def test_five_thousand_chains_do_not_collapse(cassandra: SharedCassandra, keyspace: str) -> None:
    """Each chain has a statement in flight: more than the stream ids of one connection of the
    original."""
    driver = Driver(OURS, cassandra.addresses[0], keyspace)
    try:
        driver.session.execute("CREATE TABLE many_chains (k int PRIMARY KEY)")
        insert = driver.session.prepare("INSERT INTO many_chains (k) VALUES (?)")
        started, finished = count(), count(1)
        ended = threading.Event()
        errors: list[Any] = []

        def follow(result: Any) -> None:
            if isinstance(result, BaseException):
                errors.append(result)
            if next(finished) == 10_000:
                ended.set()
            start()

        def start() -> None:
            at = next(started)
            if at < 10_000:
                future = driver.session.execute_async(insert, (at,), timeout=LONGEST)
                future.add_callbacks(follow, follow)

        for _ in range(5000):
            start()
        assert ended.wait(LONGEST)
        assert not errors
        assert driver.session.execute("SELECT count(*) FROM many_chains").one()[0] == 10_000
    finally:
        driver.close()
