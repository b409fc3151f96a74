"""put_many of structured NumPy arrays: the stored value of each field, masks, refusals."""

# ruff: noqa: E501 - one refusal a line is easier to read

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire

np = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")

if TYPE_CHECKING:
    from apis import Caller, Opened

settings = hypothesis.settings(max_examples=30)


def stored(data: Caller, keys: list[Any]) -> list[dict[str, Any] | None]:
    return [record and record.bins for record in data.get_many(keys)]


NUMBERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?"]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_each_width_and_byte_order_are_written(
    data: Caller, kind: str, order: str
) -> None:
    dtype = np.dtype(kind).newbyteorder(order)
    values = np.array([0, 1, 100], dtype)
    if dtype.kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        values = np.array([least, 1, min(most, 2**63 - 1)], dtype)
    rows = np.zeros(3, [("id", np.dtype("i8").newbyteorder(order)), ("v", dtype)])
    rows["id"], rows["v"] = [1, 2, 3], values
    assert data.put_many(rows, key="id").found == 3
    assert stored(data, [1, 2, 3]) == [{"v": value} for value in values.tolist()]
    assert type(data.get(1)["v"]) is type(values.tolist()[0])


@settings
@hypothesis.given(
    st.lists(
        st.tuples(
            st.integers(-(1 << 63), (1 << 63) - 1),
            st.floats(allow_nan=False),
            st.binary(max_size=6).map(lambda raw: raw.rstrip(b"\0")),
            st.text(max_size=5).map(lambda text: text.rstrip("\0")),
            st.booleans(),
        ),
        max_size=20,
    )
)
def test_round_trip(data: Caller, rows: list[tuple[Any, ...]]) -> None:
    dtype = [("id", "i4"), ("n", "i8"), ("f", "f8"), ("s", "S6"), ("u", "U5"), ("b", "?")]
    array = np.array([(i, *row) for i, row in enumerate(rows)], dtype)
    assert data.put_many(array, key="id").found == len(rows)
    bins = [dict(zip("nfsub", row, strict=True)) for row in rows]
    assert stored(data, list(range(len(rows)))) == bins


def test_nested_fields_become_maps(data: Caller) -> None:
    inner = np.dtype([("x", "i2"), ("name", "U2")])
    dtype = [
        ("id", "U3"),
        ("grid", "i2", (2, 3)),
        ("at", inner),
        ("all", inner, (2,)),
        ("raw", "V3"),
    ]
    array = np.zeros(2, dtype)
    array["id"] = ["a", "b"]
    array["grid"][1] = [[1, 2, 3], [4, 5, -6]]
    array["at"][1] = (7, "é")
    array["all"][1] = [(1, "p"), (2, "q")]
    array["raw"][1] = b"\1\0\0"
    data.put_many(array, key="id").raise_for_errors()
    assert data.get("b").bins == {
        "grid": [[1, 2, 3], [4, 5, -6]],
        "at": {"x": 7, "name": "é"},
        "all": [{"x": 1, "name": "p"}, {"x": 2, "name": "q"}],
        "raw": b"\1\0\0",
    }
    assert data.get("a")["grid"] == [[0, 0, 0], [0, 0, 0]]


def test_times_are_counts_of_their_unit(data: Caller) -> None:
    array = np.array(
        [(b"k", "2026-01-01T00:00:01", 5), (b"l", "NaT", "NaT")],
        [("id", "S1"), ("at", "M8[ms]"), ("took", "m8[us]")],
    )
    data.put_many(array[:1], key="id").raise_for_errors()
    assert data.get(b"k").bins == {"at": 1767225601000, "took": 5}
    with pytest.raises(ValueError, match="row 1: every bin is null"):
        data.put_many(array, key="id")


def masked() -> Any:
    array = np.ma.zeros(3, [("id", "i4"), ("n", "i4"), ("pair", "i2", (2,)), ("keep", "?")])
    array["id"] = [1, 2, 3]
    array["n"] = [10, 20, 30]
    array["n"][1] = np.ma.masked
    array["pair"] = [[1, 2], [3, 4], [5, 6]]
    array["pair"][1] = np.ma.masked
    array["pair"][2, 0] = np.ma.masked
    return array


def test_masked_values_are_left_out(data: Caller) -> None:
    data.put(2, {"n": "old", "pair": "old"})
    data.put_many(masked(), key="id").raise_for_errors()
    assert stored(data, [1, 2, 3]) == [
        {"n": 10, "pair": [1, 2], "keep": False},
        {"n": "old", "pair": "old", "keep": False},
        {"n": 30, "pair": [None, 6], "keep": False},
    ]


def test_masked_values_remove_their_bins(data: Caller) -> None:
    data.put(2, {"n": "old", "pair": "old"})
    data.put_many(masked(), key="id", nulls="remove").raise_for_errors()
    assert data.get(2).bins == {"keep": False}


def test_arrays_of_any_memory_layout_are_written(data: Caller) -> None:
    array = np.zeros((6, 2), [("id", "i4"), ("pad", "u1"), ("n", "f4")])
    array["id"] = np.arange(12).reshape(6, 2)
    array["n"] = array["id"] / 2
    strided = array[::-2, 1]
    assert not strided.flags["C_CONTIGUOUS"]
    strided.flags.writeable = False
    assert data.put_many(strided, key="id", bins=["n"]).found == 3
    assert stored(data, [11, 7, 3, 1]) == [{"n": 5.5}, {"n": 3.5}, {"n": 1.5}, None]
    records = np.rec.array([(1, 2)], dtype=[("id", "i4"), ("n", "i4")])
    data.put_many(records, key="id").raise_for_errors()
    assert data.get(1).bins == {"n": 2}


def test_options_hold_for_every_row(data: Caller) -> None:
    array = np.array([(1, 1), (2, 2), (1, 3)], [("id", "i4"), ("n", "i4")])
    written = data.put_many(array, key="id", bins={"n": "m", "id": "id"}, ttl=500, send_key=True)
    assert written.found == 3
    assert [key.key for key in written.keys] == [1, 2, 1]
    assert stored(data, [1, 2]) == [{"m": 3, "id": 1}, {"m": 2, "id": 2}]
    assert 400 < data.get(2).ttl <= 500
    again = data.put_many(array, key="id", exists="create")
    assert list(again.codes) == [5, 5, 5]
    assert isinstance(again.errors[2], spikewire.RecordExists)
    assert len(data.put_many(array[:0], key="id")) == 0


def test_arrays_larger_than_a_window_are_written(data: Caller) -> None:
    count = 40_000
    array = np.zeros(count, [("id", "i4"), ("n", "i8")])
    array["id"] = np.arange(count)
    array["n"] = array["id"] * 3
    written = data.put_many(array, key="id", timeout=60)
    assert (len(written), written.found) == (count, count)
    assert set(written.codes) == {0}
    assert [key.key for key in written.keys] == array["id"].tolist()
    assert written[count - 1].key.key == count - 1
    assert [record["n"] for record in data.get_many(range(0, count, 9_999))] == [
        0, 29_997, 59_994, 89_991, 119_988,
    ]  # fmt: skip


GOOD = [("id", "i4"), ("n", "i4")]

REFUSED: list[tuple[str, Any, dict[str, Any], type[Exception], str]] = [
    ("no key", np.zeros(1, GOOD), {}, TypeError, "key= must name.*id, n"),
    ("unknown key", np.zeros(1, GOOD), {"key": "x"}, ValueError, 'no column "x".*id, n'),
    ("key of bytes", np.zeros(1, GOOD), {"key": b"id"}, TypeError, "key must be str"),
    ("unknown bin", np.zeros(1, GOOD), {"key": "id", "bins": ["x"]}, ValueError, 'no column "x"'),
    ("bins as str", np.zeros(1, GOOD), {"key": "id", "bins": "n"}, TypeError, "bins must be"),
    ("bins of int", np.zeros(1, GOOD), {"key": "id", "bins": [1]}, TypeError, "bins must be str"),
    ("no bins", np.zeros(1, GOOD), {"key": "id", "bins": []}, ValueError, "bins must not be empty"),
    ("only keys", np.zeros(1, GOOD[:1]), {"key": "id"}, ValueError, "no column but the key"),
    ("a bin twice", np.zeros(1, GOOD), {"key": "id", "bins": {"n": "a", "id": "a"}}, ValueError, 'two columns go to the bin "a"'),
    ("long bin", np.zeros(1, GOOD), {"key": "id", "bins": {"n": "x" * 16}}, ValueError, "x{16}.*15"),
    ("long column", np.zeros(1, [("id", "i4"), ("x" * 16, "i4")]), {"key": "id"}, ValueError, 'column "x{16}".*15.*rename'),
    ("unknown nulls", np.zeros(1, GOOD), {"key": "id", "nulls": "zero"}, ValueError, "nulls must be.*zero"),
    ("no fields", np.zeros(1), {"key": "id"}, TypeError, "structured array.*float64"),
    ("two dimensions", np.zeros((2, 2), GOOD), {"key": "id"}, TypeError, "one dimension, not 2"),
    ("no dimension", np.zeros((), GOOD), {"key": "id"}, TypeError, "one dimension, not 0"),
    ("objects", np.zeros(1, [("id", "i4"), ("o", object)]), {"key": "id"}, TypeError, 'column "o".*Python objects'),
    ("ragged", np.zeros(1, [("id", "i4"), ("o", object, (2,))]), {"key": "id"}, TypeError, 'column "o".*Python objects'),
    ("complex", np.zeros(1, [("id", "i4"), ("c", "c8")]), {"key": "id"}, TypeError, 'column "c".*complex64'),
    ("long double", np.zeros(1, [("id", "i4"), ("g", "g")]), {"key": "id"}, TypeError, 'column "g"'),
    ("float key", np.zeros(1, [("id", "f4"), ("n", "i4")]), {"key": "id"}, TypeError, 'row 0, column "id".*integer, text or bytes'),
    ("large key", np.array([(1, 1), (1 << 63, 1)], [("id", "u8"), ("n", "i4")]), {"key": "id"}, OverflowError, 'row 1, column "id".*9223372036854775808'),
    ("large int", np.array([(1, 1), (2, 1 << 63)], [("id", "i4"), ("n", "u8")]), {"key": "id"}, OverflowError, 'row 1, column "n".*9223372036854775808'),
    ("large int in a list", np.array([(1, [1, 1 << 63])], [("id", "i4"), ("n", "u8", (2,))]), {"key": "id"}, OverflowError, r'row 0, column "n": \[1\]'),
    ("surrogates", np.array([(1, "\ud800")], [("id", "i4"), ("u", "U1")]), {"key": "id"}, ValueError, 'row 0, column "u".*surrogates'),
    ("masked key", np.ma.array([(1, 1)], mask=[(True, False)], dtype=GOOD), {"key": "id"}, ValueError, 'row 0, column "id".*null'),
    ("key= with a dict", {1: {"n": 1}}, {"key": "id"}, TypeError, "key= is for tables.*dict"),
    ("bins= with pairs", [(1, {"n": 1})], {"bins": ["n"]}, TypeError, "bins= is for tables.*list"),
    ("nulls= with a dict", {1: {"n": 1}}, {"nulls": "skip"}, TypeError, "nulls= is for tables"),
]  # fmt: skip


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("records", "options", "error", "message"),
    [case[1:] for case in REFUSED],
    ids=[case[0] for case in REFUSED],
)
def test_invalid_arrays_raise(
    data: Caller, records: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        data.put_many(records, **options)
    assert not isinstance(caught.value, spikewire.Error)
    assert data.exists_many([0, 1, 2]).found == 0


def test_a_client_has_no_set_for_a_table(client: Opened) -> None:
    with pytest.raises(TypeError, match=r"goes to a dataset: client\.dataset"):
        client.verbs.put_many(np.zeros(1, GOOD), key="id")


def test_keys_may_be_arrays(data: Caller) -> None:
    data.put_many({1: {"n": 1}, 2: {"n": 2}, "a": {"n": 3}, b"b": {"n": 4}})
    batch = data.get_many(np.array([2, 9, 1], "u2"))
    assert [record and record["n"] for record in batch] == [2, None, 1]
    assert [type(key.key) for key in batch.keys] == [int] * 3
    assert data.get_many(np.array(["a"])).found == 1
    assert data.exists_many(np.array([b"b"])).found == 1
    assert data.delete_many(np.arange(3)).found == 2
    with pytest.raises(TypeError, match=r"row 0.*float"):
        data.get_many(np.array([1.0]))
    with pytest.raises(OverflowError, match=r"row 1.*9223372036854775808"):
        data.get_many(np.array([1, 1 << 63], "u8"))
    with pytest.raises(TypeError, match=r"row 0.*list"):
        data.get_many(np.zeros((2, 2), "i4"))
    with pytest.raises(TypeError, match="keys must be"):
        data.get_many(np.array(5))
