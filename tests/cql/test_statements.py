"""Statements: parameters, options, results, and errors of the server."""

from __future__ import annotations

import itertools
import time
from collections import UserDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from spikewire import cql
from spikewire.cql import errors

if TYPE_CHECKING:
    from sessions import Opened, Sessions
    from spikewire.testing.cassandra import SharedCassandra

numbers = itertools.count()


@pytest.fixture(scope="module", autouse=True)
def tables(cassandra: SharedCassandra, keyspace: str) -> None:
    for statement in (
        "CREATE TABLE {}.items (id int PRIMARY KEY, name text, price double)",
        "CREATE TABLE {}.counters (id int PRIMARY KEY, n counter)",
        "CREATE TYPE {}.address (street text, zip int)",
        "CREATE TABLE {}.people (id int PRIMARY KEY, home frozen<address>)",
    ):
        cassandra.execute(statement.format(keyspace))


@dataclass
class Item:
    id: int
    name: str
    price: float


class Pair(NamedTuple):
    id: int
    name: str


INSERT = "INSERT INTO items (id, name, price) VALUES "


@pytest.mark.parametrize(
    ("markers", "make"),
    [
        ("(?, ?, ?)", lambda key: (key, "pear", 1.5)),
        ("(%s, %s, %s)", lambda key: [key, "pear", 1.5]),
        ("(:id, :name, :price)", lambda key: {"id": key, "name": "pear", "price": 1.5}),
        ("(%(id)s, %(name)s, %(price)s)", lambda key: UserDict(id=key, name="pear", price=1.5)),
        ("(?, ?, ?)", lambda key: Item(key, "pear", 1.5)),
    ],
    ids=["tuple", "list", "dict", "mapping", "dataclass"],
)
def test_parameters_bind_by_position_and_name(session: Opened, markers: str, make: Any) -> None:
    number = next(numbers)
    session.execute(INSERT + markers, make(number))
    row = session.execute("SELECT id, name, price FROM items WHERE id = ?", (number,)).one()
    assert row == (number, "pear", 1.5)
    # What was read can be written.
    session.execute(INSERT + "(:id, :name, :price)", row)


def test_named_tuples_go_by_position(session: Opened) -> None:
    session.execute("INSERT INTO items (id, name) VALUES (?, ?)", Pair(-1, "plum"))
    assert session.execute("SELECT name FROM items WHERE id = -1").one().name == "plum"


def test_a_name_may_stand_in_several_places(session: Opened) -> None:
    session.execute(INSERT + "(-2, 'fig', 2.0)")
    result = session.execute("SELECT name FROM items WHERE id IN (:id, :id)", {"id": -2})
    assert [row.name for row in result] == ["fig"]


def test_values_are_never_pasted_into_the_text(session: Opened) -> None:
    name = "'; DROP TABLE items; --"
    session.execute(INSERT + "(%s, %s, %s)", (-3, name, 0))
    assert session.execute("SELECT name FROM items WHERE id = -3").one().name == name


def test_unset_leaves_a_column_unchanged(session: Opened) -> None:
    number = next(numbers)
    session.execute(INSERT + "(?, ?, ?)", (number, "kiwi", 3.0))
    session.execute(INSERT + "(?, ?, ?)", (number, cql.UNSET, None))
    row = session.execute("SELECT name, price FROM items WHERE id = ?", [number]).one()
    assert row == ("kiwi", None)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ((1, "a"), ValueError, r"takes 3 values \(id, name, price\), not 2"),
        ((1, "a", 1.0, 2), ValueError, "not 4"),
        (None, ValueError, "not 0"),
        (("one", "a", 1.0), TypeError, "id: int takes an integer, not 'one'"),
        ((True, "a", 1.0), TypeError, "id: int"),
        ((1 << 31, "a", 1.0), OverflowError, "id"),
        ((1, b"a", 1.0), TypeError, "name"),
        ({"id": 1, "name": "a"}, ValueError, 'no value for parameter "price"'),
        ({"id": 1, "name": "a", "price": 1.0, "x": 1}, ValueError, 'no parameter "x"'),
        ("abc", TypeError, "parameters must be"),
        ({1, 2, 3}, TypeError, "parameters must be"),
    ],
)
def test_invalid_parameters_raise(
    session: Opened, parameters: Any, error: type, words: str
) -> None:
    insert = session.prepare(INSERT + "(?, ?, ?)")
    with pytest.raises(error, match=words):
        session.execute(insert, parameters)
    with pytest.raises(error, match=words):
        insert.bind(parameters)


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("SELEKT 1", errors.SyntaxException, "no viable alternative"),
        ("SELECT * FROM nowhere.items", errors.InvalidRequest, "nowhere"),
        ("SELECT * FROM nothing", errors.InvalidRequest, "nothing"),
        ("SELECT nothing FROM items", errors.InvalidRequest, "nothing"),
        ("CREATE TABLE items (id int PRIMARY KEY)", errors.AlreadyExists, "items"),
    ],
)
def test_errors_keep_the_message_of_the_server(
    session: Opened, statement: str, error: type[errors.Error], words: str
) -> None:
    with pytest.raises(error, match=words) as raised:
        session.execute(statement)
    assert raised.value.code is not None
    assert raised.value.node == session.raw.nodes[0].address
    assert not raised.value.in_doubt


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"consistency": "most"}, ValueError, "consistency must be 'any', 'one'"),
        ({"page_size": 0}, ValueError, "page_size"),
        ({"paging_state": "x"}, TypeError, "paging_state must be bytes"),
        ({"timestamp": "now"}, TypeError, "timestamp must be whole microseconds"),
        ({"payload": [1]}, TypeError, "payload must be a dict"),
        ({"node": "10.0.0.1:9042"}, ValueError, "not known; there are"),
        ({"speed": 1}, TypeError, 'unknown option "speed"; there are: consistency'),
        ({"idempotent": 1}, TypeError, "idempotent must be True or False"),
        ({"speculative_delay": 0}, ValueError, "speculative_delay must be at least 0.001 s"),
        ({"speculative_delay": -1}, ValueError, "speculative_delay"),
        ({"speculative_delay": float("nan")}, ValueError, "speculative_delay"),
        ({"speculative_delay": True}, TypeError, "speculative_delay must be seconds"),
        ({"speculative_delay": "1"}, ValueError, "speculative_delay must be a time, or a"),
        ({"speculative_attempts": 0}, ValueError, "speculative_attempts"),
        ({"speculative_attempts": 33}, ValueError, "speculative_attempts"),
        ({"speculative_attempts": True}, TypeError, "speculative_attempts must be int"),
        ({"speculative_attempts": 1.5}, TypeError, "speculative_attempts must be int"),
    ],
)
def test_invalid_options_raise(
    session: Opened, options: dict[str, Any], error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        session.execute("SELECT * FROM items", **options)
    with pytest.raises(error, match=words):
        session.query("SELECT * FROM items", **options)


@pytest.mark.parametrize("statement", [1, None, b"SELECT", ["SELECT"]])
def test_other_types_are_no_statement(session: Opened, statement: Any) -> None:
    with pytest.raises(TypeError, match="a statement must be a str"):
        session.execute(statement)


def test_options_reach_the_server(session: Opened) -> None:
    number = next(numbers)
    node = session.raw.nodes[0].address
    options = {"consistency": "one", "timestamp": 1_000_000, "idempotent": True, "node": node}
    session.execute(INSERT + "(?, ?, ?)", (number, "a", 1.0), **options)
    row = session.execute("SELECT writetime(name) AS w FROM items WHERE id = ?", [number]).one()
    assert row.w == 1_000_000
    with pytest.raises(errors.InvalidRequest, match=r"(?i)consistency"):
        session.execute("SELECT * FROM items", consistency="any")


def test_a_statement_may_run_in_another_keyspace(session: Opened) -> None:
    result = session.execute("SELECT key FROM local", keyspace="system")
    assert result.one().key == "local"
    result = session.execute("SELECT key FROM local WHERE key = ?", ["local"], keyspace="system")
    assert result.one().key == "local"


@pytest.mark.parametrize("version", [4, 5])
def test_use_changes_the_keyspace(
    sessions: Sessions, cassandra: SharedCassandra, keyspace: str, version: int
) -> None:
    session = sessions.open(cassandra.addresses[0], protocol_version=version)
    assert session.raw.keyspace is None
    with pytest.raises(errors.InvalidRequest, match=r"(?i)keyspace"):
        session.execute("SELECT * FROM items")
    session.execute(f"USE {keyspace}")
    assert session.raw.keyspace == keyspace
    session.execute("SELECT * FROM items WHERE id = ?", [1])
    find = "SELECT key FROM local WHERE key = ?"
    with pytest.raises(errors.InvalidRequest):
        session.execute(find, ["local"])
    # Every statement from now on is about it, on whichever connection.
    session.execute("USE system")
    results = session.execute_many(find, [["local"]] * 200)
    assert [rows.one().key for rows in results] == ["local"] * 200
    with pytest.raises(errors.InvalidRequest):
        session.execute("USE no_such_keyspace")
    assert session.raw.keyspace == "system"
    assert len(session.execute(find, ["local"])) == 1


def test_contact_points_may_be_passed_by_keyword(cassandra: SharedCassandra) -> None:
    with cql.connect(contact_points=cassandra.addresses[0]) as session:
        assert session.is_open


@dataclass
class Find:
    keyspaceName: str  # noqa: N815


WHERE = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = "


@pytest.mark.parametrize(
    ("marker", "values"),
    [
        ("%(keyspaceName)s", {"keyspaceName": "system"}),
        ("%(from)s", {"from": "system"}),
        (":keyspaceName", {"keyspaceName": "system"}),
        (":keyspaceName", {"keyspacename": "system"}),
        (":keyspaceName", UserDict(keyspaceName="system")),
        (":keyspaceName", Find("system")),
        ("%(keyspaceName)s", Find("system")),
    ],
)
def test_names_with_capitals_and_reserved_words(session: Opened, marker: str, values: Any) -> None:
    assert len(session.execute(WHERE + marker, values)) > 0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"keyspaceName": "a", "keyspacename": "b"}, "no parameter"),
        ({"keyspaceName": "a", "KEYSPACENAME": "b"}, "both name the parameter"),
    ],
)
def test_two_names_for_one_parameter(session: Opened, values: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        session.execute(WHERE + ":keyspaceName", values)


@pytest.mark.parametrize("values", [(1,), [1], {"a": 1}])
def test_values_without_a_marker_raise(session: Opened, values: Any) -> None:
    """Whoever passes a value expects it to be used."""
    plain = "INSERT INTO items (id) VALUES (1)"
    prepared = session.prepare(plain)
    batch = session.raw.batch()
    batch.add(plain, values)
    for run in (
        lambda: session.execute(plain, values),
        lambda: session.execute(prepared, values),
        lambda: session.execute_many(plain, [values]),
        lambda: session.execute(batch),
        lambda: session.raw.batch().add(prepared, values),
        lambda: prepared.bind(values),
    ):
        with pytest.raises(ValueError, match="the statement takes no values"):
            run()
    nothing: tuple[Any, ...] = ((), [], {}, None)
    for none in nothing:
        session.execute(plain, none)


def test_the_caller_may_go_on_with_its_values(session: Opened) -> None:
    """Text is prepared before its values are encoded, and what was passed by then is meant."""
    first, second = next(numbers), next(numbers)
    row = [first, "fig"]
    batch = session.raw.batch()
    batch.add("INSERT INTO items (id, name) VALUES (?, ?)", row)
    row[:] = [second, "kiwi"]
    batch.add("INSERT INTO items (id, name) VALUES (?, ?)", row)
    session.execute(batch)
    result = session.execute("SELECT id, name FROM items WHERE id IN (?, ?)", (first, second))
    assert {tuple(row) for row in result} == {(first, "fig"), (second, "kiwi")}


def test_conditional_statements_report_whether_they_applied(session: Opened) -> None:
    number = next(numbers)
    insert = "INSERT INTO items (id, name) VALUES (?, ?) IF NOT EXISTS"
    assert session.execute(insert, (number, "a")).applied is True
    again = session.execute(insert, (number, "b"), serial_consistency="local_serial")
    assert again.applied is False
    assert again.one().name == "a"
    assert session.execute("SELECT * FROM items WHERE id = ?", [number]).applied is None


def test_prepared_statements_follow_a_schema_change(session: Opened) -> None:
    table = f"changing_{session.api.name}"
    changed = session.execute(f"CREATE TABLE {table} (id int PRIMARY KEY, a int)")
    assert changed.schema_agreed
    session.execute(f"INSERT INTO {table} (id, a) VALUES (1, 2)")
    everything = session.prepare(f"SELECT * FROM {table} WHERE id = ?")
    assert session.execute(everything, [1]).columns == ("id", "a")
    session.execute(f"ALTER TABLE {table} ADD b text")
    session.execute(f"INSERT INTO {table} (id, a, b) VALUES (1, 2, 'new')")
    # The server reports the additional column, and columns are not confused.
    assert session.execute(everything, [1]).one().as_dict() == {"id": 1, "a": 2, "b": "new"}
    session.execute(f"DROP TABLE {table}")
    with pytest.raises(errors.InvalidRequest):
        session.execute(everything, [1])


def test_prepare_describes_the_statement(session: Opened, keyspace: str) -> None:
    statement = session.prepare("SELECT * FROM items WHERE id = ?")
    assert statement.text == "SELECT * FROM items WHERE id = ?"
    assert statement.parameters == [("id", "int")]
    assert statement.partition_key == [0]
    assert statement.warnings == []
    bound = statement.bind([1])
    assert bound.prepared.id == statement.id
    session.execute(INSERT + "(1, 'one', 1.0)")
    assert session.execute(bound).one().name == "one"
    with pytest.raises(TypeError, match="has its parameters"):
        session.execute(bound, [2])
    with pytest.raises(TypeError, match="must be a str"):
        session.prepare(statement)


@pytest.mark.parametrize("kind", ["logged", "unlogged"])
def test_batches_run_prepared_bound_and_text_statements(session: Opened, kind: Any) -> None:
    ids = [next(numbers) for _ in range(4)]
    insert = session.prepare(INSERT + "(?, ?, ?)")
    batch = session.raw.batch(kind)
    batch.add(insert, (ids[0], "prepared", 1.0))
    batch.add(insert.bind((ids[1], "bound", 1.0)))
    batch.add(INSERT + "(%s, %s, %s)", (ids[2], "text", 1.0))
    batch.add(INSERT + f"({ids[3]}, 'literal', 1.0)")
    assert len(batch) == 4
    assert batch.kind == kind
    for _ in range(2):
        assert len(session.execute(batch, timestamp=int(time.time() * 1e6))) == 0
    names = [
        session.execute("SELECT name FROM items WHERE id = ?", [number]).one().name
        for number in ids
    ]
    assert names == ["prepared", "bound", "text", "literal"]
    batch.clear()
    with pytest.raises(ValueError, match="without statements"):
        session.execute(batch)


def test_counter_batches_add_up(session: Opened) -> None:
    number = next(numbers)
    batch = cql.Batch("counter")
    for step in (1, 2, 3):
        batch.add("UPDATE counters SET n = n + ? WHERE id = ?", (step, number))
    session.execute(batch)
    assert session.execute("SELECT n FROM counters WHERE id = ?", [number]).one().n == 6
    wrong = cql.Batch()
    wrong.add("UPDATE counters SET n = n + 1 WHERE id = 1")
    with pytest.raises(errors.InvalidRequest, match=r"(?i)counter"):
        session.execute(wrong)


def test_a_conditional_batch_reports_whether_it_applied(session: Opened) -> None:
    number = next(numbers)
    batch = cql.Batch()
    batch.add("INSERT INTO items (id, name) VALUES (?, 'a') IF NOT EXISTS", [number])
    assert [session.execute(batch).applied for _ in range(2)] == [True, False]


def test_invalid_batch_statements_raise(session: Opened) -> None:
    insert = session.prepare(INSERT + "(?, ?, ?)")
    batch = cql.Batch("unlogged")
    with pytest.raises(TypeError, match="id: int"):
        batch.add(insert, ("x", "a", 1.0))
    with pytest.raises(ValueError, match="takes 3 values"):
        batch.add(insert, (1,))
    with pytest.raises(ValueError, match="not SELECT"):
        batch.add("SELECT * FROM items")
    with pytest.raises(TypeError, match="another batch"):
        batch.add(cql.Batch())
    assert len(batch) == 0
    bound = insert.bind((1, "a", 1.0))
    for _ in range(65_535):
        batch.add(bound)
    with pytest.raises(ValueError, match="at most 65535"):
        batch.add(bound)
    with pytest.raises(ValueError, match="kind must be"):
        cql.Batch("big")
    with pytest.raises(TypeError, match="batch"):
        session.query(batch)
    late = cql.Batch()
    late.add(INSERT + "(?, ?, ?)", (1, "a", 1.0))
    late.add(INSERT + "(?, ?, ?)", (1, 2, 1.0))
    with pytest.raises(TypeError, match="statement 1 of the batch: name"):
        session.execute(late)
    good = cql.Batch()
    good.add(bound)
    with pytest.raises(ValueError, match="no pages"):
        session.execute(good, page_size=10)


def test_a_forgotten_statement_is_prepared_again(session: Opened) -> None:
    table = f"forgotten_{session.api.name}"
    create = f"CREATE TABLE {table} (id int PRIMARY KEY, a int)"
    session.execute(create)
    insert = session.prepare(f"INSERT INTO {table} (id, a) VALUES (?, ?)")
    for _ in range(2):
        session.execute(insert, (1, 2))
        batch = cql.Batch()
        batch.add(insert, (2, 3))
        session.execute(batch)
        assert len(session.execute(f"SELECT * FROM {table}")) == 2
        # With the table the server drops its prepared statements.
        session.execute(f"DROP TABLE {table}")
        session.execute(create)


@dataclass(frozen=True)
class Address:
    street: str
    zip: int


class Plain:
    def __init__(self) -> None:
        self.street = "Elm"
        self.zip = 3
        self.note = "not of the type"


def test_user_defined_types_round_trip(session: Opened, keyspace: str) -> None:
    insert = session.prepare("INSERT INTO people (id, home) VALUES (?, ?)")
    find = session.prepare("SELECT home FROM people WHERE id = ?")
    homes = [Address("Oak", 1), {"street": "Ash", "zip": 2}, Plain()]
    for number, home in enumerate(homes):
        session.execute(insert, (number, home))
    rows = [session.execute(find, [number]).one().home for number in range(3)]
    assert [(row.street, row["zip"]) for row in rows] == [("Oak", 1), ("Ash", 2), ("Elm", 3)]
    session.raw.register_type("address", Address)
    assert session.execute(find, [0]).one().home == Address("Oak", 1)
    session.raw.register_type(f"{keyspace}.Address", dict)
    assert session.execute(find, [1]).one().home == {"street": "Ash", "zip": 2}
    with pytest.raises(TypeError, match="home"):
        session.execute(insert, (1, "Oak"))
    with pytest.raises(ValueError, match="city"):
        session.execute(insert, (1, {"street": "Oak", "city": "x"}))
    with pytest.raises(TypeError, match="class"):
        session.raw.register_type("address", 1)
    with pytest.raises(ValueError, match="named as in"):
        session.raw.register_type("a.b.c", Address)


def test_traces_are_read_after_a_traced_statement(session: Opened) -> None:
    result = session.execute("SELECT * FROM items WHERE id = 1", tracing=True)
    trace = session.trace(result, timeout=60)
    assert trace.trace_id in result.tracing_ids
    assert trace.duration > 0
    assert trace.events
    assert str(trace.coordinator) == result.node.partition(":")[0]
    assert trace.nodes == {trace.coordinator}
    assert "items" in trace.parameters["query"]
    with pytest.raises(ValueError, match="tracing=True"):
        session.trace(session.execute("SELECT * FROM items WHERE id = 1"))


def test_results_have_columns_types_and_rows(session: Opened) -> None:
    session.execute(INSERT + "(1, 'one', 1.0)")
    result = session.execute("SELECT id, name FROM items WHERE id = 1")
    assert (result.columns, result.types) == (("id", "name"), ["int", "text"])
    (row,) = result
    assert (row[0], row["id"], row.id) == (1, 1, 1)
    assert dict(row) == row.as_dict() == {"id": 1, "name": "one"}
    assert result.first() == result.one() == result[0] == result[-1]
    assert (result.attempts, result.warnings, result.paging_state) == (1, [], None)
    nothing = session.execute("SELECT * FROM items WHERE id = 99999999")
    assert (len(nothing), nothing.first(), nothing.one(), nothing.all()) == (0, None, None, [])
    with pytest.raises(AttributeError, match="no column price; there are: id, name"):
        _ = row.price
