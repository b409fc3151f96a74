"""Step objects: each begins empty, holds only what it needs, and goes with its last reference."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op
from spikewire.aerospike.builder.blocking import ReadOne, WriteOne

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.aerospike.builder.blocking import Builder

MANY = 100
KEY = spikewire.Key("test", "steps", 1)


class Value:
    """A value held by steps that reports when it is freed."""

    def __init__(self, gone: Callable[[], object] = lambda: None) -> None:
        self.gone = gone

    def __del__(self) -> None:
        self.gone()


@pytest.fixture(scope="module")
def client(cluster: Any) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        yield client


@pytest.fixture
def session(client: spikewire.Client) -> Builder:
    return client.session()


def told(step: Any) -> dict[str, Any]:
    """The state of a step."""
    names = ("_keys", "_single", "_before", "_options", "_exists", "_bins", "_ops", "_ttl")
    entries = {name: getattr(step, name) for name in names if hasattr(step, name)}
    if isinstance(step, WriteOne):
        entries["operations"] = [repr(each) for each in step._operations()]
    return entries


BEGINNINGS: dict[str, Callable[[Builder], Any]] = {
    "query": lambda session: session.query(KEY),
    "insert": lambda session: session.insert(KEY),
    "upsert": lambda session: session.upsert(KEY),
    "replace_if_exists": lambda session: session.replace_if_exists(KEY),
    "delete": lambda session: session.delete(KEY),
    "touch": lambda session: session.touch(KEY),
    "exists": lambda session: session.exists(KEY),
}
FURTHER: dict[str, list[Callable[[Any], Any]]] = {
    "query": [
        lambda step: step.bins("n").where("$.n > 1").hedge("p99"),
        lambda step: step.get("n").op(op.list.size("n")),
    ],
    "insert": [
        lambda step: step.set("n", 1).ttl(5),
        lambda step: step.add("n", 1).send_key().get("n").ttl("never"),
    ],
    "delete": [lambda step: step.durable_delete().timeout(3)],
    "touch": [lambda step: step.ttl(9).generation(3)],
    "exists": [lambda step: step.where("$.n > 1").retries(2)],
}
FURTHER |= {"upsert": FURTHER["insert"], "replace_if_exists": FURTHER["insert"]}


@pytest.mark.parametrize("verb", BEGINNINGS)
def test_a_step_begins_anew(session: Builder, verb: str) -> None:
    begin = BEGINNINGS[verb]
    fresh = told(begin(session))
    assert fresh["_keys"] is KEY
    for other in BEGINNINGS:
        for more in FURTHER[other]:
            steps = [more(BEGINNINGS[other](session)) for _ in range(3)]
            assert told(steps[0]) != fresh
            del steps
            assert [told(step) for step in [begin(session) for _ in range(4)]] == [fresh] * 4


def test_steps_belong_to_their_client(
    client: spikewire.Client, session: Builder, cluster: Any
) -> None:
    with spikewire.Client(cluster.seeds) as other:
        for _ in range(3):
            assert session.upsert(KEY)._verbs is client
            assert other.session().upsert(KEY)._verbs is other


def test_many_steps_exist_at_once(session: Builder) -> None:
    users = [spikewire.Key("test", "steps", number) for number in range(MANY)]
    for _ in range(2):
        steps = [session.upsert(key).set("n", number) for number, key in enumerate(users)]
        assert len({id(step) for step in steps}) == MANY
        assert [step._keys for step in steps] == users
        for number, step in enumerate(steps):
            assert step.set("m", number).execute() is None
        del steps
    values = [session.query(key).first().bins for key in users]
    assert values == [{"n": number, "m": number} for number in range(MANY)]


def test_a_step_and_its_method_may_be_called_again(session: Builder) -> None:
    session.upsert(KEY).set("n", 1).execute()
    step = session.query(KEY).bins("n")
    add, exists = session.update(KEY).add("n", 1).execute, session.exists(KEY).execute
    for number in range(1, 5):
        assert step.first().bins == {"n": number}
        added = add()
        assert added is not None
        assert (added.bins, exists()) == ({}, True)


def test_a_step_frees_what_it_holds(session: Builder) -> None:
    held = [Value() for _ in range(4)]
    gone = [weakref.ref(value) for value in held]
    set_one = session.upsert(KEY).set("n", held[0])  # type: ignore[arg-type]
    put_one = session.upsert(KEY).put({"n": held[1]})
    expiring = session.upsert(KEY).ttl(held[2])  # type: ignore[arg-type]
    limited = session.exists(KEY).timeout(held[3])  # type: ignore[arg-type]
    del held
    assert all(value() is not None for value in gone)
    del set_one, put_one, expiring, limited
    gc.collect()
    assert [value() for value in gone] == [None] * 4


def test_cycles_through_steps_are_collected(session: Builder) -> None:
    for _ in range(3):
        held = Value()
        gone = weakref.ref(held)
        value: list[Any] = [held]
        value.append(session.upsert(KEY).set("n", value))
        del held, value
        gc.collect()
        assert gone() is None
        assert session.upsert(KEY).set("n", 1).execute() is None


def test_finalizers_may_begin_steps(session: Builder) -> None:
    begun: list[Any] = []

    def begin() -> None:
        begun.append(session.upsert(KEY).set("n", len(begun)))

    for _ in range(MANY):
        session.upsert(KEY).set("n", Value(begin)).ttl(5)  # type: ignore[arg-type]
    gc.collect()
    assert len({id(step) for step in begun}) == MANY
    assert [told(step)["operations"] for step in begun] == [
        [repr(op.put("n", number))] for number in range(MANY)
    ]
    assert {told(step)["_ttl"] for step in begun} == {None}


def test_steps_that_fail(session: Builder) -> None:
    session.delete(KEY).execute()
    for _ in range(MANY):
        with pytest.raises(spikewire.RecordNotFound):
            session.query(KEY).first()
        with pytest.raises(spikewire.RecordNotFound):
            session.update(KEY).set("n", 1).execute()
        with pytest.raises(TypeError, match="bin name"):
            session.upsert(KEY).set(1, 1).execute()  # type: ignore[arg-type]


def test_steps_may_be_subclassed(session: Builder) -> None:
    class Own(ReadOne):
        note = 1

    class Slim(WriteOne):
        __slots__ = ()

    for kind in (Own, Slim, ReadOne, WriteOne):
        for _ in range(MANY):
            with pytest.raises(TypeError, match="begun by a session"):
                kind().first()
    own = Own()
    own.mine = Value()  # type: ignore[attr-defined]
    gone = weakref.ref(own.mine)  # type: ignore[attr-defined]
    del own
    gc.collect()
    assert gone() is None
    assert type(session.query(KEY)) is ReadOne


@pytest.mark.skipif(
    not getattr(sys, "_is_gil_enabled", lambda: True)(),
    reason="without a GIL each thread counts references to classes by itself",
)
def test_steps_leave_nothing_behind(session: Builder) -> None:
    def begin() -> None:
        for _ in range(1_000):
            session.upsert(KEY).set("n", 1).ttl(5)
            session.query(KEY).bins("n")

    begin()
    counts = sys.getrefcount(ReadOne), sys.getrefcount(WriteOne), sys.getrefcount(KEY)
    begin()
    assert (sys.getrefcount(ReadOne), sys.getrefcount(WriteOne), sys.getrefcount(KEY)) == counts


@pytest.mark.threads
def test_threads_begin_steps(session: Builder) -> None:
    failures: list[BaseException] = []

    def run(number: int) -> None:
        key = spikewire.Key("test", "steps", 1_000 + number)
        try:
            for turn in range(200):
                session.upsert(key).set("n", turn).set("m", number).execute()
                result = session.query(key).bins("n", "m").first().bins
                assert result == {"n": turn, "m": number}
                assert session.exists(key).execute() is True
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
