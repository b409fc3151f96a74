"""What type checkers accept as records to write: dicts with keys of several kinds."""

from __future__ import annotations

import asyncio
import concurrent.futures
from functools import partial
from typing import TYPE_CHECKING

from typing_extensions import assert_type

from spikewire import AsyncClient, AsyncDataset, Batch, Client, Dataset, Key

if TYPE_CHECKING:
    from spikewire.types import ArrowStream, Bins, ClientSubmit, DatasetSubmit

Future = concurrent.futures.Future


def of_a_dataset(users: Dataset, submit: DatasetSubmit, key: Key) -> None:
    assert_type(users.put_many({1: {"n": 1}, "a": {"n": 2}}), Batch[Bins])
    assert_type(users.put_many({1: {"n": 1}, "a": {"s": "x", "l": [1]}, b"b": {}}), Batch[Bins])
    assert_type(users.put_many({1: {"n": 1}, key: {"s": None}}, ttl=60), Batch[Bins])
    assert_type(users.put_many({n: {"n": n} for n in (1, "a")}), Batch[Bins])
    assert_type(users.put_many({}), Batch[Bins])
    assert_type(submit.put_many({1: {"n": 1}, "a": {"s": "x"}}), Future[Batch[Bins]])


def of_a_client(client: Client, submit: ClientSubmit, key: Key) -> None:
    assert_type(client.put_many({key: {"n": 1}, ("test", "users", 1): {"s": "x"}}), Batch)
    assert_type(submit.put_many({key: {"n": 1}, ("test", None, "a"): {"s": "x"}}), Future[Batch])


async def awaited(users: AsyncDataset, client: AsyncClient, key: Key) -> None:
    assert_type(await users.put_many({1: {"n": 1}, "a": {"s": "x"}, key: {}}), Batch[Bins])
    assert_type(await client.put_many({key: {"n": 1}, ("test", "users", 1): {"s": "x"}}), Batch)


def refused(users: Dataset, client: Client, key: Key) -> None:
    users.put_many({1.5: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({1: {"n": 1}, 1.5: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({1: {"n": 1}, None: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({1: {"n": 1}, "a": 5})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({1: {"n": 1}, "a": {5: 5}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many([(1, {"n": 1}), (1.5, {"n": 1})])  # type: ignore[list-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({1: {"n": 1}, "a": {}}, ttl="soon")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue,reportArgumentType]
    client.put_many({key: {"n": 1}, 1.5: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    client.put_many({1: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    client.put_many([("a", {"n": 1})])  # type: ignore[list-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    users.put_many({("test", "users", 1): {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]


async def refused_when_awaited(users: AsyncDataset) -> None:
    await users.put_many({1: {"n": 1}, 1.5: {"n": 1}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]
    await users.put_many({1: {"n": 1}, "a": {5: 5}})  # type: ignore[dict-item]  # pyright: ignore[reportCallIssue,reportArgumentType]


async def handed_on(users: Dataset, table: ArrowStream, kept: dict[int, dict[str, int]]) -> None:
    """A function with overloads can still be passed on."""
    pairs = [(1, {"n": 1}), (2, {"n": 2})]
    assert_type(await asyncio.to_thread(users.put_many, table, key="id"), Batch[Bins])
    assert_type(await asyncio.to_thread(users.put_many, pairs, ttl=5), Batch[Bins])
    assert_type(await asyncio.to_thread(users.put_many, kept), Batch[Bins])
    assert_type(partial(users.put_many, ttl=5)(kept), Batch[Bins])
