"""One real node, as seen by another client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import PATIENT, REAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)


@pytest.fixture(scope="module")
def session(cassandra: SharedCassandra, keyspace: str) -> Iterator[Any]:
    host, _, port = cassandra.addresses[0].partition(":")
    cluster = driver.Cluster([host], port=int(port), **PATIENT[REAL])
    yield cluster.connect(keyspace)
    cluster.shutdown()


def test_another_client_writes_and_reads(session: Any) -> None:
    session.execute("CREATE TABLE fruit (id int PRIMARY KEY, name text)")
    insert = session.prepare("INSERT INTO fruit (id, name) VALUES (?, ?)")
    for number, name in enumerate(["pear", "apple", "plum"]):
        session.execute(insert, (number, name))
    assert [row.name for row in session.execute("SELECT name FROM fruit WHERE id = 1")] == ["apple"]


def test_functions_and_views_can_be_created(session: Any) -> None:
    session.execute(
        "CREATE FUNCTION twice (x int) RETURNS NULL ON NULL INPUT RETURNS int "
        "LANGUAGE java AS 'return 2 * x;'"
    )
    session.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
    session.execute("INSERT INTO t (id, v) VALUES (1, 21)")
    assert session.execute("SELECT twice(v) AS w FROM t").one().w == 42


def test_a_rejected_statement_raises_with_its_message(cassandra: SharedCassandra) -> None:
    with pytest.raises(OSError, match=r"no viable alternative|mismatched|extraneous"):
        cassandra.execute("CREATE NOTHING")
