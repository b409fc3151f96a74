"""Values and statements that cassandra-driver and its drop-in treat alike, where types, names and
forms are unusual. Most of these went wrong silently once."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from cql.compat_drivers import OURS, Driver, shown

if TYPE_CHECKING:
    from collections.abc import Callable

pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")

SCENARIOS: list[Callable[[Driver], Any]] = []


def scenario(of: Callable[[Driver], Any]) -> Callable[[Driver], Any]:
    SCENARIOS.append(of)
    return of


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("of", SCENARIOS, ids=lambda of: of.__name__)
def test_both_see_the_same(drivers: tuple[Driver, Driver], of: Callable[[Driver], Any]) -> None:
    real, ours = (of(driver) for driver in drivers)
    assert ours == real
    assert real not in (None, [], ())


class Twin(NamedTuple):
    street: str
    zip: int
    at: dt.datetime


class AsKey(NamedTuple):
    a: int
    b: str


def stored(d: Driver, of: str, *values: Any) -> list[Any]:
    """Values of a type, written with a prepared statement and read."""
    table = d.table(f"k int PRIMARY KEY, v {of}")
    insert = d.session.prepare(f"INSERT INTO {table} (k, v) VALUES (?, ?)")
    seen: list[Any] = []
    for at, value in enumerate(values):
        failure = d.failure(d.session.execute, insert, (at, value))
        read = d.session.execute(f"SELECT v FROM {table} WHERE k = {at}").one()
        seen.append((failure, shown(None if read is None else read.v)))
    return seen


@scenario
def a_field_that_is_added_while_a_session_is_open(d: Driver) -> Any:
    """The types of values are those of the statement, not those that a session saw first."""
    d.session.execute("CREATE TYPE growing (street text)")
    table = d.table("k int PRIMARY KEY, a frozen<growing>")
    first = d.session.prepare(f"INSERT INTO {table} (k, a) VALUES (?, ?)")
    d.session.execute(first, (1, ("oak",)))
    d.session.execute(f"SELECT * FROM {table}")
    d.session.execute("ALTER TYPE growing ADD zip int")
    insert = d.session.prepare(f"INSERT INTO {table} (k, a) VALUES (2, ?)")
    d.session.execute(insert, (("elm", 7),))
    read = d.session.execute(f"SELECT a FROM {table}")
    return sorted(shown(row.a) for row in read), d.session.execute(
        f"SELECT json a FROM {table} WHERE k = 2"
    ).one()[0]


@scenario
def two_keyspaces_with_a_type_of_the_same_name(d: Driver) -> Any:
    """A type belongs to the keyspace of its table, whatever the session's keyspace is."""
    other = f"{d.keyspace}_other"
    d.session.execute(
        f"CREATE KEYSPACE {other} WITH replication = "
        "{'class': 'NetworkTopologyStrategy', 'dc1': 1}"
    )
    d.session.execute("CREATE TYPE twin (street text)")
    d.session.execute(f"CREATE TYPE {other}.twin (street text, zip int, at timestamp)")
    d.session.execute(f"CREATE TABLE {other}.t (k int PRIMARY KEY, a frozen<twin>)")
    moment = dt.datetime(2024, 1, 2)  # noqa: DTZ001
    insert = d.session.prepare(f"INSERT INTO {other}.t (k, a) VALUES (?, ?)")
    d.session.execute(insert, (1, Twin("elm", 7, moment)))
    seen = [shown(d.session.execute(f"SELECT a FROM {other}.t").one().a)]
    d.cluster.register_user_type(other, "twin", Twin)
    seen.append(type(d.session.execute(f"SELECT a FROM {other}.t").one().a) is Twin)
    return seen


@scenario
def a_table_that_is_created_anew(d: Driver) -> Any:
    """Statements that the program did not prepare follow the table."""
    seen: list[Any] = []
    for of, value in (("int", 1), ("text", "pear"), ("double", 0.5), ("int", 2)):
        d.session.execute(f"CREATE TABLE anew (k int PRIMARY KEY, v {of})")
        d.session.execute("INSERT INTO anew (k, v) VALUES (%s, %s)", (1, value))
        batch = d.query.BatchStatement()
        batch.add("INSERT INTO anew (k, v) VALUES (%s, %s)", (2, value))
        d.session.execute(batch)
        d.session.execute_async("INSERT INTO anew (k, v) VALUES (%s, %s)", (3, value)).result()
        seen.append(sorted(tuple(row) for row in d.session.execute("SELECT k, v FROM anew")))
        d.session.execute("DROP TABLE anew")
    return seen


@scenario
def what_is_no_boolean(d: Driver) -> Any:
    """The truth value of text and collections is none: "false" is true."""
    return [
        stored(d, "boolean", "false", "", [], {}, 0, 1, True, None),
        [each[0] for each in stored(d, "list<boolean>", ["false"], [""])],
    ]


@scenario
def percent_signs(d: Driver) -> Any:
    """With parameters, ``%%`` is a percent sign everywhere in the text."""
    table = d.table("k int PRIMARY KEY, v text, w text")
    d.session.execute(f"INSERT INTO {table} (k, v, w) VALUES (%s, '100%%', %s)", (1, "50%%"))
    d.session.execute(
        f"INSERT INTO {table} (k, v, w) VALUES (%(k)s, '%%(x)s', %(w)s)", {"k": 2, "w": "%s"}
    )
    d.session.execute(f"INSERT INTO {table} (k, v) VALUES (3, '100%%')")
    batch = d.query.BatchStatement()
    batch.add(f"INSERT INTO {table} (k, v) VALUES (%s, '1%%')", (4,))
    d.session.execute(batch)
    return sorted(shown(row) for row in d.session.execute(f"SELECT k, v, w FROM {table}"))


@scenario
def tuples_that_are_short_or_long(d: Driver) -> Any:
    naive = dt.datetime(2024, 5, 1)  # noqa: DTZ001
    return stored(
        d,
        "frozen<tuple<timestamp, inet, int>>",
        (naive, "::1", 3),
        (naive, "::1"),
        (naive,),
        (naive, "::1", 3, 4),
        ("no time", "::1", 3, 4),
    )


@scenario
def types_whose_names_python_does_not_take(d: Driver) -> Any:
    seen = []
    for name in ("class", "lambda", '"two words"', '"a-b"', '"int"', '"Capital"'):
        d.session.execute(f'CREATE TYPE {name} (x int, "class" text, "a b" int)')
        table = d.table(f"k int PRIMARY KEY, v frozen<{name}>")
        d.session.execute(
            f'INSERT INTO {table} (k, v) VALUES (1, {{x: 5, "class": \'c\', "a b": 6}})'
        )
        seen.append(shown(d.session.execute(f"SELECT v FROM {table}").one().v))
        insert = d.session.prepare(f"INSERT INTO {table} (k, v) VALUES (2, ?)")
        d.session.execute(insert, ((7, "d", 8),))
        seen.append(tuple(d.session.execute(f"SELECT v FROM {table} WHERE k = 2").one().v))
    return seen


@scenario
def maps_with_keys_of_any_kind(d: Driver) -> Any:
    d.session.execute("CREATE TYPE as_key (a int, b text)")
    ordered, serialized = d.util.OrderedMap, dict
    return [
        [
            shown_entries(value)
            for value in round_trip(
                d,
                "map<frozen<map<text, int>>, int>",
                ordered([({"a": 1}, 1), ({"b": 2, "a": 1}, 2)]),
            )
        ],
        [
            shown_entries(value)
            for value in round_trip(
                d, "map<frozen<as_key>, text>", serialized({AsKey(1, "x"): "one"})
            )
        ],
        [
            shown_entries(value)
            for value in round_trip(
                d, "map<blob, int>", ordered([(bytearray(b"b"), 1), (bytearray(b"a"), 2)])
            )
        ],
        [
            shown_entries(value)
            for value in round_trip(
                d, "map<frozen<set<int>>, int>", ordered([({2, 1}, 1), ({3}, 2)])
            )
        ],
    ]


def shown_entries(value: Any) -> Any:
    return [(shown(key), shown(item)) for key, item in value.items()]


def round_trip(d: Driver, of: str, value: Any) -> Any:
    """A value as it is read, and as it is read after what was read was written."""
    table = d.table(f"k int PRIMARY KEY, v {of}")
    insert = d.session.prepare(f"INSERT INTO {table} (k, v) VALUES (?, ?)")
    d.session.execute(insert, (1, value))
    read = d.session.execute(f"SELECT v FROM {table} WHERE k = 1").one().v
    d.session.execute(insert, (2, read))
    return read, d.session.execute(f"SELECT v FROM {table} WHERE k = 2").one().v


@scenario
def addresses(d: Driver) -> Any:
    return stored(d, "inet", "::ffff:1.2.3.4", "::1", "1.2.3.4", "2001:db8::1")


@scenario
def decimals_and_far_dates(d: Driver) -> Any:
    far = d.util.Date(-(2**31))
    return [
        stored(d, "decimal", "1.50", Decimal("2E+5"), 3),
        stored(d, "date", far, d.util.Date(2**31 - 1)),
    ]


@scenario
def names_of_attributes(d: Driver) -> Any:
    """Column names that are no identifiers, and those that are repeated."""
    text = (
        'SELECT key AS "class", rack AS "1st", rack AS "straße", rack, rack, '
        'key AS "_edge_", key AS " a b ", key AS "def" FROM system.local'
    )
    return d.session.execute(text).one()._fields


@scenario
def routing_keys(d: Driver) -> Any:
    table = d.table("a int, b text, v int, PRIMARY KEY ((a, b))")
    single = d.table("a int PRIMARY KEY, v int")
    two = d.session.prepare(f"SELECT v FROM {table} WHERE a = ? AND b = ?")
    one = d.session.prepare(f"SELECT v FROM {single} WHERE a = ?")
    none = d.session.prepare(f"SELECT v FROM {single} WHERE v = ? ALLOW FILTERING")
    statement = d.query.SimpleStatement("x", routing_key=[b"a", b"bc"])
    return [
        two.bind((1, "x")).routing_key,
        one.bind((5,)).routing_key,
        none.bind((5,)).routing_key,
        one.bind((5,)).values,
        one.bind((5,)).keyspace == d.keyspace,
        [tuple(column)[1:3] for column in two.column_metadata],
        statement.routing_key,
    ]


@scenario
def types_of_columns(d: Driver) -> Any:
    table = d.table(
        "k int PRIMARY KEY, m map<int, uuid>, t frozen<tuple<int, date>>, v vector<float, 2>"
    )
    types = d.session.execute(f"SELECT k, m, t, v FROM {table}").column_types
    return [
        [(of.typename, of.cassname) for of in types[:3]],
        [of.typename for of in types[1].subtypes],
        [of.cql_parameterized_type() for of in types[:3]],
        d.cqltypes.cql_typename("MapType(UTF8Type, ListType(Int32Type))"),
        d.cqltypes.Int32Type.serialize(7, 4),
        d.cqltypes.lookup_casstype("ListType(Int32Type)").deserialize(
            b"\0\0\0\1\0\0\0\4\0\0\0\7", 4
        ),
    ]


def test_unknown_fields_of_a_user_defined_type_raise(
    drivers: tuple[Driver, Driver],
) -> None:
    """The original drops it silently, or fails in another way."""
    _, ours = drivers
    ours.session.execute("CREATE TYPE strict_type (a int, b text)")
    table = ours.table("k int PRIMARY KEY, v frozen<strict_type>")
    insert = ours.session.prepare(f"INSERT INTO {table} (k, v) VALUES (?, ?)")
    with pytest.raises(ValueError, match="no field c"):
        ours.session.execute(insert, (1, {"a": 1, "c": 2}))
    with pytest.raises(ValueError, match="Expected 2 items"):
        ours.session.execute(insert, (1, (1, "x", 3)))
    with pytest.raises(TypeError, match="no field"):
        ours.session.execute(insert, (1, "text"))
    with pytest.raises(TypeError, match="scope"):
        ours.session.execute(
            ours.session.prepare(f"INSERT INTO {ours.table('k inet PRIMARY KEY')} (k) VALUES (?)"),
            ("fe80::1%eth0",),
        )


def test_surplus_parameters_raise(drivers: tuple[Driver, Driver]) -> None:
    """Wherever they are passed. The original ignores some of them."""
    _, ours = drivers
    table = ours.table("k int PRIMARY KEY")
    insert = ours.session.prepare(f"INSERT INTO {table} (k) VALUES (?)")
    run = ours.session.execute
    for statement in (
        f"INSERT INTO {table} (k) VALUES (1)",
        f"INSERT INTO {table} (k) VALUES (%s)",
    ):
        with pytest.raises(TypeError, match="too many"):
            run(statement, (1, 2))
        with pytest.raises(TypeError, match="too many"):
            run(ours.query.BatchStatement().add(statement, (1, 2)))
    with pytest.raises(ValueError, match="Too many"):
        run(insert, (1, 2))
    with pytest.raises(ValueError, match="already has its parameters"):
        run(insert.bind((1,)), (2,))
    assert ours.package == OURS
