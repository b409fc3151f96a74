"""Batches as pandas frames."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest
from hypothesis import strategies as st

import spikewire
from spikewire import GeoJSON

pd = pytest.importorskip("pandas")

if TYPE_CHECKING:
    from apis import Caller, Opened

MOST = 2**63 - 1


def test_columns_have_nullable_types(data: Caller) -> None:
    data.put_many(
        {
            1: {"i": MOST, "f": 0.5, "b": True, "s": "é"},
            2: {"i": -1, "y": b"x", "l": [1, None], "m": {"a": [1]}},
        }
    )
    frame = data.get_many([2, 9, 1, 2]).to_pandas()
    assert frame.index.tolist() == [2, 9, 1, 2]
    assert frame.index.name == "key"
    types = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert types == {
        "i": "Int64",
        "f": "Float64",
        "b": "boolean",
        "s": "string",
        "y": "object",
        "l": "object",
        "m": "object",
    }
    assert frame["i"].tolist() == [-1, pd.NA, MOST, -1]
    assert frame["f"].isna().tolist() == [True, True, False, True]
    assert frame["b"].tolist() == [pd.NA, pd.NA, True, pd.NA]
    assert frame["s"].fillna("?").tolist() == ["?", "?", "é", "?"]
    assert frame["y"].tolist() == [b"x", None, None, b"x"]
    assert frame["l"].tolist() == [[1, None], None, None, [1, None]]
    assert frame["m"].tolist() == [{"a": [1]}, None, None, {"a": [1]}]
    assert frame.loc[1, "i"] == MOST


def test_values_of_different_types_are_objects(data: Caller) -> None:
    values = [
        1,
        0.5,
        "x",
        [1, "x"],
        {"a": b""},
        b"",
        GeoJSON('{"type":"Point","coordinates":[1,2]}'),
    ]
    data.put_many({i: {"v": value} for i, value in enumerate(values)})
    for start in range(len(values)):
        keys = [*range(start, len(values)), 99, *range(start)]
        column = data.get_many(keys).to_pandas()["v"]
        assert column.dtype == object
        assert column.tolist() == [values[key] if key < 99 else None for key in keys]


def test_numbers_that_change_their_kind(data: Caller) -> None:
    data.put_many({1: {"v": 1}, 2: {"v": 2.5}})
    column = data.get_many([1, 2]).to_pandas()["v"]
    assert [type(value) for value in column] == [int, float]


def test_generations_times_to_live_and_kinds_of_keys(data: Caller, set_name: str) -> None:
    data.put("é", {"n": 1}, ttl=1000)
    data.put(b"x", {"n": 2})
    digest = spikewire.Key("test", set_name, "é").digest
    unknown = spikewire.Key.from_digest("test", set_name, digest)
    frame = data.get_many(["é", b"x", unknown, 5]).to_pandas(generation="gen", ttl="left")
    assert list(frame.columns) == ["gen", "left", "n"]
    assert frame.index.tolist() == ["é", b"x", digest, 5]
    assert frame["gen"].tolist() == [1, 1, 1, pd.NA]
    assert str(frame["gen"].dtype) == "UInt16"
    assert frame["left"].isna().tolist() == [False, True, False, True]
    with pytest.raises(ValueError, match=r"\"n\": the records have a bin of this name"):
        data.get_many([b"x"]).to_pandas(generation="n")


def test_no_records_make_an_empty_frame(data: Caller) -> None:
    assert data.get_many([]).to_pandas().shape == (0, 0)
    assert data.get_many([1, 2]).to_pandas().shape == (2, 0)
    data.put(1, {"n": 1})
    frame = data.get_many([1, 2], bins=["n", "none"]).to_pandas()
    assert frame.dropna().index.tolist() == [1]


def test_failed_rows_raise(client: Opened, data: Caller, set_name: str) -> None:
    data.put(1, {"n": 1, "l": [1]})
    batch = client.verbs.get_many([("nowhere", "s", 1), ("test", set_name, 1)])
    with pytest.raises(spikewire.NamespaceNotFound):
        batch.to_pandas()
    frame = batch.to_pandas(errors="mask")
    assert frame["n"].tolist() == [pd.NA, 1]
    assert frame["l"].tolist() == [None, [1]]
    with pytest.raises(ValueError, match=r"errors must be \"raise\" or \"mask\""):
        batch.to_pandas(errors="coerce")


def test_a_missing_pandas_raises_with_advice(data: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_pandas needs pandas.*pip install pandas"):
        data.get_many([1]).to_pandas()


ANY = st.one_of(
    st.integers(-(2**63), MOST),
    st.booleans(),
    st.floats(allow_nan=False),
    st.text(max_size=4),
    st.binary(max_size=4),
    st.lists(st.integers(-5, 5), max_size=3),
)


@hypothesis.settings(max_examples=30)
@hypothesis.given(drawn=st.data())
def test_round_trip(data: Caller, drawn: st.DataObject) -> None:
    ids = st.integers(0, 20)
    records = st.dictionaries(st.sampled_from("abc"), ANY, min_size=1)
    stored: dict[int, dict[str, Any]] = drawn.draw(st.dictionaries(ids, records, max_size=10))
    requested = drawn.draw(st.lists(ids, max_size=15))
    data.delete_many(range(21))
    data.put_many(stored).raise_for_errors()
    frame = data.get_many(requested).to_pandas()
    assert frame.index.tolist() == requested
    for name in frame.columns:
        for key, value in zip(requested, frame[name], strict=True):
            expected = stored.get(key, {}).get(name)
            if expected is None:
                assert value is None or value is pd.NA or value != value
            else:
                assert value == expected
