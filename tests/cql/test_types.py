"""Values of every type, written here and read by another client, and vice versa."""

from __future__ import annotations

import datetime as dt
import ipaddress
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from cql.compat_drivers import PATIENT, REAL
from spikewire import cql

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
util = pytest.importorskip("cassandra.util", exc_type=ImportError)

UTC = dt.timezone.utc
TIME_ID = uuid.UUID("f7d1c2a0-5d1f-11ee-8c99-0242ac120002")
RANDOM_ID = uuid.UUID("12345678-1234-4234-9234-123456789abc")


class Place(NamedTuple):
    """The other client's values of the type."""

    street: str
    zips: Any


#: The type, the value here, and the other client's value if it differs.
SAME: list[tuple[Any, ...]] = [
    ("ascii", "plain"),
    ("text", "é ☃ 𝄞"),
    ("text", ""),
    ("boolean", True),
    ("tinyint", -128),
    ("smallint", 32_767),
    ("int", -(1 << 31)),
    ("bigint", (1 << 63) - 1),
    ("varint", -(1 << 200) - 1),
    ("varint", 0),
    ("varint", 128),
    ("decimal", Decimal("-12345678901234567890.0123456789")),
    ("decimal", Decimal("1E+20")),
    ("float", 1.5),
    ("double", 0.1),
    ("double", float("-inf")),
    ("blob", b"\x00\xff"),
    ("blob", b""),
    ("uuid", RANDOM_ID),
    ("timeuuid", TIME_ID),
    ("inet", ipaddress.ip_address("192.168.1.2"), "192.168.1.2"),
    ("inet", ipaddress.ip_address("2001:db8::1"), "2001:db8::1"),
    (
        "timestamp",
        dt.datetime(2026, 2, 28, 23, 59, 59, 123_000, UTC),
        dt.datetime(2026, 2, 28, 23, 59, 59, 123_000),  # noqa: DTZ001
    ),
    ("timestamp", dt.datetime(1901, 1, 1, tzinfo=UTC), dt.datetime(1901, 1, 1)),  # noqa: DTZ001
    ("date", dt.date(1969, 7, 20), util.Date(dt.date(1969, 7, 20))),
    ("date", cql.Date(10_000_000), util.Date(10_000_000)),
    ("time", dt.time(23, 59, 59, 999_999), util.Time(dt.time(23, 59, 59, 999_999))),
    ("time", cql.Time(1, 2, 3, 4), util.Time(3_723_000_000_004)),
    ("duration", cql.Duration(1, 2, 3_000_000_000), util.Duration(1, 2, 3_000_000_000)),
    ("duration", cql.Duration(-1, -2, -3), util.Duration(-1, -2, -3)),
    ("list<int>", [3, 1, 3]),
    ("set<text>", {"a", "b"}),
    ("map<text, int>", {"a": 1, "b": 2}),
    ("tuple<int, text, uuid>", (1, None, RANDOM_ID)),
    ("vector<float, 3>", [1.0, -2.5, 0.0]),
    ("vector<text, 2>", ["", "long" * 100]),
    ("list<frozen<map<int, frozen<set<text>>>>>", [{1: {"x"}}, {2: {"y", "z"}}]),
    ("map<frozen<tuple<int, int>>, frozen<list<decimal>>>", {(1, 2): [Decimal("1.10")]}),
    ("place", {"street": "Oak", "zips": [1, 2]}, Place("Oak", [1, 2])),
    (
        "list<frozen<place>>",
        [{"street": "Oak", "zips": None}],
        [Place("Oak", None)],
    ),
]


@pytest.fixture(scope="module")
def here(cassandra: SharedCassandra, keyspace: str) -> Iterator[Any]:
    cassandra.execute(f"CREATE TYPE {keyspace}.place (street text, zips frozen<list<int>>)")
    with cql.Session(
        cassandra.addresses[0], keyspace=keyspace, connect_timeout=20, timeout=60
    ) as session:
        columns = ", ".join(f"c{at} {case[0]}" for at, case in enumerate(SAME))
        session.execute(f"CREATE TABLE everything (id int PRIMARY KEY, {columns})")
        session.execute("CREATE TABLE counted (id int PRIMARY KEY, n counter)")
        session.execute(
            "CREATE TABLE empties (id int PRIMARY KEY, a int, b bigint, c uuid, d timestamp,"
            " e boolean, f text, g blob, h inet, i double, j decimal, k varint)"
        )
        session.register_type("place", dict)
        yield session


@pytest.fixture(scope="module")
def there(cassandra: SharedCassandra, here: Any) -> Iterator[Any]:
    host, _, port = cassandra.addresses[0].partition(":")
    cluster = driver.Cluster([host], port=int(port), **PATIENT[REAL])
    session = cluster.connect(here.keyspace)
    cluster.register_user_type(here.keyspace, "place", Place)
    yield session
    cluster.shutdown()


@pytest.mark.parametrize(
    ("at", "kind", "ours", "theirs"),
    [
        pytest.param(at, case[0], case[1], case[-1], id=f"{at}-{case[0]}")
        for at, case in enumerate(SAME)
    ],
)
def test_every_type_round_trips(
    here: Any, there: Any, at: int, kind: str, ours: Any, theirs: Any
) -> None:
    find = f"SELECT c{at} FROM everything WHERE id = "
    here.execute(f"INSERT INTO everything (id, c{at}) VALUES (?, ?)", (2 * at, ours))
    (read,) = there.execute(f"{find}{2 * at}").one()
    assert read == theirs
    insert = there.prepare(f"INSERT INTO everything (id, c{at}) VALUES (?, ?)")
    there.execute(insert, (2 * at + 1, theirs))
    for number in (2 * at, 2 * at + 1):
        (again,) = here.execute(f"{find}{number}").one()
        assert again == ours
        assert type(again) is type(ours)


def test_null_is_none_for_every_type(here: Any, there: Any) -> None:
    names = ", ".join(f"c{at}" for at in range(len(SAME)))
    marks = ", ".join("?" for _ in SAME)
    here.execute(f"INSERT INTO everything (id, {names}) VALUES (-1, {marks})", [None] * len(SAME))
    for session in (here, there):
        row = session.execute(f"SELECT {names} FROM everything WHERE id = -1").one()
        assert list(row) == [None] * len(SAME)


def test_counters_take_negative_and_large_steps(here: Any, there: Any) -> None:
    add = "UPDATE counted SET n = n + ? WHERE id = 1"
    here.execute(add, [-5])
    there.execute(there.prepare(add), [1 << 40])
    for session in (here, there):
        assert session.execute("SELECT n FROM counted WHERE id = 1").one().n == (1 << 40) - 5


def test_empty_values_are_read(here: Any, there: Any) -> None:
    names = "abcdefghijk"
    insert = (
        f"INSERT INTO empties (id, {', '.join(names)}) VALUES (1, {', '.join('?' * len(names))})"
    )
    values = ["" if name == "f" else b"" if name == "g" else cql.EMPTY for name in names]
    here.execute(insert, values)
    row = here.execute(f"SELECT {', '.join(names)} FROM empties WHERE id = 1").one()
    assert list(row) == values
    # The other client reads empty numbers as null.
    row = there.execute("SELECT a, f, g FROM empties WHERE id = 1").one()
    assert list(row) == [None, "", b""]


@pytest.mark.parametrize(
    ("kind", "value", "error"),
    [
        ("int", 1.0, TypeError),
        ("int", True, TypeError),
        ("tinyint", 128, OverflowError),
        ("bigint", 1 << 63, OverflowError),
        ("text", b"x", TypeError),
        ("ascii", "é", ValueError),
        ("blob", "x", TypeError),
        ("float", 1e300, OverflowError),
        ("boolean", 1, TypeError),
        ("uuid", "12345678-1234-4234-9234-123456789abc", TypeError),
        ("timeuuid", RANDOM_ID, ValueError),
        ("timestamp", dt.datetime(2026, 1, 1), ValueError),  # noqa: DTZ001
        ("timestamp", dt.datetime(2026, 1, 1, 0, 0, 0, 1, UTC), ValueError),
        ("list<int>", [1, None], ValueError),
        ("list<int>", "12", TypeError),
        ("map<text, int>", {"a": "b"}, TypeError),
        ("tuple<int, text, uuid>", (1, "a", RANDOM_ID, 4), ValueError),
        ("vector<float, 3>", [1.0, 2.0], ValueError),
    ],
)
def test_values_that_do_not_fit_name_the_column(
    here: Any, kind: str, value: Any, error: type
) -> None:
    at = next(at for at, case in enumerate(SAME) if case[0] == kind)
    insert = here.prepare(f"INSERT INTO everything (id, c{at}) VALUES (?, ?)")
    with pytest.raises(error, match=f"c{at}"):
        here.execute(insert, (0, value))
