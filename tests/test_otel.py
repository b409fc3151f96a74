"""Traces and metrics of commands for OpenTelemetry."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import gc
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
from opentelemetry.trace import StatusCode

import spikewire
from spikewire import op
from spikewire.metrics import otel
from spikewire.testing import Cluster
from telemetry import Telemetry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.sdk.metrics.export import HistogramDataPoint


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        yield cluster


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    telemetry = Telemetry()
    yield telemetry
    telemetry.tracers.shutdown()
    telemetry.meters.shutdown()


@pytest.fixture
def client(cluster: Cluster, telemetry: Telemetry) -> Iterator[spikewire.Client]:
    with otel.instrument(spikewire.Client(cluster.seeds), **telemetry.providers()) as client:
        yield client


def node_of(client: Any, key: spikewire.Key) -> dict[str, Any]:
    """The node that holds a record, by the nodes' own counters."""
    client.metrics.enable()
    client.metrics.reset()
    client.get(key, default=None)
    (command,) = client.stats().commands
    client.metrics.disable()
    name, address = command.node.split()
    host, port = address.rsplit(":", 1)
    return {"spikewire.node": name, "server.address": host, "server.port": int(port)}


def test_a_command_is_a_span_by_the_conventions(
    client: spikewire.Client, telemetry: Telemetry
) -> None:
    users = client.dataset("test", "users")
    addresses = set()
    for key in range(20):
        users.put(key, {"n": key})
        name, attributes = telemetry.only_span()
        node = node_of(client, users.key(key))
        telemetry.spans()
        addresses.add(node["server.port"])
        assert name == "put users"
        assert attributes == {
            "db.system.name": "aerospike",
            "db.operation.name": "put",
            "db.namespace": "test",
            "db.collection.name": "users",
            **node,
        }
    assert len(addresses) == 2
    client.get(("test", "users", 1))
    name, attributes = telemetry.only_span()
    assert (name, attributes["server.port"] in addresses) == ("get users", True)
    for operations in ([op.add("n", 1), op.get("n")], [op.get("n")]):
        users.operate(1, operations)
        name, attributes = telemetry.only_span()
        assert (name, attributes["server.port"] in addresses) == ("operate users", True)


def test_failures_say_what_and_where(client: spikewire.Client, telemetry: Telemetry) -> None:
    users = client.dataset("test", "users")
    with pytest.raises(spikewire.RecordNotFound) as caught:
        users.get("nobody")
    (span,) = telemetry.spans()
    attributes = dict(span.attributes or {})
    assert attributes["error.type"] == "spikewire.errors.RecordNotFound"
    assert attributes["db.response.status_code"] == "2"
    assert caught.value.node == (
        f"{attributes['spikewire.node']} {attributes['server.address']}:{attributes['server.port']}"
    )
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == caught.value.message
    with pytest.raises(TypeError):
        users.get(1.5)  # type: ignore[call-overload]
    name, attributes = telemetry.only_span()
    assert (name, attributes["error.type"]) == ("get users", "TypeError")
    assert "db.response.status_code" not in attributes


def test_many_records_are_one_span(client: spikewire.Client, telemetry: Telemetry) -> None:
    users = client.dataset("test", "users")
    users.put_many({key: {"n": key} for key in range(50)})
    name, attributes = telemetry.only_span()
    assert (name, attributes["db.operation.batch.size"]) == ("BATCH put users", 50)
    client.get_many([users.key(key) for key in range(10)])
    name, attributes = telemetry.only_span()
    assert (name, attributes["db.namespace"]) == ("BATCH get users", "test")
    assert attributes["db.operation.batch.size"] == 10
    users.get_many([1])
    name, attributes = telemetry.only_span()
    assert (name, "db.operation.batch.size" in attributes) == ("get users", False)
    client.batch([spikewire.Read(users.key(1)), spikewire.Write(users.key(2), {"n": 1})])
    assert telemetry.only_span()[0] == "BATCH users"


def test_queries_are_spans_from_the_first_record_to_the_last(
    client: spikewire.Client, telemetry: Telemetry
) -> None:
    rows = client.dataset("test", "rows")
    rows.put_many({key: {"n": key} for key in range(100)})
    telemetry.spans()
    query = rows.query()
    assert telemetry.spans() == []
    assert len(list(query)) == 100
    assert telemetry.only_span()[0] == "query rows"
    with rows.query() as query:
        next(iter(query))
    del query
    gc.collect()
    assert telemetry.only_span()[0] == "query rows"
    query = rows.query()
    for _ in range(3):
        next(query)
    assert telemetry.spans() == []
    query.close()
    del query
    gc.collect()
    assert telemetry.only_span()[0] == "query rows"
    assert rows.query(limit=5).count() == 5
    assert telemetry.only_span()[0] == "query rows"
    paged = client.query("test", "rows", page_size=30)
    assert len(paged.page()) == 30
    assert telemetry.only_span()[0] == "query rows"
    with pytest.raises(spikewire.Error):
        list(rows.query(index=spikewire.equal("n", 1)))
    assert "error.type" in telemetry.only_span()[1]


def test_other_ways_to_the_same_verbs(client: spikewire.Client, telemetry: Telemetry) -> None:
    users = client.dataset("test", "users")
    users.submit.put(1, {"n": 1}).result()
    assert telemetry.only_span()[0] == "put users"
    values = [record["n"] for record in client.concurrent((users.get, 1) for _ in range(3))]
    assert values == [1] * 3
    assert [span.name for span in telemetry.spans()] == ["get users"] * 3
    assert [result.row for result in users.get_stream([1] * 5, window=2)] == [0, 1, 2, 3, 4]
    names = sorted(span.name for span in telemetry.spans())
    assert names == ["BATCH get users"] * 2 + ["get users"]
    session = client.session()
    assert session.query(users.key(1)).bins("n").first()["n"] == 1
    assert telemetry.only_span()[0] == "get users"
    assert session.query(users).count() >= 1
    assert telemetry.only_span()[0] == "query users"
    spread = client.with_profile(spikewire.Profile("spread", read={"replica": "any"}))
    spread.dataset("test", "users").get(1)
    # The replica was not chosen yet when it began.
    assert "server.address" not in telemetry.only_span()[1]
    by_mode: Any = {"replica": "master", "available": {"replica": "any"}}
    spread = client.with_profile(spikewire.Profile("by mode", read=by_mode))
    spread.dataset("test", "users").get(1)
    assert "server.address" not in telemetry.only_span()[1]
    spread.get(users.key(1))
    assert "server.address" not in telemetry.only_span()[1]
    with pytest.raises(TypeError, match="already"):
        otel.instrument(client)
    with pytest.raises(TypeError, match="must be a Client"):
        otel.instrument(cast("Any", 1))


def test_traced_clients_do_not_copy_or_pickle(client: spikewire.Client) -> None:
    users = client.dataset("test", "copies")
    for what in (client, users):
        for way in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                way(what)


def test_a_client_with_a_profile(cluster: Cluster, telemetry: Telemetry) -> None:
    quick = spikewire.Profile("quick", timeout=5)
    with spikewire.Client(cluster.seeds) as client:
        traced = otel.instrument(client.with_profile(quick), **telemetry.providers())
        assert traced.explain("get")["timeout"].value == 5
        traced.dataset("test", "users").put(1, {"n": 1})
        assert telemetry.only_span()[0] == "put users"
        client.dataset("test", "users").put(1, {"n": 1})
        assert telemetry.spans() == []


def test_asynchronous_commands_have_spans(cluster: Cluster, telemetry: Telemetry) -> None:
    tracer = telemetry.tracers.get_tracer("program")

    async def run() -> None:
        async with otel.instrument(
            spikewire.AsyncClient(cluster.seeds), **telemetry.providers()
        ) as client:
            users = client.dataset("test", "users")
            await users.put(1, {"n": 1})
            assert telemetry.only_span()[0] == "put users"
            with tracer.start_as_current_span("request") as parent:
                await asyncio.gather(*(users.get(1) for _ in range(5)))
            *spans, request = telemetry.spans()
            assert {span.name for span in spans} == {"get users"}
            assert len(spans) == 5
            assert request.name == "request"
            for span in spans:
                assert span.parent is not None
                assert span.parent.span_id == parent.get_span_context().span_id
            with pytest.raises(spikewire.RecordNotFound):
                await users.get("nobody")
            assert telemetry.only_span()[1]["error.type"] == "spikewire.errors.RecordNotFound"
            cancelled = users.get(1)
            cancelled.cancel()
            with pytest.raises(asyncio.CancelledError):
                await cancelled
            await asyncio.sleep(0)
            assert telemetry.only_span()[1]["error.type"] == "asyncio.CancelledError"
            assert [record async for record in users.query(limit=1)]
            assert telemetry.only_span()[0] == "query users"
            await client.query("test", "users", page_size=10).page()
            assert telemetry.only_span()[0] == "query users"
            session = client.session()
            assert (await session.query(users.key(1)).first())["n"] == 1
            assert telemetry.only_span()[0] == "get users"
            values = [record async for record in client.concurrent([(users.get, 1)])]
            assert [record["n"] for record in values] == [1]
            assert telemetry.only_span()[0] == "get users"

    asyncio.run(run())


def test_durations_and_gauges(client: spikewire.Client, telemetry: Telemetry) -> None:
    users = client.dataset("test", "users")
    otel.observe(client, meter_provider=telemetry.meters, attributes={"client": "users"})
    client.metrics.enable()
    for key in range(10):
        users.put(key, {"n": key})
    with pytest.raises(spikewire.RecordNotFound):
        users.get("nobody")
    points = cast("list[HistogramDataPoint]", telemetry.points("db.client.operation.duration"))
    by_operation: dict[object, int] = {}
    for point in points:
        attributes = dict(point.attributes or {})
        assert 0 < point.sum < 60
        kind = attributes["db.operation.name"], attributes.get("error.type")
        by_operation[kind] = by_operation.get(kind, 0) + point.count
    assert by_operation == {("put", None): 10, ("get", "spikewire.errors.RecordNotFound"): 1}
    nodes = {node.name: node for node in client.stats().nodes}
    for point in telemetry.points("spikewire.node.connections"):
        assert point.value == nodes[point.attributes["spikewire.node"]].connections
        assert point.attributes["client"] == "users"
    counted = {
        (point.attributes["db.operation.name"], point.attributes["spikewire.result"]): 0
        for point in telemetry.points("spikewire.commands")
    }
    for point in telemetry.points("spikewire.commands"):
        label = point.attributes["db.operation.name"], point.attributes["spikewire.result"]
        counted[label] += point.value
    assert counted == {("put", "ok"): 10, ("get", "not_found"): 1}
    client.close()
    assert telemetry.points("spikewire.node.connections") == []


def test_a_request_to_fastapi_is_the_parent_of_its_commands(
    cluster: Cluster, telemetry: Telemetry
) -> None:
    fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed")
    httpx = pytest.importorskip("httpx", reason="httpx is not installed")
    tracer = telemetry.tracers.get_tracer("program")
    held: dict[str, Any] = {}

    @contextlib.asynccontextmanager
    async def lifespan(app: Any) -> Any:
        client = otel.instrument(spikewire.AsyncClient(cluster.seeds), **telemetry.providers())
        async with client:
            held["client"] = client
            await client.dataset("test", "users").put("alice", {"age": 28})
            yield

    app: Any = fastapi.FastAPI()

    async def traced(request: Any, go_on: Any) -> Any:
        # As opentelemetry-instrumentation-fastapi does.
        with tracer.start_as_current_span(f"{request.method} {request.url.path}"):
            return await go_on(request)

    async def user(name: str) -> dict[str, Any]:
        record = await held["client"].dataset("test", "users").get(name)
        return dict(record)

    app.middleware("http")(traced)
    app.get("/users/{name}")(user)

    async def ask() -> dict[str, Any]:
        async with (
            lifespan(app),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as web,
        ):
            telemetry.spans()
            answer: dict[str, Any] = (await web.get("/users/alice")).json()
            return answer

    assert asyncio.run(ask()) == {"age": 28}
    command, request = telemetry.spans()
    attributes = dict(command.attributes or {})
    node = f"{attributes['server.address']}:{attributes['server.port']}"
    assert node in cluster.seeds.split(",")
    assert request.name == "GET /users/alice"
    assert command.name == "get users"
    assert command.parent is not None
    assert request.context is not None
    assert command.parent.span_id == request.context.span_id
    assert command.context is not None
    assert command.context.trace_id == request.context.trace_id


def test_a_missing_opentelemetry_names_the_package() -> None:
    program = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "import spikewire\n"
        "try:\n    from spikewire.metrics import otel\n"
        "except ImportError as error:\n    print(error)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=300
    )
    assert "pip install opentelemetry-api" in process.stdout


@pytest.fixture(scope="module")
def strong() -> Iterator[Cluster]:
    with Cluster(1, edition="enterprise", strong_consistency=True) as cluster:
        yield cluster


def test_calls_within_transactions_are_traced(strong: Cluster, telemetry: Telemetry) -> None:
    """A dataset or client within a transaction was one without spans."""
    with otel.instrument(spikewire.Client(strong.seeds), **telemetry.providers()) as client:
        users = client.dataset("test", "users")

        def names() -> list[str]:
            return [span.name for span in telemetry.spans() if span.name.startswith("put")]

        with client.transaction() as transaction:
            users.within(transaction).put("a", {"n": 1})
            assert names() == ["put users"]
            client.within(transaction).put(users.key("b"), {"n": 1})
            assert names() == ["put users"]
            transaction.dataset("test", "users").put("c", {"n": 1})
            transaction.dataset(users).put("d", {"n": 1})
            assert names() == ["put users"] * 2
        client.run_in_transaction(lambda it: it.dataset("test", "users").put("e", {"n": 1}))
        assert names() == ["put users"]
        profile = spikewire.Profile("quick", timeout=5)
        with client.transaction() as transaction:
            ours = client.with_profile(profile).dataset("test", "users")
            ours.within(transaction).put("f", {"n": 1})
            assert names() == ["put users"]
        assert sorted(users.get_many(["a", "b", "c", "d", "e", "f"]).errors) == []
        assert {row["n"] for row in users.query()} == {1}


def test_awaited_calls_within_transactions_are_traced(
    strong: Cluster, telemetry: Telemetry
) -> None:
    async def main() -> None:
        opened = await spikewire.AsyncClient.connect(strong.seeds)
        async with otel.instrument(opened, **telemetry.providers()) as client:
            users = client.dataset("test", "users")

            async def work(transaction: Any) -> None:
                await users.within(transaction).put("a", {"n": 2})
                await transaction.dataset("test", "users").put("b", {"n": 2})
                await client.within(transaction).put(users.key("c"), {"n": 2})

            await client.run_in_transaction(work)
            async with client.transaction() as transaction:
                await work(transaction)

    asyncio.run(main())
    names = [span.name for span in telemetry.spans() if span.name.startswith("put")]
    assert names == ["put users"] * 6
