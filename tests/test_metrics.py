"""Metrics and events of clients, and their Prometheus format."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import threading
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

import spikewire
from forking import scenario
from spikewire import metrics
from spikewire.statistics.log import log_event
from spikewire.testing import Cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Longer than anything here takes on a loaded machine.
LONG = 60


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(nodes=2) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[spikewire.Client]:
    with spikewire.Client(cluster.seeds) as client:
        yield client


def eventually(what: str, done: Callable[[], object]) -> None:
    end = time.monotonic() + LONG
    while not done():
        assert time.monotonic() < end, what
        time.sleep(0.01)


def test_metrics_are_off_until_enabled(client: spikewire.Client) -> None:
    users = client.dataset("test", "counted")
    users.put(1, {"n": 1})
    assert not client.metrics.enabled
    assert client.stats().commands == ()
    client.metrics.enable()
    assert client.metrics.enabled
    users.put(1, {"n": 1})
    users.get(1)
    with pytest.raises(spikewire.RecordNotFound):
        users.get("nobody")
    users.put_many({key: {"n": key} for key in range(100)})
    stats = client.stats()
    assert stats.counting
    assert stats.select(operation="put", result="ok").count == 1
    assert stats.select(operation="get").count == 2
    missing = stats.select(operation="get", result="not_found")
    assert (missing.count, missing.records, missing.retries) == (1, 1, 0)
    assert 0 < missing.mean < LONG
    assert missing.mean <= missing.quantile(1) <= missing.mean * 1.126
    assert stats.select(operation="batch_write", namespace="test").records == 100
    assert {command.namespace for command in stats.commands} == {"test"}
    known = {f"{node.name} {node.address}" for node in stats.nodes}
    assert {command.node for command in stats.commands} <= known
    client.metrics.disable()
    users.put(1, {"n": 1})
    assert client.stats().commands == stats.commands
    client.metrics.reset()
    assert client.stats().commands == ()


def test_gauges_are_there_at_all_times(client: spikewire.Client) -> None:
    client.dataset("test", "gauges").put_many({key: {"n": key} for key in range(100)})
    stats = client.stats()
    assert len(stats.nodes) == 2
    assert {node.name for node in stats.nodes} == {node.name for node in client.nodes()}
    for node in stats.nodes:
        assert 0 < node.connections <= node.opened
        assert (node.errors, node.breaker_open) == (0, False)
    assert stats.tends > 0
    assert 0 <= stats.tend_age < LONG
    nothing = stats.select(operation="get")
    assert nothing.count == 0
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.quantile(0.5))
    with pytest.raises(ValueError, match="share must be between 0 and 1, got 99"):
        nothing.quantile(99)


def test_asyncio_counts_the_same(cluster: Cluster) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            client.metrics.enable()
            users = client.dataset("test", "counted")
            await asyncio.gather(*(users.put(key, {"n": key}) for key in range(500)))
            assert client.stats().select(operation="put", result="ok").count == 500
            assert client.stats().in_flight == 0

    asyncio.run(main())


def test_a_closed_client_raises(cluster: Cluster) -> None:
    client = spikewire.Client(cluster.seeds)
    client.close()
    with pytest.raises(spikewire.ClientClosed):
        client.stats()
    with pytest.raises(spikewire.ClientClosed):
        client.metrics.enable()


def parsed(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """What the parser of ``prometheus_client`` reads, by name and labels."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_prometheus_reads_what_threads_did(client: spikewire.Client) -> None:
    client.metrics.enable()
    done = [0] * 8
    stop = threading.Event()

    def work(thread: int) -> None:
        users = client.dataset("test", f"load{thread}")
        while not stop.is_set():
            users.put(done[thread], {"n": 1})
            done[thread] += 1

    def scraped() -> float:
        samples = parsed(metrics.prometheus(client))
        name = "spikewire_command_duration_seconds_count"
        return sum(value for (of, _), value in samples.items() if of == name)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    before = 0.0
    for _ in range(20):
        least = sum(done)
        now = scraped()
        # Each thread has at most one more in flight, and may continue while the text is generated.
        assert max(before, least) <= now <= sum(done) + len(threads)
        before = now
        time.sleep(0.01)
    stop.set()
    for thread in threads:
        thread.join()
    assert scraped() == sum(done) > 0


def test_a_scrape_under_load_is_what_callers_counted(client: spikewire.Client) -> None:
    """By operation and result."""
    client.metrics.enable(stages=True)
    tallies: list[Counter[tuple[str, str]]] = [Counter() for _ in range(4)]
    ends = threading.Event()
    seen: list[int] = []

    def counted() -> dict[tuple[str, str], int]:
        result: Counter[tuple[str, str]] = Counter()
        for (name, labels), value in parsed(metrics.prometheus(client)).items():
            if name == "spikewire_command_duration_seconds_count":
                of = dict(labels)
                result[of["operation"], of["result"]] += int(value)
        return dict(result)

    def work(tally: Counter[tuple[str, str]], users: spikewire.Dataset) -> None:
        def tell(operation: str, call: Callable[[], object]) -> None:
            try:
                call()
            except spikewire.RecordNotFound:
                tally[operation, "not_found"] += 1
            except spikewire.RecordExists:
                tally[operation, "record_exists"] += 1
            except spikewire.GenerationMismatch:
                tally[operation, "generation"] += 1
            else:
                tally[operation, "ok"] += 1

        for key in range(50):
            tell("get", partial(users.get, key))
            tell("put", partial(users.put, key, {"n": 1}))
            tell("put", partial(users.put, key, {"n": 1}, exists="create"))
            tell("put", partial(users.put, key, {"n": 1}, generation=1000))
            tell("add", partial(users.add, key, {"n": 1}))
            tell("operate", partial(users.operate, key, [spikewire.op.get("n")]))
            tell("get", partial(users.get, key))
            tell("delete", partial(users.delete, key))

    def scrape() -> None:
        while not ends.is_set():
            seen.append(sum(counted().values()))

    scraper = threading.Thread(target=scrape)
    threads = [
        threading.Thread(target=work, args=(tally, client.dataset("test", f"tally{number}")))
        for number, tally in enumerate(tallies)
    ]
    for thread in [scraper, *threads]:
        thread.start()
    for thread in threads:
        thread.join()
    ends.set()
    scraper.join()
    counts = sum(tallies, Counter())
    assert counted() == dict(counts)
    assert set(counts) >= {
        ("get", "not_found"),
        ("get", "ok"),
        ("put", "record_exists"),
        ("put", "generation"),
        ("delete", "ok"),
    }
    assert seen == sorted(seen)


def test_the_text_keeps_the_conventions(client: spikewire.Client) -> None:
    client.metrics.enable()
    users = client.dataset("test", "text")
    for key in range(50):
        users.put(key, {"n": key})
    text = metrics.prometheus(client, labels={"client": 'the "first"\\one'})
    families = {family.name: family for family in text_string_to_metric_families(text)}
    for name, kind in [
        ("spikewire_command_duration_seconds", "histogram"),
        ("spikewire_command_records", "counter"),
        ("spikewire_node_connections", "gauge"),
        ("spikewire_node_connections_opened", "counter"),
        ("spikewire_commands_in_flight", "gauge"),
        ("spikewire_tends", "counter"),
        ("spikewire_tend_age_seconds", "gauge"),
    ]:
        assert families[name].type == kind
        assert families[name].documentation
        for sample in families[name].samples:
            assert sample.labels["client"] == 'the "first"\\one'
    durations = families["spikewire_command_duration_seconds"].samples
    stats = client.stats()
    for command in stats.commands:
        mine = [sample for sample in durations if sample.labels["node"] == command.node]
        bounds = [s for s in mine if s.name.endswith("_bucket")]
        counts = [sample.value for sample in bounds]
        assert counts == sorted(counts)
        assert counts[-1] == command.count
        assert [s.labels["le"] for s in bounds][::25] == ["1e-06", "+Inf"]
        (total,) = (s.value for s in mine if s.name.endswith("_sum"))
        assert total == pytest.approx(command.seconds)
    assert sum(command.count for command in stats.commands) == 50


def test_a_registry_collects_the_same(client: spikewire.Client) -> None:
    client.metrics.enable()
    client.dataset("test", "registry").put(1, {"n": 1})
    registry = CollectorRegistry()
    registry.register(metrics.Collector(client, labels={"client": "a"}))
    ours = parsed(metrics.prometheus(client, labels={"client": "a"}))
    theirs = parsed(generate_latest(registry).decode())

    def counted(
        samples: dict[tuple[str, frozenset[tuple[str, str]]], float],
    ) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        return {key: value for key, value in samples.items() if "command_" in key[0]}

    assert counted(ours) == counted(theirs)
    assert {name for name, _ in ours} == {name for name, _ in theirs}


def test_several_clients_share_one_text(client: spikewire.Client, cluster: Cluster) -> None:
    other = spikewire.Client(cluster.seeds)
    both = {"users": client, "ads": other}
    registry = CollectorRegistry()
    registry.register(metrics.Collector(both, labels={"region": "eu"}))
    # Each family would appear twice, which the format does not allow.
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        registry.register(metrics.Collector(client))
    for text in (
        metrics.prometheus(both, labels={"region": "eu"}),
        generate_latest(registry).decode(),
    ):
        types = [line for line in text.splitlines() if line.startswith("# TYPE")]
        assert len(types) == len(set(types))
        for name in both:
            labels = frozenset({"client": name, "region": "eu"}.items())
            assert parsed(text)["spikewire_counting", labels] == 0
    other.close()
    text = metrics.prometheus(both)
    assert 'client="users"' in text
    assert 'client="ads"' not in text
    assert generate_latest(registry).decode().count('client="ads"') == 0


def test_a_closed_client_does_no_harm_to_a_registry(cluster: Cluster) -> None:
    registry = CollectorRegistry()
    with spikewire.Client(cluster.seeds) as client:
        registry.register(metrics.Collector(client))
    assert generate_latest(registry) == b""


def test_labels_are_those_of_the_format(client: spikewire.Client) -> None:
    anything: Any = metrics.prometheus
    for labels, message in [
        ({"a-b": "x"}, "labels: 'a-b' is not a valid label name"),
        ({"__name__": "x"}, "is not a valid label name"),
        ({"node": "x"}, "'node' is one of the metrics' own labels"),
        ({"a": 5}, "labels: 5 must be str, not int"),
        (["a"], "labels must be a dict of names to values, not list"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            anything(client, labels=labels)
        with pytest.raises((TypeError, ValueError), match=message):
            metrics.wsgi_app(client, labels=labels)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'client' is set from the names"):
        metrics.prometheus({"a": client}, labels={"client": "b"})
    with pytest.raises(TypeError, match="not for NoneType"):
        anything(None)


def test_applications_serve_the_text(cluster: Cluster) -> None:
    received: list[tuple[str, list[tuple[str, str]]]] = []

    def respond(status: str, headers: list[tuple[str, str]]) -> None:
        received.append((status, headers))

    client = spikewire.Client(cluster.seeds)
    app = metrics.wsgi_app(client)
    body = b"".join(app({}, respond))
    assert ("spikewire_counting", frozenset()) in parsed(body.decode())
    (status, headers) = received.pop()
    assert status == "200 OK"
    assert dict(headers)["Content-Type"] == metrics.CONTENT_TYPE
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    served = metrics.asgi_app(client)
    asyncio.run(served({"type": "http"}, receive, send))
    assert sent[0]["status"] == 200
    assert ("spikewire_counting", frozenset()) in parsed(sent[1]["body"].decode())
    with pytest.raises(RuntimeError, match="over http, not websocket"):
        asyncio.run(served({"type": "websocket"}, receive, send))
    client.close()
    assert b"closed" in b"".join(app({}, respond))
    assert received.pop()[0].startswith("503 ")


def test_events_reach_every_callback_and_none_does_harm(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(event: metrics.Event) -> None:
        raise ZeroDivisionError(event)

    events: list[metrics.Event] = []
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds, tend_interval=0.05) as client:
        gone = client.nodes()[1]
        client.metrics.on_event(fails)
        end = client.metrics.on_event(events.append)
        number = next(
            number for number, seed in enumerate(cluster.seeds.split(",")) if seed == gone.address
        )
        cluster.kill(number)
        down = metrics.NodeDown(f"{gone.name} {gone.address}")
        eventually("it is told of", lambda: {down, metrics.MapChanged()} <= set(events))
        cluster.restart(number)
        eventually("and back", lambda: any(isinstance(event, metrics.NodeUp) for event in events))
        end()
        end()
    eventually("both are logged", lambda: "a callback failed on NodeUp" in caplog.text)
    assert "ZeroDivisionError" in caplog.text
    eventually(
        "the thread ends with the client",
        lambda: all(thread.name != "spikewire-events" for thread in threading.enumerate()),
    )


def test_circuit_breaker_events_are_emitted_and_attempts_counted() -> None:
    events: list[metrics.Event] = []
    with (
        Cluster(nodes=1) as cluster,
        spikewire.Client(cluster.seeds, max_error_rate=5, tend_interval=0.2, timeout=30) as client,
    ):
        users = client.dataset("test", "broken")
        users.put(1, {"n": 1})
        (node,) = client.nodes()
        client.metrics.enable()
        client.metrics.on_event(events.append)
        cluster.inject(0, error=1.0, code=18)

        def opens() -> bool:
            with pytest.raises((spikewire.ServerError, spikewire.NodeUnavailable)):
                users.get(1)
            return metrics.BreakerOpened(f"{node.name} {node.address}") in events

        eventually("the breaker opens", opens)
        cluster.clear_faults(0)
        closed = metrics.BreakerClosed(f"{node.name} {node.address}")
        eventually("it closes", lambda: closed in events)
        stats = client.stats()
        overloads = stats.select(operation="get", result="device_overload")
        left_alone = stats.select(operation="get", result="circuit_open")
        assert overloads.count + left_alone.count == stats.select(operation="get").count
        assert left_alone.count > 0
        assert stats.select(operation="get").retries > 0


def test_on_a_loop_callbacks_run_there(cluster: Cluster) -> None:
    async def main() -> None:
        async with spikewire.AsyncClient(cluster.seeds) as client:
            events: asyncio.Queue[tuple[metrics.Event, int]] = asyncio.Queue()
            end = client.metrics.on_event(
                lambda event: events.put_nowait((event, threading.get_ident()))
            )
            client.metrics.enable()
            client.metrics.log_slow(0, logger=logging.getLogger("nothing"))
            await client.dataset("test", "loops").put(1, {"n": 1})
            event, thread = await asyncio.wait_for(events.get(), LONG)
            assert isinstance(event, metrics.SlowCommand)
            assert event.operation == "put"
            assert thread == threading.get_ident()
            end()

    asyncio.run(main())


def test_errors_of_callbacks_are_logged(
    client: spikewire.Client, caplog: pytest.LogCaptureFixture
) -> None:
    def cancelled(event: metrics.Event) -> None:
        raise asyncio.CancelledError(event)

    async def nobody_awaits(event: metrics.Event) -> None: ...

    events: list[metrics.Event] = []
    client.metrics.enable()
    client.metrics.on_event(cancelled)
    client.metrics.on_event(events.append)
    client.metrics.log_slow(0)
    users = client.dataset("test", "raises")
    users.put(1, {"n": 1})
    eventually("it is told of", lambda: events)
    users.put(2, {"n": 1})
    eventually("it is told of the second one", lambda: len(events) == 2)
    eventually("it is logged", lambda: caplog.text.count("a callback failed on") == 2)
    for callback in (None, nobody_awaits):
        with pytest.raises(TypeError, match="callback must be a plain function of an event"):
            client.metrics.on_event(callback)  # type: ignore[arg-type]


def test_events_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "spikewire.events")
    caplog.set_level(logging.DEBUG, "app")
    with Cluster(nodes=2) as cluster, spikewire.Client(cluster.seeds, tend_interval=0.05) as client:
        gone = next(node for node in client.nodes() if node.address == cluster.addresses[1])
        name = f"{gone.name} {gone.address}"
        end = client.metrics.log_events()
        client.metrics.log_events(logging.getLogger("app"))
        client.metrics.enable()
        client.metrics.log_slow(0, logger=logging.getLogger("nothing"))
        client.dataset("test", "logged").put(1, {"n": 1})
        for wrong in ("app", 5):
            with pytest.raises(TypeError, match=r"logger must be a logging\.Logger"):
                client.metrics.log_events(wrong)  # type: ignore[arg-type]
            with pytest.raises(TypeError, match=r"logger must be a logging\.Logger"):
                client.metrics.log_slow(0, logger=wrong)  # type: ignore[arg-type]
        cluster.kill(1)
        down = ("spikewire.events", logging.WARNING, f"node {name} is down")
        eventually("it is down", lambda: down in caplog.record_tuples)
        record = next(each for each in caplog.records if each.name == "spikewire.events")
        assert vars(record)["event"] == metrics.NodeDown(name)
        end()
        cluster.restart(1)
        up = ("app", logging.INFO, f"node {name} is up")
        eventually("it is up", lambda: up in caplog.record_tuples)
    here = [each for each in caplog.record_tuples if each[0] == "spikewire.events"]
    assert here == [down], "neither below its level nor after its end, and no slow command"
    changed = ("app", logging.DEBUG, "the partition map changed")
    assert changed in caplog.record_tuples
    assert not any(" took " in text for name, _, text in caplog.record_tuples if name == "app")


def test_every_event_but_slow_commands_has_a_line(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("every")
    caplog.set_level(logging.DEBUG, "every")
    for event in (
        metrics.BreakerOpened("A 1"),
        metrics.BreakerClosed("A 1"),
        metrics.SchemaChanged(),
        metrics.EventsLost(7),
    ):
        log_event(logger, event)
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("WARNING", "node A 1 failed too often: its circuit breaker is open"),
        ("INFO", "the circuit breaker of node A 1 is closed again"),
        ("DEBUG", "the schema changed"),
        ("WARNING", "7 events were lost: they arrived faster than callbacks handled them"),
    ]


def test_a_mistake_leaves_the_slow_log_as_it_is(
    client: spikewire.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "spikewire.slow")
    client.metrics.enable()
    client.metrics.log_slow(0)
    with pytest.raises(ValueError, match="slower_than"):
        client.metrics.log_slow(-1)
    with pytest.raises(TypeError, match="level must be an int"):
        client.metrics.log_slow(0, level="WARNING")  # type: ignore[arg-type]
    client.dataset("test", "slow").put(1, {"n": 1})
    eventually("it is logged", lambda: caplog.records)


def test_slow_commands_are_logged(
    client: spikewire.Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "spikewire.slow")
    client.metrics.enable()
    client.metrics.log_slow(0)
    client.dataset("test", "slow").put(1, {"n": 1})
    eventually("it is logged", lambda: caplog.records)
    (record,) = caplog.records
    assert record.name == "spikewire.slow"
    assert record.getMessage().startswith("put in test took 0.0")
    event: object = cast("object", vars(record)["event"])
    assert isinstance(event, metrics.SlowCommand)
    assert (event.operation, event.namespace, event.result) == ("put", "test", "ok")
    assert (event.records, event.attempts) == (1, 1)
    client.metrics.log_slow(LONG)
    client.dataset("test", "slow").put(1, {"n": 1})
    client.metrics.log_slow(None)
    client.dataset("test", "slow").put(1, {"n": 1})
    # Events come in order: the next one that is logged comes after those that were not.
    client.metrics.log_slow(0)
    client.dataset("test", "slow").get(1)
    eventually("the next one is logged", lambda: len(caplog.records) > 1)
    assert [record.getMessage().split()[0] for record in caplog.records] == ["put", "get"]
    client.metrics.log_slow(None)
    with pytest.raises(ValueError, match="slower_than"):
        client.metrics.log_slow(-1)
    with pytest.raises(TypeError, match="slower_than"):
        client.metrics.log_slow("a second")  # type: ignore[arg-type]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_the_child_of_a_fork_begins_anew(cluster: Cluster) -> None:
    program = """
    from spikewire import metrics

    client = spikewire.Client(seeds)
    client.metrics.enable()
    client.metrics.log_slow(0)
    told = []
    client.metrics.on_event(told.append)
    users = client.dataset("test", "forked")
    users.put(1, {"n": 1})

    def work():
        assert not client.metrics.enabled
        users.get(1)
        assert client.stats().commands == ()
        client.metrics.enable()
        heard = []
        client.metrics.on_event(heard.append)
        client.metrics.log_slow(0)
        users.get(1)
        while not any(isinstance(event, metrics.SlowCommand) for event in heard):
            time.sleep(0.01)
        assert client.stats().select(operation="get").count == 1

    child(work)
    assert client.metrics.enabled
    assert client.stats().select(operation="put").count == 1
    while not told:
        time.sleep(0.01)
    client.close()
    print("fine")
    """
    assert scenario(cluster.seeds, program, "-W", "ignore").endswith("fine")
