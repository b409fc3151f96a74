"""Steps of the builder as objects: copies, long chains, clients with overridden verbs."""

from __future__ import annotations

import copy
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from apis import Api
from spikewire import Profile, builder, op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(scope="module")
def client(cluster: Any) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        yield client


@pytest.fixture
def users(client: spikewire.Client, set_name: str) -> spikewire.Dataset:
    return client.dataset("test", set_name)


class TestCopies:
    def test_a_write_step_is_copied(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        session = client.session()
        template = session.upsert(users.key(1)).set("a", 1).ttl(500)
        other = copy.copy(template)
        assert type(other) is type(template)
        assert other.set("b", 2).timeout(20).execute() is None
        assert users.get(1).bins == {"a": 1, "b": 2}
        assert template.set("a", 3).execute() is None
        record = users.get(1)
        assert record.bins == {"a": 3, "b": 2}
        assert 400 < (record.ttl or 0) <= 500
        counting = session.update(users.key(1)).add("a", 1)
        assert copy.copy(counting).get("a").first()["a"] == 4
        assert counting.first().bins == {}

    def test_a_read_step_is_copied(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        session = client.session()
        users.put(1, {"a": 1, "b": 2})
        step = session.query(users.key(1)).bins("a").where("$.a == 1")
        assert copy.copy(step).bins("b").first().bins == {"b": 2}
        assert step.first().bins == {"a": 1}
        step = session.query(users.keys([1, 2])).get("a")
        assert copy.copy(step).get("b").to_list()[0].results == (1, 2)
        assert step.to_list()[0].results == (1,)
        with pytest.raises(ValueError, match="where is set already"):
            copy.copy(session.query(users.key(1)).where("$.a == 1")).where("$.b == 1")

    def test_other_steps_are_copied(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        session = client.session()
        users.put(1, {"a": 1})
        assert copy.copy(session.exists(users.key(1))).execute() is True
        assert copy.copy(session.query(users)).count() == 1
        chain = session.touch(users.key(1)).delete(users.key(1))
        assert copy.copy(chain).execute().count() == 2
        assert session.exists(users.key(1)).execute() is False

    def test_a_step_over_an_iterator_cannot_be_copied(
        self, client: spikewire.Client, users: spikewire.Dataset
    ) -> None:
        with pytest.raises(TypeError, match="only one step can read: give a list"):
            copy.copy(client.session().query(iter(users.keys([1]))))

    def test_steps_do_not_pickle(self, client: spikewire.Client, users: spikewire.Dataset) -> None:
        with pytest.raises(TypeError):
            copy.deepcopy(client.session().query(users.key(1)))


def test_a_step_is_begun_by_a_session(users: spikewire.Dataset) -> None:
    steps: list[Any] = [builder.ReadMany(), builder.WriteOne(), builder.DeleteMany()]
    for made in steps:
        for call in (made.execute, partial(made.query, users.key(1))):
            with pytest.raises(TypeError, match="a step is begun by a session"):
                call()


def test_counting_leaves_the_step_as_it_is(
    client: spikewire.Client, users: spikewire.Dataset
) -> None:
    users.put(1, {"a": 1})
    for step in (client.session().query(users.key(1)), client.session().query(users.keys([1]))):
        assert step.count() == 1
        assert step.first().bins == {"a": 1}


@pytest.mark.parametrize("name", ["blocking", "asyncio"])
def test_operations_on_one_record_that_may_be_missing(
    name: str, cluster: Any, set_name: str
) -> None:
    api = Api(name)
    with api.open(cluster.seeds, timeout=20) as opened:
        session, users = opened.raw.session(), opened.raw.dataset("test", set_name)
        for step in (
            session.query(users.key(1)).get("a"),
            session.query(users.key(1)).get("a").where("$.a == 1"),
        ):
            assert api.settle(step.first_or_none) is None
        api.settle(session.upsert(users.key(1)).set("a", 2).execute)
        assert api.settle(session.query(users.key(1)).get("a").first_or_none).results == (2,)
        filtered = session.query(users.key(1)).get("a").where("$.a == 1")
        assert api.settle(filtered.first_or_none) is None
        with pytest.raises(spikewire.FilteredOut):
            api.settle(filtered.first)
    api.end()


def test_long_chains_end_like_short_ones(
    client: spikewire.Client, users: spikewire.Dataset
) -> None:
    step: Any = client.session().delete(users.key(0))
    for number in range(50_000):
        step = step.delete(users.key(number % 10))
    # In a thread with a small stack, where a recursion would crash the process.
    size = threading.stack_size(256 * 1024)
    try:
        held = [step]
        del step
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(size)
    assert not held


def test_two_chains_go_on_from_one_step(client: spikewire.Client, users: spikewire.Dataset) -> None:
    start = client.session().upsert(users.key(1)).add("n", 1)
    one, other = start.upsert(users.key(2)).set("a", 1), start.upsert(users.key(3)).set("a", 1)
    assert (len(one.execute()), len(other.execute())) == (2, 2)
    assert users.get(1)["n"] == 2
    assert [users.exists(key) for key in (2, 3)] == [True, True]


def test_invalid_rows_are_named(client: spikewire.Client, users: spikewire.Dataset) -> None:
    session = client.session()
    start: Any = session.delete(users.key(1)).delete(users.keys([2, 3]))
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (
            lambda: start.upsert(users.key(4)).set("a", 2**63),
            OverflowError,
            r"row 3: .*['\"]a['\"]",
        ),
        (lambda: start.upsert(users.key(4)), ValueError, "row 3: .*must not be empty"),
        (lambda: start.upsert([users.key(4), 5]).set("a", 1), TypeError, "row 4: a key must be"),
        (lambda: start.query(users.key(4)).op(op.put("a", 1)), ValueError, "row 3: .*only read"),
        (lambda: start.upsert(users.key(4)).get("a"), ValueError, "row 3: .*must write"),
        (lambda: start.touch(users.key(4)).ttl(0), ValueError, "row 3: ttl"),
        (lambda: start.delete(users.key(4)).send_key("x"), TypeError, "send_key must be True or"),
        (lambda: start.delete(users.key(4)).timeout("x"), TypeError, "timeout must be seconds"),
    ]
    for chain, error, message in cases:
        with pytest.raises(error, match=message):
            chain().execute()


class Watched(spikewire.Client):
    """A client with verbs of its own."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.seen: list[str] = []

    def get(self, *arguments: Any, **options: Any) -> Any:
        self.seen.append("get")
        return super().get(*arguments, **options)

    def batch(self, *arguments: Any, **options: Any) -> Any:
        self.seen.append("batch")
        return super().batch(*arguments, **options)


def test_verbs_of_a_class_of_its_own_are_called(cluster: Any, set_name: str) -> None:
    with Watched(cluster.seeds, timeout=20) as client:
        session, key = client.session(), spikewire.Key("test", set_name, 1)
        session.upsert(key).set("a", 1).ttl(500).execute()
        assert session.query(key).bins("a").first()["a"] == 1
        assert session.query(key).first_or_none() is not None
        assert session.update(key).add("a", 1).query([key]).execute()[1].unwrap()["a"] == 2
        assert client.seen == ["get", "get", "batch"]


class Plain(spikewire.Client):
    """A client whose objects take attributes."""


def test_verbs_that_stand_in_for_a_client_s_are_called(
    cluster: Any, users: spikewire.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Any] = []

    def put(*value: Any, **options: Any) -> None:
        called.append((value, options))

    with Plain(cluster.seeds, timeout=20) as client:
        client.session().upsert(users.key(1)).set("a", 1).execute()
        monkeypatch.setattr(client, "put", put)
        client.session().insert(users.key(1)).set("a", 1).timeout(3).execute()
        client.session().upsert(users.key(1)).set("a", 2).ttl(9).execute()
    assert called == [
        ((users.key(1), {"a": 1}), {"timeout": 3, "exists": "create"}),
        ((users.key(1), {"a": 2}), {"ttl": 9}),
    ]


def test_chains_use_the_profile(client: spikewire.Client, users: spikewire.Dataset) -> None:
    profile = Profile("p", write={"ttl": 500}, batch={"timeout": 20})
    session = client.with_profile(profile).session()
    results = (
        session.insert(users.keys([1, 2]))
        .set("a", 1)
        .send_key()
        .touch(users.key(1))
        .ttl(900)
        .query(users.key(2))
        .bins("a")
        .exists(users.key(3))
        .delete(users.key(4))
        .update(users.key(2))
        .add("a", 1)
        .get("a")
        .execute(on_error="collect")
    )
    assert [result.ok for result in results] == [True, True, True, True, False, False, True]
    assert results[6].unwrap()["a"] == 2
    assert [400 < (users.get(key).ttl or 0) <= 500 for key in (1, 2)] == [False, True]
    assert 800 < (users.get(1).ttl or 0) <= 900


def test_keys_in_bulk_equal_single_keys(users: spikewire.Dataset) -> None:
    value: list[Any] = [*range(40), "text", "x" * 300, b"bytes", "é", users.key(7), -(2**63)]
    assert users.keys(value) == [users.key(key) for key in value]
    assert [key.digest for key in users.keys(value)] == [users.key(key).digest for key in value]
    assert [key.key for key in users.keys(value)] == [*value[:-2], 7, -(2**63)]
    with pytest.raises(TypeError, match="row 20"):
        users.keys([*range(20), 1.5])  # type: ignore[list-item]
