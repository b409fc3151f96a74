"""Batches as Arrow tables: types, schemas, nulls, refusals, and consumers of tables."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import strategies as st

import spikewire
from spikewire import GeoJSON, HyperLogLog, op

pa = pytest.importorskip("pyarrow")

if TYPE_CHECKING:
    from apis import Caller, Opened

MOST = 2**63 - 1


def table(actual: Any, *arguments: Any, **options: Any) -> Any:
    """The table in pyarrow, checked to the last offset."""
    result = pa.table(actual.to_arrow(*arguments, **options))
    result.validate(full=True)
    return result


class TestTypesOfValues:
    @pytest.mark.parametrize(
        ("values", "kind", "expected"),
        [
            ([1, -(2**63), MOST], pa.int64(), None),
            ([0.5, float("inf"), -0.0], pa.float64(), None),
            ([True, False], pa.bool_(), None),
            (["a", "", "é€\U0001f600"], pa.string(), None),
            ([b"a", b"", b"\0\xff"], pa.binary(), None),
            (["a", GeoJSON('{"type":"Point","coordinates":[1,2]}')], pa.string(), ...),
            ([[1, None, 2], [], [3]], pa.list_(pa.int64()), None),
            ([[[1], []], [[], [2]]], pa.list_(pa.list_(pa.int64())), None),
            ([["a"], ["b", None]], pa.list_(pa.string()), None),
            ([[], [None]], pa.list_(pa.null()), None),
            ([{"a": 1}, {}, {"b": None}], pa.map_(pa.string(), pa.int64()), ...),
            ([{1: [b"x"]}, {2: []}], pa.map_(pa.int64(), pa.list_(pa.binary())), ...),
            ([{}, {}], pa.map_(pa.string(), pa.null()), ...),
            (
                [[{"a": {1: 0.5}}]],
                pa.list_(pa.map_(pa.string(), pa.map_(pa.int64(), pa.float64()))),
                ...,
            ),
        ],
    )
    def test_column_types_are_inferred_from_values(
        self, data: Caller, values: list[Any], kind: Any, expected: Any
    ) -> None:
        data.put_many({i: {"v": value} for i, value in enumerate(values)})
        result = table(data.get_many(range(len(values))))
        assert result.schema.field("v").type == kind
        if expected is None:
            assert result["v"].to_pylist() == values

    def test_maps_geojson_and_sketches_have_column_types(self, data: Caller) -> None:
        point = '{"type":"Point","coordinates":[1.5,2.5]}'
        sketch = bytes([0, 4, 0]) + bytes(8) + bytes(12)
        data.put(1, {"m": {"b": 2, "a": 1}, "g": GeoJSON(point), "h": HyperLogLog(sketch)})
        result = table(data.get_many([1]))
        assert result["m"].to_pylist() == [[("a", 1), ("b", 2)]]
        assert result["g"].to_pylist() == [point]
        assert result["h"].to_pylist() == [sketch]

    def test_missing_records_and_bins_are_null(self, data: Caller) -> None:
        data.put_many({1: {"a": 1}, 2: {"b": "x"}, 3: {"a": 3, "b": "y"}})
        result = table(data.get_many([3, 1, "none", 3, 2]))
        assert result.to_pydict() == {"a": [3, 1, None, 3, None], "b": ["y", None, None, "y", "x"]}
        assert table(data.get_many([])).num_rows == 0
        assert table(data.get_many([77, 78])).num_rows == 2
        assert table(data.exists_many([1, 2])).num_columns == 0

    def test_keys_generations_and_times_to_live_are_columns(self, data: Caller) -> None:
        data.put("x", {"n": 1}, ttl=1000)
        data.put("x", {"n": 1}, ttl="unchanged")
        data.put("y", {"n": 2})
        result = table(data.get_many(["y", "x", "z"]), key="id", generation="gen", ttl="left")
        assert result.column_names == ["id", "gen", "left", "n"]
        assert result.schema.types == [pa.string(), pa.uint16(), pa.uint32(), pa.int64()]
        assert result["id"].to_pylist() == ["y", "x", "z"]
        assert result["gen"].to_pylist() == [1, 2, None]
        assert result["left"].is_valid().to_pylist() == [False, True, False]
        assert 900 < result["left"][1].as_py() <= 1000

    def test_repeated_results_of_a_bin_fill_one_column(self, data: Caller) -> None:
        data.put_many({1: {"n": 1, "l": [5], "s": "a"}, 2: {"n": 2, "l": [6, 7], "s": "b"}})
        twice = [op.get("l"), op.get("n"), op.get("s"), op.get("l"), op.get("n"), op.get("zz")]
        result = table(data.operate_many([1, 2], twice))
        assert result.to_pydict() == {
            "l": [[5], [6, 7]],
            "n": [1, 2],
            "s": ["a", "b"],
            "zz": [None] * 2,
        }
        schema = pa.schema(
            [
                ("l", pa.list_(pa.int8(), 1)),
                ("s", pa.binary()),
                ("n", pa.struct([("a", pa.int8())])),
            ]
        )
        data.put(1, {"n": {"a": 3}})
        result = table(data.operate_many([1, 9], twice), schema)
        assert result.to_pylist() == [
            {"l": [5], "s": b"a", "n": {"a": 3}},
            {"l": None, "s": None, "n": None},
        ]
        added = data.operate_many([2], [op.add("n", 1), op.get("n"), op.get("s"), op.get("n")])
        assert table(added).to_pydict() == {"n": [3], "s": ["b"]}

    def test_mixed_types_raise(self, data: Caller) -> None:
        data.put_many(
            {1: {"v": 1}, 2: {"v": "x"}, 3: {"v": [1, "x"]}, 4: {"v": {"a": 1, "b": b""}}}
        )
        text = r"row 1 \(key 2\), \"v\": text where row 0 has an integer: .*schema"
        with pytest.raises(TypeError, match=text):
            data.get_many([1, 2]).to_arrow()
        with pytest.raises(TypeError, match=r"row 0 \(key 3\), \"v\": \[1\]: text where row 0 has"):
            data.get_many([3]).to_arrow()
        with pytest.raises(
            TypeError, match=r"\"v\": value 1: a byte string where row 0 has an int"
        ):
            data.get_many([4]).to_arrow()


SCHEMAS: list[tuple[Any, Any, Any]] = [
    *[(pa.type_for_alias(f"int{bits}"), 2 ** (bits - 1) - 1, None) for bits in (8, 16, 32, 64)],
    *[(pa.type_for_alias(f"uint{bits}"), 2 ** min(bits, 63) - 1, None) for bits in (8, 16, 32, 64)],
    (pa.float32(), 0.5, None),
    (pa.float64(), 3, 3.0),
    (pa.bool_(), True, None),
    (pa.string(), "é", None),
    (pa.large_string(), "é", None),
    (pa.string_view(), "é and more than twelve bytes", None),
    (pa.binary(), b"x", None),
    (pa.large_binary(), b"x", None),
    (pa.binary_view(), b"x" * 20, None),
    (pa.binary(), "é", "é".encode()),
    (pa.binary(2), b"xy", None),
    (pa.list_(pa.int8()), [1, None], None),
    (pa.large_list(pa.string()), ["a"], None),
    (pa.list_(pa.float32(), 2), [1.5, 2], [1.5, 2.0]),
    (pa.list_(pa.list_(pa.int16(), 1)), [[1], None], None),
    (pa.map_(pa.string(), pa.int8()), {"a": 1}, [("a", 1)]),
    (
        pa.struct([("a", pa.int8()), ("b", pa.list_(pa.string())), ("c", pa.bool_())]),
        {"b": ["x"], "a": 1, "other": [{"deep": [1, 2]}]},
        {"a": 1, "b": ["x"], "c": None},
    ),
]
TIMES: list[Any] = [
    *[pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")],
    pa.timestamp("us", "Europe/Berlin"),
    *[pa.duration(unit) for unit in ("s", "ms", "us", "ns")],
    pa.date32(),
]


class TestSchemas:
    @pytest.mark.parametrize(("kind", "value", "expected"), SCHEMAS)
    def test_types_of_a_schema_are_used(
        self, data: Caller, kind: Any, value: object, expected: object
    ) -> None:
        data.put_many({1: {"v": value, "not": 1}, 2: {"not": 2}})
        schema = pa.schema([pa.field("v", kind, metadata={"why": "test"})], {"of": "table"})
        result = table(data.get_many([1, 2, 3, 1]), schema)
        assert result.schema.equals(schema, check_metadata=True)
        value = value if expected is None else expected
        assert result["v"].to_pylist() == [value, None, None, value]

    @pytest.mark.parametrize("kind", TIMES, ids=str)
    def test_integers_become_times_of_a_schema(self, data: Caller, kind: Any) -> None:
        data.put(1, {"v": 86_400})
        result = table(data.get_many([1]), pa.schema([("v", kind)]))["v"]
        assert result.type == kind
        raw = pa.int32() if kind.bit_width == 32 else pa.int64()
        assert result.cast(raw).to_pylist() == [86_400]

    def test_a_schema_orders_and_selects_columns(self, data: Caller) -> None:
        data.put(1, {"a": 1, "b": 2, "c": 3})
        schema = pa.schema([("c", pa.int8()), ("none", pa.string()), ("a", pa.int64())])
        assert table(data.get_many([1]), schema).to_pylist() == [{"c": 3, "none": None, "a": 1}]

    def test_keys_and_generations_fill_columns_of_a_schema(self, data: Caller) -> None:
        data.put_many({1: {"n": 1, "id": 99}})
        schema = pa.schema([("n", pa.int8()), ("id", pa.int16()), ("g", pa.int64())])
        result = table(data.get_many([1, 2]), schema, key="id", generation="g")
        assert result.to_pydict() == {"n": [1, None], "id": [1, 2], "g": [1, None]}
        with pytest.raises(ValueError, match=r"\"id\": the records have a bin of this name"):
            data.get_many([1]).to_arrow(key="id")
        with pytest.raises(ValueError, match='key: the schema has no field "zz"'):
            data.get_many([1]).to_arrow(schema, key="zz")

    def test_the_schema_of_another_table_is_accepted(self, data: Caller) -> None:
        data.put_many({1: {"n": 1, "s": "x"}, 2: {"s": "y"}})
        first = data.get_many([1]).to_arrow()
        assert table(data.get_many([2]), first).to_pylist() == [{"n": None, "s": "y"}]

    @pytest.mark.parametrize(
        ("kind", "value", "error", "text"),
        [
            (pa.int8(), 128, OverflowError, "128 does not fit int8"),
            (pa.uint64(), -1, OverflowError, "-1 does not fit uint64"),
            (pa.date32(), 2**31, OverflowError, "does not fit int32"),
            (pa.float32(), 1e39, OverflowError, "does not fit float32"),
            (pa.float32(), 2**24 + 1, OverflowError, "does not fit float32"),
            (pa.float64(), MOST, OverflowError, "does not fit float64"),
            (pa.int64(), 1.0, TypeError, "a float does not go into Int64"),
            (pa.int64(), True, TypeError, "a bool does not go into Int64"),
            (pa.timestamp("ms"), "now", TypeError, "text does not go into Timestamp"),
            (pa.string(), 1, TypeError, "an integer does not go into Utf8"),
            (pa.string(), b"x", TypeError, "a byte string does not go into Utf8"),
            (pa.binary(2), b"x", ValueError, "1 bytes where the schema wants 2"),
            (pa.null(), 1, TypeError, "an integer does not go into Null"),
            (pa.list_(pa.int8()), [1, 300], OverflowError, r"\[1\]: 300 does not fit int8"),
            (pa.list_(pa.int8()), {"a": 1}, TypeError, "a map does not go into List"),
            (pa.list_(pa.int8(), 2), [1], ValueError, "a list of 1 where the schema wants 2"),
            (pa.map_(pa.string(), pa.int8()), {1: 1}, TypeError, "key 0: an integer does not"),
            (pa.struct([("a", pa.int8())]), {1: 1}, TypeError, "keys that are no text"),
            (pa.struct([("a", pa.int8())]), {"a": "x"}, TypeError, r"\[\"a\"\]: text does not"),
            (
                pa.struct([pa.field("a", pa.int8(), nullable=False)]),
                {"b": 1},
                ValueError,
                "no value",
            ),
            (pa.list_(pa.field("x", pa.int8(), nullable=False)), [None], ValueError, "no value"),
        ],
    )
    def test_values_that_do_not_fit_raise(
        self, data: Caller, kind: Any, value: Any, error: Any, text: str
    ) -> None:
        data.put_many({"good": {"n": 1}, "bad": {"v": value}})
        with pytest.raises(error, match=rf"row 1 \(key 'bad'\), \"v\": .*{text}"):
            data.get_many(["good", "bad"]).to_arrow(pa.schema([("v", kind)]))

    def test_null_in_a_required_field_raises(self, data: Caller) -> None:
        data.put_many({1: {"v": 1}, 2: {"n": 1}})
        schema = pa.schema([pa.field("v", pa.int8(), nullable=False)])
        assert table(data.get_many([1]), schema).schema == schema
        for key in (2, 3):
            with pytest.raises(ValueError, match=rf"row 1 \(key {key}\), \"v\": no value where"):
                data.get_many([1, key]).to_arrow(schema)

    @pytest.mark.parametrize(
        ("schema", "error", "text"),
        [
            (5, TypeError, "schema must be an Arrow schema.*not int"),
            ({"v": "int8"}, TypeError, "schema must be an Arrow schema"),
            (pa.schema([("v", pa.int8())] * 2), ValueError, 'schema: the field "v" twice'),
            (pa.schema([("v", pa.decimal128(5))]), TypeError, 'field "v": columns of type Dec'),
            (pa.schema([("v", pa.list_(pa.float16()))]), TypeError, 'field "v": columns of type'),
            (pa.schema([("v", pa.dictionary(pa.int8(), pa.string()))]), TypeError, 'field "v"'),
            (pa.schema([("v", pa.time32("s"))]), TypeError, 'field "v": columns of type Time32'),
            (pa.schema([("v", pa.struct([]))]), TypeError, 'field "v"'),
        ],
    )
    def test_invalid_schemas_raise(self, data: Caller, schema: Any, error: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            data.get_many([1]).to_arrow(schema)


class TestTables:
    def test_repr_shows_rows_and_columns(self, data: Caller) -> None:
        data.put(1, {"n": 1})
        result = data.get_many([1, 2]).to_arrow(key="id")
        assert isinstance(result, spikewire.ArrowTable)
        assert (len(result), result.column_names) == (2, ["id", "n"])
        assert repr(result) == "ArrowTable(2 rows, id: Int64, n: Int64)"
        assert pa.schema(result) == pa.schema([("id", pa.int64()), ("n", pa.int64())])

    def test_a_table_is_exported_repeatedly_and_outlives_its_batch(self, data: Caller) -> None:
        data.put_many({i: {"n": i, "s": str(i)} for i in range(100)})
        result = data.get_many(range(100)).to_arrow()
        tables = [pa.table(result) for _ in range(3)]
        capsule = result.__arrow_c_stream__()
        del result
        gc.collect()
        assert all(it["s"].to_pylist() == [str(i) for i in range(100)] for it in tables)
        del capsule, tables
        gc.collect()

    def test_a_failed_row_raises(self, client: Opened, data: Caller, set_name: str) -> None:
        data.put(1, {"n": 1})
        batch = client.verbs.get_many([("nowhere", "s", 1), ("test", set_name, 1)])
        with pytest.raises(spikewire.NamespaceNotFound):
            batch.to_arrow()
        assert table(batch, errors="mask")["n"].to_pylist() == [None, 1]
        with pytest.raises(ValueError, match='errors must be "raise" or "mask"'):
            batch.to_arrow(errors="ignore")

    def test_polars_reads_the_stream(self, data: Caller) -> None:
        polars = pytest.importorskip("polars")
        data.put_many({i: {"n": i, "s": str(i), "l": [i]} for i in range(3)})
        frame = polars.DataFrame(data.get_many([2, 9, 0]).to_arrow())
        assert frame.to_dicts() == [
            {"n": 2, "s": "2", "l": [2]},
            {"n": None, "s": None, "l": None},
            {"n": 0, "s": "0", "l": [0]},
        ]
        assert table(data.get_many([1]), frame.schema).to_pylist() == [{"n": 1, "s": "1", "l": [1]}]

    def test_duckdb_reads_the_stream(self, data: Caller) -> None:
        duckdb = pytest.importorskip("duckdb")
        data.put_many({i: {"n": i, "s": str(i)} for i in range(100)})
        rows = data.get_many(range(101)).to_arrow()
        assert rows is not None  # duckdb finds it by its name
        assert duckdb.sql("select sum(n), count(s), count(*) from rows").fetchall() == [
            (4950, 100, 101)
        ]

    def test_pandas_reads_the_stream(self, data: Caller) -> None:
        pandas = pytest.importorskip("pandas")
        data.put(1, {"n": 1})
        assert pandas.DataFrame.from_arrow(data.get_many([1]).to_arrow()).to_dict("list") == {
            "n": [1]
        }

    def test_a_released_schema_capsule_raises(self, data: Caller) -> None:
        capsule = pa.schema([("n", pa.int8())]).__arrow_c_schema__()

        class Giving:
            def __arrow_c_schema__(self) -> Any:
                return capsule

        data.put(1, {"n": 1})
        batch = data.get_many([1])
        assert pa.table(batch.to_arrow(schema=Giving())).schema.field("n").type == pa.int8()
        pa.Schema._import_from_c_capsule(capsule)
        with pytest.raises(ValueError, match="taken out of its capsule already"):
            batch.to_arrow(schema=Giving())

    def test_to_arrow_works_without_pyarrow(
        self, data: Caller, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        data.put(1, {"n": 1})
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        result = data.get_many([1]).to_arrow()
        assert type(result.__arrow_c_schema__()).__name__ == "PyCapsule"


KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "i": (pa.int64(), st.integers(-(2**63), MOST)),
    "f": (pa.float64(), st.floats(allow_nan=False)),
    "b": (pa.bool_(), st.booleans()),
    "s": (pa.string(), st.text(max_size=5)),
    "y": (pa.binary(), st.binary(max_size=5)),
    "l": (pa.list_(pa.int64()), st.lists(st.one_of(st.integers(-5, 5), st.none()), max_size=4)),
    "ls": (pa.list_(pa.list_(pa.string())), st.lists(st.lists(st.text(max_size=3), max_size=3))),
    "m": (
        pa.map_(pa.string(), pa.float64()),
        st.dictionaries(st.text(max_size=3), st.floats(allow_nan=False), max_size=3),
    ),
}


@hypothesis.settings(max_examples=40)
@hypothesis.given(drawn=st.data())
def test_round_trip(data: Caller, drawn: st.DataObject) -> None:
    strategies = {name: strategy for name, (_, strategy) in KINDS.items()}
    ids = st.integers(0, 20)
    records = st.fixed_dictionaries({}, optional=strategies).filter(bool)
    stored = drawn.draw(st.dictionaries(ids, records, max_size=10))
    requested = drawn.draw(st.lists(ids, max_size=15))
    data.delete_many(range(21))
    data.put_many(stored).raise_for_errors()
    batch = data.get_many(requested)
    schema = pa.schema([(name, kind) for name, (kind, _) in KINDS.items()])
    inferred, typed = table(batch), table(batch, schema)
    assert typed.schema == schema
    for name, (kind, _) in KINDS.items():
        expected = [stored.get(key, {}).get(name) for key in requested]
        if name == "m":
            expected = [None if map_ is None else sorted(map_.items()) for map_ in expected]
        got = typed[name].to_pylist()
        if name == "m":
            got = [None if map_ is None else sorted(map_) for map_ in got]
        assert got == expected
        if any(expected):
            # An empty list says less about its type than the schema does.
            assert inferred[name].cast(kind).equals(typed[name])
