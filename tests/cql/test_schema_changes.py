"""What the schema is changed to while a program runs: types of parameters, fields of types, columns
between two pages. A session keeps what it knows of prepared statements, and must not go by it when
that is no longer so.
"""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any, Literal

import pytest

from frames import EXECUTE, PLAIN, QUERY, FrameProxy
from spikewire import metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sessions import Opened, Sessions
    from spikewire import cql
    from spikewire.testing.cassandra import SharedCassandra

numbers = itertools.count()


@pytest.fixture
def name() -> str:
    return f"changing{next(numbers)}"


@pytest.fixture(params=["itself", "another"])
def change(
    request: pytest.FixtureRequest, session: Opened, cassandra: SharedCassandra, keyspace: str
) -> Callable[[str], Any]:
    """Executes a statement that changes the schema: the session itself, or another client."""
    if request.param == "itself":
        return session.execute

    def elsewhere(text: str) -> None:
        for kind in ("TABLE", "TYPE"):
            text = text.replace(f"{kind} ", f"{kind} {keyspace}.", 1)
        cassandra.execute(text)

    return elsewhere


def in_a_batch(session: Opened, text: str, _: cql.Prepared, value: Any) -> None:
    batch = session.raw.batch()
    batch.add(text, (2, value))
    batch.add(text, (1, value))
    session.execute(batch)


def as_many(session: Opened, text: str, _: cql.Prepared, value: Any) -> None:
    session.execute_many(text, [(2, value), (1, value)])


def as_many_prepared(session: Opened, _: str, prepared: cql.Prepared, value: Any) -> None:
    session.execute_many(prepared, [(2, value), (1, value)])


WAYS: dict[str, Any] = {
    "text": lambda session, text, _, value: session.execute(text, (1, value)),
    "prepare": lambda session, text, _, value: session.execute(session.prepare(text), (1, value)),
    "prepared before": lambda session, _, prepared, value: session.execute(prepared, (1, value)),
    "batch": in_a_batch,
    "many": as_many,
    "many prepared": as_many_prepared,
}


@pytest.mark.parametrize("way", list(WAYS))
def test_a_table_is_created_anew_with_other_types(
    session: Opened, change: Callable[[str], Any], name: str, way: str
) -> None:
    change(f"CREATE TABLE {name} (k int PRIMARY KEY, v int)")
    text = f"INSERT INTO {name} (k, v) VALUES (?, ?)"
    prepared = session.prepare(text)
    session.execute(text, (1, 1))
    for kind, value in (("text", "pear"), ("double", 0.5), ("int", 7)):
        change(f"DROP TABLE {name}")
        change(f"CREATE TABLE {name} (k int PRIMARY KEY, v {kind})")
        WAYS[way](session, text, prepared, value)
        result = session.execute(f"SELECT v FROM {name} WHERE k = 1")
        assert [row.v for row in result] == [value]
    assert prepared.parameters[1][1] == "int"


@pytest.mark.parametrize("way", list(WAYS))
def test_a_field_is_added_to_a_type(
    session: Opened, change: Callable[[str], Any], name: str, way: str
) -> None:
    change(f"CREATE TYPE {name}_u (a int)")
    change(f"CREATE TABLE {name} (k int PRIMARY KEY, v list<frozen<{name}_u>>)")
    text = f"INSERT INTO {name} (k, v) VALUES (?, ?)"
    prepared = session.prepare(text)
    session.execute(prepared, (1, [{"a": 1}]))
    change(f"ALTER TYPE {name}_u ADD b text")
    WAYS[way](session, text, prepared, [{"a": 2, "b": "fig"}])
    row = session.execute(f"SELECT v FROM {name} WHERE k = 1").one()
    assert row.v[0].as_dict() == {"a": 2, "b": "fig"}


@pytest.mark.parametrize("way", list(WAYS))
def test_a_value_that_fits_neither_type_raises(session: Opened, name: str, way: str) -> None:
    session.execute(f"CREATE TABLE {name} (k int PRIMARY KEY, v int)")
    text = f"INSERT INTO {name} (k, v) VALUES (?, ?)"
    prepared = session.prepare(text)
    with pytest.raises(TypeError, match="v: int takes an integer, not 'pear'"):
        WAYS[way](session, text, prepared, "pear")


def test_integers_are_not_sent_as_the_new_float_type(session: Opened, name: str) -> None:
    """Values of both types have four bytes, and the id of the statement is the same."""
    create = f"CREATE TABLE {name} (k int PRIMARY KEY, v "
    session.execute(create + "int)")
    text = f"INSERT INTO {name} (k, v) VALUES (?, ?)"
    prepared = session.prepare(text)
    session.execute(prepared, (1, 1))
    session.execute(f"DROP TABLE {name}")
    session.execute(create + "float)")
    session.execute(prepared, (1, 1_065_353_216))
    session.execute(text, (2, 1_065_353_216))
    result = session.execute(f"SELECT v FROM {name}")
    assert [row.v for row in result] == [1_065_353_216.0] * 2


def test_values_bound_before_a_type_change_raise(session: Opened, name: str) -> None:
    session.execute(f"CREATE TABLE {name} (k int PRIMARY KEY, v int)")
    prepared = session.prepare(f"INSERT INTO {name} (k, v) VALUES (?, ?)")
    bound = prepared.bind((1, 1))
    batch = session.raw.batch()
    batch.add(prepared, (1, 1))
    session.execute(f"ALTER TABLE {name} ADD w int")
    session.execute(bound)
    session.execute(batch)
    session.execute(f"DROP TABLE {name}")
    session.execute(f"CREATE TABLE {name} (k int PRIMARY KEY, v text)")
    for statement in (bound, batch):
        with pytest.raises(ValueError, match="bind them again"):
            session.execute(statement)
    session.execute(prepared.bind((1, "pear")))
    assert session.execute(f"SELECT v FROM {name}").one().v == "pear"


class Halfway:
    """Changes a table when a statement asks for its fifth page."""

    def __init__(self, cassandra: SharedCassandra, table: str, alter: str) -> None:
        self._table, self._asked = table, 0
        self._change = lambda: cassandra.execute(f"ALTER TABLE {table} {alter}")

    def meet(self, opcode: int, body: bytes) -> Literal["pass"]:
        if opcode in {QUERY, EXECUTE} and self._table.encode() in body:
            self._asked += 1
            if self._asked == 5:
                self._change()
        return "pass"


@pytest.fixture(params=["DROP aa", "ADD bb int"])
def halfway(
    request: pytest.FixtureRequest,
    sessions: Sessions,
    cassandra: SharedCassandra,
    keyspace: str,
    name: str,
) -> Iterator[tuple[Opened, str]]:
    table = f"{keyspace}.{name}"
    cassandra.execute(f"CREATE TABLE {table} (p int, c int, aa int, v int, PRIMARY KEY (p, c))")
    for number in range(10):
        cassandra.execute(
            f"INSERT INTO {table} (p, c, aa, v) VALUES (1, {number}, 7, {number * 1000})"
        )
    node = cassandra.addresses[0]
    with FrameProxy(node, Halfway(cassandra, table, request.param).meet) as proxy:
        options: Any = {**PLAIN, "address_map": {node: proxy.address}}
        yield sessions.open(proxy.address, **options), f"SELECT * FROM {table} WHERE p = 1"


def test_columns_come_and_go_between_two_pages(halfway: tuple[Opened, str]) -> None:
    """Each row is read with the columns that its page had."""
    session, text = halfway
    result = session.execute(text, page_size=1)
    expected = [number * 1000 for number in range(10)]
    assert [row.v for row in result] == expected
    assert [row["v"] for row in result.all()] == expected
    assert [result[at].v for at in range(10)] == expected
    assert result.columns == ("p", "c", "aa", "v")
    assert "aa" in result[0].keys()  # noqa: SIM118
    assert result[0].keys() != result[9].keys()


def test_pages_with_other_columns_are_not_one_table(halfway: tuple[Opened, str]) -> None:
    session, text = halfway
    result = session.execute(text, page_size=1)
    for make in (result.to_arrow, result.to_numpy, result.to_pandas, result.to_polars):
        with pytest.raises(ValueError, match="changed while the pages were fetched"):
            make()
    with pytest.raises(ValueError, match="changed while the pages were fetched"):
        result.to_numpy([("v", "i4")])


def test_listeners_hear_of_changes(
    session: Opened, change: Callable[[str], Any], name: str
) -> None:
    events: list[metrics.Event] = []
    end = session.raw.metrics.on_event(events.append)
    change(f"CREATE TABLE {name} (p int PRIMARY KEY)")
    limit = time.monotonic() + 30
    while metrics.SchemaChanged() not in events:
        assert time.monotonic() < limit
        time.sleep(0.01)
    end()
