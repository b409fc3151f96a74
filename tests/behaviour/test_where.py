"""Filters on every verb: which records pass, and what is rejected before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import exp, op

if TYPE_CHECKING:
    from apis import Caller, Opened

ADULT = exp.bin("age") >= 18
FORMS = [ADULT, "$.age >= 18", ("$.age >= ?0", 18)]


@pytest.fixture
def people(data: Caller) -> Caller:
    data.put("kim", {"age": 12, "name": "K"})
    data.put("lee", {"age": 40, "name": "L"})
    return data


class TestReads:
    @pytest.mark.parametrize("where", FORMS, ids=["expression", "text", "text and parameter"])
    def test_get_raises_if_the_filter_does_not_match(self, people: Caller, where: Any) -> None:
        assert people.get("lee", where=where).bins == {"age": 40, "name": "L"}
        assert people.get("lee", ["name"], where=where).bins == {"name": "L"}
        assert people.get("lee", [], where=where).bins == {}
        with pytest.raises(spikewire.FilteredOut) as caught:
            people.get("kim", where=where)
        assert (caught.value.code, caught.value.key.key) == (27, "kim")  # type: ignore[union-attr]
        assert isinstance(caught.value, spikewire.ServerError)

    def test_the_default_stands_for_both_kinds_of_absence(self, people: Caller) -> None:
        assert people.get("kim", where=ADULT, default="none") == "none"
        assert people.get("nobody", where=ADULT, default="none") == "none"
        with pytest.raises(spikewire.RecordNotFound):
            people.get("nobody", where=ADULT)

    def test_a_filter_that_is_unknown_does_not_match(self, people: Caller) -> None:
        with pytest.raises(spikewire.FilteredOut):
            people.get("lee", where="$.salary > 5")

    def test_exists_is_false_if_the_filter_does_not_match(self, people: Caller) -> None:
        assert people.exists("lee", where=ADULT) is True
        assert people.exists("kim", where=ADULT) is False
        assert people.exists("nobody", where=ADULT) is False

    def test_operate_with_reads_raises_if_the_filter_does_not_match(self, people: Caller) -> None:
        assert people.operate("lee", [op.get("age")], where=ADULT).results == (40,)
        with pytest.raises(spikewire.FilteredOut):
            people.operate("kim", [op.get("age")], where=ADULT)

    @pytest.mark.usefixtures("people")
    def test_verbs_of_a_client_take_filters(self, client: Opened, set_name: str) -> None:
        assert client.verbs.get(("test", set_name, "lee"), where=ADULT)["age"] == 40
        assert client.verbs.get(("test", set_name, "kim"), where=ADULT, default=None) is None


class TestWrites:
    @pytest.mark.parametrize(
        ("verb", "argument", "after"),
        [
            ("put", {"name": "new"}, {"age": 40, "name": "new"}),
            ("add", {"age": 1}, {"age": 41, "name": "L"}),
            ("append", {"name": "!"}, {"age": 40, "name": "L!"}),
            ("prepend", {"name": "!"}, {"age": 40, "name": "!L"}),
            ("operate", [op.add("age", 1)], {"age": 41, "name": "L"}),
        ],
    )
    def test_only_what_passes_is_written(
        self, people: Caller, verb: Any, argument: Any, after: Any
    ) -> None:
        write = getattr(people, verb)
        write("lee", argument, where=ADULT)
        assert people.get("lee").bins == after
        with pytest.raises(spikewire.FilteredOut) as caught:
            write("kim", argument, where=ADULT)
        assert caught.value.in_doubt is False
        record = people.get("kim")
        assert (record.bins, record.generation) == ({"age": 12, "name": "K"}, 1)

    def test_touch_raises_if_the_filter_does_not_match(self, people: Caller) -> None:
        people.touch("lee", ttl=500, where=ADULT)
        assert people.get("lee").generation == 2
        with pytest.raises(spikewire.FilteredOut):
            people.touch("kim", ttl=500, where=ADULT)
        assert people.get("kim").ttl is None

    def test_delete_is_false_if_the_filter_does_not_match(self, people: Caller) -> None:
        assert people.delete("kim", where=ADULT) is False
        assert people.exists("kim")
        assert people.delete("lee", where=ADULT) is True
        assert not people.exists("lee")

    def test_a_missing_record_is_created_all_the_same(self, people: Caller) -> None:
        people.put("new", {"age": 1}, where=ADULT)
        assert people.get("new")["age"] == 1
        with pytest.raises(spikewire.RecordNotFound):
            people.put("newer", {"age": 1}, where=ADULT, exists="update")

    def test_a_filter_applies_with_send_key(self, people: Caller) -> None:
        people.put("lee", {"n": 1}, send_key=True, where=ADULT)
        assert people.get("lee", where=exp.key(str) == "lee")["n"] == 1


class TestMany:
    def test_get_many_filters_each_row(self, people: Caller) -> None:
        batch = people.get_many(["kim", "lee", "nobody"], where=ADULT)
        assert [record and record["age"] for record in batch] == [None, 40, None]
        assert (batch.codes.tolist(), batch.found, batch.errors) == ([27, 0, 2], 1, {})
        assert list(batch.to_dict()) == ["lee"]
        assert batch.raise_for_errors() is batch

    def test_a_batch_of_one_row_is_filtered(self, people: Caller) -> None:
        assert people.get_many(["kim"], where=ADULT).codes.tolist() == [27]
        assert people.get_many(["lee"], ["age"], where=ADULT)[0].bins == {"age": 40}

    def test_exists_many_filters_each_row(self, people: Caller) -> None:
        assert people.exists_many(["kim", "lee"], where=ADULT).codes.tolist() == [27, 0]

    def test_delete_many_filters_each_row(self, people: Caller) -> None:
        assert people.delete_many(["kim", "lee"], where=ADULT).codes.tolist() == [27, 0]
        assert (people.exists("kim"), people.exists("lee")) == (True, False)

    @pytest.mark.parametrize("send_key", [False, True])
    def test_put_many_filters_each_row(self, people: Caller, send_key: Any) -> None:
        rows = {"kim": {"n": 1}, "lee": {"n": 2}, "new": {"n": 3}}
        written = people.put_many(rows, where=ADULT, send_key=send_key)
        assert written.codes.tolist() == [27, 0, 0]
        assert (written[0], written.errors) == (None, {})
        assert [r.get("n") for r in people.get_many(list(rows))] == [None, 2, 3]

    @pytest.mark.parametrize("send_key", [False, True])
    def test_operate_many_filters_each_row(self, people: Caller, send_key: Any) -> None:
        steps = [op.add("age", 1), op.get("age")]
        done = people.operate_many(["kim", "lee"], steps, where=ADULT, send_key=send_key)
        assert (done[0], done[1].results) == (None, (None, 41))
        read = people.operate_many(["kim", "lee"], [op.get("age")], where=ADULT)
        assert (read[0], read[1]["age"]) == (None, 41)


@pytest.mark.any_api
class TestBadInput:
    @pytest.mark.parametrize(
        ("where", "error", "text"),
        [
            (5, TypeError, "where: an expression is"),
            (b"$.a > 1", TypeError, "where: an expression is"),
            ((), TypeError, "where: an expression is"),
            ("$.a >", ValueError, "where: "),
            ("", ValueError, "where: "),
            ("$.a > ?0", ValueError, "where: "),
            (exp.bin("age") + 1, TypeError, "where: "),
            ("3", TypeError, "where: "),
        ],
        ids=str,
    )
    def test_invalid_filters_raise(self, people: Caller, where: Any, error: Any, text: str) -> None:
        calls = [
            lambda: people.get("lee", where=where),
            lambda: people.exists("lee", where=where),
            lambda: people.put("lee", {"n": 1}, where=where),
            lambda: people.delete("lee", where=where),
            lambda: people.operate("lee", [op.add("n", 1)], where=where),
            lambda: people.get_many(["lee"], where=where),
            lambda: people.put_many({"lee": {"n": 1}}, where=where),
        ]
        for call in calls:
            with pytest.raises(error, match=text):
                call()
        assert people.get("lee").generation == 1
