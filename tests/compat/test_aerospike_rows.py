"""Rows of batches are those of the official client: plain objects with attributes."""

from __future__ import annotations

import copy
import gc
import pickle
import threading
import weakref
from typing import Any

import pytest

from spikewire.compat import aerospike
from spikewire.compat.aerospike_helpers.batch.records import (
    Apply,
    BatchRecord,
    BatchRecords,
    Read,
    Remove,
    Write,
)
from spikewire.compat.aerospike_helpers.operations import operations
from spikewire.testing import Cluster

KEY = ("test", "rows", 1)
MADE = [
    BatchRecord(KEY),
    Write(KEY, [operations.write("n", 1)], meta={"ttl": 1}, policy={"exists": 1}),
    Read(KEY, None, read_all_bins=True),
    Apply(KEY, "module", "function", [1]),
    Remove(KEY, {"gen": 1}),
]
#: The attributes of every row, and those of each kind.
OF_ALL = ("key", "record", "result", "message", "subcode", "in_doubt")
OF_ONE = ("ops", "meta", "policy", "read_all_bins", "module", "function", "args")


class Own(Write):
    """Takes other arguments than its base."""

    def __init__(self, name: str) -> None:
        super().__init__(("test", "rows", name), [operations.write("n", 1)])
        self.name = name


def seen(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in (*OF_ALL, *OF_ONE, "note") if hasattr(row, name)}


@pytest.mark.parametrize("row", MADE, ids=lambda row: type(row).__name__)
def test_rows_are_copied_and_pickled(row: BatchRecord) -> None:
    row.result, row.message, row.in_doubt = -8, "slow", True
    row.record = (KEY, {"gen": 1}, {"n": [1]})
    row.__dict__["note"] = ["mine"]
    for again in (copy.copy(row), copy.deepcopy(row), pickle.loads(pickle.dumps(row))):
        assert type(again) is type(row)
        assert seen(again) == seen(row)
    assert copy.copy(row).record is row.record
    assert weakref.ref(row)() is row


def test_a_row_begins_anew() -> None:
    row = Write(KEY, [])
    assert seen(row) == {
        "key": KEY,
        "record": None,
        "result": 0,
        "message": None,
        "subcode": 0,
        "in_doubt": False,
        "ops": [],
        "meta": None,
        "policy": None,
    }
    with pytest.raises(TypeError, match="ops"):
        Write(KEY)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="read_all_bins"):
        row.read_all_bins  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.parametrize("name", ["key", "record", "message", "ops", "meta", "policy", "note"])
def test_rows_that_hold_themselves_go(name: str) -> None:
    row = Write(KEY, [])
    setattr(row, name, {"row": row})
    gone = weakref.ref(row)
    del row
    gc.collect()
    assert gone() is None


def test_a_finalizer_may_access_the_row_that_held_it() -> None:
    row = Write(KEY, [])
    observed = []

    class Observer:
        def __del__(self) -> None:
            observed.append((row.ops, row.record))
            row.record = "after"  # type: ignore[assignment]

    row.ops = Observer()  # type: ignore[assignment]
    row.ops = ["next"]  # type: ignore[list-item]
    gc.collect()
    assert observed == [(["next"], None)]
    assert row.record == "after"


def test_threads_change_a_row() -> None:
    row = BatchRecord(KEY)
    values = [(KEY, {"gen": number}, {"n": number}) for number in range(8)]

    def change(value: Any) -> None:
        for _ in range(2_000):
            row.record = tuple(value)
            row.result = value[1]["gen"]
            assert row.record in values
            assert 0 <= row.result < len(values)

    failures: list[BaseException] = []

    def run(value: Any) -> None:
        try:
            change(value)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("name", ["result", "subcode"])
def test_codes_are_numbers(name: str) -> None:
    row = BatchRecord(KEY)
    for wrong in ("1", None, 1.5):
        with pytest.raises(TypeError, match=name):
            setattr(row, name, wrong)
    with pytest.raises(OverflowError):
        setattr(row, name, 1 << 31)
    assert getattr(row, name) == 0


def test_classes_of_programs_are_rows() -> None:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        client = aerospike.client({"hosts": [(host, int(port))]})
        rows = [Own("a"), Write(("test", "rows", "b"), [operations.write("n", 2)])]
        result = client.batch_write(BatchRecords(list(rows)))
        assert [row.result for row in result.batch_records] == [0, 0]
        assert [row.record[2] for row in result.batch_records] == [{"n": None}] * 2
        assert [client.get(row.key[:3])[2] for row in rows] == [{"n": 1}, {"n": 2}]
        assert rows[0].name == "a"  # type: ignore[attr-defined]
        client.close()
