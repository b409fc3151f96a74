"""Values that come back as they were read, and values that would not be what they were."""

from __future__ import annotations

import ipaddress
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

numbers = itertools.count()


@pytest.fixture(scope="module")
def session(cassandra: SharedCassandra, keyspace: str) -> Iterator[cql.Session]:
    with cql.Session(cassandra.addresses[0], keyspace=keyspace) as session:
        session.execute("CREATE TYPE place (city text, zips frozen<list<int>>)")
        yield session


def table(session: cql.Session, columns: str) -> str:
    name = f"t{next(numbers)}"
    session.execute(f"CREATE TABLE {name} ({columns})")
    return name


@pytest.mark.parametrize(
    ("kind", "literal", "value"),
    [
        ("map<frozen<map<text, int>>, int>", "{{'a': 1, 'b': 2}: 3}", {(("a", 1), ("b", 2)): 3}),
        ("map<frozen<map<int, frozen<list<int>>>>, int>", "{{1: [2]}: 3}", {((1, (2,)),): 3}),
        ("set<frozen<map<text, int>>>", "{{'a': 1}, {}}", {(), (("a", 1),)}),
        ("map<frozen<tuple<int, frozen<list<int>>>>, int>", "{(1, [2]): 3}", {(1, (2,)): 3}),
        ("set<frozen<place>>", "{{city: 'Ulm', zips: [8]}}", {("Ulm", (8,))}),
        ("map<frozen<set<int>>, frozen<map<int, int>>>", "{{1}: {2: 3}}", {frozenset({1}): {2: 3}}),
    ],
)
def test_values_read_can_be_written(
    session: cql.Session, kind: str, literal: str, value: Any
) -> None:
    """Keys of dicts and elements of sets must have a hash, at any depth."""
    name = table(session, f"k int PRIMARY KEY, v {kind}")
    session.execute(f"INSERT INTO {name} (k, v) VALUES (1, {literal})")
    read = session.execute(f"SELECT v FROM {name}")[0].v
    assert read == value
    session.execute(f"INSERT INTO {name} (k, v) VALUES (?, ?)", (2, read))
    session.execute(f"INSERT INTO {name} (k, v) VALUES (?, ?)", (3, read))
    result = session.execute(f"SELECT v FROM {name}")
    assert [row.v for row in result] == [value] * 3


@pytest.mark.parametrize("value", [(1, 2), ((1, 2, 3),), ([1, 2],), "ab"])
def test_values_that_are_no_map_raise(session: cql.Session, value: Any) -> None:
    name = table(session, "k int PRIMARY KEY, v map<int, int>")
    with pytest.raises(TypeError, match="takes a map"):
        session.execute(f"INSERT INTO {name} (k, v) VALUES (1, ?)", (value,))


def test_a_field_that_the_type_lacks_raises(session: cql.Session, keyspace: str) -> None:
    """It would be lost."""
    session.execute("CREATE TYPE wider (city text, zips frozen<list<int>>, more text)")
    wide = table(session, "k int PRIMARY KEY, v frozen<wider>")
    session.execute(f"INSERT INTO {wide} (k, v) VALUES (1, {{city: 'Ulm', more: 'x'}})")
    row = session.execute(f"SELECT v FROM {wide}")[0].v
    narrow = table(session, "k int PRIMARY KEY, v frozen<place>")
    with pytest.raises(ValueError, match=r"has no field .more."):
        session.execute(f"INSERT INTO {narrow} (k, v) VALUES (1, ?)", (row,))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("double", (1 << 53) + 1, "this integer would be rounded"),
        ("double", -(1 << 53) - 1, "this integer would be rounded"),
        ("float", (1 << 24) + 1, "this integer would be rounded"),
        ("inet", ipaddress.ip_address("fe80::1%eth0"), "an inet has no scope"),
    ],
)
def test_values_that_would_change_raise(
    session: cql.Session, kind: str, value: Any, words: str
) -> None:
    name = table(session, f"k int PRIMARY KEY, v {kind}")
    with pytest.raises(ValueError, match=f"v: {kind}: {words}"):
        session.execute(f"INSERT INTO {name} (k, v) VALUES (1, ?)", (value,))


@pytest.mark.parametrize(
    ("kind", "value"),
    [("double", 1 << 53), ("double", 1 << 100), ("float", 1 << 24), ("double", 0.1)],
)
def test_numbers_that_stay_what_they_are(session: cql.Session, kind: str, value: Any) -> None:
    name = table(session, f"k int PRIMARY KEY, v {kind}")
    session.execute(f"INSERT INTO {name} (k, v) VALUES (1, ?)", (value,))
    assert session.execute(f"SELECT v FROM {name}")[0].v == value


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("map<text, int>", [{"pear": 1, "fig": 2, "a": 3}, {"a": 3, "fig": 2, "pear": 1}]),
        ("set<int>", [[3, -1, 2, 3], [-1, 2, 3]]),
        ("set<frozen<set<text>>>", [[["b", "a"], ["a"]], [["a"], ["a", "b"]]]),
        ("list<frozen<map<int, int>>>", [[{2: 1, 1: 2}], [{1: 2, 2: 1}]]),
    ],
)
@pytest.mark.parametrize("key", ["v", "(k, v)"])
def test_the_token_of_a_key_with_maps_and_sets(
    session: cql.Session, kind: str, values: list[Any], key: str
) -> None:
    """Servers sort them; another token leads to a node that does not hold the partition."""
    name = table(session, f"k int, v frozen<{kind}>, PRIMARY KEY ({key})")
    insert = session.prepare(f"INSERT INTO {name} (k, v) VALUES (?, ?)")
    for value in values:
        session.execute(insert, (7, value))
    function = "token(k, v)" if key != "v" else "token(v)"
    (token,) = {row[0] for row in session.execute(f"SELECT {function} FROM {name}")}
    assert [insert.token((7, value)) for value in values] == [token] * len(values)
