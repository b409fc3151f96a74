"""Results as columns: Arrow, NumPy, pandas and polars, from rows of a real Cassandra."""

from __future__ import annotations

import datetime as dt
import decimal
import ipaddress
import uuid
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql

np = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikewire.testing.cassandra import SharedCassandra

UTC = dt.timezone.utc
SOME_UUID = uuid.UUID("7f0c9a52-45c6-4c3e-9b4e-1d2b3c4d5e6f")
SOME_TIME_UUID = uuid.UUID("50554d6e-29bb-11e5-b345-feff819cdc9f")

#: CQL type, Arrow type, a value for Cassandra, the value that pyarrow returns.
SCALARS: list[tuple[str, Any, Any, Any]] = [
    ("tinyint", pa.int8(), -8, -8),
    ("smallint", pa.int16(), -300, -300),
    ("int", pa.int32(), 2**31 - 1, 2**31 - 1),
    ("bigint", pa.int64(), -(2**63), -(2**63)),
    ("boolean", pa.bool_(), True, True),
    ("float", pa.float32(), 1.5, 1.5),
    ("double", pa.float64(), -1e300, -1e300),
    ("text", pa.string(), "Käse \U0001f9c0", "Käse \U0001f9c0"),
    ("ascii", pa.string(), "plain", "plain"),
    ("blob", pa.binary(), b"\x00\xff", b"\x00\xff"),
    (
        "timestamp",
        pa.timestamp("ms", "UTC"),
        dt.datetime(2024, 2, 29, 12, 0, 0, 123000, UTC),
        dt.datetime(2024, 2, 29, 12, 0, 0, 123000, UTC),
    ),
    ("date", pa.date32(), dt.date(1969, 12, 31), dt.date(1969, 12, 31)),
    ("time", pa.time64("ns"), dt.time(23, 59, 59, 5), dt.time(23, 59, 59, 5)),
    ("uuid", pa.uuid(), SOME_UUID, SOME_UUID),
    ("timeuuid", pa.uuid(), SOME_TIME_UUID, SOME_TIME_UUID),
    ("inet", pa.string(), ipaddress.ip_address("2001:db8::1"), "2001:db8::1"),
    ("varint", pa.decimal128(38, 0), -(10**30), decimal.Decimal(-(10**30))),
    ("decimal", pa.decimal128(38, 3), decimal.Decimal("-12.345"), decimal.Decimal("-12.345")),
    (
        "duration",
        pa.month_day_nano_interval(),
        cql.Duration(1, 2, 3),
        pa.MonthDayNano([1, 2, 3]),
    ),
]

#: The same for types composed of others; UDT is created by the fixture.
NESTED: list[tuple[str, Any, Any, Any]] = [
    ("list<int>", pa.list_(pa.int32()), [3, 1, 3], [3, 1, 3]),
    ("set<text>", pa.list_(pa.string()), {"b", "a"}, ["a", "b"]),
    ("map<text, bigint>", pa.map_(pa.string(), pa.int64()), {"b": 2, "a": 1}, [("a", 1), ("b", 2)]),
    ("vector<float, 3>", pa.list_(pa.float32(), 3), [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]),
    ("vector<text, 2>", pa.list_(pa.string(), 2), ["x", ""], ["x", ""]),
    (
        "tuple<int, text>",
        pa.struct([("0", pa.int32()), ("1", pa.string())]),
        (1, None),
        {"0": 1, "1": None},
    ),
    (
        "frozen<place>",
        pa.struct([("city", pa.string()), ("digits", pa.list_(pa.int32()))]),
        {"city": "Ulm", "digits": [8, 9]},
        {"city": "Ulm", "digits": [8, 9]},
    ),
    (
        "list<frozen<map<int, frozen<list<uuid>>>>>",
        pa.list_(pa.map_(pa.int32(), pa.list_(pa.uuid()))),
        [{1: [SOME_UUID]}, {}],
        [[(1, [SOME_UUID])], []],
    ),
]
ALL = SCALARS + NESTED


@pytest.fixture(scope="module")
def session(cassandra: SharedCassandra, keyspace: str) -> Iterator[cql.Session]:
    with cql.Session(cassandra.addresses, keyspace=keyspace) as session:
        session.execute("CREATE TYPE place (city text, digits frozen<list<int>>)")
        columns = ", ".join(f"c{at} {kind}" for at, (kind, *_) in enumerate(ALL))
        session.execute(f"CREATE TABLE every (id int PRIMARY KEY, {columns})")
        names = [f"c{at}" for at in range(len(ALL))]
        marks = ", ".join("?" * (len(ALL) + 1))
        insert = session.prepare(f"INSERT INTO every (id, {', '.join(names)}) VALUES ({marks})")
        session.execute(insert, (1, *(value for _, _, value, _ in ALL)))
        session.execute(insert, (2, *(None for _ in ALL)))
        yield session


def _table(session: cql.Session, statement: str, *values: Any) -> Any:
    return pa.table(session.execute(statement, values or None).to_arrow())


@pytest.mark.parametrize("at", range(len(ALL)), ids=[kind for kind, *_ in ALL])
def test_every_type_and_its_null_convert_to_arrow(session: cql.Session, at: int) -> None:
    _, kind, _, expected = ALL[at]
    table = _table(session, f"SELECT c{at} FROM every WHERE id IN (1, 2)")
    table.validate(full=True)
    assert table.column_names == [f"c{at}"]
    column = table.column(0)
    assert column.type.equals(kind), column.type
    assert column.to_pylist() == [expected, None]


def test_arrow_has_what_rows_have(session: cql.Session) -> None:
    rows = session.execute("SELECT id, c2, c7, c9, c12 FROM every")
    table = pa.table(rows.to_arrow())
    assert table.to_pylist() == [row.as_dict() for row in rows]


def test_a_statement_without_rows_is_an_empty_table(session: cql.Session) -> None:
    table = _table(session, "SELECT id, c7 FROM every WHERE id = 77")
    assert (table.num_rows, table.column_names) == (0, ["id", "c7"])
    nothing = session.execute("INSERT INTO every (id) VALUES (3)")
    assert pa.table(nothing.to_arrow()).num_columns == 0
    assert nothing.to_numpy() == {}
    session.execute("DELETE FROM every WHERE id = 3")


def test_several_pages_are_one_table(session: cql.Session) -> None:
    session.execute("CREATE TABLE many (k int, c int, t text, PRIMARY KEY (k, c))")
    insert = session.prepare("INSERT INTO many (k, c, t) VALUES (1, ?, ?)")
    for at in range(25):
        session.execute(insert, (at, None if at % 7 == 3 else "x" * at))
    rows = session.execute("SELECT c, t FROM many", page_size=4)
    table = pa.table(rows.to_arrow())
    assert table.column("c").to_pylist() == list(range(25))
    assert table.column("t").to_pylist() == [None if at % 7 == 3 else "x" * at for at in range(25)]


def _numbers(session: cql.Session, name: str, kind: str, values: list[Any]) -> Any:
    session.execute(f"CREATE TABLE {name} (k int, c int, v {kind}, PRIMARY KEY (k, c))")
    insert = session.prepare(f"INSERT INTO {name} (k, c, v) VALUES (1, ?, ?)")
    for at, value in enumerate(values):
        session.execute(insert, (at, value))
    return _table(session, f"SELECT v FROM {name}").column(0)


def test_decimals_have_the_largest_scale_and_nothing_is_rounded(session: cql.Session) -> None:
    values = [decimal.Decimal(text) for text in ("1.1", "-0.005", "123456789012345678901234567890")]
    column = _numbers(session, "narrow", "decimal", [*values, None])
    assert column.type == pa.decimal128(38, 3)
    assert column.to_pylist() == [*values, None]


def test_decimals_beyond_38_digits_use_decimal256(session: cql.Session) -> None:
    values = [decimal.Decimal(10) ** 45, decimal.Decimal("-1e-20")]
    column = _numbers(session, "wide", "decimal", values)
    assert column.type == pa.decimal256(76, 20)
    assert column.to_pylist() == values


def test_decimals_that_arrow_cannot_hold_are_text(session: cql.Session) -> None:
    values = [decimal.Decimal("1e-400"), decimal.Decimal(7), None, decimal.Decimal("-2.50")]
    column = _numbers(session, "far", "decimal", values)
    assert column.type == pa.string()
    assert [text and decimal.Decimal(text) for text in column.to_pylist()] == values


def test_varints_use_the_narrowest_decimal(session: cql.Session) -> None:
    assert _numbers(session, "v1", "varint", [10**38 - 1, -1]).type == pa.decimal128(38, 0)
    wide = _numbers(session, "v2", "varint", [10**38, -1, None])
    assert wide.type == pa.decimal256(76, 0)
    assert wide.to_pylist() == [10**38, -1, None]
    far = _numbers(session, "v3", "varint", [-(2**300), 5])
    assert far.to_pylist() == [str(-(2**300)), "5"]


def test_the_empty_value_is_null(session: cql.Session) -> None:
    assert _numbers(session, "empty", "int", [cql.EMPTY, 4]).to_pylist() == [None, 4]


def test_numpy_has_a_masked_array_for_each_column(session: cql.Session) -> None:
    rows = session.execute("SELECT * FROM every")
    arrays = rows.to_numpy()
    assert list(arrays) == list(rows.columns)
    for at, (kind, *_) in enumerate(ALL):
        column = arrays[f"c{at}"]
        assert isinstance(column, np.ma.MaskedArray), kind
        first = list(arrays["id"]).index(1)
        assert not np.any(column.mask[first]), kind
        assert np.all(column.mask[1 - first]), kind
        if column.dtype == object:
            assert column[first] == rows[first][f"c{at}"], kind
    types = {kind: arrays[f"c{at}"].dtype.str[1:] for at, (kind, *_) in enumerate(ALL)}
    assert types["bigint"] == "i8"
    assert types["float"] == "f4"
    assert types["boolean"] == "b1"
    assert types["timestamp"] == "M8[ms]"
    assert types["date"] == "M8[D]"
    assert types["time"] == "m8[ns]"
    assert arrays["c10"][first] == np.datetime64("2024-02-29T12:00:00.123")
    vectors = arrays[f"c{[kind for kind, *_ in ALL].index('vector<float, 3>')}"]
    assert vectors.shape == (2, 3)
    assert vectors[first].tolist() == [1.0, 2.0, 3.0]


def test_missing_raise_rejects_nulls(session: cql.Session) -> None:
    with pytest.raises(ValueError, match=r'row \d, column "c2"'):
        session.execute("SELECT c2 FROM every").to_numpy(missing="raise")
    plain = session.execute("SELECT c2 FROM every WHERE id = 1").to_numpy(missing="raise")
    assert type(plain["c2"]) is np.ndarray
    assert plain["c2"].tolist() == [2**31 - 1]


def test_a_dtype_gives_a_structured_array(session: cql.Session) -> None:
    dtype = [
        ("c7", "U8"),
        ("id", ">i8"),
        ("c10", "M8[ms]"),
        ("c13", "V16"),
        ("c22", "f4", 3),
        ("c15", "U40"),
    ]
    rows = session.execute("SELECT * FROM every")
    array = rows.to_numpy(dtype)
    assert array.dtype == np.dtype(dtype)
    first = array["id"].tolist().index(1)
    row = array[first]
    assert row["c7"] == "Käse \U0001f9c0"
    assert row["c10"] == np.datetime64("2024-02-29T12:00:00.123")
    assert row["c13"].tobytes() == SOME_UUID.bytes
    assert row["c22"].tolist() == [1.0, 2.0, 3.0]
    assert row["c15"] == "2001:db8::1"
    missing = array[1 - first]
    assert np.all(missing.mask["c7"])
    assert np.all(missing.mask["c22"])
    assert not missing.mask["id"]


@pytest.mark.parametrize(
    ("dtype", "error", "words"),
    [
        ([("nope", "i4")], ValueError, 'no column "nope"'),
        ([("c10", "M8[us]")], TypeError, r"timestamp goes into datetime64\[ms\]"),
        ([("c2", "i2")], OverflowError, 'column "c2"'),
        ([("c7", "i4")], TypeError, "text does not go into int32"),
        ([("c22", "f4", 2)], ValueError, "a list of 3"),
        ([("c2", "i4", 2)], TypeError, "does not go into"),
        ([("c17", "f8")], TypeError, "decimal does not go into"),
    ],
)
def test_invalid_dtypes_raise(
    session: cql.Session, dtype: Any, error: type[Exception], words: str
) -> None:
    rows = session.execute("SELECT * FROM every WHERE id = 1")
    with pytest.raises(error, match=words):
        rows.to_numpy(dtype)


def test_to_pandas_has_nullable_types(session: cql.Session) -> None:
    rows = session.execute("SELECT * FROM every")
    frame = rows.to_pandas()
    assert list(frame.columns) == list(rows.columns)
    first = frame["id"].tolist().index(1)
    assert frame["c3"].dtype == "Int64"
    assert frame["c4"].dtype == "boolean"
    assert frame["c10"].dtype == pd.DatetimeTZDtype("ms", "UTC")
    assert frame["c10"][first] == SCALARS[10][2]
    assert pd.isna(frame["c10"][1 - first])
    assert frame["c7"][first] == "Käse \U0001f9c0"
    assert frame["c13"][first] == SOME_UUID
    for at in range(len(ALL)):
        assert np.all(pd.isna(frame[f"c{at}"][1 - first])), ALL[at][0]


def test_duplicate_column_names_are_kept_or_rejected(session: cql.Session) -> None:
    """Neither is lost without a word."""
    rows = session.execute('SELECT id, id AS "c0", id FROM every')
    assert [field.name for field in pa.table(rows.to_arrow()).schema] == ["id", "c0", "id"]
    frame = rows.to_pandas()
    assert list(frame.columns) == ["id", "c0", "id"]
    assert frame.to_numpy().tolist() == [[row[0]] * 3 for row in rows]
    for make in (rows.to_numpy, lambda: rows.to_numpy([("id", "i4")])):
        with pytest.raises(ValueError, match=r"2 columns are named .id."):
            make()
    assert list(rows.to_numpy([("c0", "i4")])["c0"]) == [row[0] for row in rows]


def test_to_polars_keeps_types(session: cql.Session) -> None:
    frame = session.execute("SELECT id, c2, c7, c10, c17 FROM every").to_polars()
    assert frame.schema["c10"] == pl.Datetime("ms", "UTC")
    row = frame.filter(pl.col("id") == 1).row(0, named=True)
    assert row["c17"] == decimal.Decimal("-12.345")
    assert row["c7"] == "Käse \U0001f9c0"


def test_batches_of_a_query_are_tables(session: cql.Session) -> None:
    tables = [
        pa.table(page) for page in session.query("SELECT id FROM every", page_size=1).batches()
    ]
    assert sorted(at for table in tables for at in table.column("id").to_pylist()) == [1, 2]
    assert len(tables) >= 2


def test_every_type_goes_back_as_a_table(session: cql.Session) -> None:
    names = ["id", *(f"c{at}" for at in range(len(ALL)))]
    rows = session.execute(f"SELECT {', '.join(names)} FROM every WHERE id IN (1, 2)")
    table = pa.table(rows.to_arrow())
    table = table.set_column(0, "id", pa.array([11, 12], pa.int8()))
    marks = ", ".join("?" * len(names))
    insert = session.prepare(f"INSERT INTO every ({', '.join(names)}) VALUES ({marks})")
    session.execute_many(insert, table)
    back = session.execute(f"SELECT {', '.join(names[1:])} FROM every WHERE id IN (11, 12)")
    assert [tuple(row) for row in back] == [tuple(row)[1:] for row in rows]
    session.execute("DELETE FROM every WHERE id IN (11, 12)")


@pytest.fixture(scope="module")
def insert(session: cql.Session) -> cql.Prepared:
    session.execute(
        "CREATE TABLE given (id int PRIMARY KEY, t text, v double, at timestamp, d date, ti time, "
        "u uuid, e vector<float, 2>)"
    )
    return session.prepare("INSERT INTO given (id, t, v, at) VALUES (?, ?, ?, ?)")


def _given(session: cql.Session) -> list[tuple[Any, ...]]:
    rows = sorted(tuple(row) for row in session.execute("SELECT id, t, v, at FROM given"))
    session.execute("TRUNCATE given")
    return rows


NOON = dt.datetime(2024, 1, 1, 12, tzinfo=UTC)
WANTED = [(1, "a", 0.5, NOON), (2, None, None, None)]


def test_units_of_times_are_looked_at(session: cql.Session, insert: cql.Prepared) -> None:
    for unit in ("s", "ms", "us", "ns"):
        times = pa.array([NOON, None], pa.timestamp(unit, "UTC"))
        dictionary = pa.array(["a", None]).dictionary_encode()
        table = pa.table({"at": times, "v": [0.5, None], "t": dictionary, "id": [1, 2]})
        session.execute_many(insert, table)
        assert _given(session) == WANTED
    fine = pa.array([NOON + dt.timedelta(microseconds=1)], pa.timestamp("us", "UTC"))
    table = pa.table({"id": [7], "t": ["x"], "v": [1.0], "at": fine})
    with pytest.raises(ValueError, match=r"row 0 of the table.*at.*finer"):
        session.execute_many(insert, table)


def test_a_pandas_frame_binds_as_parameters(session: cql.Session, insert: cql.Prepared) -> None:
    frame = pd.DataFrame(
        {
            "id": [1, 2],
            "t": pd.array(["a", None], dtype="string"),
            "v": pd.array([0.5, None], dtype="Float64"),
            "at": pd.DatetimeIndex([NOON, pd.NaT]),
        }
    )
    session.execute_many(insert, frame)
    assert _given(session) == WANTED


def test_numpy_arrays_bind_as_parameters(session: cql.Session, insert: cql.Prepared) -> None:
    hidden = [False, True]
    arrays = {
        "id": np.array([1, 2], ">i2"),
        "t": np.ma.MaskedArray(["a", "b"], hidden),
        "v": np.ma.MaskedArray([0.5, 0.0], hidden),
        "at": np.array(["2024-01-01T12", "NaT"], "M8[s]"),
    }
    session.execute_many(insert, arrays)
    assert _given(session) == WANTED
    structured = np.array([(1, "a", 0.5, "2024-01-01T12")], "i4, U3, f8, M8[ms]")
    structured.dtype.names = ("id", "t", "v", "at")
    session.execute_many(insert, structured)
    assert _given(session) == WANTED[:1]


def test_all_fields_of_a_structured_array_go_both_ways(session: cql.Session) -> None:
    dtype = [("id", "i4"), ("d", "M8[D]"), ("ti", "m8[ns]"), ("u", "V16"), ("e", "f4", 2)]
    day, time = np.datetime64("2024-02-29"), np.timedelta64(5, "ns")
    value = np.array([(1, day, time, SOME_UUID.bytes, (1.5, -2.0))], dtype)
    statement = "INSERT INTO given (id, d, ti, u, e) VALUES (?, ?, ?, ?, ?)"
    session.execute_many(statement, value)
    rows = session.execute("SELECT id, d, ti, u, e FROM given")
    assert rows[0].u == SOME_UUID
    assert rows.to_numpy(dtype, missing="raise").tobytes() == value.tobytes()
    session.execute("TRUNCATE given")


@pytest.mark.parametrize(
    ("table", "error", "words"),
    [
        ({"id": [1], "t": ["a"], "v": [1.0]}, ValueError, 'no column for parameter "at"'),
        ({"id": [1], "t": ["a"], "v": [1.0], "at": [1], "x": [1]}, ValueError, 'no parameter "x"'),
        ({"id": ["1"], "t": ["a"], "v": [1.0], "at": [1]}, TypeError, "row 0.*id"),
        ({"id": [2**31], "t": ["a"], "v": [1.0], "at": [1]}, OverflowError, "row 0.*id"),
    ],
)
def test_tables_that_do_not_fit_the_statement(
    session: cql.Session, insert: cql.Prepared, table: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        session.execute_many(insert, pa.table(table))
    assert _given(session) == []
