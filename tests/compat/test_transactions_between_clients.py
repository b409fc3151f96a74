"""The official client in one transaction and Spikewire in another, on the same records: each blocks
the other until its commit, its abort or its expiry, with single records and in batches."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SET = "between"


class Native:
    """Spikewire: outcomes are results, or the codes of errors."""

    def __init__(self, cluster: Cluster) -> None:
        self.client = spikewire.Client(cluster.seeds, timeout=30)
        self.data = self.client.dataset("test", SET)
        self.close = self.client.close

    def begin(self, timeout: int = 0) -> Any:
        return self.client.transaction(timeout=timeout)

    def _verbs(self, txn: Any) -> Any:
        return self.data if txn is None else self.data.within(txn)

    def put(self, key: str, n: int, txn: Any = None) -> int:
        try:
            self._verbs(txn).put(key, {"n": n})
        except spikewire.Error as error:
            return error.code
        return 0

    def get(self, key: str, txn: Any = None) -> int | None:
        record = self._verbs(txn).get(key, default=None)
        return None if record is None else record.bins["n"]

    def delete(self, key: str, txn: Any = None) -> int:
        try:
            self._verbs(txn).delete(key, durable=True)
        except spikewire.Error as error:
            return error.code
        return 0

    def put_many(self, keys: list[str], n: int, txn: Any = None) -> list[int]:
        batch = self._verbs(txn).put_many({key: {"n": n} for key in keys})
        return [int(code) for code in batch.codes]

    def get_many(self, keys: list[str], txn: Any = None) -> list[int | None]:
        rows = self._verbs(txn).get_many(keys)
        return [None if row is None else row.bins["n"] for row in rows]

    def commits(self, txn: Any) -> bool:
        try:
            txn.commit()
        except spikewire.CommitFailed:
            return False
        return True

    def abort(self, txn: Any) -> None:
        txn.abort()


class Official:
    """The official client, likewise."""

    def __init__(self, cluster: Cluster) -> None:
        self.module = pytest.importorskip("aerospike")
        seeds = (seed.rpartition(":") for seed in cluster.seeds.split(","))
        policies = {name: {"total_timeout": 30_000} for name in ("read", "write", "batch")}
        hosts = [(host, int(port)) for host, _, port in seeds]
        self.client = self.module.client({"hosts": hosts, "policies": policies})
        self.operations = importlib.import_module("aerospike_helpers.operations.operations")
        self.close = self.client.close

    def begin(self, timeout: int = 0) -> Any:
        txn = self.module.Transaction()
        txn.timeout = timeout
        return txn

    def put(self, key: str, n: int, txn: Any = None) -> int:
        try:
            self.client.put(("test", SET, key), {"n": n}, policy={"txn": txn} if txn else None)
        except self.module.exception.AerospikeError as error:
            return int(error.code)
        return 0

    def get(self, key: str, txn: Any = None) -> int | None:
        try:
            return self.client.get(("test", SET, key), {"txn": txn} if txn else None)[2]["n"]
        except self.module.exception.RecordNotFound:
            return None

    def delete(self, key: str, txn: Any = None) -> int:
        policy = {"durable_delete": True} | ({"txn": txn} if txn else {})
        try:
            self.client.remove(("test", SET, key), policy=policy)
        except self.module.exception.AerospikeError as error:
            return int(error.code)
        return 0

    def put_many(self, keys: list[str], n: int, txn: Any = None) -> list[int]:
        rows = self.client.batch_operate(
            [("test", SET, key) for key in keys],
            [self.operations.write("n", n)],
            policy_batch={"txn": txn} if txn else None,
        )
        return [row.result for row in rows.batch_records]

    def get_many(self, keys: list[str], txn: Any = None) -> list[int | None]:
        policy = {"txn": txn} if txn else None
        rows = self.client.batch_read([("test", SET, key) for key in keys], policy=policy)
        return [row.record[2]["n"] if row.result == 0 else None for row in rows.batch_records]

    def commits(self, txn: Any) -> bool:
        try:
            self.client.commit(txn)
        except self.module.exception.AerospikeError:
            return False
        return True

    def abort(self, txn: Any) -> None:
        self.client.abort(txn)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(2, edition="enterprise", strong_consistency=True) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(params=["official first", "spikewire first"])
def both(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[tuple[Any, Any]]:
    peers: tuple[Any, Any] = Official(cluster), Native(cluster)
    yield peers if request.param == "official first" else peers[::-1]
    for peer in peers:
        peer.close()
    assert until(lambda: _locks(cluster, "mrt_provisionals", "mrt_monitors") == 0)


def _locks(cluster: Cluster, *counts: str) -> int:
    """Locked records on all nodes; monitors too if they are asked for."""
    count = 0
    with spikewire.Client(cluster.seeds) as client:
        for node in client.nodes():
            for pair in client.info("namespace/test", node.name).split(";"):
                name, _, value = pair.partition("=")
                if name in (counts or ("mrt_provisionals",)):
                    count += int(value)
    return count


def test_a_commit_ends_the_lock(both: tuple[Any, Any], cluster: Cluster) -> None:
    one, other = both
    assert one.put("a", 1) == 0
    mine, theirs = one.begin(), other.begin()
    assert one.put("a", 2, mine) == 0
    assert other.put("a", 3, theirs) == 120
    assert other.put("a", 3) == 120
    assert other.delete("a", theirs) == 120
    assert (other.get("a"), one.get("a", mine)) == (1, 2)
    assert one.commits(mine)
    assert _locks(cluster) == 0
    # The lock is gone, and the other one begins again.
    other.abort(theirs)
    theirs = other.begin()
    assert other.get("a", theirs) == 2
    assert other.put("a", 3, theirs) == 0
    assert one.put("a", 4) == 120
    assert other.commits(theirs)
    assert (one.get("a"), other.get("a")) == (3, 3)


def test_an_abort_ends_the_lock(both: tuple[Any, Any], cluster: Cluster) -> None:
    one, other = both
    assert one.put("b", 1) == 0
    mine, theirs = one.begin(), other.begin()
    assert one.delete("b", mine) == 0
    assert one.put("new", 1, mine) == 0
    assert other.put("b", 3, theirs) == 120
    assert other.put("new", 3, theirs) == 120
    assert other.get("new") is None
    one.abort(mine)
    assert _locks(cluster) == 0
    assert other.put("b", 3, theirs) == 0
    assert other.put("new", 4, theirs) == 0
    assert other.commits(theirs)
    assert (one.get("b"), one.get("new")) == (3, 4)
    assert one.delete("new") == 0


def test_an_expiry_ends_the_lock(both: tuple[Any, Any], cluster: Cluster) -> None:
    one, other = both
    assert one.put("c", 1) == 0
    mine, theirs = one.begin(timeout=1), other.begin(timeout=60)
    assert one.put("c", 2, mine) == 0
    assert other.put("c", 3, theirs) == 120
    assert until(lambda: other.put("c", 3, theirs) == 0)
    assert one.put("c", 4, mine) == 122
    assert not one.commits(mine)
    assert other.commits(theirs)
    assert one.get("c") == 3


def test_batches_lock_and_are_locked_by_record(both: tuple[Any, Any], cluster: Cluster) -> None:
    one, other = both
    keys = [f"d{number}" for number in range(12)]
    assert one.put_many(keys, 1) == [0] * 12
    mine, theirs = one.begin(), other.begin()
    assert one.put_many(keys[:8], 2, mine) == [0] * 8
    # Each record of a batch is locked, or free, by itself.
    assert other.put_many(keys[6:], 3, theirs) == [120, 120, 0, 0, 0, 0]
    assert one.put(keys[11], 4, mine) == 120
    assert other.get_many(keys) == [1] * 12
    assert one.get_many(keys[4:10], mine) == [2, 2, 2, 2, 1, 1]
    assert other.get_many(keys[4:10]) == [1] * 6
    assert other.commits(theirs)
    # What the other one has committed meanwhile, this one had read.
    assert not one.commits(mine)
    assert one.get_many(keys) == [1] * 8 + [3] * 4
    assert _locks(cluster) == 0


def test_a_read_of_what_the_other_commits_fails_the_commit(both: tuple[Any, Any]) -> None:
    one, other = both
    assert one.put_many(["e", "f"], 1) == [0, 0]
    mine, theirs = one.begin(), other.begin()
    # A write skew: each reads what the other one writes.
    assert one.get("e", mine) == 1
    assert other.get("f", theirs) == 1
    assert one.put("f", 2, mine) == 0
    assert other.put("e", 2, theirs) == 0
    assert [one.commits(mine), other.commits(theirs)].count(True) <= 1
    assert [one.get("e"), one.get("f")].count(2) <= 1
