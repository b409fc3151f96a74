"""Policies of the program, on three real nodes: the drop-in calls them as cassandra-driver does."""

from __future__ import annotations

import importlib
import threading
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import OURS, PATIENT, REAL
from waiting import until

if TYPE_CHECKING:
    from spikewire.testing.cassandra import SharedCassandra

READ = "SELECT name FROM fruit WHERE id = 1"


class Modules:
    """The modules of one of the drivers."""

    def __init__(self, package: str) -> None:
        if package == REAL:
            pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")
        self.package = package
        for name in ("cluster", "policies", "query", "protocol"):
            setattr(self, name, importlib.import_module(f"{package}.{name}"))
        self.base = importlib.import_module(package)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


@pytest.fixture(params=[OURS, REAL])
def driver(request: pytest.FixtureRequest) -> Modules:
    return Modules(request.param)


@pytest.fixture(scope="module")
def keyspace(cassandra_cluster: SharedCassandra, cluster_keyspace: str) -> str:
    table = f"{cluster_keyspace}.fruit"
    cassandra_cluster.execute(f"CREATE TABLE {table} (id int PRIMARY KEY, name text)")
    assert cassandra_cluster.wait_settled()
    cassandra_cluster.execute(f"INSERT INTO {table} (id, name) VALUES (1, 'pear')")
    return cluster_keyspace


class Connection:
    """A cluster object with one profile, and its session."""

    def __init__(
        self, driver: Modules, cassandra: SharedCassandra, keyspace: str, **profile: Any
    ) -> None:
        points = [address.rpartition(":")[0] for address in cassandra.addresses]
        port = int(cassandra.addresses[0].rpartition(":")[2])
        default = driver.cluster.ExecutionProfile(request_timeout=60, **profile)
        profiles = {driver.cluster.EXEC_PROFILE_DEFAULT: default}
        self.cluster = driver.cluster.Cluster(
            points, port=port, execution_profiles=profiles, **PATIENT[driver.package]
        )
        self.session = self.cluster.connect(keyspace, wait_for_all_pools=True)

    def __enter__(self) -> Any:
        return self.session

    def __exit__(self, *_: object) -> None:
        self.cluster.shutdown()


def sticky(driver: Modules) -> Any:
    class Sticky(driver.policies.RoundRobinPolicy):  # type: ignore[name-defined,misc]
        """One node for each statement that names it, others in turn."""

        def __init__(self) -> None:
            super().__init__()
            self.asked: list[Any] = []
            self.populated: list[str] = []

        def populate(self, cluster: Any, hosts: Any) -> None:
            hosts = list(hosts)
            self.populated = sorted(host.address for host in hosts)
            super().populate(cluster, hosts)

        def make_query_plan(self, working_keyspace: Any = None, query: Any = None) -> Any:
            self.asked.append(working_keyspace)
            plan = sorted(super().make_query_plan(working_keyspace, query))
            wanted = getattr(query, "wanted", 0)
            return iter(plan[wanted:] + plan[:wanted])

    return Sticky()


def test_a_policy_chooses_the_node_of_each_statement(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    policy = sticky(driver)
    with Connection(driver, cassandra_cluster, keyspace, load_balancing_policy=policy) as session:
        addresses = sorted(address.rpartition(":")[0] for address in cassandra_cluster.addresses)
        prepared = session.prepare("SELECT name FROM fruit WHERE id = ?")
        for wanted, address in [*enumerate(addresses), *enumerate(addresses)]:
            for statement in (driver.query.SimpleStatement(READ), prepared.bind([1])):
                statement.wanted = wanted
                future = session.execute_async(statement)
                assert future.result().one().name == "pear"
                assert future.coordinator_host.address == address
                result = session.execute(statement)
                assert result.response_future.coordinator_host.address == address
        assert set(policy.asked) <= {keyspace, None}
        assert len(policy.asked) >= 4 * len(addresses)
        assert set(policy.populated) <= set(addresses)


def test_ignored_nodes_are_not_used(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    only = sorted(address.rpartition(":")[0] for address in cassandra_cluster.addresses)[1]
    distances = driver.policies.HostDistance

    class Near(driver.policies.RoundRobinPolicy):  # type: ignore[name-defined,misc]
        def distance(self, host: Any) -> Any:
            return distances.LOCAL if host.address == only else distances.IGNORED

    policy = driver.policies.TokenAwarePolicy(Near())
    with Connection(driver, cassandra_cluster, keyspace, load_balancing_policy=policy) as session:
        prepared = session.prepare("SELECT name FROM fruit WHERE id = ?")
        for _ in range(6):
            future = session.execute_async(prepared, [1])
            assert future.result().one().name == "pear"
            assert future.coordinator_host.address == only


def test_an_empty_plan_is_an_error(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    policy = sticky(driver)
    with Connection(driver, cassandra_cluster, keyspace, load_balancing_policy=policy) as session:
        assert session.execute(READ).one()
        policy.make_query_plan = lambda *_, **__: iter(())
        with pytest.raises(driver.cluster.NoHostAvailable):
            session.execute(READ)


def recording(driver: Modules, decide: Any) -> Any:
    class Recording(driver.policies.RetryPolicy):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            self.calls: list[Any] = []

        def on_unavailable(self, query: Any, **about: Any) -> Any:  # noqa: ARG002
            self.calls.append(about)
            return decide(self, about["retry_num"])

    return Recording()


#: More replicas than there are nodes.
MANY = "SELECT name FROM {}.fruit WHERE id = 1"


def test_a_retry_policy_changes_the_consistency_level(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    levels = driver.base.ConsistencyLevel
    short = keyspace + "_s"
    cassandra_cluster.execute(
        f"CREATE KEYSPACE IF NOT EXISTS {short} WITH replication = "
        "{'class': 'NetworkTopologyStrategy', 'dc1': 1}"
    )
    cassandra_cluster.execute(
        f"CREATE TABLE IF NOT EXISTS {short}.fruit (id int PRIMARY KEY, name text)"
    )
    assert cassandra_cluster.wait_settled()
    cassandra_cluster.execute(f"INSERT INTO {short}.fruit (id, name) VALUES (1, 'fig')")

    policy = recording(driver, lambda own, _: (own.RETRY, levels.ONE))
    with Connection(driver, cassandra_cluster, short, retry_policy=policy) as session:
        statement = driver.query.SimpleStatement(MANY.format(short), consistency_level=levels.THREE)
        assert session.execute(statement).one().name == "fig"
    (told,) = policy.calls
    assert told == {
        "consistency": levels.THREE,
        "required_replicas": 3,
        "alive_replicas": 1,
        "retry_num": 0,
    }

    # It may ignore the error, give up, or go on until no node is left.
    for decision, outcome in [("IGNORE", None), ("RETHROW", "Unavailable"), ("NEXT", "NoHost")]:
        name = "RETRY_NEXT_HOST" if decision == "NEXT" else decision
        policy = recording(driver, lambda own, _, name=name: (getattr(own, name), None))
        with Connection(driver, cassandra_cluster, short, retry_policy=policy) as session:
            if outcome is None:
                assert not list(session.execute(statement))
                assert session.execute_async(statement).result().one() is None
                continue
            kind = (
                driver.base.Unavailable
                if outcome == "Unavailable"
                else driver.cluster.NoHostAvailable
            )
            with pytest.raises(kind) as error:
                session.execute(statement)
            if decision == "NEXT":
                assert len(error.value.errors) == 3 >= len(policy.calls) >= 2
            else:
                assert len(policy.calls) == 1


def test_a_statement_has_a_retry_policy_of_its_own(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    policy = recording(driver, lambda own, _: (own.IGNORE, None))
    short = keyspace + "_s"
    with Connection(driver, cassandra_cluster, short) as session:
        statement = driver.query.SimpleStatement(
            MANY.format(short),
            consistency_level=driver.base.ConsistencyLevel.THREE,
            retry_policy=policy,
        )
        assert not list(session.execute(statement))
    assert len(policy.calls) == 1


def test_copies_are_sent_when_the_plan_says(
    driver: Modules, cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    asked: list[Any] = []

    class Plan:
        def __init__(self) -> None:
            self.remaining = 2

        def next_execution(self, host: Any) -> float:
            asked.append(getattr(host, "address", None))
            self.remaining -= 1
            return 0.0 if self.remaining >= 0 else -1

    class Eager(driver.policies.SpeculativeExecutionPolicy):  # type: ignore[name-defined,misc]
        def new_plan(self, keyspace: Any, statement: Any) -> Any:  # noqa: ARG002
            return Plan()

    policy = sticky(driver)
    with Connection(
        driver,
        cassandra_cluster,
        keyspace,
        load_balancing_policy=policy,
        speculative_execution_policy=Eager(),
    ) as session:
        twice = driver.query.SimpleStatement(READ, is_idempotent=True)
        assert session.execute(twice).one().name == "pear"
        assert until(lambda: len(asked) >= 1, 30)
        asked.clear()
        once = driver.query.SimpleStatement(READ, is_idempotent=False)
        assert session.execute(once).one().name == "pear"
        assert asked == []


def test_a_policy_that_raises_ends_its_statement(
    cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    driver = Modules(OURS)

    def fail(own: Any, retry_num: int) -> Any:
        raise LookupError(retry_num)

    with Connection(
        driver, cassandra_cluster, keyspace + "_s", retry_policy=recording(driver, fail)
    ) as session:
        statement = driver.query.SimpleStatement(
            MANY.format(keyspace + "_s"), consistency_level=driver.base.ConsistencyLevel.THREE
        )
        with pytest.raises(LookupError):
            session.execute(statement)
        done = threading.Event()
        session.execute_async(statement).add_errback(lambda _: done.set())
        assert done.wait(30)


# The last, because a node that was paused is avoided for a while.
def test_a_node_that_is_silent_is_left_to_a_copy(
    cassandra_cluster: SharedCassandra, keyspace: str
) -> None:
    driver = Modules(OURS)
    policy = sticky(driver)
    first = sorted(cassandra_cluster.addresses)[0]
    with Connection(
        driver,
        cassandra_cluster,
        keyspace,
        load_balancing_policy=policy,
        speculative_execution_policy=driver.policies.ConstantSpeculativeExecutionPolicy(0.05, 2),
    ) as session:
        statement = driver.query.SimpleStatement(READ, is_idempotent=True)
        assert session.execute(statement).one().name == "pear"
        cassandra_cluster.freeze(cassandra_cluster.addresses.index(first))
        try:
            future = session.execute_async(statement)
            assert future.result().one().name == "pear"
            assert str(future.coordinator_host) != first
        finally:
            cassandra_cluster.thaw(cassandra_cluster.addresses.index(first))
