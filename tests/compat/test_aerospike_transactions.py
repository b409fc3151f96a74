"""Transactions of the drop-in, next to those of the official client where it is installed, and the
two of them on the same records."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.compat import aerospike as dropin
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator


MODULE = """
function add(record, amount)
  record['n'] = record['n'] + amount
  aerospike:update(record)
  return record['n']
end
"""


def _official() -> Any:
    return pytest.importorskip("aerospike")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(2, edition="enterprise", strong_consistency=True) as cluster:
        assert cluster.wait_settled()
        with spikewire.Client(cluster.seeds) as client:
            client.modules.register("txn_verbs.lua", MODULE)
        yield cluster


def _config(cluster: Cluster) -> dict[str, Any]:
    hosts = [
        (host, int(port))
        for host, _, port in (it.rpartition(":") for it in cluster.seeds.split(","))
    ]
    policies = {name: {"total_timeout": 30_000} for name in ("read", "write", "operate", "batch")}
    return {"hosts": hosts, "policies": policies}


class Peer:
    """A client with its own module."""

    def __init__(self, module: Any, cluster: Cluster) -> None:
        self.module = module
        self.client = module.client(_config(cluster))
        if hasattr(self.client, "connect"):
            self.client.connect()
        package = "spikewire.compat.aerospike_helpers" if module is dropin else "aerospike_helpers"
        self.operations = importlib.import_module(f"{package}.operations.operations")
        self.records = importlib.import_module(f"{package}.batch.records")

    def txn(self) -> Any:
        return self.module.Transaction()


@pytest.fixture(params=["drop-in", "official"])
def peer(request: pytest.FixtureRequest, cluster: Cluster) -> Iterator[Peer]:
    peer = Peer(dropin if request.param == "drop-in" else _official(), cluster)
    yield peer
    peer.client.close()
    assert until(lambda: _locks(cluster) == (0, 0))


@pytest.fixture
def both(cluster: Cluster) -> Iterator[tuple[Peer, Peer]]:
    peers = Peer(dropin, cluster), Peer(_official(), cluster)
    yield peers
    for peer in peers:
        peer.client.close()


def _key(name: str) -> tuple[str, str, str]:
    return ("test", "transactions", name)


def _bins(peer: Peer, key: Any, policy: Any = None) -> dict[str, Any]:
    return peer.client.get(key, policy)[2]


def _locks(cluster: Cluster) -> tuple[int, int]:
    counts = [0, 0]
    with spikewire.Client(cluster.seeds) as client:
        for node in client.nodes():
            pairs = client.info("namespace/test", node.name).split(";")
            known = dict(pair.partition("=")[::2] for pair in pairs)
            counts[0] += int(known["mrt_provisionals"])
            counts[1] += int(known["mrt_monitors"])
    return counts[0], counts[1]


# The official client says so of append and prepend.
@pytest.mark.filterwarnings("ignore:.*is deprecated for strings")
def test_every_verb_takes_part(peer: Peer, cluster: Cluster) -> None:
    client, names = peer.client, [_key(f"v{number}") for number in range(12)]
    for key in [*names[:6], *names[8:]]:
        client.put(key, {"n": 1, "s": "x"})
    txn = peer.txn()
    policy = {"txn": txn}
    assert (txn.state, txn.in_doubt) == (peer.module.TXN_STATE_OPEN, False)
    client.put(names[0], {"n": 2}, policy=policy)
    client.increment(names[1], "n", 5, policy=policy)
    client.append(names[2], "s", "y", policy=policy)
    client.prepend(names[2], "s", "z", policy=policy)
    client.remove(names[3], policy={**policy, "durable_delete": True})
    client.touch(names[4], policy=policy)
    client.remove_bin(names[5], ["s"], policy=policy)
    ops = [peer.operations.increment("n", 3), peer.operations.read("n")]
    assert client.operate(names[0], ops, policy=policy)[2] == {"n": 5}
    batch = client.batch_operate(
        [names[6], names[7]], [peer.operations.write("n", 9)], policy_batch=policy
    )
    assert [row.result for row in batch.batch_records] == [0, 0]
    rows = peer.records.BatchRecords(
        [
            peer.records.Write(names[7], [peer.operations.write("n", 10)]),
            peer.records.Read(names[0], None, read_all_bins=True),
        ]
    )
    client.batch_write(rows, policy)
    assert [row.result for row in rows.batch_records] == [0, 0]
    read = client.batch_read(names[:8], policy=policy)
    assert [row.result for row in read.batch_records] == [0, 0, 0, 2, 0, 0, 0, 0]
    assert client.exists(names[3], policy)[1] is None
    assert client.apply(names[8], "txn_verbs", "add", [1], policy) == 2
    ordered = [peer.operations.increment("n", 3), peer.operations.read("n")]
    assert client.operate_ordered(names[9], ordered, policy=policy)[2] == [("n", 4)]
    applied = client.batch_apply([names[10]], "txn_verbs", "add", [5], policy)
    assert [row.result for row in applied.batch_records] == [0]
    removed = client.batch_remove([names[11]], policy, {"durable_delete": True})
    assert [row.result for row in removed.batch_records] == [0]
    assert client.select(names[1], ["n"], policy)[2] == {"n": 6}
    # Others see nothing of it.
    assert _bins(peer, names[0]) == {"n": 1, "s": "x"}
    assert client.exists(names[6])[1] is None
    assert [_bins(peer, key)["n"] for key in names[8:]] == [1, 1, 1, 1]
    assert client.commit(txn) == peer.module.COMMIT_OK
    assert txn.state == peer.module.TXN_STATE_COMMITTED
    assert _bins(peer, names[0]) == {"n": 5, "s": "x"}
    assert _bins(peer, names[1])["n"] == 6
    assert _bins(peer, names[2])["s"] == "zxy"
    assert client.exists(names[3])[1] is None
    assert _bins(peer, names[5]) == {"n": 1}
    assert [_bins(peer, key)["n"] for key in names[6:11]] == [9, 10, 2, 4, 6]
    assert client.exists(names[11])[1] is None
    assert _locks(cluster) == (0, 0)
    assert client.commit(txn) == peer.module.COMMIT_ALREADY_COMMITTED
    with pytest.raises(peer.module.exception.TransactionAlreadyCommitted):
        client.abort(txn)
    for key in names:
        if client.exists(key)[1] is not None:
            client.remove(key, policy={"durable_delete": True})


def test_an_abort(peer: Peer, cluster: Cluster) -> None:
    key = _key("abort")
    peer.client.put(key, {"n": 1})
    txn = peer.txn()
    peer.client.put(key, {"n": 2}, policy={"txn": txn})
    assert peer.client.abort(txn) == peer.module.ABORT_OK
    assert txn.state == peer.module.TXN_STATE_ABORTED
    assert _bins(peer, key) == {"n": 1}
    assert _locks(cluster) == (0, 0)
    assert peer.client.abort(txn) == peer.module.ABORT_ALREADY_ABORTED
    with pytest.raises(peer.module.exception.TransactionAlreadyAborted):
        peer.client.commit(txn)
    with pytest.raises(peer.module.exception.AerospikeError):
        peer.client.put(key, {"n": 3}, policy={"txn": txn})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_second_write_may_be_refused(peer: Peer, cluster: Cluster) -> None:
    client, write, keys = peer.client, peer.operations.write, [_key(f"lock{at}") for at in range(3)]
    txn = peer.txn()
    policy, first = {"txn": txn, "on_locking_only": True}, {"on_locking_only": True}
    client.put(keys[0], {"n": 1}, policy=policy)
    calls = [
        lambda: client.put(keys[0], {"n": 2}, policy=policy),
        lambda: client.operate(keys[0], [write("n", 2)], policy=policy),
    ]
    for call in calls:
        with pytest.raises(peer.module.exception.AerospikeError) as caught:
            call()
        assert caught.value.code == 126

    def rows() -> list[Any]:
        of = [(keys[0], {}), (keys[1], {}), (keys[2], {"meta": {"ttl": 500}})]
        return [peer.records.Write(key, [write("n", 2)], policy=first, **more) for key, more in of]

    for expected in ([126, 0, 0], [126] * 3):
        batch = peer.records.BatchRecords(rows())
        client.batch_write(batch, {"txn": txn})
        assert [row.result for row in batch.batch_records] == expected
    # Without a transaction, it is no condition.
    client.put(_key("free"), {"n": 1}, policy=first)
    client.put(_key("free"), {"n": 2}, policy=first)
    assert client.commit(txn) == peer.module.COMMIT_OK
    assert [_bins(peer, key) for key in keys] == [{"n": 1}, {"n": 2}, {"n": 2}]
    for key in (*keys, _key("free")):
        client.remove(key, policy={"durable_delete": True})
    assert _locks(cluster) == (0, 0)


def test_a_changed_record_fails_the_commit(peer: Peer, cluster: Cluster) -> None:
    key, other = _key("verify"), _key("other")
    peer.client.put(key, {"n": 1})
    txn = peer.txn()
    peer.client.get(key, {"txn": txn})
    peer.client.put(other, {"n": 1}, policy={"txn": txn})
    peer.client.put(key, {"n": 2})
    with pytest.raises(peer.module.exception.TransactionFailed):
        peer.client.commit(txn)
    assert txn.state == peer.module.TXN_STATE_ABORTED
    assert peer.client.exists(other)[1] is None
    assert _locks(cluster) == (0, 0)


@pytest.mark.parametrize("first", [0, 1])
def test_both_clients_lock_each_other_out(
    both: tuple[Peer, Peer], cluster: Cluster, first: int
) -> None:
    one, other = both[first], both[1 - first]
    key, read = _key(f"both{first}"), _key(f"read{first}")
    one.client.put(key, {"n": 1})
    one.client.put(read, {"n": 1})
    mine, theirs = one.txn(), other.txn()
    one.client.put(key, {"n": 2}, policy={"txn": mine})
    for policy in ({"txn": theirs}, None):
        with pytest.raises(other.module.exception.AerospikeError) as caught:
            other.client.put(key, {"n": 3}, policy=policy)
        assert caught.value.code == 120
    # A read is not locked out, and fails the other's commit once this one has committed.
    assert _bins(other, key, {"txn": theirs}) == {"n": 1}
    other.client.put(read, {"n": 5}, policy={"txn": theirs})
    assert one.client.commit(mine) == one.module.COMMIT_OK
    with pytest.raises(other.module.exception.TransactionFailed):
        other.client.commit(theirs)
    assert (_bins(one, key), _bins(one, read)) == ({"n": 2}, {"n": 1})
    assert _locks(cluster) == (0, 0)


def test_an_abandoned_transaction_of_either_ends_by_itself(peer: Peer, cluster: Cluster) -> None:
    key = _key("abandoned")
    peer.client.put(key, {"n": 1})
    txn = peer.txn()
    txn.timeout = 1
    peer.client.put(key, {"n": 2}, policy={"txn": txn})
    assert _locks(cluster) == (1, 1)
    assert until(lambda: _locks(cluster) == (0, 0))
    assert _bins(peer, key) == {"n": 1}
    peer.client.put(key, {"n": 3})


def test_what_the_drop_in_refuses(cluster: Cluster) -> None:
    peer = Peer(dropin, cluster)
    txn, key = peer.txn(), _key("refused")
    client, where = peer.client, ("test", "transactions")
    one = dropin.predicates.equals("n", 1)

    def in_background(query: Any) -> Any:
        query.add_ops([peer.operations.touch()])
        return query

    calls: list[Any] = [
        lambda policy: client.query(*where).results(policy),
        lambda policy: client.query(*where).foreach(print, policy),
        lambda policy: in_background(client.query(*where)).execute_background(policy),
        lambda policy: client.scan(*where).results(policy),
        lambda policy: client.scan(*where).foreach(print, policy),
        lambda policy: in_background(client.scan(*where)).execute_background(policy),
        lambda policy: client.scan_apply(*where, "txn_verbs", "add", [1], policy),
        lambda policy: client.query_apply(*where, one, "txn_verbs", "add", [1], policy),
    ]
    for call in calls:
        with pytest.raises(NotImplementedError, match=r"txn is not supported by .*: leave it out"):
            call({"txn": txn})
    assert txn.state == dropin.TXN_STATE_OPEN
    rows = peer.records.BatchRecords(
        [peer.records.Write(key, [peer.operations.write("n", 1)], policy={"txn": txn})]
    )
    with pytest.raises(NotImplementedError, match="rows of a batch"):
        peer.client.batch_write(rows)
    with pytest.raises(dropin.exception.ParamError, match=r"not of type aerospike\.Transaction"):
        peer.client.put(key, {"n": 1}, policy={"txn": 5})
    for verb in (peer.client.commit, peer.client.abort):
        with pytest.raises(TypeError, match=r"must be aerospike\.Transaction, not int"):
            verb(5)
    peer.client.close()
