"""Transactions: what they see, what they lock, and how they end."""

from __future__ import annotations

import asyncio
import functools
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api, Opened
from spikewire import op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

OPTIONS: dict[str, Any] = {"timeout": 30, "tend_interval": 0.25}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(2, edition="enterprise", strong_consistency=True) as cluster:
        assert cluster.wait_settled()
        yield cluster


@pytest.fixture(scope="module", params=["blocking", "asyncio"])
def api(request: pytest.FixtureRequest) -> Iterator[Api]:
    api = Api(request.param)
    yield api
    api.end()


@pytest.fixture(scope="module")
def opened(cluster: Cluster, api: Api) -> Iterator[Opened]:
    with api.open(cluster.seeds, **OPTIONS) as client:
        yield client


@pytest.fixture
def data(opened: Opened, cluster: Cluster, request: pytest.FixtureRequest) -> Any:
    """A set of the test's own: what another one left locked is not in its way."""
    yield opened.raw.dataset("test", f"s{abs(hash(request.node.nodeid)) % 10**9}")
    assert until(lambda: locks(cluster) == (0, 0))


class Txn:
    """A transaction whose calls return results on either API."""

    def __init__(self, opened: Opened, **options: Any) -> None:
        self.api, self.raw = opened.api, opened.raw.transaction(**options)

    def call(self, data: Any, verb: str, *args: Any, **options: Any) -> Any:
        return self.api.settle(lambda: getattr(data.within(self.raw), verb)(*args, **options))

    def commit(self) -> Any:
        return self.api.settle(self.raw.commit)

    def abort(self) -> Any:
        return self.api.settle(self.raw.abort)


@pytest.fixture
def plain(opened: Opened, data: Any) -> Any:
    """Calls without a transaction."""

    def call(verb: str, *args: Any, **options: Any) -> Any:
        return opened.api.settle(lambda: getattr(data, verb)(*args, **options))

    return call


def locks(cluster: Cluster) -> tuple[int, int]:
    """Locked records, and monitors, on all nodes."""
    counts = [0, 0]
    with spikewire.Client(cluster.seeds) as client:
        for node in client.nodes():
            text = client.info("namespace/test", node.name)
            known = dict(pair.partition("=")[::2] for pair in text.split(";"))
            counts[0] += int(known["mrt_provisionals"])
            counts[1] += int(known["mrt_monitors"])
    return counts[0], counts[1]


def test_a_commit_makes_all_writes_visible_at_once(
    opened: Opened, data: Any, plain: Any, cluster: Cluster
) -> None:
    plain("put", "a", {"n": 1})
    txn = Txn(opened)
    assert (txn.raw.state, txn.raw.namespace) == ("open", None)
    assert txn.call(data, "get", "a").bins == {"n": 1}
    txn.call(data, "put", "a", {"n": 2})
    txn.call(data, "add", "b", {"n": 5})
    assert txn.call(data, "operate", "b", [op.add("n", 1), op.get("n")]).bins == {"n": 6}
    assert txn.call(data, "exists", "b")
    assert (plain("get", "a").bins, plain("exists", "b")) == ({"n": 1}, False)
    assert locks(cluster) == (2, 1)
    assert txn.raw.namespace == "test"
    assert (txn.commit(), txn.raw.state) == ("done", "committed")
    assert (plain("get", "a").bins, plain("get", "b").bins) == ({"n": 2}, {"n": 6})
    assert locks(cluster) == (0, 0)
    assert txn.commit() == "already"


def test_a_write_may_have_to_be_the_first(opened: Opened, data: Any, plain: Any) -> None:
    txn = Txn(opened)
    txn.call(data, "put", "a", {"n": 1}, on_locking_only=True)
    # No function is needed: its call is refused before.
    function = ("apply", "module", "function")
    for verb, *args in (("put", {"n": 2}), ("add", {"n": 1}), ("touch",), ("delete",), function):
        with pytest.raises(spikewire.TransactionError) as caught:
            txn.call(data, verb, "a", *args, on_locking_only=True)
        assert caught.value.code == 126
    rows = [spikewire.Write(key, {"n": 3}, on_locking_only=True) for key in ("a", "b")]
    rows.append(spikewire.Write("c", {"n": 3}))
    assert list(txn.call(data, "batch", rows).codes) == [126, 0, 0]
    assert list(txn.call(data, "batch", rows).codes) == [126, 126, 0]
    assert list(txn.call(data, "put_many", {"b": {"n": 4}}, on_locking_only=True).codes) == [126]
    txn.call(data, "put", "a", {"n": 2})
    txn.commit()
    assert [plain("get", key).bins["n"] for key in "abc"] == [2, 3, 3]


def test_an_abort_leaves_everything_as_it_was(
    opened: Opened, data: Any, plain: Any, cluster: Cluster
) -> None:
    plain("put", "a", {"n": 1})
    plain("put", "gone", {"n": 1})
    txn = Txn(opened)
    txn.call(data, "put", "a", {"n": 2})
    txn.call(data, "put", "new", {"n": 3})
    assert txn.call(data, "delete", "gone")
    assert txn.call(data, "get", "gone", default=None) is None
    assert (txn.abort(), txn.abort(), txn.raw.state) == ("done", "already", "aborted")
    assert (plain("get", "a").bins, plain("get", "gone").bins) == ({"n": 1}, {"n": 1})
    assert not plain("exists", "new")
    assert locks(cluster) == (0, 0)


def test_batches_take_part(opened: Opened, data: Any, plain: Any, cluster: Cluster) -> None:
    keys = list(range(40))
    plain("put_many", {key: {"n": key} for key in keys})
    txn = Txn(opened)
    assert [row.bins["n"] for row in txn.call(data, "get_many", keys)] == keys
    assert txn.raw._counts == (40, 0)
    assert (
        list(txn.call(data, "put_many", {key: {"n": -key} for key in keys[:20]}).codes) == [0] * 20
    )
    txn.call(data, "operate_many", keys[10:30], [op.add("n", 100)])
    txn.call(data, "delete_many", keys[30:35])
    assert txn.raw._counts == (5, 35)
    assert [row.bins["n"] for row in plain("get_many", keys)] == keys
    mixed = [
        spikewire.Read(data.key(0)),
        spikewire.Write(data.key(36), [op.put("n", 7)]),
        spikewire.Delete(data.key(37)),
    ]
    rows = txn.call(data, "batch", mixed)
    assert (list(rows.codes), rows[0].bins) == ([0, 0, 0], {"n": 0})
    assert txn.commit() == "done"
    expected = [*(-key for key in range(10)), *(100 - key for key in range(10, 20))]
    expected += [key + 100 for key in range(20, 30)]
    assert [row.bins["n"] for row in plain("get_many", keys[:30])] == expected
    assert list(plain("exists_many", keys[30:35]).codes).count(2) == 5
    assert (plain("get", 36).bins, plain("exists", 37)) == ({"n": 7}, False)
    assert locks(cluster) == (0, 0)


def test_records_of_other_transactions_are_locked(opened: Opened, data: Any, plain: Any) -> None:
    first, second = Txn(opened), Txn(opened)
    first.call(data, "put", "a", {"n": 1})
    with pytest.raises(spikewire.RecordLocked, match="locked by another transaction") as caught:
        second.call(data, "put", "a", {"n": 2})
    assert (caught.value.code, caught.value.in_doubt) == (120, False)
    assert caught.value.key == data.key("a")
    with pytest.raises(spikewire.RecordLocked):
        plain("put", "a", {"n": 2})
    assert plain("put_many", {"a": {"n": 2}}).codes[0] == 120
    # It is still usable.
    second.call(data, "put", "b", {"n": 2})
    first.abort()
    second.call(data, "put", "a", {"n": 3})
    assert second.commit() == "done"
    assert plain("get", "a").bins == {"n": 3}


def test_a_changed_record_fails_the_commit(
    opened: Opened, data: Any, plain: Any, cluster: Cluster
) -> None:
    plain("put", "a", {"n": 1})
    txn = Txn(opened)
    txn.call(data, "get", "a")
    assert txn.call(data, "get", "missing", default=None) is None
    txn.call(data, "put", "b", {"n": 1})
    plain("put", "a", {"n": 2})
    plain("put", "missing", {"n": 2})
    with pytest.raises(spikewire.CommitFailed, match="2 of the records that it read") as caught:
        txn.commit()
    error = caught.value
    assert (error.part, error.code, error.in_doubt, txn.raw.state) == (
        "verify",
        121,
        False,
        "aborted",
    )
    assert {it.key for it in error.records} == {data.key("a"), data.key("missing")}
    assert all(isinstance(it, spikewire.RecordChanged) for it in error.records)
    assert not plain("exists", "b")
    assert locks(cluster) == (0, 0)
    again = pickle.loads(pickle.dumps(error))
    assert (again.part, len(again.records)) == ("verify", 2)
    with pytest.raises(spikewire.TransactionError, match="aborted already"):
        txn.commit()


def test_a_record_that_changed_cannot_be_read_or_written_again(
    opened: Opened, data: Any, plain: Any
) -> None:
    plain("put", "a", {"n": 1})
    for verb, args in (("get", ("a",)), ("put", ("a", {"n": 5}))):
        txn = Txn(opened)
        txn.call(data, "get", "a")
        plain("add", "a", {"n": 1})
        with pytest.raises(spikewire.RecordChanged):
            txn.call(data, verb, *args)
        txn.abort()


def test_blocks_commit_and_abort(opened: Opened, data: Any, plain: Any, cluster: Cluster) -> None:
    class Refused(Exception):  # noqa: N818
        pass

    def blocking(*, fails: bool) -> None:
        with opened.raw.transaction() as txn:
            txn.dataset("test", data.set).put("a", {"n": 1})
            txn.dataset(data).put("b", {"n": 1})
            if fails:
                raise Refused

    async def asynchronous(*, fails: bool) -> None:
        async with opened.raw.transaction() as txn:
            await txn.dataset("test", data.set).put("a", {"n": 1})
            await txn.dataset(data).put("b", {"n": 1})
            if fails:
                raise Refused

    block = blocking if opened.api.is_blocking else asynchronous
    with pytest.raises(Refused):
        opened.api.settle(lambda: block(fails=True))
    assert not plain("exists", "a")
    assert locks(cluster) == (0, 0)
    opened.api.settle(lambda: block(fails=False))
    assert list(plain("exists_many", ["a", "b"]).codes) == [0, 0]
    assert locks(cluster) == (0, 0)


def test_a_function_is_run_again_after_conflicts(opened: Opened, data: Any, plain: Any) -> None:
    plain("put", "a", {"n": 0})
    calls: list[int] = []

    def blocking(txn: Any) -> Any:
        calls.append(len(calls))
        n = txn.dataset(data).get("a").bins["n"]
        if len(calls) < 3:
            data.put("a", {"n": n + 10})
        txn.dataset(data).put("a", {"n": n + 1})
        return n

    async def asynchronous(txn: Any) -> Any:
        calls.append(len(calls))
        n = (await txn.dataset(data).get("a")).bins["n"]
        if len(calls) < 3:
            await data.put("a", {"n": n + 10})
        await txn.dataset(data).put("a", {"n": n + 1})
        return n

    function = blocking if opened.api.is_blocking else asynchronous
    run = opened.raw.run_in_transaction
    assert opened.api.settle(lambda: run(function)) == 20
    assert (plain("get", "a").bins, len(calls)) == ({"n": 21}, 3)
    calls.clear()
    with pytest.raises(spikewire.RecordChanged):
        opened.api.settle(lambda: run(function, attempts=2))
    for attempts, error in ((0, ValueError), ("2", TypeError), (True, TypeError)):
        start = functools.partial(run, function, attempts=attempts)
        with pytest.raises(error, match="attempts"):
            opened.api.settle(start)
    for limit, error in ((-1, ValueError), ("2", TypeError), (float("nan"), ValueError)):
        start = functools.partial(run, function, limit=limit)
        with pytest.raises(error, match="limit"):
            opened.api.settle(start)
    assert len(calls) == 2


def test_invalid_uses_are_refused(opened: Opened, data: Any, plain: Any, cluster: Cluster) -> None:
    txn = Txn(opened)
    inside = data.within(txn.raw)
    with pytest.raises(TypeError, match="must be a Transaction, not str"):
        data.within("txn")
    with pytest.raises(TypeError, match="a dataset has its set"):
        txn.raw.dataset(data, "more")
    with (
        opened.api.open(cluster.seeds, **OPTIONS) as other,
        pytest.raises(spikewire.TransactionError, match="another client"),
    ):
        other.raw.dataset("test", "s").within(txn.raw)
    for timeout in (0.5, 121, -1):
        with pytest.raises(ValueError, match="timeout"):
            opened.raw.transaction(timeout=timeout)
    assert inside != data
    assert inside == data.within(txn.raw)
    assert txn.raw.state == "open"


def test_calls_after_the_end_are_refused(opened: Opened, data: Any, plain: Any) -> None:
    done, aborted = Txn(opened), Txn(opened)
    done.call(data, "put", "a", {"n": 1})
    done.commit()
    aborted.abort()
    for txn, state in ((done, "committed"), (aborted, "aborted")):
        with pytest.raises(spikewire.TransactionError, match=f"is {state}; begin another"):
            txn.call(data, "get", "a")
    with pytest.raises(spikewire.TransactionError, match="committed already"):
        done.abort()
    assert plain("get", "a").bins == {"n": 1}


def test_namespaces_are_checked_before_anything_is_sent(api: Api) -> None:
    namespaces: Any = {
        "one": {"strong_consistency": True},
        "two": {"strong_consistency": True},
        "ap": {},
    }
    with (
        Cluster(1, edition="enterprise", namespaces=namespaces) as cluster,
        api.open(cluster.seeds, **OPTIONS) as client,
    ):
        one, two, ap = (client.raw.dataset(name, "s") for name in namespaces)
        txn = Txn(client)
        expected = "^transactions: needs a strongly consistent namespace; namespace .ap. is not"
        for verb, args in (("put", (1, {"n": 1})), ("get", (1,)), ("get_many", ([1],))):
            with pytest.raises(spikewire.FeatureUnavailable, match=expected) as caught:
                txn.call(ap, verb, *args)
            assert (caught.value.attempts, txn.raw.namespace) == (0, None)
        txn.call(one, "put", 1, {"n": 1})
        for verb, args in (("put", (1, {"n": 1})), ("get", (1,))):
            with pytest.raises(spikewire.TransactionError, match="one of namespace"):
                txn.call(two, verb, *args)
        both = client.raw.within(txn.raw)
        with pytest.raises(spikewire.TransactionError, match="one of namespace"):
            api.settle(lambda: both.get_many([one.key(1), two.key(1)]))
        assert txn.raw._counts == (0, 1)
        assert txn.commit() == "done"


@pytest.mark.parametrize(
    ("options", "has"),
    [
        ({}, "has 8.1.2.0 Community Edition"),
        ({"build": "7.2.0.4", "edition": "enterprise"}, "has 7.2.0.4 Enterprise Edition"),
        (
            {"nodes": 2, "build": "8.1,7.2", "edition": "enterprise", "strong_consistency": True},
            "has 7.2.0.0 Enterprise Edition",
        ),
    ],
    ids=["community", "older", "mixed"],
)
def test_servers_without_transactions_are_sent_nothing(
    api: Api, options: dict[str, Any], has: str
) -> None:
    with Cluster(**options) as cluster, api.open(cluster.seeds, **OPTIONS) as client:
        data = client.raw.dataset("test", "s")
        expected = "^transactions: needs server 8.0 Enterprise Edition; node BB9"
        txn = Txn(client)
        calls: list[tuple[str, tuple[Any, ...]]] = [
            ("get", (1,)),
            ("put", (1, {"n": 1})),
            ("get_many", ([1, 2],)),
            ("put_many", ({1: {"n": 1}, 2: {"n": 1}},)),
        ]
        for verb, args in calls:
            with pytest.raises(spikewire.FeatureUnavailable, match=expected) as caught:
                txn.call(data, verb, *args)
            assert caught.value.message.endswith(has)
            assert (caught.value.attempts, caught.value.in_doubt) == (0, False)
        assert (txn.raw.namespace, txn.raw._counts) == (None, (0, 0))
        assert txn.commit() == "done"
        # Not even the monitor was created.
        assert all(cluster.stats(node)["objects"] == 0 for node in range(cluster.nodes))


def test_an_expired_transaction(opened: Opened, data: Any, plain: Any, cluster: Cluster) -> None:
    plain("put", "a", {"n": 1})
    txn = Txn(opened, timeout=1)
    assert txn.raw.timeout == 1
    txn.call(data, "put", "a", {"n": 2})
    assert until(lambda: locks(cluster) == (0, 0))
    with pytest.raises(spikewire.TransactionExpired) as caught:
        txn.call(data, "put", "b", {"n": 2})
    assert caught.value.code == 122
    with pytest.raises(spikewire.CommitFailed, match="is not committed") as failed:
        txn.commit()
    error = failed.value
    assert (error.part, error.code, error.in_doubt, txn.raw.state) == (
        "mark",
        122,
        False,
        "verified",
    )
    assert txn.abort() == "done"
    assert plain("get", "a").bins == {"n": 1}


def test_threads_and_tasks_share_a_transaction(
    opened: Opened, data: Any, plain: Any, cluster: Cluster
) -> None:
    txn = Txn(opened)
    inside = data.within(txn.raw)
    if opened.api.is_blocking:
        barrier = threading.Barrier(8)

        def work(number: int) -> None:
            barrier.wait()
            for key in range(20):
                inside.put((number * 20) + key, {"n": number})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
    else:

        async def main() -> None:
            await asyncio.gather(*(inside.put(key, {"n": key}) for key in range(160)))

        opened.api.settle(main)
    assert txn.raw._counts == (0, 160)
    assert txn.commit() == "done"
    assert list(plain("exists_many", range(160)).codes) == [0] * 160
    assert locks(cluster) == (0, 0)


def test_filters_generations_and_typed_errors_work_inside(
    opened: Opened, data: Any, plain: Any
) -> None:
    plain("put", "a", {"n": 1})
    txn = Txn(opened)
    with pytest.raises(spikewire.FilteredOut):
        txn.call(data, "put", "a", {"n": 2}, where="$.n > 5")
    with pytest.raises(spikewire.GenerationMismatch):
        txn.call(data, "put", "a", {"n": 2}, generation=7)
    with pytest.raises(spikewire.RecordExists):
        txn.call(data, "put", "a", {"n": 2}, exists="create")
    with pytest.raises(spikewire.RecordNotFound):
        txn.call(data, "get", "missing")
    # All of them have a version to be verified; none is locked.
    assert txn.raw._counts == (2, 0)
    plain("put", "a", {"n": 3})
    with pytest.raises(spikewire.CommitFailed):
        txn.commit()


def test_a_lost_reply_leaves_the_monitor_to_the_server(api: Api) -> None:
    with (
        Cluster(1, edition="enterprise", strong_consistency=True) as cluster,
        api.open(cluster.seeds, **OPTIONS, max_error_rate=0) as client,
    ):
        data = client.raw.dataset("test", "s")
        txn = Txn(client, timeout=1)
        txn.call(data, "put", "a", {"n": 1})
        cluster.inject(0, drop_reply=1.0)
        with pytest.raises(spikewire.Error) as caught:
            txn.call(data, "put", "a", {"n": 2}, timeout=0.3, max_retries=0)
        assert caught.value.in_doubt
        cluster.clear_faults(0)
        assert txn.commit() == "done"
        api.settle(lambda: data.put("b", {"n": 1}))
        assert locks(cluster)[0] == 0
        assert until(lambda: locks(cluster) == (0, 0))
        assert api.settle(lambda: data.get("a")).bins["n"] in (1, 2)


def test_deletions_need_no_durability_where_the_namespace_allows_that(api: Api) -> None:
    namespaces: Any = {"test": {}, "allowing": {"strong_consistency_allow_expunge": True}}
    with (
        Cluster(1, edition="enterprise", strong_consistency=True, namespaces=namespaces) as cluster,
        api.open(cluster.seeds, **OPTIONS) as client,
    ):
        strong, allowing = (client.raw.dataset(name, "s") for name in namespaces)
        api.settle(lambda: strong.put("a", {"n": 1}))
        api.settle(lambda: allowing.put("a", {"n": 1}))
        with pytest.raises(spikewire.ServerError) as caught:
            api.settle(lambda: strong.delete("a"))
        assert caught.value.code == 22
        api.settle(lambda: allowing.delete("a"))
        assert not api.settle(lambda: allowing.exists("a"))


def test_a_read_without_a_reply_is_not_in_the_way(api: Api) -> None:
    with (
        Cluster(1, edition="enterprise", strong_consistency=True) as cluster,
        api.open(cluster.seeds, **OPTIONS, max_error_rate=0) as client,
    ):
        data = client.raw.dataset("test", "s")
        api.settle(lambda: data.put("a", {"n": 1}))
        txn = Txn(client)
        cluster.inject(0, drop=1.0)
        with pytest.raises(spikewire.Timeout):
            txn.call(data, "get", "a", timeout=0.3, max_retries=0)
        cluster.clear_faults(0)
        # It has no outcome that anybody could have used.
        assert txn.raw._counts == (0, 0)
        api.settle(lambda: data.put("a", {"n": 2}))
        assert txn.call(data, "get", "a").bins == {"n": 2}
        assert txn.raw._counts == (1, 0)
        txn.call(data, "put", "b", {"n": 2})
        assert txn.commit() == "done"
        assert locks(cluster) == (0, 0)


def test_a_commit_in_doubt_can_be_repeated(api: Api) -> None:
    with (
        Cluster(1, edition="enterprise", strong_consistency=True) as cluster,
        api.open(cluster.seeds, **OPTIONS, max_error_rate=0) as client,
    ):
        data = client.raw.dataset("test", "s")
        txn = Txn(client, timeout=120)
        txn.call(data, "put", "a", {"n": 1})
        cluster.inject(0, drop_reply=1.0)
        with pytest.raises(spikewire.CommitFailed, match="commit it again") as caught:
            txn.commit()
        error = caught.value
        assert (error.part, error.in_doubt, txn.raw.state) == ("mark", True, "in_doubt")
        with pytest.raises(spikewire.TransactionError, match="may be committed"):
            txn.abort()
        cluster.clear_faults(0)
        assert (txn.commit(), txn.raw.state) == ("done", "committed")
        assert api.settle(lambda: data.get("a")).bins == {"n": 1}
        assert locks(cluster) == (0, 0)


def test_queries_see_committed_records_only(opened: Opened, data: Any, plain: Any) -> None:
    plain("put", "a", {"n": 1})
    txn = Txn(opened)
    txn.call(data, "put", "a", {"n": 2})
    txn.call(data, "put", "b", {"n": 2})
    client = opened.raw
    for query in (client.query("test", data.set), data.query()):
        assert [record.bins for record in opened.api.rows(query)] == [{"n": 1}]
    txn.abort()


def test_views_keep_their_profile_inside(cluster: Cluster, api: Api) -> None:
    profile = spikewire.Profile("strict", write={"send_key": True})
    with api.open(cluster.seeds, **OPTIONS) as client:
        view = client.raw.with_profile(profile)
        txn = view.transaction()
        inside = txn.dataset("test", "views")
        assert inside.profile is profile
        assert view.dataset("test", "views").within(txn).profile is profile
        api.settle(lambda: inside.put("a", {"n": 1}))
        api.settle(txn.commit)
        rows = api.rows(client.raw.query("test", "views"))
        assert [row.key.key for row in rows] == ["a"]
