"""Scans and their results, on every API."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Key, exp, op
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from apis import Api, Opened

COUNT = 3000


class Filled:
    """A set with ``COUNT`` records, seen by one API."""

    def __init__(self, client: Opened, name: str) -> None:
        self.client, self.api = client, client.api
        self.verbs = client.dataset("test", name)
        self.raw = client.raw.dataset("test", name)
        rows = {i: {"n": i, "half" if i % 2 else "even": "x" * 20} for i in range(COUNT)}
        self.verbs.put_many(rows, send_key=True, timeout=60).raise_for_errors()

    def rows(self, **options: Any) -> list[spikewire.Record]:
        return self.api.rows(self.raw.query(**options))

    def ids(self, **options: Any) -> list[Any]:
        return [record.key.key for record in self.rows(**options)]


@pytest.fixture(scope="module")
def filled(client: Opened) -> Filled:
    return Filled(client, f"scans-{client.api.name}")


def test_every_record_comes_once(filled: Filled) -> None:
    rows = filled.rows()
    assert sorted(record.key.key for record in rows) == list(range(COUNT))  # type: ignore[type-var]
    record = rows[0]
    number = record.key.key
    assert record.key == Key("test", filled.raw.set, number)  # type: ignore[arg-type]
    assert record == filled.verbs.get(number)
    assert (record.generation, record.ttl, record.results) == (1, None, ())
    assert record["n"] == number
    assert dict(record.bins) == dict(record.items())


def test_where_and_bins_select_records_and_bins(filled: Filled) -> None:
    assert sorted(filled.ids(where=exp.bin("n") < 10)) == list(range(10))
    assert sorted(filled.ids(where=("$.n >= ?0", COUNT - 2))) == [COUNT - 2, COUNT - 1]
    assert {tuple(record.bins) for record in filled.rows(bins=["n"])} == {("n",)}
    assert filled.rows(where=exp.bin("n") < 0) == []


@pytest.mark.parametrize("limit", [None, COUNT // 2, COUNT])
def test_records_without_the_selected_bins_are_left_out(filled: Filled, limit: int | None) -> None:
    rows = filled.rows(bins=["half", "nowhere"], limit=limit)
    assert {tuple(record.bins) for record in rows} == {("half",)}
    assert len({record.key for record in rows}) == len(rows) == COUNT // 2
    assert filled.rows(bins=["nowhere"], limit=limit) == []


@pytest.mark.parametrize("options", [{"include_values": False}, {"bins": []}])
def test_queries_without_values_return_keys_only(filled: Filled, options: dict[str, Any]) -> None:
    rows = filled.rows(**options)
    assert len({record.key.digest for record in rows}) == COUNT
    assert all(record.bins == {} and record.generation == 1 for record in rows)


@pytest.mark.parametrize("limit", [1, 2, 3, 100, 1001, COUNT - 1, COUNT, COUNT + 1])
def test_limit_is_exact(filled: Filled, limit: int) -> None:
    ids = filled.ids(limit=limit)
    assert len(set(ids)) == len(ids) == min(limit, COUNT)


def test_a_query_reads_chosen_partitions(filled: Filled) -> None:
    every = filled.rows()
    some = filled.rows(partitions=range(1000, 1500))
    assert {record.key for record in some} == {
        record.key for record in every if 1000 <= record.key.partition < 1500
    }
    partition = every[0].key.partition
    one = filled.rows(partitions=partition)
    assert {record.key for record in one} == {
        record.key for record in every if record.key.partition == partition
    }


def test_a_query_resumes_after_a_key(filled: Filled) -> None:
    first = filled.rows(limit=1)[0]
    partition = filled.rows(partitions=first.key.partition)
    for at, record in enumerate(partition):
        # A whole key, and a user key.
        for key in (record.key, record.key.key):
            rest = filled.rows(after=key)
            assert [other.key for other in rest] == [other.key for other in partition[at + 1 :]]


def test_operations_return_results_of_each_record(filled: Filled) -> None:
    rows = filled.rows(operations=[op.get("half"), op.get("n")], limit=COUNT)
    assert len(rows) == COUNT
    for record in rows:
        half = "x" * 20 if record.key.key % 2 else None  # type: ignore[operator]
        assert record.results == (half, record.key.key)
        assert "half" in record.bins or half is None


def test_a_query_without_a_set_scans_the_namespace(client: Opened, api: Api) -> None:
    names = [f"whole-{api.name}-{number}" for number in range(3)]
    for name in names:
        client.dataset("test", name).put("k", {"of": name})
    client.dataset("test").put(f"null-{api.name}", {"of": "null"}, send_key=True)
    rows = api.rows(client.raw.query("test", where=exp.bin_exists("of")))
    entries = {record.key.set: record["of"] for record in rows}
    assert {name: name for name in names}.items() <= entries.items()
    assert entries[None] == "null"
    one = api.rows(client.raw.query("test", names[0]))
    assert [record.key.digest for record in one] == [Key("test", names[0], "k").digest]


def test_time_to_live(client: Opened, api: Api, set_name: str) -> None:
    client.dataset("test", set_name).put("k", {"a": 1}, ttl=1000)
    (record,) = api.rows(client.raw.query("test", set_name))
    assert record.ttl is not None
    assert 900 < record.ttl <= 1000


def test_pages_resume_in_new_queries(filled: Filled) -> None:
    cursor, seen, sizes = None, [], []
    while True:
        # Each page by a new query, as in another process.
        query = filled.raw.query(page_size=700, resume=cursor)
        page = filled.api.page(query)
        query.close()
        seen += [record.key.key for record in page]
        sizes.append(len(page))
        cursor = page.cursor
        if page.done:
            break
    assert sorted(seen) == list(range(COUNT))
    assert sizes[:4] == [700] * 4
    assert filled.ids(page_size=700, resume=cursor) == []


def test_a_query_returns_consecutive_pages(filled: Filled) -> None:
    query = filled.raw.query(page_size=1000, where=exp.bin("n") < 1500, limit=1200)
    first, second = filled.api.page(query), filled.api.page(query)
    assert (len(first), len(second), first.done, second.done) == (1000, 200, False, True)
    assert len({record.key for record in [*first, *second]}) == 1200
    assert repr(first) == "Page(1000 records, done=False)"
    assert len(filled.api.page(query)) == 0


def test_a_limited_query_resumes_from_a_cursor(filled: Filled) -> None:
    page = filled.api.page(filled.raw.query(page_size=100, limit=250))
    rest = filled.ids(page_size=100, limit=250, resume=page.cursor)
    assert len(rest) == 150
    assert not {record.key.key for record in page} & set(rest)


@pytest.mark.parametrize("values", [0, 1, 15, 16, 17, 1000, COUNT - 1, COUNT])
def test_a_cursor_follows_the_reader(filled: Filled, values: int) -> None:
    query = filled.raw.query()
    seen = [record.key.key for record in filled.api.some(query, values)]
    assert len(seen) == values
    cursor = query.cursor
    query.close()
    assert query.cursor == cursor
    rest = filled.ids(resume=cursor)
    assert sorted(seen + rest) == list(range(COUNT))


def test_a_cursor_of_another_query_raises(filled: Filled) -> None:
    cursor = filled.raw.query().cursor
    with pytest.raises(ValueError, match="from another query"):
        filled.client.raw.query("test", "other", resume=cursor)
    with pytest.raises(ValueError, match="from another query"):
        filled.raw.query(where=exp.bin("n") < 3, resume=cursor)
    damaged = bytearray(cursor)
    damaged[100] ^= 1
    with pytest.raises(ValueError, match="resume: the cursor cannot be used: its bytes are dam"):
        filled.raw.query(resume=bytes(damaged))
    for wrong in (b"", b"SWQC", b"x" * 600):
        with pytest.raises(ValueError, match="it is not one of a query"):
            filled.raw.query(resume=wrong)


@pytest.mark.any_api
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"limit": 0}, ValueError, "limit must be from 1"),
        ({"limit": True}, TypeError, "limit must be int, not bool"),
        ({"limit": 1 << 80}, ValueError, "limit must be from 1"),
        ({"page_size": 0}, ValueError, "page_size must be from 1"),
        ({"records_per_second": -1}, ValueError, "records_per_second must be from 1"),
        ({"concurrent_nodes": "all"}, TypeError, "concurrent_nodes must be int, not str"),
        ({"partitions": 4096}, ValueError, "partitions must be from 0 to 4095, got 4096"),
        ({"partitions": -1}, ValueError, "partitions must be from 0 to 4095, got -1"),
        ({"partitions": range(5, 5)}, ValueError, "at least one is wanted"),
        ({"partitions": range(4000, 4097)}, ValueError, "numbered from 0 to 4095"),
        ({"partitions": range(-1, 5)}, ValueError, "numbered from 0 to 4095"),
        ({"partitions": range(0, 10, 2)}, ValueError, "without gaps"),
        ({"partitions": [1, 2]}, TypeError, "a range of them, not list"),
        ({"after": 1.5}, TypeError, "a key must be int, str or bytes, not float"),
        ({"after": 1, "partitions": 3}, ValueError, "partitions and after exclude each other"),
        ({"after": Key("test", "b", 1)}, ValueError, "is not a key of dataset"),
        ({"resume": "x"}, TypeError, "resume must be the cursor of a query"),
        ({"bins": "n"}, TypeError, "bins must be a list or tuple"),
        ({"bins": ["n"], "include_values": False}, ValueError, "exclude each other"),
        ({"bins": ["n"], "operations": [op.get("n")]}, ValueError, "bins and operations exclude"),
        ({"operations": []}, ValueError, "operations must not be empty"),
        ({"operations": [op.put("n", 1)]}, ValueError, r"operations\[0\] writes"),
        ({"operations": [op.get("n"), op.get()]}, ValueError, r"operations\[1\] reads every bin"),
        ({"operations": ["n"]}, TypeError, r"operations\[0\] must be an operation"),
        ({"index": 5}, TypeError, "index must come from spikewire.between"),
        ({"index": spikewire.equal("n", 1), "after": 1}, ValueError, "after and index exclude"),
        ({"where": 5}, TypeError, "where: an expression is"),
        ({"replica": "best"}, ValueError, "replica must be"),
        ({"timeout": -1}, ValueError, "timeout must be"),
        ({"socket_timeout": "long"}, TypeError, "socket_timeout must be seconds"),
        ({"resumes": b""}, TypeError, "resumes"),
    ],
)
def test_invalid_options_raise(
    filled: Filled, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        filled.raw.query(**options)


def test_a_page_of_what_has_arrived_does_not_wait(filled: Filled) -> None:
    def taken(work: Callable[[], object]) -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    page = ids = float("inf")
    # Its records fit into the windows, and are more than are decoded in a row. A consumer that
    # waits is never as fast, on any machine.
    for _ in range(50):
        page = min(page, taken(lambda: filled.api.page(filled.raw.query(page_size=COUNT))))
        ids = min(ids, taken(lambda: filled.ids()))
        if page < 5 * ids:
            break
    assert page < 5 * ids


def test_pages_need_a_size(filled: Filled) -> None:
    with pytest.raises(ValueError, match="page_size"):
        filled.api.page(filled.raw.query())


def test_invalid_names_raise(client: Opened, api: Api) -> None:
    with pytest.raises(ValueError, match="namespace must not be empty"):
        client.raw.query("")
    with pytest.raises(spikewire.NamespaceNotFound, match="nowhere"):
        api.rows(client.raw.query("nowhere"))
    assert api.rows(client.raw.query("test", "no such set")) == []


def test_closing_ends_it(filled: Filled) -> None:
    query = filled.raw.query()
    assert len(filled.api.some(query, 20)) == 20
    query.close()
    query.close()
    with pytest.raises(spikewire.QueryClosed, match="the query is closed"):
        filled.api.some(query, 1)
    # Records that had already arrived are not returned either.
    query = filled.raw.query(limit=5)
    filled.api.some(query, 2)
    query.close()
    with pytest.raises(spikewire.QueryClosed):
        filled.api.some(query, 1)


def test_a_closed_client_ends_its_queries(filled: Filled, api: Api, cluster: Cluster) -> None:
    with api.open(cluster.seeds, timeout=30) as other:
        query = other.raw.query("test", filled.raw.set)
        api.some(query, 1)
    with pytest.raises(spikewire.ClientClosed):
        api.some(query, COUNT)
    with pytest.raises(spikewire.ClientClosed):
        other.raw.query("test")


def test_concurrent_queries_return_all_records(filled: Filled) -> None:
    if filled.api.is_blocking:
        result: list[int] = []
        threads = [
            threading.Thread(target=lambda: result.append(len(filled.rows()))) for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        queries = [filled.raw.query() for _ in range(8)]
        result = [len(rows) for rows in filled.api.rows_of_all(queries)]
    assert result == [COUNT] * 8


def test_concurrent_nodes_limits_the_nodes(filled: Filled) -> None:
    assert len(set(filled.ids(concurrent_nodes=1))) == COUNT


def test_records_per_second_returns_every_record(filled: Filled) -> None:
    rows = filled.rows(records_per_second=100_000, timeout=60)
    assert len({record.key for record in rows}) == COUNT


def test_a_total_timeout_ends_a_query(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=30) as client:
        client.dataset("test", "a").put("k", {"a": 1})
        cluster.inject(0, drop=1)
        with pytest.raises(spikewire.Timeout, match=r"total timeout of 0\.2 s"):
            api.rows(client.raw.query("test", "a", timeout=0.2))


def test_silence_is_tried_again(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=30, max_retries=0) as client:
        client.dataset("test", "a").put("k", {"a": 1})
        cluster.inject(0, drop=1)
        with pytest.raises(spikewire.ConnectionFailed, match="silent"):
            api.rows(client.raw.query("test", "a", socket_timeout=1))
    with (
        Cluster(nodes=1) as cluster,
        api.open(cluster.seeds, timeout=30, max_retries=100) as client,
    ):
        client.dataset("test", "a").put("k", {"a": 1})
        cluster.inject(0, drop=1)
        query = client.raw.query("test", "a", socket_timeout=0.2)
        ends = threading.Timer(0.5, lambda: cluster.clear_faults(0))
        ends.start()
        assert len(api.rows(query)) == 1
        ends.join()


def test_errors_of_the_server_raise(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=30) as client:
        cluster.inject(0, error=1, code=4)
        query = client.raw.query("test")
        for _ in range(2):
            with pytest.raises(spikewire.ServerError) as caught:
                api.rows(query)
            assert (caught.value.code, caught.value.node is not None) == (4, True)


@pytest.fixture(scope="module")
def large(api: Api) -> Iterator[Opened]:
    """A cluster with more data than sockets hold."""
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=60) as client:
        data = client.dataset("test", "large")
        for start in range(0, 12_000, 2000):
            rows = {i: {"n": i, "b": b"x" * 4000} for i in range(start, start + 2000)}
            data.put_many(rows, send_key=True).raise_for_errors()
        yield client


def test_a_pause_ends_in_an_error_to_go_on_from(api: Api, large: Opened) -> None:
    query = large.raw.query("test", "large", socket_timeout=0.8)
    seen = [record.key.key for record in api.some(query, 50)]
    pause = threading.Event()
    pause.wait(2)

    def go_on() -> None:
        while True:
            seen.extend(record.key.key for record in api.some(query, 1, exactly=True))

    with pytest.raises(spikewire.QueryPaused, match="socket_timeout") as caught:
        go_on()
    assert caught.value.cursor == query.cursor
    rest = api.rows(large.raw.query("test", "large", resume=caught.value.cursor))
    assert sorted(seen + [record.key.key for record in rest]) == list(range(12_000))


def test_a_waiting_query_holds_up_no_other(api: Api, large: Opened) -> None:
    query = large.raw.query("test", "large")
    api.some(query, 1)
    data = large.dataset("test", "large")
    assert [data.get(number)["n"] for number in range(100)] == list(range(100))
    assert len({record.key for record in api.rows(query)}) == 12_000 - 1


def test_an_abandoned_query_stops_the_server(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=60) as client:
        data = client.dataset("test", "a")
        data.put_many({i: {"b": b"x" * 100_000} for i in range(300)}).raise_for_errors()
        before = cluster.stats(0)["connections"]
        query = client.raw.query("test", "a")
        assert len(api.some(query, 1)) == 1
        assert cluster.stats(0)["connections"] == before + 1
        del query
        api.breathe()
        assert until(lambda: cluster.stats(0)["connections"] == before)
        query = client.raw.query("test", "a")
        assert len(api.some(query, 1)) == 1
        query.close()
        assert until(lambda: cluster.stats(0)["connections"] == before)


def test_connections_are_used_again(api: Api) -> None:
    with Cluster(nodes=1) as cluster, api.open(cluster.seeds, timeout=30) as client:
        client.dataset("test", "a").put("k", {"a": 1})
        counts = set()
        for limit in (None, 1, 5, None):
            assert len(api.rows(client.raw.query("test", "a", limit=limit))) == 1
            counts.add(cluster.stats(0)["connections"])
        assert len(counts) == 1


class Stop(Exception):  # noqa: N818
    """Raised by a signal handler."""


def test_a_signal_ends_the_wait() -> None:
    def stop(*_: object) -> None:
        raise Stop

    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(cluster.seeds, timeout=30, connect_timeout=20) as client,
    ):
        data = client.dataset("test", "a")
        data.put("k", {"a": 1})
        cluster.inject(0, drop=1)
        query = data.query(socket_timeout=0)
        before = signal.signal(signal.SIGALRM, stop)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(Stop):
                next(query)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        cluster.clear_faults(0)
        assert len(list(data.query(resume=query.cursor))) == 1


def test_a_wait_can_be_cancelled(api: Api) -> None:
    if api.is_blocking:
        pytest.skip("needs a loop")
    with (
        Cluster(nodes=1) as cluster,
        api.open(cluster.seeds, timeout=30, max_retries=100) as client,
    ):
        client.dataset("test", "a").put("k", {"a": 1})
        cluster.inject(0, drop=1)
        query = client.raw.query("test", "a", page_size=5, socket_timeout=0.5)
        with pytest.raises(asyncio.TimeoutError):
            api.settle(lambda: asyncio.wait_for(query.page(), 0.1))
        cluster.clear_faults(0)
        # The query continues, with the request that it sends when the first one is given up.
        assert len(api.page(query)) == 1


def test_tasks_have_their_turn_while_records_come(filled: Filled) -> None:
    if filled.api.is_blocking:
        pytest.skip("needs a loop")

    async def both() -> int:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.ensure_future(other())
        async for _ in filled.raw.query():
            pass
        task.cancel()
        return turns

    assert filled.api.settle(both) > 1
