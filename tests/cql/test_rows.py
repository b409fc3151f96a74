"""Rows as a program accesses them: one after the other, kept or not."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import pytest

from spikewire import cql
from spikewire.testing.cassandra import CannedServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    Expected = list[tuple[object, ...]]

ROWS = 700
SELECT = "SELECT at, id, payload FROM shop.items WHERE id = 'pear'"


@pytest.fixture(scope="module")
def rows() -> Iterator[cql.Rows]:
    with CannedServer(rows=ROWS) as server, cql.Session(server.address) as session:
        session.execute(
            "CREATE KEYSPACE shop WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}"
        )
        session.execute(
            "CREATE TABLE shop.items (id text, at int, payload blob, PRIMARY KEY (id, at))"
        )
        result = session.execute(SELECT)
        assert len(result) == ROWS
        yield result


@pytest.fixture(scope="module")
def expected(rows: cql.Rows) -> Expected:
    """Each row by its index, which creates it anew."""
    return [rows[at].as_tuple() for at in range(ROWS)]


def test_stored_rows_keep_their_values(rows: cql.Rows, expected: Expected) -> None:
    values = list(rows)
    assert [row.as_tuple() for row in values] == expected
    assert len({id(row) for row in values}) == ROWS
    assert [row.as_tuple() for row in rows.all()] == expected


@pytest.mark.parametrize("distance", [2, 3, 7])
def test_some_stored_rows_keep_their_values(
    rows: cql.Rows, expected: Expected, distance: int
) -> None:
    values = [row for at, row in enumerate(rows) if at % distance == 0]
    assert [row.as_tuple() for row in values] == expected[::distance]


def test_tuples_and_iterators_outlive_their_row(rows: cql.Rows, expected: Expected) -> None:
    tuples = [row.as_tuple() for row in rows]
    assert tuples == expected
    iterators = [iter(row) for row in rows]
    assert [tuple(one) for one in iterators] == expected
    assert [tuple(values) for values in (row.values() for row in rows)] == expected


def test_rows_unpack(rows: cql.Rows, expected: Expected) -> None:
    assert [(at, name, payload) for at, name, payload in rows] == expected
    result: Expected = []
    for row in rows:
        # Objects that the garbage collector had untracked are tracked again.
        if len(result) % 50 == 0:
            gc.collect()
        result.append((row.at, row["id"], row[2]))
    assert result == expected


def test_a_row_has_the_hash_of_its_own_values(rows: cql.Rows, expected: Expected) -> None:
    assert [hash(row) for row in rows] == [hash(row) for row in expected]


def test_two_iterators_do_not_meet(rows: cql.Rows, expected: Expected) -> None:
    first, second = iter(rows), iter(rows)
    next(second)
    pairs = [(one[0], other[0]) for one, other in zip(first, second, strict=False)]
    assert pairs == [(expected[at][0], expected[at + 1][0]) for at in range(ROWS - 1)]


def test_an_iterator_that_ended_holds_nothing(rows: cql.Rows) -> None:
    iterator = iter(rows)
    *_, last = iterator
    assert next(iterator, None) is None
    if not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled():
        assert sys.getrefcount(last) == 2


@dataclass
class Item:
    id: str
    at: int
    payload: bytes
    note: str | None = None


class Fruit(TypedDict):
    id: str
    at: str


def test_rows_become_instances_of_a_type(rows: cql.Rows, expected: Expected) -> None:
    """The columns of a row are the fields of a class of the program, checked on the way."""
    items = rows.all(Item)
    assert [(it.at, it.id, it.payload) for it in items] == expected
    assert rows.first(Item) == items[0]
    with pytest.raises(ValueError, match="700 rows where one was expected"):
        rows.one(Item)
    with pytest.raises(ValueError, match=r"^row 0: column 'at' of Fruit must be str, not int"):
        rows.all(Fruit)
    with pytest.raises(ValueError, match=r"^column 'at' of Fruit must be str, not int"):
        rows.first(Fruit)
    with pytest.raises(TypeError, match="type must be a TypedDict, a dataclass"):
        rows.all(int)
