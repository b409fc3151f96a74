"""Data written, indexed and scanned by another client: our queries see the same."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest
from box import c_client

import spikewire
from spikewire import exp

if TYPE_CHECKING:
    from collections.abc import Iterator

aerospike = pytest.importorskip("aerospike")
predicates = pytest.importorskip("aerospike.predicates")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

COUNT = 700


@pytest.fixture
def both(box: Any, set_name: str) -> Iterator[tuple[Any, spikewire.Client, str]]:
    theirs = c_client(box.seeds)
    try:
        with spikewire.Client(box.seeds, timeout=10, connect_timeout=20) as ours:
            for i in range(COUNT):
                bins = {"n": i, "s": f"t{i % 9}", "l": [i % 4, "x"], "m": {"k": i / 2}}
                theirs.put(("test", set_name, i), bins, policy={"key": aerospike.POLICY_KEY_SEND})
            yield theirs, ours, set_name
    finally:
        theirs.close()


def seen_by_them(query: Any) -> dict[bytes, Any]:
    return {bytes(key[3]): (key[2], meta["gen"], bins) for key, meta, bins in query.results()}


def seen_by_us(query: spikewire.Query) -> dict[bytes, Any]:
    rows = [(it.key.digest, (it.key.key, it.generation, it.bins)) for it in query]
    rows_by_key = dict(rows)
    assert len(rows_by_key) == len(rows), "a record twice"
    return rows_by_key


def test_both_clients_scan_the_same_records(both: tuple[Any, spikewire.Client, str]) -> None:
    theirs, ours, name = both
    rows = seen_by_us(ours.query("test", name))
    assert rows == seen_by_them(theirs.query("test", name))
    assert len(rows) == COUNT
    some = theirs.query("test", name)
    some.select("n", "s")
    assert seen_by_us(ours.query("test", name, bins=["n", "s"])) == seen_by_them(some)
    half = seen_by_us(ours.query("test", name, where=exp.bin("n") < COUNT // 2))
    assert {user for user, _, _ in half.values()} == set(range(COUNT // 2))


def test_both_clients_query_indexes_alike(both: tuple[Any, spikewire.Client, str]) -> None:
    theirs, ours, name = both
    theirs.index_single_value_create("test", name, "n", aerospike.INDEX_NUMERIC, f"{name}_n")
    theirs.index_single_value_create("test", name, "s", aerospike.INDEX_STRING, f"{name}_s")
    for index in ("n", "s"):
        ours.indexes.wait("test", f"{name}_{index}")
    assert {it.name for it in ours.indexes.list("test")} >= {f"{name}_n", f"{name}_s"}
    for our, their in (
        (spikewire.between("n", 100, 299), predicates.between("n", 100, 299)),
        (spikewire.equal("s", "t4"), predicates.equals("s", "t4")),
    ):
        query = theirs.query("test", name)
        query.where(their)
        rows = seen_by_us(ours.query("test", name, index=our))
        assert rows == seen_by_them(query)
        assert rows
    with contextlib.suppress(aerospike.exception.AerospikeError):
        theirs.index_remove("test", f"{name}_n")
    ours.indexes.drop("test", name, f"{name}_s")
