"""Datasets with a type: records as instances of it, and writes that are checked, on every API.

The kind of fault: a value of the wrong type, a misspelt bin or a missing one goes into the
database, and whoever reads it finds out.
"""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Optional, TypedDict

import numpy as np
import pytest

import spikewire
from apis import Caller
from spikewire import GeoJSON, codec, op
from spikewire.pool import Pool
from spikewire.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Opened
    from spikewire.testing import Cluster


class Level(IntEnum):
    LOW = 1


class _Entry(TypedDict):
    name: str
    age: int
    nick: Optional[str]  # noqa: UP045 - as programs for older Pythons spell it


class Entry(_Entry, total=False):
    tags: list[str]


@dataclass
class Place:
    town: str
    at: tuple[float, float] = (0.0, 0.0)


@dataclass
class User:
    name: str
    age: int
    nick: str | None = None
    tags: list[str] = field(default_factory=list)
    home: Place | None = None
    level: Level = Level.LOW
    scores: dict[str, float] = field(default_factory=dict)


def a_struct() -> Any:
    msgspec = pytest.importorskip("msgspec")
    fields: list[Any] = [
        ("name", str),
        ("age", int),
        ("nick", str | None, None),
        ("tags", list[str], []),
    ]
    # Omitting defaults must not leave what a bin held before.
    return msgspec.defstruct("Struct", fields, omit_defaults=True, tag=True)


def a_model() -> Any:
    pydantic = pytest.importorskip("pydantic")
    kinds: dict[str, Any] = {
        "name": (str, ...),
        "age": (int, pydantic.Field(ge=0)),
        "nick": (str | None, None),
        "tags": (list[str], []),
    }
    return pydantic.create_model("Model", **kinds)


KINDS = {
    "TypedDict": lambda: Entry,
    "dataclass": lambda: User,
    "msgspec": a_struct,
    "pydantic": a_model,
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Any:
    result: Any = KINDS[request.param]()
    return result


class Set:
    """A set of one test, with and without a type."""

    def __init__(self, opened: Opened, name: str, kind: Any) -> None:
        self.client = opened.raw
        self.typed = Caller(self.client.dataset("test", name, kind), opened.api)
        self.plain = Caller(self.client.dataset("test", name), opened.api)


@pytest.fixture
def users(client: Opened, kind: Any, set_name: str) -> Set:
    return Set(client, set_name, kind)


@pytest.fixture(scope="module")
def blocking(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=10) as client:
        yield client


def test_an_instance_round_trips(users: Set, kind: Any) -> None:
    alice = kind(name="Alice", age=42, nick=None)
    users.typed.put("alice", alice)
    record = users.typed.get("alice")
    assert record.value == alice
    assert record["age"] == 42
    assert record.generation == 1
    assert isinstance(record.value, dict if kind is Entry else kind)
    assert record.value is not record.value
    assert users.plain.get("alice").value == dict(record)


def test_reads_ask_for_the_bins_of_the_type(users: Set, kind: Any) -> None:
    users.plain.put("alice", {"name": "Alice", "age": 42, "secret": "x" * 1000})
    assert set(users.typed.get("alice")) == {"name", "age"}
    (record,) = users.typed.get_many(["alice"])
    assert set(record) == {"name", "age"}
    assert record.value == kind(name="Alice", age=42, nick=None)
    assert set(users.typed.batch([spikewire.Read("alice")])[0]) == {"name", "age"}


def test_values_are_checked_before_anything_is_sent(users: Set) -> None:
    for bins, error, message in (
        ({"name": "A", "age": "x", "nick": None}, TypeError, "bin 'age' of "),
        ({"name": "A", "age": 1, "agee": 2}, ValueError, "has no bin 'agee': did you mean 'age'"),
        ({"name": "A", "nick": None}, ValueError, "needs the bin 'age'"),
        ({"name": None, "age": 1, "nick": None}, TypeError, "bin 'name' of "),
        ({"name": "A", "age": 1, "nick": None, "tags": ["a", 5]}, TypeError, "bin 'tags' of "),
        (5, TypeError, "or a dict of its bins, not int (5)"),
    ):
        for write in (
            lambda bins: users.typed.put("alice", bins),
            lambda bins: users.typed.put_many({"alice": bins}),
            lambda bins: users.typed.batch([spikewire.Write("alice", bins)]),
        ):
            with pytest.raises(error, match=message.replace("(", r"\(").replace(")", r"\)")):
                write(bins)
    assert not users.plain.exists("alice")


def test_a_write_that_creates_nothing_may_leave_bins_out(users: Set, kind: Any) -> None:
    with pytest.raises(spikewire.RecordNotFound):
        users.typed.put("alice", {"age": 43}, exists="update")
    users.typed.put("alice", kind(name="Alice", age=42, nick="Al"))
    users.typed.put("alice", {"age": 43}, exists="update")
    users.typed.put_many({"alice": {"nick": None}}, exists="update")
    users.typed.batch([spikewire.Write("alice", {"tags": ["x"]}, exists="update")])
    assert users.typed.get("alice").value == kind(name="Alice", age=43, nick=None, tags=["x"])
    users.typed.add("alice", {"age": 2})
    users.typed.append("alice", {"name": "!"})
    assert users.typed.get("alice").value == kind(name="Alice!", age=45, nick=None, tags=["x"])
    with pytest.raises(ValueError, match="has no bin 'years'"):
        users.typed.add("alice", {"years": 1})
    with pytest.raises(TypeError, match="bin 'tags'"):
        users.typed.put("alice", {"tags": 1}, exists="update")


def test_a_bin_of_the_wrong_type_names_key_and_bin(users: Set) -> None:
    users.plain.put("wrong", {"name": "A", "age": "x"})
    users.plain.put("short", {"name": "A"})
    record = users.typed.get("wrong")
    assert record["age"] == "x"
    with pytest.raises(ValueError, match=r"'wrong'\): bin 'age' of "):
        _ = record.value
    with pytest.raises(ValueError, match=r"'short'\): there is no bin 'age'"):
        _ = users.typed.get("short").value
    partly = users.typed.get("wrong", ["name"])
    assert partly["name"] == "A"
    with pytest.raises(ValueError, match="has no bin 'nam': did you mean 'name'"):
        users.typed.get("wrong", ["nam"])


def test_batches_queries_and_rows_return_instances(users: Set, kind: Any, api: Api) -> None:
    people = {key: kind(name=key, age=at, nick=None) for at, key in enumerate(("a", "b", "c"))}
    users.typed.put_many(people)
    users.typed.batch([spikewire.Write("d", kind(name="d", age=3, nick=None))])
    batch = users.typed.get_many(["a", "b", "no"])
    assert [it and it.value for it in batch] == [people["a"], people["b"], None]
    assert batch.to_dict()["b"].value == people["b"]
    assert users.typed.get("no", default=None) is None
    values = sorted((it.value for it in api.rows(users.typed.target.query())), key=_age)
    assert values == [*people.values(), kind(name="d", age=3, nick=None)]
    assert set(api.rows(users.typed.target.query(bins=["age"]))[0]) == {"age"}
    operated = users.typed.operate("a", [op.add("age", 1), op.get()])
    assert operated.value == kind(name="a", age=1, nick=None)


def _age(value: Any) -> int:
    age: int = value["age"] if isinstance(value, dict) else value.age
    return age


def test_the_type_is_no_part_of_a_key(users: Set, kind: Any) -> None:
    users.typed.put("a", kind(name="a", age=1, nick=None))
    typed, plain = users.typed.target.key("a"), users.plain.target.key("a")
    assert typed == plain
    # A dataset decides for itself.
    assert isinstance(users.plain.get(typed).value, dict)
    assert users.plain.get(typed).value["age"] == 1
    assert users.typed.get(plain).value == kind(name="a", age=1, nick=None)
    users.plain.put(typed, {"anything": 1})
    assert users.typed.target != users.plain.target
    assert users.typed.target == users.client.dataset("test", typed.set, kind)
    assert users.typed.target.type is kind
    assert users.plain.target.type is None


def test_tables_go_to_a_dataset_without_a_type(users: Set) -> None:
    table = np.array([(1, 2)], dtype=[("id", "i8"), ("age", "i8")])
    with pytest.raises(TypeError, match="a table goes to a dataset without a type"):
        users.typed.put_many(table, key="id")


@pytest.mark.parametrize("original", [Entry, User])
def test_pickled_records_keep_their_type(
    blocking: spikewire.Client, set_name: str, original: Any
) -> None:
    users: Any = blocking.dataset("test", set_name, original)
    alice = original(name="A", age=1, nick=None)
    users.put("a", alice)
    for again in (pickle.loads(pickle.dumps(users)), copy.copy(users)):
        assert again == users
        assert again.get("a").value == alice
    assert pickle.loads(pickle.dumps(users.get("a"))).value == alice
    key = pickle.loads(pickle.dumps(users.key("a")))
    assert key == users.key("a")
    assert blocking.get(key).value == alice
    assert repr(users).endswith(f", {original.__qualname__})")


def test_chains_know_the_type_of_a_key(
    blocking: spikewire.Client, set_name: str, kind: Any
) -> None:
    users: Any = blocking.dataset("test", set_name, kind)
    session, alice = blocking.session(), kind(name="A", age=1, nick=None)
    session.upsert(users.key("a")).put(alice).execute()
    session.upsert(users.key("b")).put(alice).insert(users.key("c")).put(alice).execute()
    assert session.query(users.key("a")).first().value == alice
    assert [it.value for it in session.query(users.keys(list("abc"))).to_list()] == [alice] * 3
    assert [it.value for it in session.query(users).to_list()] == [alice] * 3
    session.update(users.key("a")).put({"age": 2}).execute()
    assert session.query(users.key("a")).first().value == kind(name="A", age=2, nick=None)
    with pytest.raises(ValueError, match="needs the bin 'name'"):
        session.upsert(users.key("x")).put({"age": 2}).execute()
    with pytest.raises(ValueError, match=r"row 1: .* needs the bin 'name'"):
        session.delete(users.key("x")).upsert(users.key("y")).put({"age": 2}).execute()
    assert [it.record.value for it in users.get_stream(["b", "c"])] == [alice] * 2


def test_nested_classes_are_maps(blocking: spikewire.Client, set_name: str) -> None:
    users = blocking.dataset("test", set_name, User)
    alice = User("A", 1, home=Place("Ulm", (48.4, 10)), scores={"go": 3})
    users.put("a", alice)
    assert users.get("a").value == User("A", 1, home=Place("Ulm", (48.4, 10.0)), scores={"go": 3.0})
    assert isinstance(users.get("a").value.level, Level)
    plain = blocking.dataset("test", set_name)
    assert plain.get("a")["home"] == {"town": "Ulm", "at": [48.4, 10.0]}
    plain.put("a", {"home": {"town": 5}})
    with pytest.raises(
        ValueError, match=r"bin 'home' of User, at \['town'\], must be str, not int"
    ):
        _ = users.get("a").value


def test_a_codec_comes_before_the_type(cluster: Cluster, set_name: str) -> None:
    from datetime import datetime, timezone

    @dataclass
    class Event:
        at: datetime
        where: GeoJSON | None = None

    globals()["datetime"] = datetime  # where the hints are looked up
    forms = codec.Codec(bins={"at": codec.timestamp()})
    with spikewire.Client(cluster.seeds, codec=forms) as client:
        events = client.dataset("test", set_name, Event)
        event = Event(
            datetime(2026, 1, 2, tzinfo=timezone.utc),
            GeoJSON('{"type": "Point", "coordinates": [1, 2]}'),
        )
        events.put("e", event)
        assert events.get("e").value == event
        with pytest.raises(TypeError, match="bin 'at' of Event must be datetime, not int"):
            events.put("e", {"at": 5, "where": None})


def test_bins_of_an_instance_go_to_a_dataset_without_a_type(
    blocking: spikewire.Client, set_name: str
) -> None:
    session, plain = blocking.session(), blocking.dataset("test", set_name)
    session.upsert(plain.key("a")).put(Place("Ulm")).execute()
    assert plain.get("a")["town"] == "Ulm"
    with pytest.raises(TypeError, match="bins must be a dict of names to values, not object"):
        session.upsert(plain.key("a")).put(object())  # type: ignore[arg-type]


def test_unsupported_classes_raise(blocking: spikewire.Client) -> None:
    class Long(TypedDict):
        a_name_of_sixteen: int

    class Empty(TypedDict):
        pass

    @dataclass
    class Hidden:
        it: Nowhere  # type: ignore[name-defined]  # noqa: F821

    for class_, message in (
        (
            Long,
            "the field 'a_name_of_sixteen' cannot be a bin, because names of bins have at most 15",
        ),
        (Empty, "Empty has no fields"),
        (Hidden, "are not known at run time: name 'Nowhere' is not defined"),
        (int, "type must be a TypedDict, a dataclass, a msgspec.Struct or a pydantic model, not"),
        ("User", "not 'User'"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            blocking.dataset("test", "users", class_)  # type: ignore[arg-type]


@pytest.mark.parametrize("clients", ["shared", "each"])
def test_datasets_of_a_pool_keep_their_type(cluster: Cluster, set_name: str, clients: Any) -> None:
    options: dict[str, Any] = {"timeout": 20, "connect_timeout": 20}
    with Pool(cluster.seeds, loops=2, clients=clients, **options) as pool:
        places = pool.dataset("test", set_name, Place)
        pool.run(places.put, "a", Place("Ulm")).result()
        assert pool.run(places.get, "a").result().value == Place("Ulm")
        # The client that a handler has.
        other = pool.client.dataset("test", set_name, Place)
        assert pool.run(other.get, "a").result().value == Place("Ulm")


def test_datasets_that_are_traced(cluster: Cluster, set_name: str) -> None:
    otel = pytest.importorskip("spikewire.metrics.otel", exc_type=ImportError)
    with otel.instrument(spikewire.Client(cluster.seeds, timeout=20)) as client:
        for traced in (client, client.with_profile(Profile())):
            places = traced.dataset("test", set_name, Place)
            places.put("a", Place("Ulm"))
            assert places.get("a").value == Place("Ulm")
            assert traced.dataset(set=set_name, namespace="test", type=Place) == places
