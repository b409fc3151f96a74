"""Queries as Arrow tables and NumPy arrays, a batch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import exp, op

if TYPE_CHECKING:
    from apis import Opened

pa = pytest.importorskip("pyarrow")
np = pytest.importorskip("numpy")

COUNT = 2500


class Filled:
    """A set with ``COUNT`` records, seen by one API."""

    def __init__(self, client: Opened, name: str) -> None:
        self.api = client.api
        self.raw = client.raw.dataset("test", name)
        rows = {
            i: {"n": i, "f": i / 2, "s": f"text {i}"} if i % 5 else {"n": i} for i in range(COUNT)
        }
        client.dataset("test", name).put_many(rows, send_key=True).raise_for_errors()

    def batches(self, make: Any, **options: Any) -> list[Any]:
        return self.api.rows(make(self.raw.query(**options)))

    def each(self, make: Any, take: Any) -> int:
        """Passes batches to `take` one after the other; returns how many rows they had together."""
        batches, count = make(self.raw.query()), 0
        if self.api.is_blocking:
            for batch in batches:
                count += len(batch)
                take(batch)
            return count

        async def work() -> int:
            count = 0
            async for batch in batches:
                count += len(batch)
                take(batch)
            return count

        return int(self.api.settle(work))


@pytest.fixture(scope="module")
def filled(client: Opened) -> Filled:
    return Filled(client, f"batches{client.api.name}")


def test_arrow_batches_have_the_requested_size(filled: Filled) -> None:
    tables = filled.batches(lambda query: query.arrow_batches(1000, key="key", generation="g"))
    assert [len(table) for table in tables] == [1000, 1000, 500]
    whole = pa.concat_tables(map(pa.table, tables), promote_options="default").to_pydict()
    assert sorted(whole["key"]) == list(range(COUNT))
    assert whole["n"] == whole["key"]
    assert set(whole["g"]) == {1}
    for number, half, text in zip(whole["n"], whole["f"], whole["s"], strict=True):
        assert (half, text) == ((number / 2, f"text {number}") if number % 5 else (None, None))


@pytest.mark.parametrize("kind", [None, pa.string(), pa.large_string(), pa.string_view()])
def test_tables_keep_their_bytes(filled: Filled, kind: Any) -> None:
    """Memory is reused only without other references: every third table is kept, or a part of
    it."""
    schema = None if kind is None else pa.schema([("n", pa.int64()), ("s", kind)])
    stored: list[Any] = []
    count = 0

    def keep(batch: Any) -> None:
        nonlocal count
        count += 1
        if count % 3 == 0:
            table = pa.table(batch).select(["n", "s"])
            stored.append(table if count % 2 else table.slice(50, 7))

    assert filled.each(lambda query: query.arrow_batches(100, schema=schema), keep) == COUNT
    assert [len(table) for table in stored] == [100, 7] * 4
    for table in stored:
        texts = [f"text {n}" if n % 5 else None for n in table["n"].to_pylist()]
        assert table["s"].to_pylist() == texts


def test_arrow_batches_follow_a_schema(filled: Filled) -> None:
    schema = pa.schema([("s", pa.large_string()), ("n", pa.int16()), ("none", pa.int8())])
    options = {"where": exp.bin("n") < 100, "bins": ["n", "s"]}
    tables = filled.batches(lambda query: query.arrow_batches(schema=schema), **options)
    (table,) = map(pa.table, tables)
    assert table.schema == schema
    assert sorted(table["n"].to_pylist()) == list(range(100))
    assert table["none"].null_count == 100


def test_numpy_batches_have_the_requested_size(filled: Filled) -> None:
    dtype = np.dtype([("n", "i4"), ("f", "f8"), ("s", "S12")])
    arrays = filled.batches(lambda query: query.numpy_batches(dtype, 900))
    assert [len(array) for array in arrays] == [900, 900, 700]
    whole = np.ma.concatenate(arrays)
    assert sorted(whole["n"]) == list(range(COUNT))
    gaps = whole["n"] % 5 == 0
    assert (whole["f"].mask == gaps).all()
    assert (whole["f"][~gaps] == whole["n"][~gaps] / 2).all()
    plain = filled.batches(
        lambda query: query.numpy_batches([("n", "i8"), ("k", "i8")], key="k", missing="raise")
    )
    assert type(plain[0]) is np.ndarray
    assert sum(len(array) for array in plain) == COUNT
    assert all((array["n"] == array["k"]).all() for array in plain)


@pytest.mark.parametrize("rows", [1, 999, 1024, 1025, 2048, 2049, COUNT, 10_000])
def test_numpy_batches_may_have_any_length(filled: Filled, rows: int) -> None:
    kind = [("n", "i4"), ("f", "f8"), ("k", "i8")]
    options = {"limit": 50} if rows == 1 else {}
    count = options.get("limit", COUNT)
    arrays = filled.batches(lambda query: query.numpy_batches(kind, rows, key="k"), **options)
    assert [len(array) for array in arrays] == [
        min(rows, count - start) for start in range(0, count, rows)
    ]
    for array in arrays:
        assert (array["n"] == array["k"]).all()
        assert not array["n"].mask.any()
        gaps = array["n"] % 5 == 0
        assert (array["f"].mask == gaps).all()
        assert (array["f"][~gaps] == array["n"][~gaps] / 2).all()


def test_a_query_without_records_has_no_batches(filled: Filled) -> None:
    options = {"where": exp.bin("n") < 0}
    assert filled.batches(lambda query: query.arrow_batches(), **options) == []
    assert filled.batches(lambda query: query.numpy_batches([("n", "i8")]), **options) == []


def test_a_limit_cuts_the_last_batch(filled: Filled) -> None:
    tables = filled.batches(lambda query: query.arrow_batches(400), limit=1000)
    assert [len(table) for table in tables] == [400, 400, 200]


def test_cursors_stand_between_batches(filled: Filled) -> None:
    query = filled.raw.query()
    tables = filled.api.some(query.arrow_batches(700, key="key"), 2)
    cursor = query.cursor
    query.close()
    seen = [key for table in tables for key in pa.table(table)["key"].to_pylist()]
    rest = [record.key.key for record in filled.api.rows(filled.raw.query(resume=cursor))]
    assert (len(seen), len(rest)) == (1400, COUNT - 1400)
    assert sorted(seen + rest) == list(range(COUNT))


def test_records_of_a_failed_batch_are_read_again(filled: Filled) -> None:
    query = filled.raw.query()
    small = pa.schema([("n", pa.int8())])
    with pytest.raises(OverflowError, match=r"row \d+ of the batch, \"n\""):
        filled.api.rows(query.arrow_batches(schema=small))
    rest = [record.key.key for record in filled.api.rows(filled.raw.query(resume=query.cursor))]
    assert sorted(rest) == list(range(COUNT))
    # The query itself continues, too.
    tables = filled.api.rows(query.arrow_batches(key="key"))
    keys = [key for table in tables for key in pa.table(table)["key"].to_pylist()]
    assert sorted(keys) == list(range(COUNT))
    with pytest.raises(ValueError, match="there is no value"):
        filled.batches(lambda query: query.numpy_batches([("f", "f8")], missing="raise"))


def test_records_and_batches_do_not_mix(filled: Filled) -> None:
    query = filled.raw.query()
    filled.api.some(query, 3)
    with pytest.raises(ValueError, match="iterated over, record by record"):
        filled.api.rows(query.arrow_batches())


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda query: query.arrow_batches(0), ValueError, "rows must be from 1"),
        (lambda query: query.arrow_batches("10"), TypeError, "rows must be int, not str"),
        (lambda query: query.arrow_batches(schema=5), TypeError, "schema must be an Arrow schema"),
        (lambda query: query.arrow_batches(key=5), TypeError, "key must be the name of a column"),
        (lambda query: query.numpy_batches([("a", "i8")], missing="no"), ValueError, "missing"),
        (lambda query: query.numpy_batches([("a", "O")]), TypeError, "a"),
    ],
)
def test_invalid_options_raise(
    filled: Filled, make: Any, error: type[Exception], message: str
) -> None:
    query = filled.raw.query()
    with pytest.raises(error, match=message):
        make(query)


def test_operations_have_no_columns(filled: Filled) -> None:
    query = filled.raw.query(operations=[op.get("n")])
    with pytest.raises(ValueError, match="operations do not go into columns"):
        query.arrow_batches()


def test_a_closed_query_raises(filled: Filled) -> None:
    query = filled.raw.query()
    batches = query.arrow_batches(10)
    filled.api.some(batches, 1)
    query.close()
    with pytest.raises(spikewire.QueryClosed):
        filled.api.some(batches, 1)
