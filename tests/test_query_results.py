"""All results of a query at once: ``first``, ``to_list``, ``count``, tables; and ``anext``."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import exp, op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.testing import Cluster

COUNT = 700
DTYPE = [("n", "i8")]

needs_pyarrow = pytest.mark.skipif(
    importlib.util.find_spec("pyarrow") is None, reason="pyarrow is not installed"
)
needs_pandas = pytest.mark.skipif(
    importlib.util.find_spec("pandas") is None, reason="pandas is not installed"
)


class Data:
    """A set with ``COUNT`` records, on one API."""

    def __init__(self, api: Api, client: Any, set_name: str) -> None:
        self.api = api
        self.users = client.dataset("test", set_name)
        self.session = client.session()

    def settle(self, start: Callable[[], Any]) -> Any:
        return self.api.settle(start)

    def next(self, query: Any, *default: Any) -> Any:
        if self.api.is_blocking:
            return next(query, *default)
        return self.settle(lambda: anext(query, *default))


@pytest.fixture(params=["blocking", "asyncio", "uvloop"])
def data(request: pytest.FixtureRequest, cluster: Cluster, set_name: str) -> Iterator[Data]:
    if request.param == "uvloop":
        pytest.importorskip("uvloop")
    api = Api(request.param)
    with api.open(cluster.seeds, timeout=20) as client:
        data = Data(api, client.raw, set_name)
        records = {n: {"n": n, "s": str(n)} for n in range(COUNT)}
        data.settle(lambda: data.users.put_many(records))
        yield data
    api.end()


def numbers(records: Any) -> list[int]:
    return sorted(record["n"] for record in records)


def test_to_list_returns_all_records(data: Data) -> None:
    users, settle = data.users, data.settle
    assert numbers(settle(lambda: users.query().to_list())) == list(range(COUNT))
    assert numbers(settle(lambda: users.query(where="$.n < 5").to_list())) == [0, 1, 2, 3, 4]
    assert settle(lambda: users.query(where="$.n < 0").to_list()) == []


def test_first_returns_a_record_or_raises(data: Data) -> None:
    users, settle = data.users, data.settle
    assert settle(lambda: users.query(where="$.n == 7").first())["n"] == 7
    assert settle(lambda: users.query(limit=1).first_or_none())["n"] in range(COUNT)
    assert settle(lambda: users.query(where="$.n < 0").first_or_none()) is None
    with pytest.raises(spikewire.RecordNotFound, match="no such record"):
        settle(lambda: users.query(where="$.n < 0").first())


def test_count_counts_records(data: Data) -> None:
    users, settle = data.users, data.settle
    assert settle(lambda: users.query().count()) == COUNT
    assert settle(lambda: users.query(where=exp.bin("n") < 5).count()) == 5
    assert settle(lambda: users.query(limit=10).count()) == 10
    assert settle(lambda: users.query(include_values=False).count()) == COUNT
    # As many as there are records: those without the bins are none.
    settle(lambda: users.put("bare", {"other": 1}))
    assert settle(lambda: users.query(bins=["n"]).count()) == COUNT
    assert len(settle(lambda: users.query(bins=["n"]).to_list())) == COUNT
    assert settle(lambda: users.query(operations=[op.get("n")]).count()) == COUNT
    assert settle(lambda: data.session.query(users).count()) == COUNT + 1
    assert settle(lambda: data.session.query(users).bins("n").count()) == COUNT


def test_count_requests_no_bins(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    # What would be counted is listed instead.
    monkeypatch.setattr(spikewire.aerospike.query, "_count", list)
    monkeypatch.setattr(spikewire.aerospike.query, "_count_soon", spikewire.AsyncQuery.to_list)
    counted: Any = data.settle(lambda: data.users.query().count())
    assert [record.bins for record in counted] == [{}] * COUNT
    counted = data.settle(lambda: data.users.query(bins=["n"]).count())
    assert numbers(counted) == list(range(COUNT))


def test_a_query_becomes_an_array(data: Data) -> None:
    pytest.importorskip("numpy")
    users, settle = data.users, data.settle
    array = settle(lambda: users.query().to_numpy(DTYPE))
    assert (array.shape, int(array["n"].sum())) == ((COUNT,), sum(range(COUNT)))
    assert hasattr(array, "mask")
    wide = [*DTYPE, ("g", "i4")]
    plain = settle(lambda: users.query().to_numpy(wide, generation="g", missing="raise"))
    assert (plain["g"].tolist(), hasattr(plain, "mask")) == ([1] * COUNT, False)
    for missing in ("mask", "raise"):
        nothing = users.query(where="$.n < 0")
        empty = settle(partial(nothing.to_numpy, DTYPE, missing=missing))
        assert (empty.shape, empty.dtype.names) == ((0,), ("n",))
    with pytest.raises(ValueError, match="missing"):
        settle(lambda: users.query().to_numpy(DTYPE, missing="zero"))


@needs_pyarrow
def test_a_query_becomes_a_table(data: Data) -> None:
    users, settle = data.users, data.settle
    table = settle(lambda: users.query().to_arrow(generation="g"))
    assert (table.num_rows, set(table.column_names)) == (COUNT, {"n", "s", "g"})
    assert settle(lambda: users.query(where="$.n < 0").to_arrow()).num_rows == 0


@needs_pyarrow
@needs_pandas
def test_a_query_becomes_a_frame(data: Data) -> None:
    frame = data.settle(lambda: data.users.query(bins=["n"]).to_pandas())
    assert (len(frame), str(frame["n"].dtype)) == (COUNT, "Int64")


def test_results_close_the_query(data: Data) -> None:
    for verb in ("first", "first_or_none", "to_list", "count"):
        query = data.users.query()
        data.settle(getattr(query, verb))
        with pytest.raises(spikewire.QueryClosed, match="the query is closed"):
            data.settle(query.to_list)


def test_consumed_records_are_not_returned_again(data: Data) -> None:
    query = data.users.query()
    values = [data.next(query)["n"] for _ in range(20)]
    rest = numbers(data.settle(query.to_list))
    assert sorted(values + rest) == list(range(COUNT))
    query = data.users.query()
    data.next(query)
    assert data.settle(query.count) == COUNT - 1


def test_records_are_read_one_by_one_with_an_exact_cursor(data: Data) -> None:
    query = data.users.query()
    values: list[int] = []
    while (record := data.next(query, None)) is not None:
        values.append(record["n"])
        if len(values) == 300:
            # A cursor is exact to the record.
            cursor = query.cursor
    assert sorted(values) == list(range(COUNT))
    rest = data.settle(lambda: data.users.query(resume=cursor).to_list())
    assert numbers(rest) == sorted(values[300:])
    with pytest.raises(StopIteration if data.api.is_blocking else StopAsyncIteration):
        data.next(query)


def test_errors_come_through(data: Data) -> None:
    for verb in ("first", "to_list", "count"):
        query = data.users.query(index=spikewire.between("nothing", 0, 1))
        with pytest.raises(spikewire.IndexNotFound):
            data.settle(getattr(query, verb))


def test_anext_goes_on_where_async_for_stopped(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
            users = client.dataset("test", set_name)
            await users.put_many({n: {"n": n} for n in range(100)})
            query = users.query()
            values: list[Any] = [(await anext(query))["n"]]
            async for record in query:
                values.append(record["n"])
                if len(values) == 40:
                    break
            values.append((await asyncio.create_task(anext(query)))["n"])  # type: ignore[arg-type, unused-ignore]
            values += [record["n"] async for record in query]
            assert sorted(values) == list(range(100))

    asyncio.run(main())


def test_other_tasks_have_their_turns(cluster: Cluster, set_name: str) -> None:
    """A task that takes record after record by ``anext`` lets others run."""

    async def main() -> None:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
            users = client.dataset("test", set_name)
            await users.put_many({n: {"n": n} for n in range(5000)})
            task, query = asyncio.create_task(others()), users.query()
            while await anext(query, None) is not None:
                pass
            task.cancel()
            assert turns >= 5000 / 256 / 4

    asyncio.run(main())


def test_a_cancelled_result_ends_the_query(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=20) as client:
            users = client.dataset("test", set_name)
            await users.put_many({n: {"n": n} for n in range(2000)})
            query = users.query(records_per_second=1)
            counting = query.count()
            await asyncio.sleep(0)
            counting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await counting
            with pytest.raises(spikewire.QueryClosed):
                await query.to_list()

    asyncio.run(main())


def test_reading_without_a_loop_raises(cluster: Cluster) -> None:
    async def opened() -> spikewire.AsyncClient:
        return await spikewire.AsyncClient.connect(cluster.seeds)

    client = asyncio.run(opened())
    query = client.query("test", "nothing", page_size=5)
    for verb in (query.count, query.first, query.to_list, query.page):
        with pytest.raises(RuntimeError, match="no running event loop"):
            verb()
    asyncio.run(client.close())


def test_missing_libraries_are_named(data: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="to_arrow of a query needs pyarrow"):
        data.users.query().to_arrow()
    with pytest.raises(ImportError, match="to_pandas of a query needs pyarrow"):
        data.users.query().to_pandas()
