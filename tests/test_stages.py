"""The stages of calls: how their time is divided."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import spikewire
from spikewire import metrics
from spikewire.compat import aerospike
from spikewire.compat.aerospike_helpers.batch import records
from spikewire.compat.aerospike_helpers.operations import operations
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Longer than anything here takes on a loaded machine.
LONG = 60

#: The stages of calls that a thread waits for, or that are submitted.
CALLED = ("encode", "queue", "wire", "turn", "deliver", "hand_over", "decode")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds) as client:
        yield client


def served(client: spikewire.AsyncClient, stage: str) -> float:
    """How often it was timed, as read by Prometheus."""
    for family in text_string_to_metric_families(metrics.prometheus(client)):
        for sample in family.samples:
            if (
                sample.name == "spikewire_stage_duration_seconds_count"
                and sample.labels["stage"] == stage
            ):
                return sample.value
    raise AssertionError(stage)


def test_stages_are_the_parts_of_commands(cluster: Cluster) -> None:
    async def load(client: spikewire.AsyncClient, rounds: int) -> None:
        users = client.dataset("test", "staged")
        for _ in range(rounds):
            await asyncio.gather(*(users.put(key, {"n": key}) for key in range(32)))

    async def run() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            client.metrics.enable()
            await load(client, 2)
            assert client.stats().stages == ()
            client.metrics.enable(stages=True)
            assert client.metrics.stages
            # On earlier connections, stages are timed after the first replies.
            await load(client, 1)
            client.metrics.reset()
            await load(client, 10)
            stats = client.stats()
            commands = stats.select(operation="put")
            stages = {stage.stage: stage for stage in stats.stages}
            assert list(stages) == ["encode", "queue", "wire", "turn", "deliver", "hand_over"]
            # This stage is timed for every sixteenth future, when its callbacks are called.
            assert stages.pop("hand_over").count == 20
            assert {stage.count for stage in stages.values()} == {commands.count} == {320}
            parts = stages["queue"].seconds + stages["wire"].seconds
            assert parts == pytest.approx(commands.seconds)
            assert 0 < stages["wire"].quantile(0.5) <= stages["wire"].quantile(0.99) < LONG
            assert served(client, "wire") == 320
            client.metrics.enable()
            assert not client.metrics.stages
            await load(client, 1)
            assert client.stats().stages == stats.stages

    asyncio.run(run())


def test_stages_of_calling_threads_add_up(client: spikewire.Client) -> None:
    users = client.dataset("test", "staged")
    client.metrics.enable(stages=True)
    users.put(1, {"n": 1})
    client.metrics.reset()
    for _ in range(100):
        users.put(1, {"n": 1})
    stages = {stage.stage: stage.count for stage in client.stats().stages}
    assert stages == dict.fromkeys(CALLED, 100)
    client.metrics.reset()
    threads = [threading.Thread(target=lambda: [users.get(1) for _ in range(50)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stages = {stage.stage: stage.count for stage in client.stats().stages}
    # The waiting time of the first replies on a connection is unknown.
    assert {stages[name] for name in ("encode", "deliver", "hand_over", "decode")} <= set(
        range(280, 301)
    )
    assert stages["encode"] == 300
    client.metrics.reset()
    client.metrics.enable()
    users.get(1)
    assert client.stats().stages == ()


def test_stages_of_submitted_calls_and_batches_add_up(client: spikewire.Client) -> None:
    users = client.dataset("test", "staged")
    client.metrics.enable(stages=True)
    users.submit.put(1, {"n": 1}).result(LONG)
    client.metrics.reset()
    for _ in range(100):
        users.submit.get(1).result(LONG)
    stages = {stage.stage: stage for stage in client.stats().stages}
    assert {name: stage.count for name, stage in stages.items()} == dict.fromkeys(CALLED, 100)
    assert all(0 < stage.seconds < LONG for stage in stages.values())
    client.metrics.reset()
    with pytest.raises(spikewire.RecordNotFound):
        users.get("nobody")
    with pytest.raises(TypeError):
        users.put(1, 1)  # type: ignore[arg-type]
    users.get_many(range(100))
    stages = {stage.stage: stage for stage in client.stats().stages}
    assert (stages["encode"].count, stages["decode"].count) == (2, 1)


def told(client: Any) -> dict[str, int]:
    return {stage.stage: stage.count for stage in client.stats().stages}


def of_batches(count: int, *, requests: int, read: int) -> dict[str, int]:
    """How often each stage is timed for this many batches, some of which have all rows read."""
    stages = dict.fromkeys(CALLED, count) | dict.fromkeys(("queue", "wire", "turn"), requests)
    stages |= {"deliver": requests, "decode": read}
    return {name: times for name, times in stages.items() if times}


def test_stages_of_batches_add_up(client: spikewire.Client) -> None:
    users = client.dataset("test", "batches")
    client.metrics.enable(stages=True)
    users.put_many({key: {"n": key} for key in range(100)}).raise_for_errors()
    client.metrics.reset()
    batch = users.get_many(range(100))
    # Two nodes, one request to each; rows are decoded when they are accessed.
    assert told(client) == of_batches(1, requests=2, read=0)
    assert batch[1] is not None
    assert told(client) == of_batches(1, requests=2, read=0)
    assert len(list(batch)) == 100
    assert told(client) == of_batches(1, requests=2, read=1)
    # Rows that were read are not decoded again.
    assert len(list(batch)) == 100
    assert len(batch.to_dict()) == 100
    assert told(client) == of_batches(1, requests=2, read=1)
    assert len(users.get_many(range(100)).to_dict()) == 100
    assert told(client) == of_batches(2, requests=4, read=2)
    client.metrics.reset()
    for key in range(5):
        assert users.submit.get_many([key, key + 1]).result(LONG).found == 2
    stages = told(client)
    assert (stages["encode"], stages["hand_over"]) == (5, 5)
    client.metrics.reset()
    with pytest.raises(TypeError):
        users.put_many({1: 1})  # type: ignore[dict-item]
    assert told(client) == {}
    client.metrics.enable()
    assert len(list(users.get_many(range(100)))) == 100
    assert told(client) == {}


def test_stages_of_tables_add_up(client: spikewire.Client) -> None:
    numpy = pytest.importorskip("numpy")
    users = client.dataset("test", "tables")
    client.metrics.enable(stages=True)
    array = numpy.zeros(20_000, dtype=[("key", "i8"), ("n", "i8")])
    array["key"] = array["n"] = range(20_000)
    users.put_many(array, key="key").raise_for_errors()
    stages = told(client)
    # Rows are encoded, sent and waited for in windows.
    assert stages["encode"] == stages["hand_over"] > 1
    client.metrics.reset()
    table = users.get_many(range(100)).to_numpy([("n", "i8")])
    assert table["n"].sum() == sum(range(100))
    assert told(client) == of_batches(1, requests=2, read=1)


def test_stages_of_batches_on_an_event_loop_add_up(cluster: Cluster) -> None:
    async def run() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            users = client.dataset("test", "batches")
            client.metrics.enable(stages=True)
            await users.put_many({key: {"n": key} for key in range(100)})
            client.metrics.reset()
            for _ in range(32):
                assert len(list(await users.get_many(range(100)))) == 100
            expected = of_batches(32, requests=64, read=32)
            # This stage is timed for every sixteenth future, when its callbacks are called.
            assert told(client) == expected | {"hand_over": 2}

    asyncio.run(run())


def test_stages_of_batches_of_the_drop_in_add_up(cluster: Cluster) -> None:
    host, port = cluster.addresses[0].rsplit(":", 1)
    client = aerospike.client({"hosts": [(host, int(port))]}).connect()
    inner: spikewire.Client = client._client
    try:
        inner.metrics.enable(stages=True)
        keys = [("test", "batches", number) for number in range(100)]
        rows: list[Any] = [records.Write(key, [operations.write("n", 1)]) for key in keys]
        client.batch_write(records.BatchRecords(rows))
        inner.metrics.reset()
        client.batch_write(records.BatchRecords(rows))
        assert told(inner) == of_batches(1, requests=2, read=1)
        inner.metrics.reset()
        assert len(client.batch_read(keys).batch_records) == 100
        assert told(inner) == of_batches(1, requests=2, read=1)
    finally:
        client.close()
