"""Unsupported features of the drop-in for aerospike-py are named; metrics, tracing, logs,
installing."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from spikewire.compat import aerospike_py
from spikewire.compat.aerospike_py import observability
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = ("test", "refusals", 1)


@pytest.fixture(scope="module")
def config() -> Iterator[dict[str, Any]]:
    with Cluster(1) as cluster:
        assert cluster.wait_settled()
        host, port = cluster.addresses[0].rsplit(":", 1)
        yield {"hosts": [(host, int(port))]}


@pytest.fixture
def client(config: dict[str, Any]) -> Iterator[aerospike_py.Client]:
    with aerospike_py.client(config).connect() as client:
        yield client


def test_certificates_for_logging_in_name_a_replacement(config: dict[str, Any]) -> None:
    more = {"user": "u", "auth_mode": aerospike_py.AUTH_PKI}
    with pytest.raises(
        NotImplementedError, match=r"AUTH_PKI is not supported .*: use spikewire\.Client"
    ):
        aerospike_py.client(config | more).connect()


def test_a_read_of_all_bins_does_not_mix(client: aerospike_py.Client) -> None:
    client.put(KEY, {"x": 1})
    both = [{"op": aerospike_py.OPERATOR_READ}, {"op": aerospike_py.OPERATOR_READ, "bin": "x"}]
    with pytest.raises(NotImplementedError, match="name the bins"):
        client.operate(KEY, both)


def test_settings_without_effect_warn(client: aerospike_py.Client, config: dict[str, Any]) -> None:
    client.put(KEY, {"x": 1})
    with pytest.warns(aerospike_py.CompatWarning, match="timeout_delay"):
        client.put(KEY, {"x": 1}, policy={"timeout_delay": 1})
    with pytest.warns(aerospike_py.CompatWarning, match="conn_pools_per_node"):
        aerospike_py.client(config | {"conn_pools_per_node": 5}).connect().close()


def test_invalid_arguments_are_rejected(client: aerospike_py.Client) -> None:
    with pytest.raises(TypeError, match="filter_expression"):
        client.get(KEY, {"filter_expression": 3})
    for policy in ({"exists": 99}, {"gen": 99}, {"replica": 99}):
        with pytest.raises(aerospike_py.InvalidArgError, match=next(iter(policy))):
            client.put(KEY, {"x": 1}, policy=policy)
    with pytest.raises(OverflowError):
        client.put(KEY, {"x": 2**63})
    with pytest.raises(aerospike_py.ServerError, match="nope") as caught:
        client.get(("nope", "x", 1))
    assert caught.value.result_code == aerospike_py.AEROSPIKE_ERR_INVALID_NAMESPACE


def test_two_predicates_are_one_too_many(client: aerospike_py.Client) -> None:
    query = client.query("test", "refusals")
    query.where(aerospike_py.predicates.equals("x", 1))
    query.where(aerospike_py.predicates.equals("x", 2))
    with pytest.raises(aerospike_py.InvalidArgError, match="one predicate"):
        query.results()


def test_geo_predicates_work(client: aerospike_py.Client) -> None:
    import spikewire

    p = aerospike_py.predicates
    client.index_geo2dsphere_create("test", "refusals_geo", "g", "refusals_g")
    point = spikewire.GeoJSON('{"type": "Point", "coordinates": [1.0, 2.0]}')
    client.put(("test", "refusals_geo", 1), {"g": point, "n": 1})
    region = '{"type": "AeroCircle", "coordinates": [[1.0, 2.0], 10]}'
    regions = (p.geo_within_geojson_region("g", region), p.geo_within_radius("g", 2.0, 1.0, 10.0))
    for predicate in regions:
        query = client.query("test", "refusals_geo")
        query.where(predicate)
        assert [record.bins["g"] for record in query.results()] == [point.text]


def test_operations_keep_their_order(client: aerospike_py.Client) -> None:
    lists, maps = aerospike_py.list_operations, aerospike_py.map_operations
    steps = [lists.list_append("l", 1), maps.map_put("m", "a", 1), lists.list_size("l")]
    result = client.operate_ordered(("test", "refusals", "order"), steps)
    assert result.ordered_bins == [("l", 1), ("m", 1), ("l", 1)]


def test_policies_of_batch_operate_hold(client: aerospike_py.Client) -> None:
    steps = [{"op": aerospike_py.OPERATOR_WRITE, "bin": "x", "val": 1}]
    keys = [("test", "refusals", at) for at in range(100, 103)]
    client.put(keys[0], {"x": 0})
    policy = {"exists": aerospike_py.POLICY_EXISTS_UPDATE_ONLY, "ttl": 500}
    assert [row.result for row in client.batch_operate(keys, steps, policy).batch_records] == [
        0,
        aerospike_py.AEROSPIKE_ERR_RECORD_NOT_FOUND,
        aerospike_py.AEROSPIKE_ERR_RECORD_NOT_FOUND,
    ]
    assert 0 < client.get(keys[0]).meta.ttl <= 500


def test_one_client_of_asyncio_serves_several_loops(config: dict[str, Any]) -> None:
    client = asyncio.run(aerospike_py.AsyncClient(config).connect())
    seen: list[int] = []

    def in_a_loop(at: int) -> None:
        async def main() -> None:
            await client.put(("test", "refusals_loops", at), {"x": at})
            seen.append((await client.get(("test", "refusals_loops", at))).bins["x"])

        asyncio.run(main())

    threads = [threading.Thread(target=in_a_loop, args=(at,)) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [0, 1, 2]
    asyncio.run(client.close())


def counts(operation: str, result: str = "") -> int:
    """The number of commands in ``get_metrics``."""
    total = 0
    labels = f'db_namespace="test",db_collection_name="",db_operation_name="{operation}"'
    prefix = f'_count{{db_system_name="aerospike",{labels},error_type="{result}"}} '
    for line in aerospike_py.get_metrics().splitlines():
        if prefix in line:
            total += int(line.rpartition(" ")[2])
    return total


def test_commands_are_counted_over_all_clients(config: dict[str, Any]) -> None:
    before, missed = counts("put"), counts("get", "not_found")
    for _ in range(2):
        with aerospike_py.client(config).connect() as client:
            client.put(KEY, {"x": 1})
            with pytest.raises(aerospike_py.RecordNotFound):
                client.get(("test", "refusals", "none"))
            assert counts("put") > before
    assert counts("put") == before + 2
    assert counts("get", "not_found") == missed + 2
    text = aerospike_py.get_metrics()
    assert "# TYPE db_client_operation_duration_seconds histogram" in text
    assert 'le="+Inf"' in text


def test_counting_is_disabled_and_enabled(client: aerospike_py.Client) -> None:
    assert aerospike_py.is_metrics_enabled()
    aerospike_py.set_metrics_enabled(False)
    try:
        before = counts("put")
        client.put(KEY, {"x": 1})
        assert counts("put") == before
        assert not aerospike_py.is_metrics_enabled()
    finally:
        aerospike_py.set_metrics_enabled(True)
    client.put(KEY, {"x": 1})
    assert counts("put") == before + 1


def test_stages_are_timed_for_a_block(client: aerospike_py.Client) -> None:
    assert not aerospike_py.is_internal_stage_metrics_enabled()
    with aerospike_py.internal_stage_profiling():
        assert aerospike_py.is_internal_stage_metrics_enabled()
        client.put(KEY, {"x": 1})
    assert not aerospike_py.is_internal_stage_metrics_enabled()
    text = aerospike_py.get_metrics()
    assert 'db_client_internal_stage_seconds_count{stage="wire"' in text
    client.put(KEY, {"x": 2})
    again = aerospike_py.get_metrics()
    assert stage_lines(again) == stage_lines(text)


def stage_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if "internal_stage" in line]


def test_counts_are_served(client: aerospike_py.Client) -> None:
    client.put(KEY, {"x": 1})
    aerospike_py.start_metrics_server(0)
    try:
        server = observability._serving._server
        assert server is not None
        address = f"http://127.0.0.1:{server.server_address[1]}"
        with urlopen(f"{address}/metrics", timeout=60) as reply:
            assert b"db_client_operation_duration_seconds" in reply.read()
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"{address}/else", timeout=60)
    finally:
        aerospike_py.stop_metrics_server()
    aerospike_py.stop_metrics_server()


def test_commands_are_traced(config: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    exporting = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    api = pytest.importorskip("opentelemetry.trace")
    exporter = memory.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(exporting.SimpleSpanProcessor(exporter))
    monkeypatch.setattr(api, "_TRACER_PROVIDER", provider)
    aerospike_py.init_tracing()
    try:
        with aerospike_py.client(config).connect() as client:
            client.put(KEY, {"x": 1})
            client.get(KEY)
    finally:
        aerospike_py.shutdown_tracing()
    assert [span.name for span in exporter.get_finished_spans()] == ["put refusals", "get refusals"]


@pytest.mark.parametrize(
    ("name", "value"), [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none")]
)
def test_tracing_stays_off(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    aerospike_py.init_tracing()
    assert not observability.process.tracing
    aerospike_py.shutdown_tracing()


def test_levels_of_the_log() -> None:
    loggers = [logging.getLogger(name) for name in ("aerospike_py", "spikewire")]
    levels = [each.level for each in loggers]
    try:
        aerospike_py.set_log_level(aerospike_py.LOG_LEVEL_DEBUG)
        assert {each.level for each in loggers} == {logging.DEBUG}
        with pytest.raises(ValueError, match="99"):
            aerospike_py.set_log_level(99)
    finally:
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)
    assert aerospike_py.dropped_log_count() == 0


def test_rows_are_written_again(config: dict[str, Any]) -> None:
    from spikewire.compat.aerospike_py.steps import batch_write_steps
    from spikewire.compat.aerospike_py.types import BatchRecord, BatchWriteResult

    rows = [(("test", "refusals", at), {"x": at}) for at in range(3)]
    steps = batch_write_steps(rows, None, 2)
    assert next(steps).verb == "put_many"
    busy = aerospike_py.AEROSPIKE_ERR_KEY_BUSY
    some = [BatchRecord(None, code, None) for code in (0, busy, busy)]
    assert isinstance(steps.send(BatchWriteResult(some)), float)
    again = next(steps)
    assert [key for key, _ in again.arguments[0]] == [rows[1][0], rows[2][0]]
    assert isinstance(steps.send(BatchWriteResult([some[0], some[1]])), float)
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send(BatchWriteResult([some[1]]))
    assert [row.result for row in end.value.value.batch_records] == [0, 0, busy]
    assert end.value.value.retry == (3, 3, False, 1)
    truncated = batch_write_steps(rows, {"total_timeout": 1}, 1000)
    next(truncated)

    def all_steps() -> None:
        while True:
            truncated.send(BatchWriteResult([some[1]] * 3))
            next(truncated)

    with pytest.raises(StopIteration) as end:
        all_steps()
    assert end.value.value.retry.truncated_by_timeout


def test_installing_takes_the_name_over() -> None:
    program = (
        "import spikewire.compat.aerospike_py as ours\n"
        "ours.install()\n"
        "ours.install()\n"
        "import aerospike_py\n"
        "from aerospike_py import exp, list_operations, predicates\n"
        "from aerospike_py.types import BatchRecord\n"
        "assert aerospike_py is ours and exp.eq.__module__.startswith('spikewire.')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


def test_installing_comes_first() -> None:
    program = (
        "import sys, types\n"
        "sys.modules['aerospike_py'] = types.ModuleType('aerospike_py')\n"
        "import spikewire.compat.aerospike_py as ours\n"
        "ours.install()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, timeout=120, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "call install() first" in done.stderr


def test_operations_wait_for_their_turn(config: dict[str, Any]) -> None:
    limited = config | {"max_concurrent_operations": 3, "operation_queue_timeout_ms": 60_000}

    async def main() -> list[Any]:
        client = await aerospike_py.AsyncClient(limited).connect()
        async with client:
            keys = [("test", "refusals_limit", at) for at in range(40)]
            await asyncio.gather(*(client.put(key, {"v": key[2]}) for key in keys))
            return [(await client.get(key)).bins["v"] for key in keys]

    assert asyncio.run(main()) == list(range(40))
    with aerospike_py.client(limited).connect() as client:
        client.put(KEY, {"x": 1})
        assert client.get(KEY).bins == {"x": 1}
        assert client.batch_read([KEY]).to_list() == [{"x": 1}]


class Stuck:
    """Calls that end on request."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.began = threading.Event()

    def get(self) -> int:
        self.began.set()
        assert self.may_end.wait(60)
        return 1

    def info(self) -> str:
        return "beside them"


def test_waiting_too_long_is_backpressure() -> None:
    from spikewire.compat.aerospike_py.limits import LimitedEngine

    engine = Stuck()
    limited = LimitedEngine(engine, 1, 1)
    thread = threading.Thread(target=limited.get)
    thread.start()
    assert engine.began.wait(60)
    with pytest.raises(aerospike_py.BackpressureError, match="1 operations were in progress"):
        limited.get()
    assert limited.info() == "beside them"
    engine.may_end.set()
    thread.join()
    assert limited.get() == 1


def test_tasks_that_wait_too_long_have_backpressure() -> None:
    from spikewire.compat.aerospike_py.limits import AsyncLimitedEngine

    class Engine:
        def __init__(self) -> None:
            self.may_end = asyncio.Event()

        async def get(self) -> int:
            await self.may_end.wait()
            return 1

    async def main() -> None:
        engine = Engine()
        limited = AsyncLimitedEngine(engine, 1, 1)
        first = asyncio.ensure_future(limited.get())
        await asyncio.sleep(0)
        with pytest.raises(aerospike_py.BackpressureError):
            await limited.get()
        engine.may_end.set()
        assert await first == 1
        assert await limited.get() == 1

    asyncio.run(main())


@pytest.mark.parametrize("odd", ["s;lut=1", "s\ntruncate-namespace:namespace=test"])
def test_names_that_would_be_more_than_a_name_in_an_info_command(
    client: aerospike_py.Client, odd: str
) -> None:
    """A set's name must not add a parameter or a command to what it is put into."""
    for names in (("test", odd), (odd, "s")):
        with pytest.raises(ValueError, match="must have no ';' and no line break"):
            client.truncate(*names)
