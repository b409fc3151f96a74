"""What each verb does in a transaction: row by row of the table in docs/transactions.md."""

from __future__ import annotations

import pickle
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import spikewire
from apis import Api, Caller, Opened
from spikewire import op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPTIONS: dict[str, Any] = {"timeout": 30, "tend_interval": 0.25}
MODULE = """
function add(record, amount)
  record['n'] = record['n'] + amount
  aerospike:update(record)
  return record['n']
end
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(2, edition="enterprise", strong_consistency=True) as cluster:
        assert cluster.wait_settled()
        with spikewire.Client(cluster.seeds) as client:
            client.modules.register("verbs.lua", MODULE)
        yield cluster


@pytest.fixture(scope="module", params=["blocking", "submit", "asyncio"])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    api = Api(request.param)
    yield api
    api.end()


@pytest.fixture(scope="module")
def opened(cluster: Cluster, api: Api) -> Iterator[Opened]:
    with api.open(cluster.seeds, **OPTIONS) as client:
        yield client


@pytest.fixture
def data(opened: Opened, request: pytest.FixtureRequest) -> Any:
    return opened.raw.dataset("test", f"s{abs(hash(request.node.nodeid)) % 10**9}")


class Txn:
    """A transaction, its verbs, and those of a dataset outside of it."""

    def __init__(self, opened: Opened, data: Any, **options: Any) -> None:
        self.api, self.raw = opened.api, opened.raw.transaction(**options)
        self.outside = Caller(data, opened.api)
        self.inside = Caller(data.within(self.raw), opened.api)

    def end(self, how: str) -> Any:
        return self.api.settle(getattr(self.raw, how))


READS: dict[str, Callable[[Caller], Any]] = {
    "get": lambda it: it.get("a").bins["n"],
    "get of some bins": lambda it: it.get("a", ["n"]).bins["n"],
    "exists": lambda it: it.exists("a") and 1,
    "operate": lambda it: it.operate("a", [op.get("n")]).bins["n"],
    "get_many": lambda it: it.get_many(["a"])[0].bins["n"],
    "exists_many": lambda it: list(it.exists_many(["a"]).codes) == [0] and 1,
    "operate_many": lambda it: it.operate_many(["a"], [op.get("n")])[0].bins["n"],
    "get_numpy": lambda it: int(it.get_numpy(["a"], [("n", "i8")])["n"][0]),
    "batch": lambda it: it.batch([spikewire.Read(it.target.key("a"))])[0].bins["n"],
}


@pytest.mark.parametrize("verb", READS)
def test_reads_are_verified_when_it_commits(opened: Opened, data: Any, verb: str) -> None:
    txn = Txn(opened, data)
    txn.outside.put("a", {"n": 1})
    assert READS[verb](txn.inside) == 1
    assert txn.raw._counts == (1, 0)
    txn.outside.put("a", {"n": 2})
    with pytest.raises(spikewire.CommitFailed) as caught:
        txn.end("commit")
    assert [error.code for error in caught.value.records] == [121]


def _tables(it: Caller) -> Any:
    rows = np.array([(2, b"a")], [("n", "i8"), ("key", "S1")])
    return it.put_many(rows, key="key", schema={"key": str})


#: Each makes ``n`` of record "a" 2; it was 1.
WRITES: dict[str, Callable[[Caller], Any]] = {
    "put": lambda it: it.put("a", {"n": 2}),
    "add": lambda it: it.add("a", {"n": 1}),
    "operate": lambda it: it.operate("a", [op.add("n", 1), op.get("n")]),
    "apply": lambda it: it.apply("a", "verbs", "add", [1]),
    "put_many": lambda it: it.put_many({"a": {"n": 2}}).raise_for_errors(),
    "operate_many": lambda it: it.operate_many(["a"], [op.add("n", 1)]).raise_for_errors(),
    "apply_many": lambda it: it.apply_many(["a"], "verbs", "add", [1]).raise_for_errors(),
    "batch": lambda it: it.batch(
        [spikewire.Write(it.target.key("a"), [op.put("n", 2)])]
    ).raise_for_errors(),
}


@pytest.mark.parametrize("verb", WRITES)
def test_writes_lock_and_take_effect_at_the_commit(opened: Opened, data: Any, verb: str) -> None:
    for end, left in (("abort", 1), ("commit", 2)):
        txn = Txn(opened, data)
        txn.outside.put("a", {"n": 1})
        WRITES[verb](txn.inside)
        assert txn.raw._counts == (0, 1)
        assert txn.inside.get("a").bins["n"] == 2
        assert txn.outside.get("a").bins["n"] == 1
        with pytest.raises(spikewire.RecordLocked):
            txn.outside.put("a", {"n": 7})
        assert txn.end(end) == "done"
        assert txn.outside.get("a").bins["n"] == left


TEXTS: dict[str, Callable[[Caller], Any]] = {
    "append": lambda it: it.append("a", {"s": "y"}),
    "prepend": lambda it: it.prepend("a", {"s": "y"}),
}


@pytest.mark.parametrize("verb", TEXTS)
def test_texts_grow_at_the_commit(opened: Opened, data: Any, verb: str) -> None:
    txn = Txn(opened, data)
    txn.outside.put("a", {"s": "x"})
    TEXTS[verb](txn.inside)
    assert txn.outside.get("a").bins == {"s": "x"}
    assert txn.end("commit") == "done"
    assert txn.outside.get("a").bins == {"s": "xy" if verb == "append" else "yx"}


def test_a_touch_is_a_write(opened: Opened, data: Any) -> None:
    txn = Txn(opened, data)
    txn.outside.put("a", {"n": 1})
    txn.inside.touch("a", ttl=1000)
    assert txn.raw._counts == (0, 1)
    assert txn.end("commit") == "done"
    assert 900 < txn.outside.get("a").ttl <= 1000


#: Each deletes record "a".
DELETIONS: dict[str, Callable[[Caller], Any]] = {
    "delete": lambda it: it.delete("a"),
    "operate": lambda it: it.operate("a", [op.delete()]),
    "delete_many": lambda it: it.delete_many(["a"]).raise_for_errors(),
    "batch": lambda it: it.batch([spikewire.Delete(it.target.key("a"))]).raise_for_errors(),
    "put": lambda it: it.put("a", {"n": None}),
}


@pytest.mark.parametrize("verb", DELETIONS)
def test_deletions_take_effect_at_the_commit(opened: Opened, data: Any, verb: str) -> None:
    for end, left in (("abort", True), ("commit", False)):
        txn = Txn(opened, data)
        txn.outside.put("a", {"n": 1})
        DELETIONS[verb](txn.inside)
        assert not txn.inside.exists("a")
        assert txn.outside.exists("a")
        assert txn.end(end) == "done"
        assert txn.outside.exists("a") is left


def test_a_stream_reads_as_get_many_does(opened: Opened, data: Any, api: Api) -> None:
    txn = Txn(opened, data)
    keys = list(range(100))
    txn.outside.put_many({key: {"n": key} for key in keys})
    txn.inside.put(7, {"n": 70})
    within = data.within(txn.raw)
    if api.is_blocking:
        rows = list(within.get_stream(keys, window=20))
    else:

        async def read() -> list[Any]:
            return [row async for row in within.get_stream(keys, window=20)]

        rows = api.settle(read)
    assert [row.record.bins["n"] for row in rows] == [70 if key == 7 else key for key in keys]
    assert txn.raw._counts == (99, 1)
    txn.end("abort")


def test_submitted_calls_take_part(opened: Opened, data: Any, api: Api) -> None:
    if api.name != "submit":
        return
    txn = Txn(opened, data)
    submit = data.within(txn.raw).submit
    futures = [submit.put(key, {"n": key}) for key in range(50)]
    futures += [submit.put_many({100: {"n": 1}, 101: {"n": 2}})]
    assert all(isinstance(future, Future) for future in futures)
    for future in futures:
        future.result()
    assert txn.raw._counts == (0, 52)
    assert not txn.outside.exists(1)
    of_client = opened.raw.within(txn.raw).submit
    assert of_client.get(data.key(1)).result().bins == {"n": 1}
    assert txn.end("commit") == "done"
    assert list(txn.outside.exists_many([*range(50), 100, 101]).codes) == [0] * 52
    with pytest.raises(spikewire.TransactionError, match="is committed; begin another one"):
        submit.get(1)


def test_concurrent_calls_take_part(opened: Opened, data: Any, api: Api) -> None:
    txn = Txn(opened, data)
    inside, of_client = data.within(txn.raw), opened.raw.within(txn.raw)
    calls: list[Any] = [(inside.put, key, {"n": key}) for key in range(40)]
    calls += [(of_client.put, data.key(key), {"n": key}) for key in range(40, 60)]
    if api.is_blocking:
        assert len(list(opened.raw.concurrent(calls))) == 60
    else:

        async def run() -> int:
            return len([done async for done in opened.raw.concurrent(calls)])

        assert api.settle(run) == 60
    assert txn.raw._counts == (0, 60)
    assert list(txn.outside.exists_many(range(60)).codes) == [2] * 60
    assert txn.end("commit") == "done"
    assert list(txn.outside.exists_many(range(60)).codes) == [0] * 60


def test_keys_of_several_sets_in_one_call(opened: Opened, api: Api) -> None:
    one, two = (opened.raw.dataset("test", name) for name in ("sets_one", "sets_two"))
    txn = Txn(opened, one)
    plain, inside = Caller(opened.raw, api), Caller(opened.raw.within(txn.raw), api)
    keys = [key for number in range(10) for key in (one.key(number), two.key(number))]
    rows = [(key, {"n": at}) for at, key in enumerate(keys)]
    assert list(inside.put_many(rows).codes) == [0] * 20
    assert [row.bins["n"] for row in inside.get_many(keys)] == list(range(20))
    assert list(inside.exists_many([("test", "sets_one", 1), ("test", "sets_two", 99)]).codes) == [
        0,
        2,
    ]
    mixed = [
        spikewire.Write(one.key(0), [op.add("n", 100)]),
        spikewire.Delete(two.key(0)),
        spikewire.Read(two.key(1)),
    ]
    assert inside.batch(mixed)[2].bins == {"n": 3}
    assert inside.operate_many(keys[2:4], [op.add("n", 1)]).raise_for_errors()
    assert inside.get(one.key(0)).bins == {"n": 100}
    assert txn.raw._counts == (1, 20)
    assert list(plain.exists_many(keys).codes) == [2] * 20
    assert txn.end("commit") == "done"
    left = [None if row is None else row.bins["n"] for row in plain.get_many(keys)]
    assert left == [100, None, 3, 4, *range(4, 20)]
    # As outside: a dataset takes keys of its own set.
    with pytest.raises(ValueError, match="is not a key of dataset"):
        txn.inside.get_many([two.key(1)])
    plain.delete_many(keys, durable=True)


def test_a_deadline_is_for_reads_as_outside(api: Api) -> None:
    with (
        Cluster(1, edition="enterprise", strong_consistency=True) as cluster,
        api.open(cluster.seeds, **OPTIONS, max_error_rate=0) as client,
    ):
        data = client.raw.dataset("test", "s")
        txn = Txn(client, data)
        txn.outside.put_many({"a": {"n": 1}, "b": {"n": 2}})
        rows = txn.inside.get_many(["a", "b"], deadline=20)
        assert [row.bins["n"] for row in rows] == [1, 2]
        late = Txn(client, data)
        cluster.inject(0, drop=1.0)
        rows = late.inside.get_many(["a", "b"], deadline=0.1)
        assert len(rows.late) == 2
        cluster.clear_faults(0)
        # Nobody has seen what is late: it is not verified, and locks nothing.
        assert late.raw._counts == (0, 0)
        txn.outside.put("a", {"n": 5})
        assert late.end("commit") == "done"
        with pytest.raises(ValueError, match="deadline and writes exclude each other"):
            txn.inside.operate_many(["a"], [op.add("n", 1)], deadline=1)
        txn.end("abort")


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "query": (lambda it: it.query(), "a query is no part of transactions"),
    "operate_all": (lambda it: it.operate_all([op.touch()]), "a background job is no part"),
    "apply_all": (lambda it: it.apply_all("verbs", "add", [1]), "a background job is no part"),
    "touch_all": (lambda it: it.touch_all(), "a background job is no part"),
    "delete_all": (lambda it: it.delete_all(), "a background job is no part"),
    "pickling": (pickle.dumps, "pickling is no part of transactions"),
}


@pytest.mark.parametrize("verb", REFUSED)
def test_what_is_no_part_of_transactions(opened: Opened, data: Any, verb: str) -> None:
    txn = opened.raw.transaction()
    call, message = REFUSED[verb]
    with pytest.raises(spikewire.TransactionError, match=message) as caught:
        call(data.within(txn))
    assert caught.value.code == -17
    assert (txn.state, txn.namespace) == ("open", None)


def test_queries_of_a_client_within_are_refused(opened: Opened, cluster: Cluster) -> None:
    txn = opened.raw.transaction()
    inside = opened.raw.within(txn)
    calls: list[Callable[[], object]] = [
        lambda: inside.query("test", "s"),
        lambda: inside.delete_all("test", "s"),
        lambda: inside.dataset("test", "s").query(),
    ]
    for call in calls:
        with pytest.raises(spikewire.TransactionError, match="no part of transactions"):
            call()
    with pytest.raises(TypeError, match="must be a Transaction, not int"):
        opened.raw.within(5)
    with (
        opened.api.open(cluster.seeds, **OPTIONS) as other,
        pytest.raises(spikewire.TransactionError, match="another client"),
    ):
        other.raw.within(txn)


def test_a_client_view_keeps_its_profile_within(opened: Opened, api: Api) -> None:
    profile = spikewire.Profile("keyed", write={"send_key": True})
    view = opened.raw.with_profile(profile)
    txn = view.transaction()
    inside = view.within(txn)
    assert inside.profile is profile
    key = opened.raw.dataset("test", "view_within").key("a")
    Caller(inside, api).put(key, {"n": 1})
    api.settle(txn.commit)
    rows = api.rows(opened.raw.query("test", "view_within"))
    assert [row.key.key for row in rows] == ["a"]


def test_sessions_of_a_builder_are_outside(opened: Opened, data: Any, api: Api) -> None:
    if not api.is_blocking:
        return
    txn = Txn(opened, data)
    txn.inside.put("a", {"n": 1})
    found = opened.raw.session().query(data.key("a")).execute()
    assert [row.record for row in found if row.record is not None] == []
    txn.end("abort")
    assert until(lambda: not txn.outside.exists("a"))
