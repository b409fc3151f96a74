"""What type checkers infer for datasets with a type.

Never run: ``test_typing.py`` has it checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

from typing_extensions import NotRequired, assert_type

from spikewire import AsyncClient, AsyncDataset, Batch, Client, Dataset, Key, Record, Write, op
from spikewire.pool import Pool
from spikewire.profiles import AsyncClientView, ClientView, DatasetView
from spikewire.types import Bins, DatasetSubmit, Instance, RecordsOf


class User(TypedDict):
    name: str
    age: int
    nick: NotRequired[str]


@dataclass
class Place:
    town: str
    size: int = 0


def a_typed_dict(client: Client) -> None:
    users = client.dataset("test", "users", User)
    assert_type(users, Dataset[User])
    assert_type(users.type, Any)
    record = users.get("alice")
    assert_type(record, Record[User])
    assert_type(record.value, User)
    assert_type(record.value["age"], int)
    record.value["agee"]  # type: ignore[typeddict-item]  # pyright: ignore[reportGeneralTypeIssues]
    assert_type(record.generation, int)
    assert_type(record["age"], Any)
    assert_type(users.get("alice", default=None), Record[User] | None)
    assert_type(users.get_many(["alice"]), Batch[User])
    for each in users.get_many(["alice"]):
        if each is not None:
            assert_type(each.value["name"], str)
    for found in users.query():
        assert_type(found.value, User)
    assert_type(users.query().first().value["age"], int)
    users.put("alice", User(name="Alice", age=42))
    users.put("alice", {"age": 43}, exists="update")
    users.put("alice", User(name="Alice", age="x"))  # type: ignore[typeddict-item]  # pyright: ignore[reportArgumentType]
    users.put("alice", 5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put_many({"alice": User(name="Alice", age=42)})
    assert_type(client.dataset(set="users", type=User), Dataset[User])


def a_class(client: Client) -> None:
    places = client.dataset("test", "places", Place)
    assert_type(places.get("ulm").value, Place)
    assert_type(places.get("ulm").value.size, int)
    places.put("ulm", Place("Ulm"))
    places.put("ulm", {"size": 3}, exists="update")
    places.put("ulm", User(name="A", age=1))
    places.put_many({"ulm": Place("Ulm")})
    records: RecordsOf[Place] = [("ulm", Place("Ulm"))]
    places.put_many(records)
    places.put("ulm", object())  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    places.batch([Write("ulm", Place("Ulm"))])
    write: Instance = Place("Ulm")
    assert_type(places.submit, DatasetSubmit[Place])
    assert_type(places.submit.get("ulm").result().value, Place)
    assert_type(places.operate("ulm", [op.get()]).value, Place)


async def asynchronously(client: AsyncClient) -> None:
    places = client.dataset("test", "places", Place)
    assert_type(places, AsyncDataset[Place])
    assert_type(places.type, Any)
    assert_type((await places.get("ulm")).value, Place)
    assert_type(await places.get("ulm", default=None), Record[Place] | None)
    assert_type(await places.get_many(["ulm"]), Batch[Place])
    async for found in places.query():
        assert_type(found.value, Place)
    await places.put("ulm", Place("Ulm"))
    session = client.session()
    assert_type((await session.query(places.key("ulm")).first()).value, Place)


def in_chains(client: Client) -> None:
    places = client.dataset("test", "places", Place)
    session = client.session()
    assert_type(places.key("ulm"), Key[Place])
    assert_type(session.query(places.key("ulm")).first().value, Place)
    assert_type(session.query(places.key("ulm"), places.key("bonn")).to_list(), list[Record[Place]])
    assert_type(session.query(places.keys(["ulm"])).to_list(), list[Record[Place]])
    assert_type(session.query(places).first().value, Place)
    session.upsert(places.key("ulm")).put(Place("Ulm")).execute()


def with_profiles(view: ClientView, soon: AsyncClientView) -> None:
    assert_type(view.dataset("test", "places", Place), DatasetView[Place])
    assert_type(view.dataset("test", "places", Place).get("ulm").value, Place)


def without_a_type(client: Client, any_record: Record) -> None:
    users = client.dataset("test", "users")
    assert_type(users, Dataset)
    record = users.get("alice")
    assert_type(record, Record[Bins])
    assert_type(record.value, Bins)
    # What bins hold is not known, so it is accepted as anything.
    age: int = record["age"]
    name: str = record["name"].upper() + record.bins["name"]
    total: int = sum(it["n"] for it in users.query()) + 1
    users.put("alice", {"age": age, "name": name})
    users.put("alice", ["age"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    users.put("alice", {1: "age"})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]


def shown(record: Record) -> str:
    return str(record.key)


def for_any(client: Client) -> None:
    shown(client.dataset("test", "places", Place).get("ulm"))
    shown(client.get(("test", "places", "ulm")))
    shown(client.dataset("test", "users", User).get("alice"))


def of_a_pool(pool: Pool, client: Client) -> None:
    assert_type(pool.dataset("test", "users", User), AsyncDataset[User])
    assert_type(pool.dataset(set="users"), AsyncDataset)
    assert_type(client.dataset("test", "users", None), Dataset)
    pool.dataset("test", "users", 5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
