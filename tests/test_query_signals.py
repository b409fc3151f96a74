"""Metrics and events of queries, aggregations and background jobs."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import spikewire
from spikewire import metrics, op
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Longer than anything here takes on a loaded machine.
LONG = 60
RECORDS = 500

MODULE = """
local function one(record) return 1 end
local function sum(a, b) return a + b end
function total(stream) return stream : map(one) : reduce(sum) end
function broken(stream) error("no luck") end
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    module = tmp_path_factory.mktemp("lua") / "signals.lua"
    module.write_text(MODULE)
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds) as client:
        client.dataset("test", "queried").put_many({n: {"n": n} for n in range(RECORDS)})
        client.modules.register(module)
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds) as client:
        client.metrics.enable()
        yield client


def taken(client: spikewire.Client | spikewire.AsyncClient, operation: str) -> dict[str, Any]:
    """The counts of the one kind of query that ran; counting then starts anew."""
    (result,) = [each for each in client.stats().commands if each.operation == operation]
    assert result.namespace == "test"
    assert 0 < result.seconds < LONG
    client.metrics.reset()
    return {"result": result.result, "count": result.count, "records": result.records}


def whole(records: int = RECORDS, count: int = 1) -> dict[str, Any]:
    return {"result": "ok", "count": count, "records": records}


def test_every_way_of_reading_a_query_counts_it_once(client: spikewire.Client) -> None:
    users = client.dataset("test", "queried")
    query = users.query()
    assert client.stats().commands == (), "nothing was sent"
    assert len(list(query)) == RECORDS
    query.close()
    (result,) = client.stats().commands
    assert result.parts >= 2, "each node has a request at least"
    assert (result.node, result.retries) == ("", 0)
    assert taken(client, "query") == whole()
    assert users.query().count() == RECORDS
    assert taken(client, "query") == whole()
    assert len(users.query(limit=30).to_list()) == 30
    assert taken(client, "query") == whole(30)
    assert len(list(client.query("test", "queried", where="$.n < 10"))) == 10
    assert taken(client, "query") == whole(10)
    pages: list[spikewire.Page] = []
    query = users.query(page_size=200)
    while not pages or not pages[-1].done:
        pages.append(query.page())
    assert sum(len(page) for page in pages) == RECORDS
    assert taken(client, "query") == whole()


def test_a_cursor_goes_on_as_another_query(client: spikewire.Client) -> None:
    users = client.dataset("test", "queried")
    first = users.query(page_size=100)
    seen = len(first.page())
    first.close()
    assert taken(client, "query") == {"result": "withdrawn", "count": 1, "records": seen}
    rest = len(list(users.query(resume=first.cursor)))
    assert rest == RECORDS - seen
    assert taken(client, "query") == whole(rest)


def test_queries_as_columns_are_counted(client: spikewire.Client) -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    users = client.dataset("test", "queried")
    dtype = numpy.dtype([("n", "i8")])
    assert sum(len(rows) for rows in users.query().numpy_batches(dtype, 64)) == RECORDS
    assert taken(client, "query") == whole()
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table: Any = users.query()
    assert table.to_arrow().num_rows == RECORDS
    assert taken(client, "query") == whole()


def test_failed_queries_are_counted(client: spikewire.Client, cluster: Cluster) -> None:
    users = client.dataset("test", "queried")
    with pytest.raises(spikewire.Error):
        list(users.query(index=spikewire.equal("nothing", 1)))
    (result,) = client.stats().commands
    assert result.result == "index_not_found"
    assert result.node.partition(" ")[0] in {node.name for node in client.stats().nodes}
    client.metrics.reset()
    # A query that is abandoned ends with its reader.
    users.query().first()
    found_first = taken(client, "query")
    assert (found_first["result"], found_first["records"] >= 1) == ("withdrawn", True)
    for _ in users.query():
        break
    assert taken(client, "query")["result"] == "withdrawn"
    query = users.query()
    next(query)
    del query
    assert taken(client, "query")["result"] == "withdrawn"
    # Queries that begin while counting is off are not counted.
    client.metrics.disable()
    query = users.query()
    next(query)
    client.metrics.enable()
    assert len(list(query)) == RECORDS - 1
    assert client.stats().commands == ()


def test_aggregations_and_jobs_are_counted(client: spikewire.Client) -> None:
    users = client.dataset("test", "queried")
    assert users.query().aggregate("signals", "total") == [RECORDS]
    assert client.stats().select(operation="aggregate").parts == 2
    assert taken(client, "aggregate") == whole(1)
    with pytest.raises(spikewire.FunctionFailed):
        users.query().aggregate("signals", "broken")
    assert taken(client, "aggregate")["result"] == "udf"
    job = users.operate_all([op.add("visits", 1)], where="$.n < 100")
    assert client.stats().select(operation="job_start").parts == 2
    assert taken(client, "job_start") == whole(0)
    assert job.wait(LONG).succeeded == 100
    assert client.stats().select(operation="job_wait").parts == 2
    assert taken(client, "job_wait") == whole(100)


def test_asyncio_counts_the_same(cluster: Cluster) -> None:
    async def run() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            client.metrics.enable()
            users = client.dataset("test", "queried")
            assert len([record async for record in users.query()]) == RECORDS
            assert taken(client, "query") == whole()
            assert await users.query().count() == RECORDS
            assert taken(client, "query") == whole()
            assert len((await users.query(page_size=1000).page()).records) == RECORDS
            assert taken(client, "query") == whole()
            assert await users.query().aggregate("signals", "total") == [RECORDS]
            assert taken(client, "aggregate") == whole(1)
            job = await users.operate_all([op.add("seen", 1)])
            assert taken(client, "job_start") == whole(0)
            assert (await job.wait(LONG)).succeeded == RECORDS
            assert taken(client, "job_wait") == whole()
            async with users.query() as query:
                await anext(query)
            assert taken(client, "query")["result"] == "withdrawn"

    asyncio.run(run())


def eventually(what: str, done: Callable[[], object]) -> None:
    end = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def test_slow_queries_are_logged_and_scraped(
    client: spikewire.Client, caplog: pytest.LogCaptureFixture
) -> None:
    users = client.dataset("test", "queried")
    with caplog.at_level(logging.WARNING, logger="spikewire.slow"):
        client.metrics.log_slow(1e-9)
        assert len(list(users.query())) == RECORDS
        eventually("the query is logged", lambda: caplog.records)
        client.metrics.log_slow(None)
    event = caplog.records[0].event  # type: ignore[attr-defined]
    assert isinstance(event, metrics.SlowCommand)
    assert (event.operation, event.result, event.records) == ("query", "ok", RECORDS)
    scraped = {
        sample.name: sample.value
        for family in text_string_to_metric_families(metrics.prometheus(client))
        for sample in family.samples
        if sample.labels.get("operation") == "query" and "le" not in sample.labels
    }
    assert scraped["spikewire_command_duration_seconds_count"] == 1
    assert scraped["spikewire_command_records_total"] == RECORDS
    assert scraped["spikewire_command_parts_total"] >= 2
    assert scraped["spikewire_command_bytes_received_total"] >= RECORDS


def test_opentelemetry_sees_them(client: spikewire.Client) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="OpenTelemetry's SDK is not installed")
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    from spikewire.metrics import otel

    reader = InMemoryMetricReader()
    otel.observe(client, meter_provider=MeterProvider([reader]))
    assert len(list(client.dataset("test", "queried").query())) == RECORDS
    entries: dict[str, Any] = {}
    collected = reader.get_metrics_data()
    assert collected is not None
    for resource in collected.resource_metrics:
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    if (point.attributes or {}).get("db.operation.name") == "query":
                        entries[metric.name] = getattr(point, "value", None)
    assert entries["spikewire.commands"] == 1
    assert entries["spikewire.commands.records"] == RECORDS
    assert entries["spikewire.commands.parts"] >= 2
    assert entries["spikewire.commands.bytes_received"] >= RECORDS
