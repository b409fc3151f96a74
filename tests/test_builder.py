"""The chained builder, on both APIs."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import builder, exp, op
from spikewire.aerospike.builder import asynchronous, blocking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Opened
    from spikewire.builder import Result


class Chains:
    """A session of one API, whose calls are run to their ends."""

    def __init__(self, client: Opened, set_name: str) -> None:
        self.api = client.api
        self.session = client.raw.session()
        self.users = client.raw.dataset("test", set_name)

    def run(self, start: Any) -> Any:
        """The result of a final step, awaited if necessary."""
        return self.api.settle(start)

    def streamed(self, stream: Any) -> list[Any]:
        return self.api.rows(stream)


@pytest.fixture(params=["blocking", "asyncio"])
def chains(request: pytest.FixtureRequest, cluster: Any, set_name: str) -> Iterator[Chains]:
    api = Api(request.param)
    with api.open(cluster.seeds, timeout=10) as client:
        yield Chains(client, set_name)
    api.end()


class TestOneKey:
    def test_a_record_is_written_and_read(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        alice = chains.users.key("alice")
        assert run(session.upsert(alice).set("age", 28).set("name", "Alice").execute) is None
        record = run(session.query(alice).first)
        assert (record.bins, record.key) == ({"age": 28, "name": "Alice"}, alice)
        assert run(session.query(alice).bins("age").first).bins == {"age": 28}
        assert run(session.query(alice).bins().first).bins == {}
        field = ("test", chains.users.set)
        assert run(session.query((*field, "alice")).first) == record
        assert run(session.query((*field, None, alice.digest)).first).bins == record.bins
        assert run(session.exists((*field, "alice")).execute) is True
        assert len(run(session.query((*field, "alice"), alice).to_list)) == 2
        assert run(session.upsert(alice).put({"a": 1, "b": 2}).remove("name", "b").execute) is None
        assert run(session.query(alice).first).bins == {"age": 28, "a": 1}

    def test_a_missing_record_raises(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        nobody = chains.users.key("nobody")
        with pytest.raises(spikewire.RecordNotFound) as caught:
            run(session.query(nobody).first)
        assert caught.value.key == nobody
        assert run(session.query(nobody).first_or_none) is None
        assert run(session.query(nobody).to_list) == []
        assert run(session.query(nobody).count) == 0
        assert run(session.exists(nobody).execute) is False
        assert run(session.delete(nobody).execute) is False
        for call in (session.update(nobody).set("a", 1), session.touch(nobody)):
            with pytest.raises(spikewire.RecordNotFound):
                run(call.execute)
            (result,) = run(lambda call=call: call.execute(on_error="collect"))
            assert isinstance(result.error, spikewire.RecordNotFound)
            assert result.error.key == nobody

    def test_operations_run_in_order(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        key = chains.users.key(1)
        record = run(
            session.upsert(key)
            .set("n", 1)
            .get("n")
            .add("n", 4)
            .append("s", "b")
            .prepend("s", "a")
            .op(op.list.append("l", "x"), op.map.put("m", "k", 2))
            .write("double", "$.n * 2")
            .read("seen", exp.bin("double") + 1)
            .get("s")
            .execute
        )
        assert record.results[1] == 1
        assert (record["seen"], record["s"], record["n"]) == (11, "ab", 1)
        bins = run(session.query(key).first).bins
        assert bins == {"n": 5, "s": "ab", "l": ["x"], "m": {"k": 2}, "double": 10}
        with pytest.raises(ValueError, match="1 placeholder, no values"):
            session.query(key).read("r", "$.n + ?", no_fail=True)
        read = session.query(key).get("n").op(op.list.size("l")).read("r", ("$.n + ?", 1))
        assert run(read.first).results == (5, 1, 6)
        assert run(session.update(key).set("n", 9).first).bins == {}

    def test_verbs_follow_their_exists_rules(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        key = chains.users.key("k")
        with pytest.raises(spikewire.RecordNotFound):
            run(session.replace_if_exists(key).set("a", 1).execute)
        run(session.insert(key).set("a", 1).set("b", 1).execute)
        with pytest.raises(spikewire.RecordExists):
            run(session.insert(key).set("a", 2).execute)
        with pytest.raises(spikewire.RecordExists):
            run(session.insert(key).add("a", 2).execute)
        run(session.update(key).add("a", 1).execute)
        assert run(session.query(key).first).bins == {"a": 2, "b": 1}
        run(session.replace(key).set("c", 1).execute)
        assert run(session.query(key).first).bins == {"c": 1}
        run(session.replace_if_exists(key).set("d", 1).execute)
        assert run(session.query(key).first).bins == {"d": 1}
        assert run(session.exists(key).execute) is True
        assert run(session.delete(key).execute) is True
        assert run(session.exists(key).execute) is False

    def test_options_apply_to_single_records(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        key = chains.users.key("k")
        run(session.upsert(key).set("age", 20).ttl(3600).send_key().execute)
        assert 3500 < run(session.query(key).first).ttl <= 3600
        run(session.touch(key).ttl(7200).execute)
        record = run(session.query(key).replica("master").read_mode("all").timeout(20).first)
        assert (record.generation, record.ttl > 3600) == (2, True)
        with pytest.raises(spikewire.GenerationMismatch):
            run(session.update(key).set("age", 21).generation(1).execute)
        run(session.update(key).set("age", 21).generation(2).execute)
        for where in (("$.age > ?", 30), ("$.age > ?0", 30), (exp.bin("age") > 30,)):
            assert run(session.query(key).where(*where).first_or_none) is None
            with pytest.raises(spikewire.FilteredOut):
                run(session.query(key).where(*where).first)
            with pytest.raises(spikewire.FilteredOut):
                run(session.update(key).set("age", 1).where(*where).execute)
        assert run(session.delete(key).where("$.age > ? and $.age < ?", 3, 5).execute) is False
        assert run(session.delete(key).generation(3).execute) is True


class TestManyKeys:
    def test_records_of_many_keys_are_written_and_read(self, chains: Chains) -> None:
        session, run = chains.session, chains.run
        keys = chains.users.keys(range(10))
        written = run(session.upsert(keys).set("seen", True).add("visits", 1).ttl(3600).execute)
        assert (len(written), written.count(), written.errors) == (10, 10, [])
        assert all(result.ok for result in written)
        more = chains.users.keys(range(8, 12))
        actual = run(session.query(more).bins("visits").execute)
        assert [result.key.key for result in actual] == [8, 9, 10, 11]
        assert [result.missing for result in actual] == [False, False, True, True]
        assert [record["visits"] for record in actual.to_list()] == [1, 1]
        assert actual[0].unwrap().bins == {"visits": 1}
        assert [it.row for it in actual[1:3]] == [1, 2]
        with pytest.raises(spikewire.RecordNotFound):
            actual[3].unwrap()
        assert len(run(lambda: session.query(more).execute(missing="skip"))) == 2
        with pytest.raises(spikewire.RecordNotFound) as caught:
            run(lambda: session.query(more).execute(missing="error"))
        assert caught.value.key == more[2]
        assert len(run(session.query(*more).to_list)) == 2
        assert len(run(session.query(key for key in more).to_list)) == 2
        assert run(session.query(more).count) == 2
        assert run(session.query(more[::-1]).first)["visits"] == 1
        assert run(session.query(more[2:]).first_or_none) is None
        with pytest.raises(spikewire.RecordNotFound):
            run(session.query(more[2:]).first)
        assert [it.ok for it in run(session.exists(more).execute)] == [True, True, False, False]
        assert run(session.touch(keys).execute).count() == 10
        with pytest.raises(spikewire.RecordNotFound):
            run(session.touch(more).execute)
        assert run(session.delete(more).execute).count() == 2
        assert run(session.query(keys).count) == 8

    def test_error_strategies_raise_return_or_handle(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        run(session.upsert(users.key(1)).set("n", "text").execute)
        keys = users.keys([0, 1, 2])

        def call(**options: Any) -> Any:
            return run(lambda: session.upsert(keys).add("n", 1).execute(**options))

        with pytest.raises(spikewire.BinTypeError) as caught:
            call()
        assert caught.value.key == keys[1]
        results = call(on_error="collect")
        assert [type(result.error) for result in results] == [
            type(None),
            spikewire.BinTypeError,
            type(None),
        ]
        assert [result.row for result in results.errors] == [1]
        with pytest.raises(spikewire.BinTypeError):
            results.to_list()
        with pytest.raises(spikewire.BinTypeError):
            results[1].unwrap()
        assert [result.row for result in call(on_error="skip")] == [0, 2]
        seen: list[Result] = []
        assert len(call(on_error=seen.append)) == 2
        assert [(it.row, it.key, it.record) for it in seen] == [(1, keys[1], None)]
        assert isinstance(seen[0].error, spikewire.BinTypeError)

        def stop(result: Result) -> None:
            raise LookupError(result.row)

        with pytest.raises(LookupError, match="1"):
            call(on_error=stop)

    def test_missing_records_follow_their_strategy(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        run(session.upsert(users.key(1)).set("n", 1).execute)
        keys = users.keys([0, 1])

        def update(**options: Any) -> Any:
            return run(lambda: session.update(keys).set("n", 2).execute(**options))

        with pytest.raises(spikewire.RecordNotFound):
            update()
        assert [it.row for it in update(missing="skip")] == [1]
        assert [it.missing for it in update(missing="keep")] == [True, False]
        assert [it.row for it in update(on_error="skip")] == [1]
        (missing,) = update(on_error="collect").errors
        assert (missing.row, missing.error.code, missing.error.key) == (0, 2, keys[0])
        filtered = run(
            lambda: (
                session.update(keys)
                .set("n", 3)
                .where("$.n > ?", 5)
                .execute(on_error="collect", missing="error")
            )
        )
        assert [it.error.code for it in filtered] == [2, 27]
        assert isinstance(filtered[1].error, spikewire.FilteredOut)

    def test_streams_return_results_in_order(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        run(session.upsert(users.keys(range(50))).set("n", 1).execute)
        stream = session.query(users.key(n) for n in range(60)).stream(window=7, limit=2)
        results = chains.streamed(stream)
        assert sorted(it.row for it in results) == list(range(60))
        assert all(it.key.key == it.row for it in results)
        assert sorted(it.row for it in results if it.missing) == list(range(50, 60))
        # Windows complete in any order; within one the order is that of the input.
        assert all(
            [it.row for it in results if it.row // 7 == part]
            == list(range(part * 7, min(part * 7 + 7, 60)))
            for part in range(9)
        )
        some = chains.streamed(session.query(users.keys(range(60))).stream(missing="skip"))
        assert len(some) == 50
        with pytest.raises(spikewire.RecordNotFound):
            chains.streamed(session.update(users.keys([99])).set("n", 1).stream())
        assert [it.ok for it in chains.streamed(session.query(users.key(1)).stream())] == [True]

    def test_a_stream_reads_no_more_than_it_needs(self, chains: Chains) -> None:
        numbers: list[int] = []

        def endless() -> Iterator[Any]:
            number = 0
            while True:
                numbers.append(number)
                yield chains.users.key(number)
                number += 1

        stream = chains.session.query(endless()).stream(window=4, limit=3)
        assert len(chains.api.some(stream, 6)) == 6
        assert 8 <= len(numbers) <= 24
        if chains.api.is_blocking:
            stream.close()
        else:
            chains.run(stream.aclose)


class TestChains:
    def test_a_chain_runs_all_steps_in_one_call(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        run(session.upsert(users.keys([*"abc"])).set("n", 1).execute)
        chain = (
            session.insert(users.key("a"))
            .set("n", 2)
            .upsert(users.keys([*"bc"]))
            .add("n", 5)
            .get("n")
            .update(users.key("x"))
            .set("n", 1)
            .delete(users.key("c"))
            .touch(users.key("b"))
            .ttl(500)
            .exists(users.keys([*"cb"]))
            .replace(users.key("d"))
            .set("d", 1)
            .replace_if_exists(users.key("y"))
            .set("d", 1)
            .query(users.key("b"), users.key("z"))
            .bins("n")
        )
        results = run(lambda: chain.execute(on_error="collect"))
        assert len(results) == 12
        assert {it.row: type(it.error) for it in results.errors} == {
            0: spikewire.RecordExists,
            3: spikewire.RecordNotFound,
            9: spikewire.RecordNotFound,
        }
        assert [results[row].unwrap().results for row in (1, 2)] == [(None, 6), (None, 6)]
        assert [results[row].ok for row in (4, 5, 6, 7, 8)] == [True, True, False, True, True]
        assert results[10].unwrap().bins == {"n": 6}
        assert results[11].missing
        assert run(session.query(users.keys([*"abcd"])).count) == 3

    def test_it_raises_by_default(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        chain = session.upsert(users.key(1)).set("n", 1).update(users.key(2)).set("n", 1)
        with pytest.raises(spikewire.RecordNotFound) as caught:
            run(chain.execute)
        assert caught.value.key == users.key(2)
        # The other rows have been executed all the same.
        assert run(session.exists(users.key(1)).execute) is True

    def test_a_chain_checks_generations(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        run(session.upsert(users.keys([1, 2])).set("n", 1).execute)
        chain = (
            session.update(users.key(1))
            .set("n", 2)
            .generation(7)
            .update(users.key(2))
            .set("n", 2)
            .generation(1)
        )
        first, second = run(lambda: chain.execute(on_error="collect"))
        assert (type(first.error), second.ok) == (spikewire.GenerationMismatch, True)

    def test_a_chain_streams_its_results(self, chains: Chains) -> None:
        session, users = chains.session, chains.users
        chain = session.upsert(users.key(1)).set("n", 1).query(users.key(1))
        assert [it.row for it in chains.streamed(chain.stream())] == [0, 1]


class TestScans:
    @pytest.fixture
    def people(self, chains: Chains) -> Chains:
        chain = chains.session.upsert(chains.users.key(0)).set("age", 0)
        for number in range(1, 40):
            chain = chain.upsert(chains.users.key(number)).set("age", number)
        chains.run(chain.execute)
        return chains

    def test_a_dataset_is_scanned_with_filter_and_limit(self, people: Chains) -> None:
        session, run, users = people.session, people.run, people.users
        adults = people.streamed(session.query(users).where("$.age > ?", 25).limit(100).stream())
        assert sorted(record["age"] for record in adults) == list(range(26, 40))
        assert len(run(session.query(users).where("$.age > ?", 25).limit(5).to_list)) == 5
        assert run(session.query(users).count) == 40
        assert run(session.query(users).where(exp.bin("age") < 3).count) == 3
        assert run(session.query(users).where("$.age == 7").first)["age"] == 7
        assert run(session.query(users).where("$.age == 70").first_or_none) is None
        with pytest.raises(spikewire.RecordNotFound):
            run(session.query(users).where("$.age == 70").first)
        assert all(not record.bins for record in run(session.query(users).bins().to_list))
        parts = [run(session.query(users).partitions(range(n, n + 2048)).count) for n in (0, 2048)]
        assert sum(parts) == 40

    def test_a_query_uses_an_index(self, people: Chains) -> None:
        session, run, users = people.session, people.run, people.users
        client = session._verbs
        run(lambda: client.indexes.create("test", users.set, "age", int))
        result = run(session.query(users).index(spikewire.between("age", 5, 9)).to_list)
        assert sorted(record["age"] for record in result) == [5, 6, 7, 8, 9]

    def test_a_query_is_read_in_pages(self, people: Chains) -> None:
        session, users = people.session, people.users
        query = session.query(users).page_size(15).stream()
        page = people.api.page(query)
        assert len(page) == 15
        rest = session.query(users).page_size(15).resume(page.cursor)
        assert len(people.run(rest.to_list)) == 25

    def test_a_query_becomes_an_array(self, people: Chains) -> None:
        np = pytest.importorskip("numpy")
        session, run, users = people.session, people.run, people.users
        dtype = [("age", "i8")]
        array = run(lambda: session.query(users).to_numpy(dtype))
        assert isinstance(array, np.ma.MaskedArray)
        assert sorted(array["age"]) == list(range(40))
        plain = run(lambda: session.query(users).to_numpy(dtype, missing="raise"))
        assert (type(plain), len(plain)) == (np.ndarray, 40)
        for missing in ("mask", "raise"):
            none = session.query(users).where("$.age > 100")
            assert len(run(lambda none=none, m=missing: none.to_numpy(dtype, missing=m))) == 0
        some = run(lambda: session.query(users.keys([3, 99])).to_numpy(dtype))
        assert some["age"].tolist() == [3, None]
        named = session.query(users.keys([3, 5])).bins("age")
        assert run(lambda: named.to_numpy(dtype, missing="raise"))["age"].tolist() == [3, 5]

    def test_a_query_becomes_a_table(self, people: Chains) -> None:
        pa = pytest.importorskip("pyarrow")
        session, run, users = people.session, people.run, people.users
        run(session.upsert(users.key("other")).set("name", "x").execute)
        table = run(session.query(users).to_arrow)
        assert (table.num_rows, sorted(table.column_names)) == (41, ["age", "name"])
        empty = run(lambda: session.query(users).where("$.age > 99").to_arrow(table.schema))
        assert (empty.num_rows, empty.schema) == (0, table.schema)
        some = run(session.query(users.keys([3, 99])).to_arrow)
        assert pa.table(some).to_pydict() == {"age": [3, None]}

    def test_a_query_becomes_a_frame(self, people: Chains) -> None:
        pytest.importorskip("pandas")
        session, run, users = people.session, people.run, people.users
        some = run(session.query(users.keys([3, 4])).to_pandas)
        assert some["age"].to_dict() == {3: 3, 4: 4}
        pytest.importorskip("pyarrow")
        frame = run(lambda: session.query(users).to_pandas(generation="g"))
        assert sorted(frame["age"]) == list(range(40))
        assert (str(frame["age"].dtype), set(frame["g"])) == ("Int64", {1})


class TestBadInput:
    def test_empty_arguments_raise(self, chains: Chains) -> None:
        step: Any = chains.session.query(chains.users.keys([1]))
        empty: list[Any] = [[], {}, 0, False]
        for wrong in empty:
            for call in (step.execute, step.to_list, step.stream):
                with pytest.raises(TypeError, match="on_error must be"):
                    chains.run(lambda call=call, wrong=wrong: call(on_error=wrong))
        for bins in (None, ["a"], 5):
            with pytest.raises(TypeError, match="bins must be a dict of names to values, not"):
                chains.session.upsert(chains.users.key(1)).put(bins)

    """Rejected before anything is sent, by an error that names the argument."""

    @pytest.mark.parametrize(
        ("key", "text"),
        [
            ("alice", r"not str; .*dataset\.key\('alice'\)"),
            (7, r"not int; .*dataset\.key\(7\)"),
            (b"k", "not bytes"),
            (None, "not NoneType"),
            (1.5, "not float"),
        ],
    )
    @pytest.mark.parametrize("verb", ["query", "upsert", "delete", "touch", "exists"])
    def test_invalid_keys_raise(self, chains: Chains, verb: str, key: Any, text: str) -> None:
        with pytest.raises(TypeError, match=f"{verb} takes a Key.*{text}"):
            getattr(chains.session, verb)(key)
        step = chains.session.query(chains.users.key(1))
        with pytest.raises(TypeError, match=f"{verb} takes a Key.*{text}"):
            getattr(step, verb)(key)

    def test_invalid_steps_on_datasets_raise(self, chains: Chains, cluster: Any) -> None:
        session, users = chains.session, chains.users
        with pytest.raises(TypeError, match=r"delete takes a Key.*delete_all"):
            session.delete(users)
        with pytest.raises(AttributeError, match="Scan' object has no attribute 'delete'"):
            session.query(users).delete(users.key(1))
        with pytest.raises(TypeError, match=r"query takes a Key.*can only be queried"):
            session.query(users.key(1)).query(users)
        with (
            spikewire.Client(cluster.seeds) as other,
            pytest.raises(ValueError, match="another client"),
        ):
            session.query(other.dataset("test", "users"))

    def test_invalid_options_raise(self, chains: Chains) -> None:
        session, users = chains.session, chains.users
        with pytest.raises(ValueError, match="generation applies to one record"):
            session.update(users.keys([1, 2])).generation(1)
        with pytest.raises(ValueError, match="where is set already"):
            session.query(users.key(1)).where("$.a > 1").where("$.b > 1")
        with pytest.raises(TypeError, match="only a text takes parameters"):
            session.query(users.key(1)).where(exp.bin("a") > 1, 5)
        with pytest.raises(ValueError, match="reads bins by name"):
            session.query(users.key(1)).bins("a").get("b")
        with pytest.raises(ValueError, match="reads by operations"):
            session.query(users.key(1)).get("b").bins("a")
        with pytest.raises(ValueError, match="hedge applies to reads of one record"):
            session.query(users.keys([1])).hedge(0.02)
        read = session.query(users.key(1)).hedge(0.02)
        chain = session.delete(users.key(2)).query(users.key(1)).hedge(0.02)
        for end in (
            read.execute,
            read.to_list,
            chain.execute,
            lambda: read.to_numpy([("a", "i8")]),
        ):
            with pytest.raises(ValueError, match=r"this call is a batch: .* first\(\)"):
                chains.run(end)
        step = session.upsert(users.key(1)).set("a", 1).timeout(1).query(users.key(1)).timeout(2)
        with pytest.raises(ValueError, match="different values for timeout"):
            chains.run(step.execute)

    def test_invalid_writes_raise(self, chains: Chains) -> None:
        session, run, users = chains.session, chains.run, chains.users
        key = users.key(1)
        for step in (session.upsert(key), session.upsert([key]), session.insert(key)):
            with pytest.raises(ValueError, match="must not be empty"):
                run(step.execute)
        with pytest.raises(ValueError, match="ttl"):
            run(session.upsert(key).set("a", 1).ttl(0).execute)
        with pytest.raises(OverflowError, match=r"['\"]a['\"]"):
            run(session.upsert(key).set("a", 2**63).execute)
        with pytest.raises(ValueError, match="all have a number"):
            run(session.query(key).where("$.a > ? and $.b > ?0", 1).first)
        with pytest.raises(ValueError, match="has 1 placeholder, 2 values were given"):
            run(session.query(key).where("$.a > ?", 1, 2).first)
        with pytest.raises(TypeError, match="row 1"):
            users.keys([1, None])
        with pytest.raises(TypeError, match="keys must be an iterable"):
            users.keys(b"alice")
        assert run(session.exists(key).execute) is False

    def test_invalid_error_strategies_raise(self, chains: Chains) -> None:
        session, users = chains.session, chains.users
        step = session.query(users.keys([1]))

        async def handler(result: Result) -> None: ...

        for call in (step.execute, step.stream):
            with pytest.raises(ValueError, match=r"on_error must be .*not 'ignore'"):
                call(on_error="ignore")
            with pytest.raises(TypeError, match=r"on_error must be .*not 5"):
                call(on_error=5)
            with pytest.raises(TypeError, match="plain function"):
                call(on_error=handler)
            with pytest.raises(ValueError, match=r"missing must be .*not 'raise'"):
                call(missing="raise")
        with pytest.raises(ValueError, match="no place for errors"):
            step.to_list(on_error="collect")
        for name in ("window", "limit"):
            with pytest.raises(ValueError, match=f"{name} must be an int from 1, not 0"):
                step.stream(**{name: 0})
        chain = session.upsert(users.key(1)).set("a", 1).query(users.key(1))
        for end in (chain.first, chain.to_list, chain.count, chain.to_arrow):
            with pytest.raises(ValueError, match="ends with execute"):
                end()


def test_keys_of_an_iterator_are_read_once(chains: Chains) -> None:
    session, users, run = chains.session, chains.users, chains.run
    run(session.upsert(users.keys(range(5))).set("n", 1).execute)

    def keys() -> Iterator[spikewire.Key]:
        return iter(users.keys(range(5)))

    again = "the keys came from an iterator, which an earlier call has read"
    step = session.query(keys())
    assert run(step.count) == 5
    for call in (step.count, step.to_list, step.execute, lambda: step.to_numpy([("n", "i8")])):
        with pytest.raises(ValueError, match=again):
            run(call)
    with pytest.raises(ValueError, match=again):
        chains.streamed(step.stream())
    step = session.query(keys())
    assert len(chains.streamed(step.stream())) == 5
    with pytest.raises(ValueError, match=again):
        run(step.execute)
    chain = session.query(keys()).exists(users.keys(range(2)))
    assert len(run(chain.execute)) == 7
    with pytest.raises(ValueError, match=again):
        run(chain.execute)
    step = session.query(users.keys(range(5)))
    assert run(step.count) == run(step.count) == 5


def test_chains_follow_the_profile(chains: Chains) -> None:
    client, users, run = chains.session._verbs, chains.users, chains.run
    key = users.key("k")
    profile = spikewire.profiles.Profile("short-lived", write={"ttl": 500})
    view = client.with_profile(profile)
    for number, session in enumerate((client.session(profile), view.session())):
        assert type(session) is type(chains.session)
        run(session.upsert(key).set("n", number).execute)
        assert 400 < run(session.query(key).first).ttl <= 500
        run(session.upsert([key]).set("n", number).ttl(5000).execute)
        assert 4000 < run(session.query(key).first).ttl <= 5000
        theirs = view.dataset("test", users.set)
        assert theirs.key("k") == key
        assert [record["n"] for record in run(session.query(theirs).to_list)] == [number]
        assert [it.record["n"] for it in chains.streamed(session.query([key]).stream())] == [number]
    run(view.session(spikewire.profiles.Profile("plain")).upsert(key).set("n", 2).execute)
    assert run(chains.session.query(key).first).ttl is None


def test_both_apis_have_the_same_steps() -> None:
    for name in blocking.__all__:
        one, other = getattr(blocking, name), getattr(asynchronous, f"Async{name}")
        assert [it for it in dir(one) if it[0] != "_"] == [it for it in dir(other) if it[0] != "_"]
        for method in (it for it in dir(one) if it[0] != "_"):
            assert inspect.getdoc(getattr(one, method)), f"{name}.{method}"
            assert getattr(one, method) is getattr(other, method)
        assert inspect.getdoc(one)
        assert inspect.getdoc(other)
    assert len(blocking.__all__) == len(asynchronous.__all__)


def test_steps_take_no_stray_attributes(chains: Chains) -> None:
    for step in (
        chains.session,
        chains.session.query(chains.users.key(1)),
        chains.session.query(chains.users),
        chains.session.upsert(chains.users.keys([1])),
        chains.session.delete(chains.users.key(1)),
    ):
        with pytest.raises(AttributeError):
            step.limti = 5
        assert repr(step).startswith(f"<{type(step).__name__} of ")


def test_concurrent_tasks_get_their_results(cluster: Any) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds, connect_timeout=20) as client:
            session, users = client.session(), client.dataset("test", "tasks")
            assert isinstance(session, builder.AsyncBuilder)
            task = asyncio.create_task(_write(session, users))
            assert (await task).count() == 3
            assert await asyncio.wait_for(session.query(users.keys([1, 2])).count(), 20) == 2

    async def _write(session: Any, users: Any) -> Any:
        return await session.upsert(users.keys([1, 2, 3])).set("n", 1).execute()

    asyncio.run(main())
