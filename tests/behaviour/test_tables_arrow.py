"""put_many of objects with the Arrow PyCapsule interface, and keys from Arrow columns."""

# ruff: noqa: E501 - one case a line is easier to read

from __future__ import annotations

import ctypes
import datetime as dt
import threading
from typing import TYPE_CHECKING, Any

import pytest

import spikewire

pa = pytest.importorskip("pyarrow")
hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Caller

settings = hypothesis.settings(max_examples=40)


def bins_of(data: Caller, keys: list[Any]) -> list[dict[str, Any] | None]:
    return [record and record.bins for record in data.get_many(keys)]


MOMENT = dt.datetime(2026, 1, 1, 0, 0, 1)  # noqa: DTZ001 - columns without a time zone
DAY = dt.date(2026, 1, 2)

#: A type, values of it, and the stored values.
TYPES: list[tuple[Any, list[Any], list[Any]]] = [
    *((getattr(pa, kind)(), [0, 100], [0, 100]) for kind in ("int8", "int16", "int32", "uint8", "uint16", "uint32")),
    (pa.int64(), [-(1 << 63), (1 << 63) - 1], [-(1 << 63), (1 << 63) - 1]),
    (pa.uint64(), [0, (1 << 63) - 1], [0, (1 << 63) - 1]),
    (pa.float16(), [0.5, -2.0], [0.5, -2.0]),
    (pa.float32(), [0.5, -2.0], [0.5, -2.0]),
    (pa.float64(), [0.1, float("inf")], [0.1, float("inf")]),
    (pa.bool_(), [True, False], [True, False]),
    *((kind, ["é", ""], ["é", ""]) for kind in (pa.string(), pa.large_string(), pa.string_view())),
    (pa.string_view(), ["a long one, not inlined", "s"], ["a long one, not inlined", "s"]),
    *((kind, [b"\0a", b""], [b"\0a", b""]) for kind in (pa.binary(), pa.large_binary(), pa.binary_view())),
    (pa.binary(2), [b"ab", b"\0\0"], [b"ab", b"\0\0"]),
    (pa.dictionary(pa.int8(), pa.string()), ["x", "x"], ["x", "x"]),
    (pa.date32(), [DAY, DAY], [20455, 20455]),
    (pa.date64(), [DAY, DAY], [20455 * 86_400_000] * 2),
    (pa.time32("s"), [dt.time(0, 1), dt.time(1)], [60, 3600]),
    (pa.time64("us"), [dt.time(0, 1), dt.time(1)], [60_000_000, 3_600_000_000]),
    *((pa.timestamp(unit), [MOMENT] * 2, [1767225601 * scale] * 2) for unit, scale in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9))),
    (pa.timestamp("ms", "UTC"), [MOMENT] * 2, [1767225601000] * 2),
    (pa.duration("ms"), [dt.timedelta(seconds=1)] * 2, [1000, 1000]),
    (pa.list_(pa.int8()), [[1, None], []], [[1, None], []]),
    (pa.large_list(pa.string()), [["a"], ["b", "c"]], [["a"], ["b", "c"]]),
    (pa.list_(pa.float32(), 2), [[1.0, 2.0], [3.0, None]], [[1.0, 2.0], [3.0, None]]),
    (pa.map_(pa.string(), pa.int8()), [[("a", 1), ("b", None)], []], [{"a": 1, "b": None}, {}]),
    (pa.map_(pa.int64(), pa.list_(pa.bool_())), [[(1, [True])], []], [{1: [True]}, {}]),
    (pa.struct([("x", pa.int8()), ("y", pa.string())]), [{"x": 1, "y": None}, {"x": None, "y": "s"}], [{"x": 1, "y": None}, {"x": None, "y": "s"}]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "values", "bins"), TYPES, ids=[str(case[0])[:40] for case in TYPES]
)
def test_columns_of_each_type_are_written(
    data: Caller, kind: Any, values: list[Any], bins: list[Any]
) -> None:
    column = pa.array([None, values[0], None, *values], kind)
    table = pa.table({"id": range(5), "v": column, "one": [1] * 5})
    data.put_many(table, key="id").raise_for_errors()
    expected = [None, bins[0], None, *bins]
    got = bins_of(data, list(range(5)))
    assert got == [{"one": 1} if v is None else {"v": v, "one": 1} for v in expected]
    assert type(got[1]["v"]) is type(bins[0])  # type: ignore[index]
    # A slice starts in the middle of its buffers.
    data.put_many(table.slice(3), key="id", bins={"v": "w"}).raise_for_errors()
    assert [bins["w"] for bins in bins_of(data, [3, 4])] == expected[3:]  # type: ignore[index]


rows = st.lists(
    st.fixed_dictionaries(
        {
            "n": st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
            "s": st.none() | st.text(max_size=20),
            "b": st.none() | st.binary(max_size=20),
            "l": st.none()
            | st.lists(st.none() | st.lists(st.text(max_size=3), max_size=3), max_size=4),
            "one": st.just(True),
        }
    ),
    max_size=12,
)
SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("n", pa.int64()),
        ("s", pa.string_view()),
        ("b", pa.large_binary()),
        ("l", pa.list_(pa.list_(pa.string()))),
        ("one", pa.bool_()),
    ]
)


@settings
@hypothesis.given(rows, st.integers(1, 5))
def test_tables_round_trip(data: Caller, rows: list[dict[str, Any]], size: int) -> None:
    named = [{"id": f"k{at}", **row} for at, row in enumerate(rows)]
    batches = pa.Table.from_pylist(named, SCHEMA).to_batches(max_chunksize=size)
    reader = pa.RecordBatchReader.from_batches(SCHEMA, batches)
    assert data.put_many(reader, key="id", exists="replace").found == len(rows)
    values = [{name: value for name, value in row.items() if value is not None} for row in rows]
    assert bins_of(data, [row["id"] for row in named]) == values


def test_nulls_remove_their_bins(data: Caller) -> None:
    data.put(1, {"a": 1, "b": 2})
    data.put_many(pa.table({"id": [1], "a": pa.array([None], pa.int8())}), key="id", nulls="remove")
    assert data.get(1).bins == {"b": 2}


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.int16(), [1, 2, 1]),
        (pa.uint64(), [1, 2, 1]),
        (pa.string_view(), ["a", "b", "a"]),
        (pa.large_binary(), [b"a", b"b", b"a"]),
        (pa.dictionary(pa.int32(), pa.string()), ["a", "b", "a"]),
    ],
    ids=str,
)
def test_columns_of_keys_are_accepted(data: Caller, kind: Any, value: list[Any]) -> None:
    column = pa.array(value, kind)
    written = data.put_many(pa.table({"id": column, "n": [1, 2, 3]}), key="id", send_key=True)
    assert [key.key for key in written.keys] == value
    for keys in (column, pa.chunked_array([column[:1], column[1:]])):
        batch = data.get_many(keys)
        assert [(record.key.key, record["n"]) for record in batch] == list(
            zip(value, [3, 2, 3], strict=True)
        )


def test_tables_batches_and_streams_are_accepted(data: Caller) -> None:
    table = pa.table({"id": [1, 2], "n": [10, None]})
    full = pa.table({"id": [1, 2], "n": [10, 20]})
    batch = full.to_batches()[0]
    twice = pa.RecordBatchReader.from_batches(batch.schema, [batch, batch])
    for records, rows in ((full, 2), (batch, 2), (batch.to_struct_array(), 2), (twice, 4)):
        assert data.put_many(records, key="id").found == rows
        assert bins_of(data, [1, 2]) == [{"n": 10}, {"n": 20}]
        data.delete_many([1, 2])
    with pytest.raises(ValueError, match="row 1: every bin is null"):
        data.put_many(table, key="id")
    assert len(data.put_many(full.slice(0, 0), key="id")) == 0


def test_polars_frames_are_written(data: Caller) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"id": ["a", "b"], "n": [1, None], "l": [[1.5], []], "c": ["x", "y"]})
    frame = frame.with_columns(pl.col("c").cast(pl.Categorical), s=pl.struct("n", "c"))
    assert data.put_many(frame, key="id").found == 2
    assert bins_of(data, ["a", "b"]) == [
        {"n": 1, "l": [1.5], "c": "x", "s": {"n": 1, "c": "x"}},
        {"l": [], "c": "y", "s": {"n": None, "c": "y"}},
    ]
    assert data.get_many(frame["id"]).found == 2


def test_duckdb_relations_are_written(data: Caller) -> None:
    duckdb = pytest.importorskip("duckdb")
    query = duckdb.sql("select range as id, range % 7 as n, 'x' || range as s from range(20000)")
    assert data.put_many(query, key="id", timeout=60).found == 20_000
    assert data.get(19_999).bins == {"n": 19_999 % 7, "s": "x19999"}


class TestPandas:
    @pytest.fixture
    def pd(self) -> Any:
        return pytest.importorskip("pandas")

    def test_an_index_that_counts_rows_is_no_key(self, data: Caller, pd: Any) -> None:
        data.put(0, {"n": 7})
        frame = pd.DataFrame({"id": [5, 6], "n": [1, 2]})
        with pytest.raises(TypeError, match=r"key= must name the column of keys.*: id, n"):
            data.put_many(frame)
        assert data.get(0)["n"] == 7
        assert data.put_many(frame, key="id").found == 2
        frame.index.name = "row"
        assert data.put_many(frame).found == 2

    def test_the_index_of_a_frame_is_the_key(self, data: Caller, pd: Any) -> None:
        frame = pd.DataFrame({"n": [1.0, None], "s": ["x", "y"]}, index=[10, 20])
        data.put_many(frame).raise_for_errors()
        assert bins_of(data, [10, 20]) == [{"n": 1.0, "s": "x"}, {"s": "y"}]
        named = frame.rename_axis("id")
        data.put_many(named, key="id", bins={"s": "t"}).raise_for_errors()
        assert data.get(20).bins == {"s": "y", "t": "y"}

    def test_a_column_of_a_frame_is_the_key(self, data: Caller, pd: Any) -> None:
        frame = pd.DataFrame({"id": ["a", "b"], "n": [1, 2]}, index=[7, 8])
        data.put_many(frame, key="id").raise_for_errors()
        assert bins_of(data, ["a", "b"]) == [{"n": 1}, {"n": 2}]
        assert data.get_many(frame["id"]).found == 2

    def test_an_index_of_several_levels_needs_a_key_column(self, data: Caller, pd: Any) -> None:
        levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["id", "no"])
        frame = pd.DataFrame({"n": [1, 2]}, index=levels)
        with pytest.raises(ValueError, match=r"several levels.*key="):
            data.put_many(frame)
        data.put_many(frame, key="id").raise_for_errors()
        assert bins_of(data, ["a", "b"]) == [{"n": 1}, {"n": 2}]

    def test_mixed_columns_are_named(self, data: Caller, pd: Any) -> None:
        frame = pd.DataFrame({"id": [1, 2], "n": [1, "x"]})
        with pytest.raises(Exception, match="column n"):
            data.put_many(frame, key="id")

    def test_frames_are_no_keys(self, data: Caller, pd: Any) -> None:
        with pytest.raises(TypeError, match="keys must be a single column"):
            data.get_many(pd.DataFrame({"id": [1]}))


class CountingStream:
    """A stream of batches that counts how many were requested."""

    def __init__(self, batches: int, rows: int, fail_at: int | None = None) -> None:
        self.schema = pa.schema([("id", pa.int64()), ("n", pa.int64())])
        self.batches, self.rows, self.fail_at = batches, rows, fail_at
        self.requested = 0
        self.probe = lambda: None

    def __iter__(self) -> Iterator[Any]:
        for at in range(self.batches):
            self.probe()
            if at == self.fail_at:
                raise RuntimeError("no more of this")
            self.requested += 1
            ids = pa.array(range(at * self.rows, (at + 1) * self.rows))
            yield pa.record_batch([ids, ids], schema=self.schema)

    def reader(self) -> Any:
        return pa.RecordBatchReader.from_batches(self.schema, iter(self))


def test_streams_are_read_as_they_are_sent(cluster: Any, data: Caller, set_name: str) -> None:
    source = CountingStream(batches=40, rows=2_000)
    ahead = []
    with spikewire.Client(cluster.seeds, timeout=30, connect_timeout=20) as other:
        sent = other.dataset("test", set_name)

        def probe() -> None:
            # Rows that were requested and are not in the cluster yet.
            last = range(0, source.requested * source.rows, source.rows)
            ahead.append(sum(record is None for record in sent.get_many(last)))

        source.probe = probe
        written = data.put_many(source.reader(), key="id", timeout=60)
    assert (len(written), written.found) == (80_000, 80_000)
    assert written[79_999].key.key == 79_999
    # Never more than about a window.
    assert max(ahead) <= 10, ahead
    assert len(ahead) == 40


def test_a_failing_stream_reports_rows_sent(data: Caller) -> None:
    with pytest.raises(ValueError, match="no more of this") as caught:
        data.put_many(CountingStream(batches=5, rows=100, fail_at=3).reader(), key="id")
    assert "rows were sent" not in str(caught.value)
    with pytest.raises(ValueError, match=r"after 16384 rows were sent.*no more of this"):
        data.put_many(
            CountingStream(batches=20, rows=2_000, fail_at=15).reader(), key="id", timeout=60
        )
    # What was sent is stored, the rest is not, and the client still works.
    assert data.exists_many([0, 16_383, 16_384, 30_000]).found == 2


def test_rows_that_cannot_be_sent_are_named_by_their_place_in_the_table(data: Caller) -> None:
    values = pa.array([1] * 20_000 + [None] + [1] * 10)
    table = pa.table({"id": range(len(values)), "n": values})
    with pytest.raises(
        ValueError, match="after 16384 rows were sent: row 20000: every bin is null"
    ):
        data.put_many(table, key="id", timeout=60)


def test_failed_rows_of_several_windows_are_reported(data: Caller) -> None:
    data.put_many([(5, {"n": 0}), (17_000, {"n": 0})])
    table = pa.table({"id": range(20_000), "n": [1] * 20_000})
    written = data.put_many(table, key="id", exists="create", timeout=60)
    assert sorted(written.errors) == [5, 17_000]
    assert written.errors[17_000].key.key == 17_000
    assert isinstance(written.errors[17_000], spikewire.RecordExists)
    assert written[16_999].generation == written[17_001].generation == 1


def test_threads_share_a_table(cluster: Any, set_name: str) -> None:
    table = pa.table({"id": range(3_000), "n": range(3_000)})
    with spikewire.Client(cluster.seeds, timeout=60, connect_timeout=20) as client:
        users = client.dataset("test", set_name)
        counts: list[int] = []
        threads = [
            threading.Thread(target=lambda: counts.append(users.put_many(table, key="id").found))
            for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert counts == [3_000] * 6
        assert users.get(2_999).generation == 6


def column(values: Any, kind: Any = None) -> Any:
    return pa.table({"id": [1], "v": pa.array(values, kind)})


UNION = pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])

INVALID: list[tuple[str, Any, type[Exception], str]] = [
    ("decimal", column([1], pa.decimal128(10, 2)), TypeError, r'column "v": cannot store type Decimal128\(10, 2\).*float64'),
    ("decimal in a list", column([[1]], pa.list_(pa.decimal128(10, 2))), TypeError, 'column "v".*Decimal128'),
    ("interval", column([(1, 2, 3)], pa.month_day_nano_interval()), TypeError, 'column "v".*Interval'),
    ("union", pa.table({"id": [1], "v": UNION}), TypeError, 'column "v".*Union'),
    ("float map key", column([[(1.5, 1)]], pa.map_(pa.float32(), pa.int8())), TypeError, 'column "v": a map key.*Float32'),
    ("large int", column([1 << 63], pa.uint64()), OverflowError, 'row 0, column "v": the integer 9223372036854775808'),
    ("large int in a struct", column([{"a": [1 << 63]}], pa.struct([("a", pa.list_(pa.uint64()))])), OverflowError, r'row 0, column "v": \["a"\]: \[0\]'),
    ("float key", pa.table({"id": [1.5], "v": [1]}), TypeError, 'row 0, column "id".*integer, text or bytes'),
    ("null key", pa.table({"id": pa.array([None], pa.int8()), "v": [1]}), ValueError, 'row 0, column "id".*null'),
    ("a column twice", pa.table([[1], [2], [3]], names=["id", "v", "v"]), ValueError, 'two columns "v"'),
    ("no table", pa.array([1]), TypeError, "records must be an Arrow table.*Int64"),
    ("a null row", pa.array([{"id": 1, "v": 1}, None]), ValueError, "row 1 of an Arrow array of structs is null"),
]  # fmt: skip


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("records", "error", "message"),
    [case[1:] for case in INVALID],
    ids=[case[0] for case in INVALID],
)
def test_invalid_tables_raise(
    data: Caller, records: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        data.put_many(records, key="id")
    assert not isinstance(caught.value, spikewire.Error)
    assert data.exists_many([0, 1, 2]).found == 0


def test_types_that_are_not_chosen_do_not_matter(data: Caller) -> None:
    table = pa.table({"id": [1], "n": [1], "d": pa.array([1], pa.decimal128(10, 2))})
    data.put_many(table, key="id", bins=["n"]).raise_for_errors()
    assert data.get(1).bins == {"n": 1}


def test_columns_that_are_no_keys_raise(data: Caller) -> None:
    with pytest.raises(TypeError, match="row 0: a key must be an integer, text or bytes"):
        data.get_many(pa.array([1.5]))
    with pytest.raises(ValueError, match="row 1: a key must not be null"):
        data.get_many(pa.array([1, None]))
    with pytest.raises(TypeError, match="keys must be a single column"):
        data.get_many(pa.table({"id": [1]}))


def test_invalid_exporters_raise(data: Caller) -> None:
    class WrongCapsule:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return b"no capsule"

    class OneCapsule:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return (1,)

    with pytest.raises(TypeError, match="capsule"):
        data.put_many(WrongCapsule(), key="id")
    with pytest.raises(TypeError, match="two capsules"):
        data.put_many(OneCapsule(), key="id")
    used = pa.RecordBatchReader.from_batches(pa.schema([("id", pa.int8())]), [])
    used.__arrow_c_stream__()
    with pytest.raises(Exception, match=r"."):
        data.put_many(used, key="id")


def consumed(name: bytes, size: int) -> object:
    """A capsule whose structure was moved out: its ``release`` is null."""
    create = ctypes.pythonapi.PyCapsule_New
    create.restype = ctypes.py_object
    create.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    memory = ctypes.create_string_buffer(size)
    MEMORY.append((memory, name))
    return create(ctypes.addressof(memory), name, None)


#: What capsules point at, which has to outlive them.
MEMORY: list[object] = []


def test_consumed_capsules_raise(data: Caller) -> None:
    class Array:
        def __arrow_c_array__(self, requested_schema: object = None) -> object:
            return consumed(b"arrow_schema", 72), consumed(b"arrow_array", 80)

    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return consumed(b"arrow_array_stream", 40)

    for table in (Array(), Stream()):
        with pytest.raises(ValueError, match="taken out of its capsule already"):
            data.put_many(table, key="id")
