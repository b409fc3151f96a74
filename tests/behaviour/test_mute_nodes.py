"""A node that accepts requests and does not answer: what can be done elsewhere is done there."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

import pytest

import spikewire
from spikewire.testing import Cluster
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apis import Api, Caller

pytestmark = pytest.mark.usefixtures("no_descriptor_leak")

KEYS = range(60)

MUTE = [
    pytest.param({"drop": 1.0, "info": True}, id="mute"),
    pytest.param({"drop": 1.0}, id="mute but for info requests"),
    pytest.param({"mute_after": 3, "info": True}, id="mute after three replies"),
    pytest.param({"stall": 1.0}, id="mute in the middle of a reply"),
]


@contextlib.contextmanager
def three_nodes(api: Api, **options: Any) -> Iterator[tuple[Cluster, Caller]]:
    """Three nodes with two copies of every record, and a client with default options."""
    with Cluster(3, replication_factor=2) as cluster:
        assert cluster.wait_settled()
        with api.open(cluster.seeds, **options) as client:
            data = client.dataset("test", "mute")
            for number in KEYS:
                data.put(number, {"n": number})
            yield cluster, data


@pytest.mark.parametrize("faults", MUTE)
def test_reads_go_to_another_node(api: Api, faults: dict[str, Any]) -> None:
    with three_nodes(api) as (cluster, data):
        cluster.inject(1, **faults)
        for _ in range(3):
            assert [data.get(number)["n"] for number in KEYS] == list(KEYS)


@pytest.mark.parametrize("faults", MUTE)
def test_batches_lose_no_row(api: Api, faults: dict[str, Any]) -> None:
    with three_nodes(api) as (cluster, data):
        cluster.inject(1, **faults)
        for _ in range(3):
            rows = data.get_many(KEYS)
            assert [row["n"] for row in rows] == list(KEYS)


def test_a_node_that_answers_again_is_used_again(api: Api) -> None:
    with three_nodes(api) as (cluster, data):
        cluster.inject(1, drop=1.0, info=True)
        assert [data.get(number)["n"] for number in KEYS] == list(KEYS)
        cluster.clear_faults(1)

        def is_written() -> bool:
            try:
                for number in KEYS:
                    data.put(number, {"n": number})
            except (spikewire.ConnectionFailed, spikewire.Timeout):
                return False
            return True

        assert until(is_written)


def test_writes_that_no_other_node_can_take_fail_before_their_time(api: Api) -> None:
    with three_nodes(api, timeout=6) as (cluster, data):
        cluster.inject(1, drop=1.0, info=True)

        def error_of(number: int) -> spikewire.Error | None:
            try:
                data.put(number, {"n": number})
            except spikewire.Error as error:
                return error
            return None

        errors = [error for number in KEYS if (error := error_of(number))]
        # The first of them was sent, the others were not.
        assert errors
        assert isinstance(errors[0], spikewire.ConnectionFailed)
        assert [error.in_doubt for error in errors] == [True] + [False] * (len(errors) - 1)
        assert len(errors) < len(KEYS)


def test_reads_behind_writes_that_wait_for_a_mute_node_wait_with_them() -> None:
    """Also while that node is looked at again and again."""

    async def run() -> None:
        with Cluster(3, replication_factor=2) as cluster:
            assert cluster.wait_settled()
            async with spikewire.AsyncClient(cluster.seeds) as client:
                data = client.dataset("test", "mute")
                await asyncio.gather(*(data.put(number, {"n": 0}) for number in KEYS))
                cluster.inject(1, drop=1.0, info=True)
                for count in (1, 2):
                    writes = [data.put(number, {"n": count}) for number in KEYS]
                    reads = [data.get(number) for number in KEYS]
                    written = await asyncio.gather(*writes, return_exceptions=True)
                    answers = await asyncio.gather(*reads, return_exceptions=True)
                    for error, answer in zip(written, answers, strict=True):
                        if error is None and isinstance(answer, spikewire.Record):
                            assert answer["n"] == count

    asyncio.run(run())


def test_a_node_that_accepts_and_stays_silent_costs_no_read(api: Api) -> None:
    with three_nodes(api) as (cluster, _), api.open(cluster.seeds) as client:
        # No connection to it exists that has been answered.
        cluster.inject(1, mute_after=0, info=True)
        data = client.dataset("test", "mute")
        assert [data.get(number)["n"] for number in KEYS] == list(KEYS)
