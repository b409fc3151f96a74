"""Many records in one call: order, misses, per-row errors, several sets, failing nodes."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Caller, Opened


def bins(record: Any) -> Any:
    return None if record is None else record.bins


@pytest.fixture
def filled(data: Caller) -> Caller:
    data.put_many({i: {"n": i, "s": str(i)} for i in range(300)}).raise_for_errors()
    return data


class TestReads:
    def test_rows_are_in_input_order_with_misses_and_duplicates(self, filled: Caller) -> None:
        keys = [5, 999, 5, 0, "none", 299]
        batch = filled.get_many(keys)
        assert [bins(r) for r in batch] == [
            {"n": 5, "s": "5"},
            None,
            {"n": 5, "s": "5"},
            {"n": 0, "s": "0"},
            None,
            {"n": 299, "s": "299"},
        ]
        assert list(batch.codes) == [0, 2, 0, 0, 2, 0]
        assert (len(batch), batch.found, batch.errors) == (6, 4, {})
        assert [key.key for key in batch.keys] == keys
        assert bins(batch[-1]) == {"n": 299, "s": "299"}
        with pytest.raises(IndexError, match="row 6 of a batch of 6"):
            batch[6]

    def test_bins_may_be_selected_or_none(self, filled: Caller) -> None:
        assert [bins(r) for r in filled.get_many([1, 2], bins=["s"])] == [{"s": "1"}, {"s": "2"}]
        assert [bins(r) for r in filled.get_many([1, 2], ["zz"])] == [{}, {}]
        batch = filled.get_many([1, 777], bins=[])
        assert (bins(batch[0]), batch[0].generation, batch[1]) == ({}, 1, None)

    def test_exists_many_reports_each_key(self, filled: Caller) -> None:
        batch = filled.exists_many([0, 1000])
        assert [r is not None for r in batch] == [True, False]

    def test_keys_may_be_any_iterable_or_none(self, filled: Caller) -> None:
        assert filled.get_many(i for i in range(3)).found == 3
        assert filled.get_many({1: "a", 2: "b"}).found == 2
        assert len(filled.get_many([])) == 0
        assert filled.put_many({}).found == 0

    def test_a_batch_of_one_key_returns_one_record(self, filled: Caller) -> None:
        batch = filled.get_many([7])
        assert bins(batch[0]) == {"n": 7, "s": "7"}
        assert list(filled.get_many([7777]).codes) == [2]

    def test_each_record_is_decoded_once(self, filled: Caller) -> None:
        batch = filled.get_many([1])
        assert batch[0] is batch[0]

    def test_to_dict_maps_keys_to_records(self, filled: Caller) -> None:
        result = filled.get_many([3, 1, 3, 888]).to_dict()
        assert {key: record["n"] for key, record in result.items()} == {3: 3, 1: 1}

    def test_ten_thousand_rows_succeed(self, filled: Caller) -> None:
        batch = filled.get_many(range(10_000))
        assert batch.found == 300
        assert sum(record["n"] for record in batch if record is not None) == sum(range(300))

    def test_keys_of_several_sets(self, client: Opened, data: Caller, set_name: str) -> None:
        other = client.dataset("test", f"{set_name}b")
        data.put(1, {"x": "a"})
        other.put(1, {"x": "b"})
        keys = [("test", set_name, 1), ("test", f"{set_name}b", 1), ("test", None, 1)]
        batch = client.verbs.get_many(keys)
        assert [bins(r) for r in batch] == [{"x": "a"}, {"x": "b"}, None]


class TestWrites:
    def test_records_may_be_a_mapping_or_pairs(self, data: Caller) -> None:
        assert data.put_many({"a": {"n": 1}, b"b": {"n": 2}}).found == 2
        assert data.put_many([("c", {"n": 3}), (4, {"n": 4, "m": [1]})]).found == 2
        assert [bins(r) for r in data.get_many(["a", b"b", "c", 4])] == [
            {"n": 1},
            {"n": 2},
            {"n": 3},
            {"n": 4, "m": [1]},
        ]

    def test_rows_that_fail_leave_the_others_alone(self, data: Caller) -> None:
        data.put("old", {"n": 1})
        written = data.put_many({"old": {"n": 2}, "new": {"n": 3}}, exists="create")
        assert list(written.codes) == [5, 0]
        assert isinstance(written.errors[0], spikewire.RecordExists)
        assert written.errors[0].key.key == "old"  # type: ignore[union-attr]
        assert written[1].generation == 1
        with pytest.raises(spikewire.RecordExists):
            written[0]
        with pytest.raises(spikewire.RecordExists):
            written.raise_for_errors()
        assert bins(data.get("old")) == {"n": 1}

    def test_put_many_takes_ttl_generation_and_send_key(self, data: Caller) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}}, ttl=1000, send_key=True)
        assert all(900 < record.ttl <= 1000 for record in data.get_many([1, 2]))
        data.put(2, {"n": 3})
        again = data.put_many({1: {"n": 9}, 2: {"n": 9}}, generation=1)
        assert list(again.codes) == [0, 3]

    def test_delete_many_reports_each_key(self, filled: Caller) -> None:
        gone = filled.delete_many([1, 2, 5000])
        assert [r is not None for r in gone] == [True, True, False]
        assert filled.get_many([0, 1, 2]).found == 1

    def test_operate_many_returns_results_of_each_record(self, filled: Caller) -> None:
        result = filled.operate_many([1, 2], [op.add("n", 10), op.get("n"), op.touch()])
        assert [record.results for record in result] == [(None, 11, None), (None, 12, None)]
        assert [record["n"] for record in filled.operate_many([1, 2], [op.get("n")])] == [11, 12]
        missing = filled.operate_many([4000, 1], [op.touch()])
        assert (missing[0], missing[1].generation) == (None, 3)


class TestBadInput:
    @pytest.mark.any_api
    @pytest.mark.parametrize(
        ("keys", "error", "text"),
        [
            ("abc", TypeError, "keys must be an iterable"),
            (b"abc", TypeError, "keys must be an iterable"),
            (5, TypeError, "keys must be an iterable"),
            ([1, 1.5], TypeError, "row 1: a key must be int, str or bytes, not float"),
            ([0, 1, 2**63], OverflowError, "row 2"),
        ],
    )
    def test_invalid_keys_raise(self, filled: Caller, keys: Any, error: Any, text: str) -> None:
        with pytest.raises(error, match=text):
            filled.get_many(keys)
        assert filled.get_many([1]).found == 1

    @pytest.mark.any_api
    @pytest.mark.parametrize(
        ("records", "error", "text"),
        [
            ({1: {"n": 1}, 2: {"n": {3}}}, TypeError, "row 1: bin .n.: cannot store"),
            ({1: {}}, ValueError, "row 0: bins must not be empty"),
            ({1: {"x" * 16: 1}}, ValueError, "row 0: the bin name"),
            ([1, 2], ValueError, "row 0: records must be pairs"),
            ("ab", TypeError, "records must be an iterable"),
        ],
    )
    def test_invalid_records_raise_before_sending(
        self, data: Caller, records: Any, error: Any, text: str
    ) -> None:
        with pytest.raises(error, match=text):
            data.put_many(records)
        assert data.get_many([1, 2]).found == 0, "nothing is sent before everything is checked"

    def test_an_unknown_namespace_fails_only_its_rows(
        self, client: Opened, data: Caller, set_name: str
    ) -> None:
        data.put_many({1: {"n": 1}, 2: {"n": 2}})
        keys = [("test", set_name, 1), ("nowhere", "s", 1), ("test", set_name, 2)]
        batch = client.verbs.get_many(keys)
        assert (bins(batch[0]), bins(batch[2])) == ({"n": 1}, {"n": 2})
        assert list(batch.errors) == [1]
        assert isinstance(batch.errors[1], spikewire.NamespaceNotFound)
        assert "nowhere" in str(batch.errors[1])


class TestFailures:
    def test_a_dead_node_loses_no_row(self, api: Api) -> None:
        # The second failure may come before the client knows that the first one is over; without a
        # pause all retries would be used up by then.
        options = {"timeout": 30, "max_retries": 10, "sleep_between_retries": 0.1}
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, **options) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(500)}).raise_for_errors()
            for _ in range(2):
                cluster.kill(1)
                batch = data.get_many(range(500))
                assert batch.errors == {}
                assert [record["n"] for record in batch] == list(range(500))
                cluster.restart(1)
                assert cluster.wait_settled()

    def test_a_deadline_is_each_row_s_own_error(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=20) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(100)}).raise_for_errors()
            cluster.inject(0, delay=30)
            batch = data.get_many(range(100), timeout=1, replica="master")
            assert 0 < len(batch.errors) < 100
            assert all(isinstance(e, spikewire.Timeout) for e in batch.errors.values())
            assert not any(e.in_doubt for e in batch.errors.values())
            written = data.put_many({i: {"n": 0} for i in range(100)}, timeout=1)
            assert written.errors.keys() == batch.errors.keys()
            assert all(e.in_doubt for e in written.errors.values())
            cluster.clear_faults(0)
            assert data.get_many(range(100), timeout=10).errors == {}

    def test_truncated_replies_are_retried(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(100)}).raise_for_errors()
            cluster.inject(0, cut=1.0)
            batch = data.get_many(range(100))
            assert all(e.code == -10 for e in batch.errors.values())
            cluster.clear_faults(0)
            assert data.get_many(range(100)).errors == {}


def test_concurrent_batches_share_a_loop(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=20, connect_timeout=20) as client:
            data = client.dataset("test", set_name)
            await data.put_many({i: {"n": i} for i in range(1000)})
            batches = (data.get_many(range(at, at + 50)) for at in range(900))
            results = await asyncio.gather(*batches, data.get(5))
            for at, result in enumerate(results[:-1]):
                assert [record["n"] for record in result] == list(range(at, at + 50))  # type: ignore[attr-defined]
            assert results[-1]["n"] == 5  # type: ignore[index]

    asyncio.run(main())


def test_a_cancelled_batch_does_not_disturb_others(cluster: Cluster, set_name: str) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, timeout=20, connect_timeout=20) as client:
            data = client.dataset("test", set_name)
            await data.put_many({i: {"n": i} for i in range(1000)})
            for at in range(50):
                doomed = data.get_many(range(1000))
                doomed.cancel()
                batch = await data.get_many([at, at + 1])
                assert [record["n"] for record in batch] == [at, at + 1]  # type: ignore[index]

    asyncio.run(main())
