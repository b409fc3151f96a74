"""Listeners for nodes, waiting for one schema, and what else cassandra-driver's drop-in does with
the cluster as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from spikewire.compat.cassandra.cluster import Cluster, DefaultConnection, ResponseFuture
from spikewire.compat.cassandra.connection import DefaultEndPoint
from spikewire.compat.cassandra.control import Listeners
from spikewire.compat.cassandra.policies import DCAwareRoundRobinPolicy, HostStateListener
from spikewire.compat.cassandra.pool import Host
from spikewire.compat.cassandra.query import TraceUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.testing.cassandra import SharedCassandra


class Notes(HostStateListener):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, str]] = []

    def _note(self, event: str, host: Any) -> None:
        self.seen.append((event, host.address))

    def on_add(self, host: Any) -> None:
        self._note("add", host)

    def on_remove(self, host: Any) -> None:
        self._note("remove", host)

    def on_up(self, host: Any) -> None:
        self._note("up", host)

    def on_down(self, host: Any) -> None:
        self._note("down", host)


class Broken(Notes):
    """Fails each time."""

    def _note(self, event: str, host: Any) -> None:
        raise ConnectionError(event, host)


class Inner(NamedTuple):
    """A value of a user-defined type."""

    a: int
    B: str


class Outer(NamedTuple):
    """One with another in it."""

    inside: Inner


class SomeNodes:
    """In place of a cluster and its engine: these nodes, each up or down."""

    def __init__(self, **up: bool) -> None:
        self.up = up
        self.callbacks: list[Callable[[object], object]] = []

    @property
    def _control(self) -> Any:
        return self

    metrics = _control

    def _listener(self) -> Any:
        return self

    def add(self, callback: Callable[[object], object]) -> Callable[[], None]:
        self.callbacks.append(callback)
        return self.callbacks.clear

    def _hosts_of(self, _core: Any) -> list[Host]:
        return [Host(name, 9042, is_up=up) for name, up in self.up.items()]


def test_listeners_are_notified_of_nodes() -> None:
    nodes: Any = SomeNodes(a=True, b=True)
    listeners = Listeners(nodes)
    early, late, broken = Notes(), Notes(), Broken()
    listeners.add(broken, [])
    listeners.add(early, [])
    listeners.look()
    assert sorted(early.seen) == [("add", "a"), ("add", "b")]
    listeners.add(late, nodes._hosts_of(None))
    nodes.up = {"a": False, "c": True}
    listeners.look()
    assert late.seen == [("down", "a"), ("add", "c"), ("remove", "b")]
    assert early.seen[2:] == late.seen
    listeners.discard(early)
    late.seen.clear()
    listeners.watch()
    nodes.up = {"a": True, "c": True}
    (callback,) = nodes.callbacks
    callback(None)
    listeners.end()
    assert nodes.callbacks == []
    assert late.seen == [("up", "a")]
    assert len(early.seen) == 5


@pytest.fixture
def cluster(cassandra: SharedCassandra) -> Cluster:
    host, port = cassandra.addresses[0].split(":")
    return Cluster([host], port=int(port), connect_timeout=60)


def test_listeners_registered_before_connecting_are_notified_of_each_node(cluster: Cluster) -> None:
    early, late = Notes(), Notes()
    cluster.register_listener(early)
    with cluster:
        cluster.connect()
        cluster.register_listener(late)
        cluster.unregister_listener(early)
    assert [event for event, _ in early.seen] == ["add"]
    assert late.seen == []


def test_one_schema_is_waited_for(cluster: Cluster) -> None:
    with cluster:
        cluster.connect()
        control = cluster.control_connection
        assert control.wait_for_schema_agreement(wait_time=30)
        assert control.wait_for_schema_agreement(wait_time=0)
        assert control.refresh_schema()
        control._versions = lambda: {1, 2}  # type: ignore[method-assign]
        assert not control.wait_for_schema_agreement(wait_time=0.1)
        with pytest.raises(NotImplementedError, match=r"ControlConnection\.reconnect"):
            control.reconnect()


def test_settings_can_be_read(cluster: Cluster) -> None:
    assert cluster.idle_heartbeat_interval == 30
    assert (cluster.connection_class, cluster.executor_threads) == (None, 2)
    with pytest.raises(NotImplementedError, match="the engine handles this itself"):
        DefaultConnection()


def test_the_load_balancing_policy_is_set_before_connecting(cluster: Cluster) -> None:
    policy = DCAwareRoundRobinPolicy("dc1")
    cluster.load_balancing_policy = policy
    assert cluster.load_balancing_policy is policy
    with pytest.raises(TypeError, match="load_balancing_policy"):
        cluster.load_balancing_policy = Notes()  # type: ignore[assignment]
    with cluster:
        cluster.connect()
        with pytest.raises(NotImplementedError, match="connected"):
            cluster.load_balancing_policy = policy
    assert DefaultEndPoint("127.0.0.1", 9) in Cluster(["localhost"], port=9).endpoints_resolved


def test_traces_are_fetched_without_waiting(cluster: Cluster) -> None:
    with cluster:
        session = cluster.connect()
        before: list[Any] = []
        session.add_request_init_listener(before.append)
        session.execute("SELECT key FROM system.local", trace=True)
        future = before[0]
        with pytest.raises(TraceUnavailable, match="-1"):
            future.get_query_trace(-1)
        unsent = ResponseFuture(session, future._call, future.query, None)
        with pytest.raises(TraceUnavailable, match="not done"):
            unsent.get_query_trace()


def test_registered_classes_become_literals(cluster: Cluster, keyspace: str) -> None:
    """A marker in a name makes all values literals."""
    with cluster:
        session = cluster.connect(keyspace)
        session.execute('CREATE TYPE inner_ (a int, "B" text)')
        session.execute("CREATE TYPE outer_ (inside frozen<inner_>)")
        session.execute("CREATE TABLE literals (k int PRIMARY KEY, v_1 frozen<outer_>)")
        cluster.register_user_type(keyspace, "inner_", Inner)
        cluster.register_user_type(keyspace, "outer_", Outer)
        value = Outer(Inner(5, "it's"))
        session.execute("INSERT INTO literals (k, v_%s) VALUES (0, %s)", (1, value))
        assert session.execute("SELECT v_1 FROM literals").one().v_1 == value
