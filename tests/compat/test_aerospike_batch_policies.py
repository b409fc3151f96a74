"""Policies of batches and their rows: what nodes see of them, with both clients."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

from spikewire.compat import aerospike as dropin
from spikewire.compat import aerospike_py as dropin_py
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

SET = "policies"
KEYS = [("test", SET, number) for number in range(12)]
LARGE = "x" * 50_000

# The official client says so of append, and of times to live in metadata.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
MASTER = {"commit_level": 1}
NO_REPLY = -15


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=1) as cluster:
        yield cluster


class Peer:
    """A client with its own module."""

    def __init__(self, module: Any, cluster: Cluster) -> None:
        self.module = module
        host, _, port = cluster.seeds.rpartition(":")
        self.client = module.client({"hosts": [(host, int(port))]}).connect()
        package = "spikewire.compat.aerospike_helpers" if module is dropin else "aerospike_helpers"
        self.operations = importlib.import_module(f"{package}.operations.operations")
        self.records = importlib.import_module(f"{package}.batch.records")

    def write(self, key: Any, *operations: Any, **named: Any) -> Any:
        return self.records.Write(key, list(operations), **named)

    def run(self, rows: list[Any], policy: Any = None) -> Any:
        batch = self.records.BatchRecords(rows)
        self.client.batch_write(batch, policy)
        return batch.result, [row.result for row in rows]


@pytest.fixture(params=["drop-in", "official"])
def peer(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Peer]:
    module = dropin if request.param == "drop-in" else pytest.importorskip("aerospike")
    peer = Peer(module, cluster)
    for key in KEYS:
        peer.client.put(key, {"s": "text", "large": LARGE})
    yield peer
    peer.client.close()


def sees(cluster: Cluster, commits: int) -> bool:
    """Whether this number of writes asked for the master alone."""
    return until(lambda: cluster.stats(0)["master_commits"] == commits)


def test_rows_have_commit_levels(peer: Peer, cluster: Cluster) -> None:
    module, write = peer.module, peer.operations.write
    assert MASTER["commit_level"] == module.POLICY_COMMIT_LEVEL_MASTER
    rows = [
        peer.write(KEYS[0], write("n", 1), policy=MASTER),
        peer.write(KEYS[1], write("n", 1)),
        peer.write(KEYS[2], write("n", 1), meta={"ttl": 100}, policy=MASTER),
        peer.records.Remove(KEYS[3], policy=MASTER),
        peer.records.Read(KEYS[4], None, read_all_bins=True),
    ]
    assert peer.run(rows) == (0, [0] * 5)
    assert sees(cluster, 3)
    peer.client.batch_operate(KEYS[:2], [write("n", 2)], None, MASTER)
    assert sees(cluster, 5)
    peer.client.batch_remove(KEYS[:2], None, MASTER)
    assert sees(cluster, 7)
    host, _, port = cluster.seeds.rpartition(":")
    policies = {"batch_write": MASTER, "batch_remove": MASTER}
    other = module.client({"hosts": [(host, int(port))], "policies": policies}).connect()
    batch = peer.records.BatchRecords([peer.write(key, write("n", 3)) for key in KEYS[:2]])
    other.batch_write(batch)
    other.batch_remove(KEYS[2:4])
    assert sees(cluster, 11)
    other.close()


@pytest.mark.parametrize("odd", [False, True], ids=["plain rows", "odd rows"])
def test_a_node_stops_to_reply_where_a_row_fails(peer: Peer, *, odd: bool) -> None:
    fails = peer.write(KEYS[1], peer.operations.increment("s", 1))
    meta = {"meta": {"ttl": 500}} if odd else {}
    steps = peer.operations.write("n", 1), peer.operations.read("large")
    rows = [peer.write(key, *steps, **meta) for key in KEYS]
    rows[1] = fails
    assert peer.run(rows) == (-16, [0, 12, *[0] * 10])
    assert peer.run(rows, {"respond_all_keys": True}) == (-16, [0, 12, *[0] * 10])
    cut = 12, [0, 12, 0, *[NO_REPLY] * 9]
    assert peer.run(rows, {"respond_all_keys": False}) == cut
    assert rows[2].record[2]["large"] == LARGE
    reads: list[Any] = [peer.records.Read(key, None, read_all_bins=True) for key in KEYS]
    reads[1] = fails
    assert peer.run(reads, {"respond_all_keys": False}) == cut
    # What the nodes have not replied to is written nevertheless.
    assert [peer.client.get(key)[2].get("n") for key in KEYS] == [1, None, *[1] * 10]


def test_results_are_those_of_keys_too(peer: Peer) -> None:
    peer.client.put(KEYS[1], {"s": 1})
    steps = [peer.operations.append("s", "!"), peer.operations.read("large")]
    batch = peer.client.batch_operate(KEYS, steps, {"respond_all_keys": False})
    results = [row.result for row in batch.batch_records]
    assert (batch.result, results) == (12, [0, 12, 0, *[NO_REPLY] * 9])
    policy = {"respond_all_keys": False}
    assert peer.client.batch_read([*KEYS, ("test", SET, "none")], None, policy).result == 0


@pytest.mark.parametrize("module", ["drop-in", "aerospike_py"])
def test_the_other_client_has_them(cluster: Cluster, module: str) -> None:
    of = dropin_py if module == "drop-in" else pytest.importorskip("aerospike_py")
    host, _, port = cluster.seeds.rpartition(":")
    client = of.client({"hosts": [(host, int(port))]}).connect()
    client.put(KEYS[0], {"n": 1}, policy=MASTER)
    client.put(KEYS[0], {"n": 1}, policy={"commit_level": 0})
    client.remove(KEYS[0], policy=MASTER)
    client.operate(KEYS[0], [{"op": of.OPERATOR_WRITE, "bin": "n", "val": 1}], policy=MASTER)
    assert sees(cluster, 3)
    client.batch_write([(key, {"n": 1}) for key in KEYS[:2]], policy=MASTER)
    assert sees(cluster, 5)
    client.batch_remove(KEYS[:2], policy=MASTER)
    assert sees(cluster, 7)
    client.close()


def test_rows_without_a_reply_are_in_doubt(cluster: Cluster) -> None:
    """The drop-ins know more here than the originals: see their tables of differences."""
    peer = Peer(dropin, cluster)
    for key in KEYS:
        peer.client.put(key, {"s": "text", "large": LARGE})
    rows = [peer.write(key, peer.operations.read("large"), peer.operations.write("n", 1))
            for key in KEYS]  # fmt: skip
    rows[1] = peer.write(KEYS[1], peer.operations.increment("s", 1))
    peer.run(rows, {"respond_all_keys": False})
    assert [row.in_doubt for row in rows] == [False] * 3 + [True] * 9
    peer.client.close()
    host, _, port = cluster.seeds.rpartition(":")
    client = dropin_py.client({"hosts": [(host, int(port))]}).connect()
    steps = [
        {"op": dropin_py.OPERATOR_READ, "bin": "large"},
        {"op": dropin_py.OPERATOR_INCR, "bin": "n", "val": 1},
    ]
    client.put(KEYS[1], {"n": "text"})
    result = client.batch_operate(KEYS, steps, {"respond_all_keys": False})
    assert [row.result for row in result.batch_records] == [0, 12, 0, *[NO_REPLY] * 9]
    assert [row.in_doubt for row in result.batch_records] == [False] * 3 + [True] * 9
    client.close()
