"""Batches that mix reads, writes and deletes: outcomes, rules of rows, failures."""

from __future__ import annotations

import copy
import pickle
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import Delete, Newer, Read, Write, exp, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from apis import Api, Caller, Opened


def bins(record: Any) -> Any:
    return None if record is None else record.bins


@pytest.fixture
def filled(data: Caller) -> Caller:
    data.put_many({i: {"n": i, "s": str(i)} for i in range(20)}).raise_for_errors()
    return data


class TestOutcomes:
    def test_rows_of_all_kinds_return_in_input_order(self, filled: Caller) -> None:
        done = filled.batch([
            Read(1),
            Write(100, {"n": 100}),
            Delete(2),
            Read("nobody"),
            Write(3, [op.add("n", 10), op.get("n")]),
            Read(4, ["s"]),
            Delete("nobody"),
            Read(5, ops=[op.get("n"), op.get("zz")]),
            Read(6, []),
        ])  # fmt: skip
        assert [bins(record) for record in done] == [
            {"n": 1, "s": "1"}, {}, {}, None, {"n": 13}, {"s": "4"}, None, {"n": 5}, {},
        ]  # fmt: skip
        assert done.codes.tolist() == [0, 0, 0, 2, 0, 0, 2, 0, 0]
        assert (done[4].results, done[7].results, done[0].results) == ((None, 13), (5, None), ())
        assert (done[1].generation, done[6], done.errors, done.in_doubt) == (1, None, {}, [])
        assert [key.key for key in done.keys] == [1, 100, 2, "nobody", 3, 4, "nobody", 5, 6]
        assert [bins(record) for record in filled.get_many([100, 2, 3])] == [
            {"n": 100}, None, {"n": 13, "s": "3"},
        ]  # fmt: skip

    def test_rows_of_one_record_run_in_order(self, data: Caller) -> None:
        done = data.batch([
            Write("k", {"n": 1}),
            Write("k", [op.add("n", 1)]),
            Read("k"),
            Delete("k"),
            Read("k"),
        ])  # fmt: skip
        assert (done[2].bins, done.codes.tolist()) == ({"n": 2}, [0, 0, 0, 0, 2])

    @pytest.mark.parametrize(
        ("row", "code", "expected"),
        [
            (Read(1), 0, {"n": 1, "s": "1"}),
            (Read(1, ["n"]), 0, {"n": 1}),
            (Read(1, ops=[op.get("n")]), 0, {"n": 1}),
            (Read(1, ops=(op.get(),)), 0, {"n": 1, "s": "1"}),
            (Write(1, {"n": 2}), 0, {}),
            (Write(1, [op.put("n", 5), op.get("n")]), 0, {"n": 5}),
            (Delete(1), 0, {}),
            (Delete(999), 2, None),
            (Read(1, where="$.n > 5"), 27, None),
        ],
        ids=str,
    )
    def test_a_batch_of_one_row_equals_the_row_among_others(
        self, filled: Caller, row: Any, code: Any, expected: Any
    ) -> None:
        done = filled.batch([row])
        assert (done.codes.tolist(), bins(done[0])) == ([code], expected)
        # The same among other records.
        filled.put(1, {"n": 1, "s": "1"})
        done = filled.batch([Read(7), row, Read(8)])
        assert (done.codes.tolist(), bins(done[1])) == ([0, code, 0], expected)

    def test_rows_may_be_any_iterable_or_none(self, filled: Caller) -> None:
        assert len(filled.batch([])) == 0
        assert filled.batch(Read(i) for i in range(30)).found == 20
        assert filled.batch((Read(1), Delete(2))).found == 2

    def test_thousands_of_rows_succeed(self, data: Caller) -> None:
        rows = [Write(i, {"n": i}) if i % 3 else Write(i, [op.put("n", i)]) for i in range(6000)]
        data.batch(rows).raise_for_errors()
        rows = [Read(i) if i % 2 else Delete(i) for i in range(6000)]  # type: ignore[misc]
        done = data.batch(rows)
        assert [r.get("n") for r in done] == [i if i % 2 else None for i in range(6000)]
        assert data.get_many(range(6000)).found == 3000

    def test_batches_of_a_client_have_rows_of_several_sets(
        self, client: Opened, data: Caller, set_name: str
    ) -> None:
        other = ("test", f"{set_name}b", "k")
        done = client.verbs.batch([
            Write(("test", set_name, "k"), {"n": 1}),
            Write(other, {"n": 2}),
            Read(spikewire.Key(*other)),
        ])  # fmt: skip
        assert bins(done[2]) == {"n": 2}
        assert bins(data.get("k")) == {"n": 1}


class TestRulesOfRows:
    def test_writes_have_their_own_options(self, filled: Caller) -> None:
        done = filled.batch([
            Write(1, {"n": 0}, exists="create"),
            Write(2, {"n": 0}, exists="replace", ttl=500),
            Write(3, {"n": 0}, generation=9),
            Write(4, {"n": 0}, generation=Newer(2)),
            Write(5, {"n": 0}, where=exp.bin("n") > 100),
            Write(6, {"n": 0}, where=("$.n == ?0", 6)),
            Write(50, {"n": 0}, exists="update"),
            Write(51, {"n": 0}, send_key=True),
            Write(7, {"n": None, "s": None}, durable=True),
        ])  # fmt: skip
        assert done.codes.tolist() == [5, 0, 3, 0, 27, 0, 2, 0, 25]
        assert isinstance(done.errors[0], spikewire.RecordExists)
        assert isinstance(done.errors[2], spikewire.GenerationMismatch)
        assert sorted(done.errors) == [0, 2, 8]
        record = filled.get(2)
        assert (record.bins, record.ttl > 400) == ({"n": 0}, True)
        assert filled.exists(51, where=exp.key(int) == 51)
        assert filled.get(5)["n"] == 5

    def test_a_filter_applies_to_reads_and_deletes(self, filled: Caller) -> None:
        done = filled.batch([
            Read(1, where="$.n > 100"),
            Read(2, ["n"], where="$.n > 1"),
            Read(3, ops=[op.get("n")], where="$.n > 100"),
            Read(4, read_mode="linearize"),
            Read(5, read_mode="all", read_touch=50),
            Delete(6, generation=2),
            Delete(7, generation=1, send_key=True),
            Delete(8, where="$.n > 100"),
            Delete(9, durable=True),
        ])  # fmt: skip
        assert done.codes.tolist() == [27, 0, 27, 25, 0, 3, 0, 27, 25]
        assert filled.exists_many([6, 7, 8, 9]).codes.tolist() == [0, 2, 0, 0]

    def test_options_of_the_client_apply(self, api: Api, cluster: Cluster, set_name: str) -> None:
        options = {"send_key": True, "read_mode": "linearize", "timeout": 10}
        with api.open(cluster.seeds, **options) as client:
            data = client.dataset("test", set_name)
            rows = [Write(1, {"n": 1}), Write(2, {"n": 1}, send_key=False), Read(1)]
            assert data.batch(rows).codes.tolist() == [0, 0, 25]
            stored = data.get_many([1, 2], where=exp.key_exists(), read_mode="one")
            assert stored.codes.tolist() == [0, 27]


class TestRowsAsValues:
    ROWS = (
        Read("k"),
        Read(("test", "s", 1), ["a"], where="$.a > 1", read_touch=5, read_mode="all"),
        Write("k", {"n": 1}),
        Write("k", {"n": 1}, ttl=5, generation=Newer(3), exists="create", durable=True,
              send_key=False, where="$.a > 1"),
        Delete(b"k"),
        Delete("k", generation=1, durable=True, send_key=True, where="$.a > 1"),
    )  # fmt: skip

    @pytest.mark.parametrize("row", ROWS, ids=str)
    def test_rows_compare_copy_and_pickle(self, row: Any) -> None:
        assert pickle.loads(pickle.dumps(row)) == row
        assert copy.deepcopy(row) == row
        assert row != Read("other")
        assert row != 5
        with pytest.raises(AttributeError):
            row.key = 5

    def test_repr_shows_the_arguments(self) -> None:
        assert list(map(repr, self.ROWS[2:])) == [
            "Write('k', {'n': 1})",
            (
                "Write('k', {'n': 1}, ttl=5, generation=Newer(3), exists='create', "
                "send_key=False, where='$.a > 1', durable=True)"
            ),
            "Delete(b'k')",
            "Delete('k', generation=1, where='$.a > 1', durable=True, send_key=True)",
        ]
        assert repr(Read("k", ops=[op.get("a")])) == "Read('k', ops=[" + repr(op.get("a")) + "])"

    def test_rows_have_their_arguments_as_attributes(self) -> None:
        row = Write("k", {"n": 1}, ttl=5)
        assert (row.key, row.what, row.ttl, row.where, row.durable) == (
            "k",
            {"n": 1},
            5,
            None,
            None,
        )
        assert (Read("k", ["a"]).bins, Read("k").ops) == (["a"], None)


@pytest.mark.any_api
class TestBadInput:
    @pytest.mark.parametrize(
        ("row", "error", "text"),
        [
            (5, TypeError, "a row must be spikewire.Read, Write, Delete or Apply, not int"),
            (Read(1.5), TypeError, "a key must be int, str or bytes, not float"),  # type: ignore[arg-type]
            (Read(spikewire.Key("test", "other", 1)), ValueError, "is not a key of dataset"),
            (Read(1, "abc"), TypeError, "bins must be a list or tuple"),  # type: ignore[arg-type]
            (Read(1, ["a"], ops=[op.get("a")]), ValueError, "bins and ops exclude each other"),
            (Read(1, ops=[op.add("a", 1)]), ValueError, "ops of a Read must only read"),
            (Read(1, ops=[]), ValueError, "operations must not be empty"),
            (Read(1, where=5), TypeError, "where: an expression"),  # type: ignore[arg-type]
            (Read(1, read_touch=500), ValueError, "read_touch must be"),
            (Read(1, read_mode="x"), ValueError, "read_mode must be"),  # type: ignore[arg-type]
            (Write(1, {}), ValueError, "bins must not be empty"),
            (Write(1, 5), TypeError, "bins must be a dict"),  # type: ignore[arg-type]
            (Write(1, {"a": {3}}), TypeError, "bin .a.: cannot store"),
            (Write(1, [op.get("a")]), ValueError, "operations of a Write must write"),
            (Write(1, [5]), TypeError, r"operations\[0\] must be an operation"),  # type: ignore[list-item]
            (Write(1, {"a": 1}, ttl=-5), ValueError, "ttl must be"),
            (Write(1, {"a": 1}, generation="x"), TypeError, "generation must be"),  # type: ignore[arg-type]
            (Write(1, {"a": 1}, exists="x"), ValueError, "exists must be"),  # type: ignore[arg-type]
            (Delete(1, generation=-1), OverflowError, "generation must be"),
            (Delete(None), TypeError, "a key must be"),  # type: ignore[arg-type]
        ],
        ids=str,
    )
    def test_the_row_is_named(self, data: Caller, row: Any, error: Any, text: str) -> None:
        with pytest.raises(error, match=f"^row 2: .*{text}"):
            data.batch([Write("a", {"n": 1}), Read("b"), row])
        assert not data.exists("a"), "nothing is sent before everything is checked"

    @pytest.mark.parametrize("rows", [5, "abc", None, Read(1)], ids=str)
    def test_rows_must_be_iterable(self, data: Caller, rows: Any) -> None:
        with pytest.raises(TypeError, match="rows must be an iterable"):
            data.batch(rows)

    def test_invalid_keywords_raise(self, data: Caller) -> None:
        with pytest.raises(ValueError, match="replica must be"):
            data.batch([Read(1)], replica="x")
        with pytest.raises(TypeError, match="timeout"):
            data.batch([Read(1)], timeout="x")
        with pytest.raises(TypeError, match="tll"):
            data.batch([Read(1)], tll=5)
        for make in (Read, lambda key, **o: Write(key, {"n": 1}, **o), Delete):
            with pytest.raises(TypeError, match="tll"):
                make(1, tll=5)  # type: ignore[call-arg]


class TestFailures:
    def test_an_unknown_namespace_fails_its_row(
        self, client: Opened, data: Caller, set_name: str
    ) -> None:
        data.put(1, {"n": 1})
        done = client.verbs.batch([
            Read(("test", set_name, 1)),
            Write(("nowhere", "s", 1), {"n": 1}),
            Write(("test", set_name, 2), {"n": 2}),
        ])  # fmt: skip
        error = done.errors[1]
        assert isinstance(error, spikewire.NamespaceNotFound)
        assert "nowhere" in str(error)
        assert (error.key.namespace, error.in_doubt) == ("nowhere", False)  # type: ignore[union-attr]
        assert (bins(done[0]), done[2].generation) == ({"n": 1}, 1)

    def test_errors_of_rows_have_node_and_attempts(self, filled: Caller) -> None:
        done = filled.batch([Read(1), Write(2, {"n": 0}, exists="create"), Read(3)])
        (error,) = done.errors.values()
        assert (error.attempts, error.in_doubt, error.key.key) == (1, False, 2)
        assert ":" in error.node
        with pytest.raises(spikewire.RecordExists) as caught:
            done.raise_for_errors()
        assert caught.value.node == error.node

    def test_reads_survive_a_dead_node_and_writes_are_in_doubt(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": i} for i in range(300)}).raise_for_errors()
            cluster.kill(1)
            rows = [Read(i) if i % 2 else Write(i, {"m": i}) for i in range(300)]
            done = data.batch(rows)
            assert {i: e for i, e in done.errors.items() if not e.in_doubt} == {}
            assert all(i % 2 == 0 for i in done.errors), "reads find another replica"
            assert [done[i]["n"] for i in range(1, 300, 2)] == list(range(1, 300, 2))

    def test_lost_replies_leave_writes_in_doubt(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": 0} for i in range(120)}).raise_for_errors()
            rows = [Read(i) if i % 2 else Write(i, [op.add("n", 1)]) for i in range(120)]
            cluster.inject(0, drop_reply=1.0)
            done = data.batch(rows, timeout=1)
            failed = sorted(done.errors)
            assert 0 < len(failed) < 120
            assert done.in_doubt == [i for i in failed if i % 2 == 0]
            assert all(e.in_doubt is (i % 2 == 0) for i, e in done.errors.items())
            assert all(isinstance(e, spikewire.Timeout) for e in done.errors.values())
            assert all(e.attempts == 1 and e.key.key == i for i, e in done.errors.items())
            assert len({e.node for e in done.errors.values()}) == 1
            cluster.clear_faults(0)
            after = data.get_many(range(0, 120, 2), timeout=10)
            assert [r["n"] for r in after] == [1] * 60, "each was applied just once"

    def test_cut_replies_are_read_as_far_as_they_came(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": 0} for i in range(120)}).raise_for_errors()
            cluster.inject(0, cut=1.0)
            rows = [Read(i) if i % 2 else Write(i, [op.add("n", 1)]) for i in range(120)]
            done = data.batch(rows)
            assert all(i % 2 == 0 for i in done.errors), "reads find another replica"
            assert done.in_doubt == sorted(done.errors)
            cluster.clear_faults(0)
            after = data.get_many(range(0, 120, 2))
            assert [r["n"] for r in after] == [1] * 60, "no write was repeated"

    def test_overload_is_retried(self, api: Api) -> None:
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, timeout=10) as client:
            data = client.dataset("test", "s")
            cluster.inject(0, error=1.0)
            done = data.batch([Write(i, {"n": i}) for i in range(60)])
            # Refused before it was executed, so it is retried elsewhere, and the other nodes
            # forward it.
            assert done.in_doubt == []
            assert all(e.attempts == 3 and e.code == 18 for e in done.errors.values())
            cluster.clear_faults(0)
            missing = [i for i, r in enumerate(data.exists_many(range(60))) if r is None]
            assert missing == sorted(done.errors)

    def test_writes_in_doubt_are_repeated_on_request(self, api: Api) -> None:
        options = {"timeout": 10, "retry_in_doubt": True}
        with Cluster(nodes=3) as cluster, api.open(cluster.seeds, **options) as client:
            data = client.dataset("test", "s")
            data.put_many({i: {"n": 0} for i in range(60)}).raise_for_errors()
            cluster.inject(0, cut=0.5, seed=4)
            done = data.batch([Write(i, {"n": 1}, generation=1) for i in range(60)])
            cluster.clear_faults(0)
            assert [r["n"] for r in data.get_many(range(60))] == [1] * 60
            # What was applied by the first attempt is refused by the second, and the error says so.
            for error in done.errors.values():
                assert isinstance(error, spikewire.GenerationMismatch)
                assert (error.in_doubt, error.attempts > 1) == (True, True)
            assert done.in_doubt == sorted(done.errors)
