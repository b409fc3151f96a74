"""The named tuples created by the engine equal those created by their classes."""

from __future__ import annotations

import asyncio
import copy
import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import spikewire
from spikewire._native import NamedRecords
from spikewire.compat import aerospike_py
from spikewire.compat.aerospike_py.types import (
    AerospikeKey,
    BatchRecord,
    BatchRetryInfo,
    BatchWriteResult,
    Record,
    RecordMetadata,
)
from spikewire.compat.aerospike_py.write_results import LazyWriteRecord, LazyWriteResult
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPERATIONS = [
    {"op": aerospike_py.OPERATOR_INCR, "bin": "n", "val": 1},
    {"op": aerospike_py.OPERATOR_READ, "bin": "n"},
    {"op": aerospike_py.OPERATOR_READ, "bin": "n"},
    {"op": aerospike_py.OPERATOR_READ, "bin": "x"},
]


@pytest.fixture(scope="module")
def config() -> Iterator[dict[str, Any]]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        yield {"hosts": [(host, int(port))]}


@pytest.fixture(scope="module")
def client(config: dict[str, Any]) -> Iterator[aerospike_py.Client]:
    with aerospike_py.client(config).connect() as client:
        yield client


def again(value: Any) -> Any:
    """The same tuple, created by the classes."""
    if isinstance(value, tuple):
        return type(value)(*(again(each) for each in value))
    return value


def test_named_tuples_are_like_those_of_their_classes(client: aerospike_py.Client) -> None:
    keys = [("test", "named", number) for number in range(3)]
    rows = client.batch_write([(key, {"n": 1, "x": [1]}) for key in keys]).batch_records
    rows += client.batch_operate([*keys, ("test", "named", "none")], OPERATIONS).batch_records
    rows += client.batch_remove(keys[:1]).batch_records
    values: list[Any] = [client.get(keys[1]), *rows]
    gc.collect()
    for each in values:
        assert each == again(each)
        assert copy.deepcopy(each) == pickle.loads(pickle.dumps(each)) == each
        assert each._replace(key=None).key is None
        assert type(each.key) is AerospikeKey
        # Its hash is not that of an earlier tuple in the same memory, and never 0.
        assert hash(each.key) == hash(again(each.key)) == hash(tuple(each.key))
    assert {type(each) for each in rows} == {BatchRecord}
    assert {type(each.record) for each in rows} == {Record}
    assert {type(each.record.meta) for each in rows if each.record} == {RecordMetadata}


def test_results_of_a_bin_with_several_are_a_list(client: aerospike_py.Client) -> None:
    keys = [("test", "several", number) for number in range(2)]
    client.batch_write([(key, {"n": key[2]}) for key in keys])
    rows = client.batch_operate(keys, OPERATIONS).batch_records
    one = [client.operate(key, OPERATIONS).bins or {} for key in keys]
    seen = [row.record.bins or {} for row in rows if row.record]
    assert [bins["n"] for bins in seen] == [[None, 1, 1], [None, 2, 2]]
    assert [bins["n"] for bins in one] == [[2, 2], [3, 3]]


def test_rows_that_were_written_are_created_on_first_access(
    client: aerospike_py.Client,
) -> None:
    keys = [("test", "lazy", number) for number in range(4)]
    bins = [{"n": 1, "x": 2}, {"n": 1, "x": 2}, {"x": 1, "n": 2}, {"m": 1}]
    names = [list(each) for each in bins]

    def written() -> BatchWriteResult:
        result = client.batch_write(list(zip(keys, bins, strict=True)))
        assert type(result) is LazyWriteResult
        return result

    result = written()
    for each in bins:
        each.clear()  # the result is about what was written
    rows = result.batch_records
    assert [list(row.record.bins or {}) for row in rows if row.record] == names
    assert {value for row in rows if row.record for value in (row.record.bins or {}).values()} == {
        None
    }
    assert [row.key[:3] for row in rows if row.key] == keys
    assert rows is result.batch_records is result[0] is next(iter(result))
    whole = BatchWriteResult(rows, BatchRetryInfo())
    assert result == whole
    assert whole == result
    assert not result != whole  # noqa: SIM202
    assert repr(result) == repr(whole)


def test_a_lazy_result_is_a_tuple(client: aerospike_py.Client) -> None:
    def written() -> Any:
        return client.batch_write([(("test", "lazy", 1), {"n": 1})])

    (row,) = written().batch_records
    whole = BatchWriteResult([row], BatchRetryInfo())
    meta = row.record.meta

    def latest(result: Any) -> Any:
        """The same, with the generation of that write."""
        rows, retry = result
        return [each._replace(record=each.record._replace(meta=meta)) for each in rows], retry

    uses: list[Callable[[Any], Any]] = [
        tuple,
        lambda result: (result[0], result[-1]),
        lambda result: result[:],
        lambda result: (*result,),
        lambda result: result + (),  # noqa: RUF005
        lambda result: () + result,  # noqa: RUF005
        lambda result: (result * 2)[2:],
        lambda result: result._asdict().values(),
        lambda result: result._replace(retry=result.retry),
        lambda result: (result.batch_records, result.retry),
        copy.copy,
        copy.deepcopy,
        lambda result: pickle.loads(pickle.dumps(result)),
        again,
    ]
    for use in uses:
        assert latest(use(written())) == tuple(whole)
    result = written()
    assert result.index(result.retry) == result.count(result.retry) == 1
    assert result.retry in result
    assert len(written()) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(result)


def test_a_row_that_was_written_becomes_whole_when_it_is_looked_at(
    client: aerospike_py.Client,
) -> None:
    def written() -> Any:
        (row,) = client.batch_write([(("test", "late", 1), {"n": 1})]).batch_records
        assert type(row) is LazyWriteRecord
        assert (row.result, row.in_doubt, len(row)) == (0, False, 4)
        assert isinstance(row, BatchRecord)
        return row

    whole = written()
    record, meta = whole.record, whole.record.meta
    assert type(whole) is BatchRecord
    assert whole.record is record
    assert whole == again(whole)

    def latest(row: Any) -> Any:
        """The same, with the generation of that write."""
        key, result, record, in_doubt = row
        return key, result, record._replace(meta=meta), in_doubt

    uses: list[Callable[[Any], Any]] = [
        tuple,
        lambda row: (row[0], *row[1:]),
        lambda row: (row.key, row.result, row.record, row.in_doubt),
        lambda row: row + (),  # noqa: RUF005
        lambda row: () + row,  # noqa: RUF005
        lambda row: row._asdict().values(),
        lambda row: row._replace(result=0),
        copy.copy,
        copy.deepcopy,
        lambda row: pickle.loads(pickle.dumps(row)),
        again,
    ]
    for use in uses:
        assert latest(use(written())) == tuple(whole)
    assert repr(written()).startswith("BatchRecord(key=AerospikeKey(namespace='test'")
    assert written() != whole  # it has another generation
    assert written().key in written()
    match written():
        case BatchRecord(key=key, record=Record(bins=bins)):
            assert (tuple(key or ())[:3], bins) == (("test", "late", 1), {"n": None})
        case _:
            pytest.fail("a row is a BatchRecord")


def test_threads_make_a_row_whole_together(client: aerospike_py.Client) -> None:
    keys = [("test", "late", number) for number in range(500)]
    rows = client.batch_write([(key, {"n": 1}) for key in keys]).batch_records
    with ThreadPoolExecutor(4) as pool:
        keys_seen = list(pool.map(lambda _: [row.key for row in rows], range(4)))
    assert {tuple(key[:3] for key in each if key) for each in keys_seen} == {tuple(keys)}
    assert {type(row) for row in rows} == {BatchRecord}


def test_plain_operations_give_what_others_do(client: aerospike_py.Client) -> None:
    key = ("test", "plain", 1)
    m = aerospike_py
    of: list[list[dict[str, Any]]] = [
        [{"op": m.OPERATOR_WRITE, "bin": "n", "val": 3}, {"op": m.OPERATOR_READ, "bin": "n"}],
        [{"op": m.OPERATOR_INCR, "bin": "n"}, *OPERATIONS],
        [{"op": m.OPERATOR_INCR, "bin": "n", "val": None}, *OPERATIONS],
        [{"op": m.OPERATOR_WRITE, "bin": "l", "val": [1, {"a": b"b"}, True]}],
        [{"op": m.OPERATOR_READ, "bin": "l"}, {"op": m.OPERATOR_READ}],
        [{"op": m.OPERATOR_APPEND, "bin": "t", "val": "x"}, {"op": m.OPERATOR_READ, "bin": "t"}],
        [{"op": m.OPERATOR_PREPEND, "bin": "t"}, {"op": m.OPERATOR_READ, "bin": "none"}],
        [{"op": m.OPERATOR_WRITE, "bin": "n", "val": None}, {"op": m.OPERATOR_READ, "bin": "n"}],
        [{"op": m.OPERATOR_INCR, "bin": "t", "val": "x"}],
        [{"op": m.OPERATOR_INCR, "bin": "t", "val": 1}],
        [{"op": m.OPERATOR_WRITE, "bin": "n" * 16, "val": 1}],
        [{"op": m.OPERATOR_WRITE, "bin": 3, "val": 1}],
    ]

    def results(policy: Any) -> list[Any]:
        client.put(key, {"n": 1})
        seen: list[Any] = []
        for operations in of:
            try:
                record = client.operate(key, operations, policy=policy)
            except Exception as error:
                seen.append((type(error), str(error)))
                continue
            assert record.meta is not None
            assert record.meta.gen > 0
            seen.append((record.key, record.bins))
        client.remove(key)
        with pytest.raises(aerospike_py.RecordNotFound):
            client.operate(key, OPERATIONS[1:], policy=policy)
        return seen

    # With a policy they take the path of all operations.
    assert results(None) == results({})


def test_a_list_may_be_changed_while_the_call_is_on_its_way(config: dict[str, Any]) -> None:
    async def main() -> None:
        async with aerospike_py.AsyncClient(config) as client:
            await client.connect()
            keys = [("test", "changed", number) for number in range(20)]
            rows = [(key, {"n": 1}) for key in keys]
            begun = asyncio.create_task(client.batch_write(rows))
            await asyncio.sleep(0)
            rows.clear()
            written = await begun
            assert [row.key[:3] for row in written.batch_records if row.key] == keys
            reading = asyncio.create_task(client.batch_read(keys))
            await asyncio.sleep(0)
            count = len(keys)
            keys.clear()
            assert (await reading).to_list() == [{"n": 1}] * count

    asyncio.run(main())


def test_calls_are_coroutines(config: dict[str, Any]) -> None:
    """They start when they are awaited, by anything that awaits coroutines."""

    async def main() -> None:
        async with aerospike_py.AsyncClient(config) as client:
            await client.connect()
            key = ("test", "coroutines", 1)
            await asyncio.create_task(client.put(key, {"n": 1}))
            record = await asyncio.wait_for(client.get(key), 30)
            (same,) = await asyncio.gather(client.get(key))
            assert record == same
            client.put(key, {"n": 2}).close()
            assert (await client.get(key)).bins == {"n": 1}
        with pytest.raises(aerospike_py.ClientError, match="not connected"):
            await client.get(key)
        with pytest.raises(aerospike_py.ClientError, match="not connected"):
            await client.put(key, {"n": 2})

    asyncio.run(main())


def test_keys_are_tuples_before_anything_is_sent(client: aerospike_py.Client) -> None:
    key: Any = ("test", "sent", 1)
    client.put(key, {"n": 1})
    strange: Any = [key, spikewire.Key("test", "sent", 1)]
    for call in (
        client.batch_read,
        client.batch_remove,
        lambda keys: client.batch_operate(keys, OPERATIONS),
        lambda keys: client.batch_apply(keys, "none", "none"),
        lambda keys: client.batch_write([(each, {"n": 2}) for each in keys]),
    ):
        with pytest.raises(TypeError, match="must be a tuple"):
            call(strange)
    assert client.get(key).bins == {"n": 1}


class Three(NamedTuple):
    """Not a row."""

    a: int
    b: int
    c: int


class Wider(tuple[int, ...]):  # noqa: SLOT001
    """Has another memory layout."""

    _fields = ("a", "b", "c", "d")


#: In later versions of Python the attributes of an instance are stored in front of it, and its
#: layout is that of any tuple.
IS_WIDER = pytest.mark.skipif(Wider.__basicsize__ == tuple.__basicsize__, reason="it is not wider")


@pytest.mark.parametrize("row", [Three, pytest.param(Wider, marks=IS_WIDER), dict, tuple])
def test_other_classes_are_rejected(row: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        NamedRecords(
            key=AerospikeKey,
            meta=RecordMetadata,
            record=Record,
            row=row,
            late=BatchRecord,
            incoming=print,
            code=max,
        )
