"""Cycles through records, and through steps and sessions of the builder, are found by the garbage
collector."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire import op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from spikewire.testing import Cluster


class Own(spikewire.Client):
    """A client with attributes of its own."""


class Held:
    """What is in a cycle, to see whether that is gone."""


@pytest.fixture(scope="module")
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds, timeout=20) as client:
        client.dataset("test", "cycles").put(1, {"list": [1], "n": 1})
        yield client


def is_found(make: Callable[[Held], object]) -> bool:
    """Whether what was made with this object is gone, once nothing else refers to it."""
    held = Held()
    seen = weakref.ref(held)
    make(held)
    del held
    gc.collect()
    return seen() is None


def bins_of_a_record(client: spikewire.Client, held: Held) -> None:
    record = client.get(("test", "cycles", 1))
    bins: dict[str, Any] = record.bins
    bins.update(record=record, held=held)


def a_value_of_a_record(client: spikewire.Client, held: Held) -> None:
    record = client.get(("test", "cycles", 1))
    value: Any = record["list"]
    value += [record, held]


def results_of_a_record(client: spikewire.Client, held: Held) -> None:
    record = client.operate(("test", "cycles", 1), [op.get("list")])
    value: Any = record.results and record.results[0]
    value += [record, held]


def a_value_of_a_step(client: spikewire.Client, held: Held) -> None:
    value: list[Any] = [held]
    value.append(client.session().upsert(("test", "cycles", 1)).set("list", value))


def a_parameter_of_a_step(client: spikewire.Client, held: Held) -> None:
    value: list[Any] = [held]
    value.append(client.session().query(("test", "cycles", 1)).where("$.list == ?", value))


def keys_of_a_step(client: spikewire.Client, held: Held) -> None:
    keys: list[Any] = [("test", "cycles", 1)]
    keys += [client.session().exists(keys), held]


@pytest.mark.parametrize(
    "make",
    [
        bins_of_a_record, a_value_of_a_record, results_of_a_record,
        a_value_of_a_step, a_parameter_of_a_step, keys_of_a_step,
    ],
)  # fmt: skip
def test_a_cycle_is_collected(client: spikewire.Client, make: Any) -> None:
    assert is_found(lambda held: make(client, held))


def test_a_client_that_keeps_its_session(cluster: Cluster) -> None:
    def made(held: Held) -> None:
        own: Any = Own(cluster.seeds, timeout=20)
        own.session_of_mine, own.held = own.session(), held
        own.close()

    assert is_found(made)


def test_steps_that_share_the_steps_before_them(client: spikewire.Client) -> None:
    """What several steps share is not counted by each of them."""
    first = client.session().upsert(("test", "cycles", 2)).set("n", 1)
    steps = [first.query(("test", "cycles", 2)) for _ in range(3)]
    for _ in range(3):
        gc.collect()
    assert [step.execute()[1].unwrap()["n"] for step in steps] == [1, 1, 1]
