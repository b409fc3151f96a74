"""What cassandra-driver and its drop-in do with row factories, keyspaces, other loops and
libraries around them."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import Driver, shown
from waiting import until

if TYPE_CHECKING:
    from collections.abc import Callable

    from spikewire.testing.cassandra import SharedCassandra

pytest.importorskip("cassandra.cluster", reason="cassandra-driver is not installed")

SCENARIOS: list[Callable[[Driver], Any]] = []


def scenario(of: Callable[[Driver], Any]) -> Callable[[Driver], Any]:
    SCENARIOS.append(of)
    return of


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("of", SCENARIOS, ids=lambda of: of.__name__)
def test_both_see_the_same(drivers: tuple[Driver, Driver], of: Callable[[Driver], Any]) -> None:
    real, ours = (of(driver) for driver in drivers)
    assert ours == real
    assert real not in (None, [], ())


class Frame:
    """Rows without a truth value, as frames and arrays are."""

    def __init__(self, names: Any, rows: Any) -> None:
        self.names = list(names)
        self.rows = [tuple(row) for row in rows]

    def __bool__(self) -> bool:
        raise ValueError("the truth value of a frame is ambiguous")

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Any:
        return iter(self.rows)


class NoRows:
    """An object that cannot be iterated over."""

    def __init__(self, names: Any, rows: Any) -> None:
        self.names = names
        self.count = len(list(rows))


@scenario
def row_factories_that_make_something_else_than_lists(d: Driver) -> Any:
    table = d.table("k int, c int, PRIMARY KEY (k, c)")
    for at in range(3):
        d.session.execute(f"INSERT INTO {table} (k, c) VALUES (0, %s)", (at,))
    text = f"SELECT c FROM {table}"
    seen: list[Any] = []
    former = d.session.row_factory
    try:
        d.session.row_factory = Frame
        frame = d.session.execute(text)._current_rows
        seen.append((type(frame).__name__, frame.names, frame.rows))
        seen.append([row[0] for row in d.session.execute(text)])
        d.session.row_factory = lambda _names, rows: ((row[0] * 2,) for row in rows)
        seen.append(list(d.session.execute(text)))
        d.session.row_factory = lambda names, rows: {"names": list(names), "count": len(rows)}
        seen.append((d.session.execute(text).one(), list(d.session.execute(text))))
        d.session.row_factory = NoRows
        seen.append([row.count for row in d.session.execute(text)])
        future = d.session.execute_async(text)
        seen.append(type(future.result().one()).__name__)
    finally:
        d.session.row_factory = former
    return seen


def test_a_row_factory_may_make_pandas_frames(drivers: tuple[Driver, Driver]) -> None:
    pandas = pytest.importorskip("pandas")
    for driver in drivers:
        former = driver.session.row_factory
        driver.session.row_factory = lambda names, rows: pandas.DataFrame(rows, columns=names)
        try:
            result = driver.session.execute("SELECT key, rack FROM system.local")
            assert isinstance(result._current_rows, pandas.DataFrame)
            assert list(result._current_rows["key"]) == ["local"]
        finally:
            driver.session.row_factory = former


@scenario
def keyspaces_with_version_4_of_the_protocol(d: Driver) -> Any:
    """There a connection has a keyspace, not a statement."""
    cluster = d.connectable(protocol_version=4)
    session = cluster.connect()
    seen: list[Any] = [session.keyspace]
    session.set_keyspace("system")
    seen.append(session.keyspace)
    one = session.prepare("SELECT key FROM local WHERE key = ?")
    seen.append(shown(session.execute(one, ("local",)).one()))
    session.execute("USE system_schema")
    seen += [session.keyspace, session.execute("SELECT * FROM keyspaces").one() is not None]
    seen.append(shown(session.execute(one, ("local",)).one()))
    session.execute_async('use "system" ;').result()
    seen.append(shown(session.execute("SELECT key FROM local WHERE key = %s", ("local",)).one()))
    seen.append(d.failure(session.set_keyspace, "nothing_there"))
    seen.append(session.keyspace)
    cluster.shutdown()
    return seen


def test_statements_outlive_use_with_version_4(drivers: tuple[Driver, Driver]) -> None:
    """Nodes forget a statement when its table changes. It is prepared again in its keyspace, for
    which the other driver has no connection."""
    ours = drivers[1]
    table = ours.table("k int PRIMARY KEY")
    with ours.connectable(protocol_version=4) as cluster:
        session = cluster.connect(ours.keyspace)
        statement = session.prepare(f"SELECT * FROM {table} WHERE k = ?")
        session.set_keyspace("system")
        ours.session.execute(f"ALTER TABLE {table} ADD v int")
        assert until(lambda: session.execute(statement, (1,)).column_names == ["k", "v"])


@scenario
def tracing_that_wraps_execute_async(d: Driver) -> Any:
    """Libraries that trace statements wrap this one method; all statements go through it."""
    kind = type(d.session)
    wrapped = kind.execute_async
    seen: list[str] = []

    def execute_async(self: Any, query: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(str(getattr(query, "query_string", query)))
        return wrapped(self, query, *args, **kwargs)

    kind.execute_async = execute_async
    try:
        d.session.execute("SELECT key FROM system.local")
        d.session.execute("SELECT key FROM system.local WHERE key = %s", ("local",), timeout=30)
        d.session.execute_async("SELECT rack FROM system.local").result()
        failed = d.failure(d.session.execute, "SELECT nonsense")
    finally:
        kind.execute_async = wrapped
    d.session.execute("SELECT key FROM system.local")
    return seen, failed


@scenario
def subclasses_that_override_execute_async(d: Driver) -> Any:
    seen: list[Any] = []
    plain = d.session.execute_async

    def execute_async(query: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(query)
        return plain(query, *args, **kwargs)

    d.session.execute_async = execute_async
    try:
        d.session.execute("SELECT key FROM system.local")
    finally:
        del d.session.execute_async
    return seen


GEVENT = """
    import gevent.monkey
    gevent.monkey.patch_all()
    import sys
    import gevent
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.concurrent import execute_concurrent_with_args

    host, port = sys.argv[1].split(":")
    session = Cluster([host], port=int(port), connect_timeout=60).connect()
    find = session.prepare("SELECT table_name FROM system_schema.tables WHERE keyspace_name = ?")
    ran = []
    def work():
        session.execute(find, ("system",))
        ran.append("statement")
    def tick():
        ran.append("other")
    gevent.joinall([gevent.spawn(work), gevent.spawn(tick)])
    print(ran)
    print(len(execute_concurrent_with_args(session, find, [("system",)] * 200, concurrency=7)))
    future = session.execute_async(find, ("system",))
    print(future.result().one() is not None)
    streamed = execute_concurrent_with_args(
        session, find, [("system",)] * 20, results_generator=True
    )
    print(sum(found.success for found in streamed))
    session.cluster.shutdown()
"""


def test_greenlets_go_on_while_one_waits(cassandra: SharedCassandra) -> None:
    """Locks that monkey patching put in place of those of ``threading`` do not wake up a waiter in
    another thread: waiting for statements would never end."""
    pytest.importorskip("gevent")
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(GEVENT), cassandra.addresses[0]],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.splitlines() == ["['other', 'statement']", "200", "True", "20"], done.stderr


MAPPER = """
    import sys, uuid, warnings
    import spikewire.compat.cassandra as compat
    compat.install()
    warnings.simplefilter("ignore")
    from cassandra.cluster import Cluster
    from cassandra.cqlengine import columns, connection, management
    from cassandra.cqlengine.models import Model
    from cassandra.cqlengine.query import BatchQuery, LWTException
    from cassandra.cqlengine.usertype import UserType

    class Address(UserType):
        street = columns.Text()
        number = columns.Integer()

    class Person(Model):
        __keyspace__ = sys.argv[2]
        id = columns.Integer(primary_key=True)
        at = columns.Integer(primary_key=True, clustering_order="DESC")
        name = columns.Text(index=True)
        tags = columns.Set(columns.Text)
        scores = columns.Map(columns.Text, columns.Integer)
        home = columns.UserDefinedType(Address)

    host, port = sys.argv[1].split(":")
    connection.setup([host], sys.argv[2], port=int(port), connect_timeout=60)
    assert type(connection.get_cluster()) is Cluster
    management.sync_type(sys.argv[2], Address)
    management.sync_table(Person)
    management.sync_table(Person)
    Person.create(id=1, at=1, name="a", tags={"x"}, scores={"s": 1}, home=Address(street="e"))
    with BatchQuery() as batch:
        Person.batch(batch).create(id=1, at=2, name="b")
    print([person.name for person in Person.objects(id=1)])
    one = Person.objects(id=1, at=1).first()
    Person.objects(id=1, at=1).update(tags__add={"y"}, name="c")
    print(sorted(Person.get(id=1, at=1).tags), one.home.street, dict(one.scores))
    print([person.at for person in Person.objects(name="c")], Person.objects(id=1).count())
    one.delete()
    print(Person.objects.count())
    print(Person.objects(id__in=[1, 2]).values_list("at", flat=True)[:])
    try:
        Person.if_not_exists().create(id=1, at=2)
    except LWTException as error:
        print(error.existing["name"])
    Person.objects(id=1, at=2).iff(name="b").update(name="d", tags={"z"})
    print(Person.get(id=1, at=2).name)
"""


def test_the_original_object_mapper_works(cassandra: SharedCassandra, keyspace: str) -> None:
    name = f"{keyspace}_mapper"
    cassandra.execute(
        f"CREATE KEYSPACE {name} WITH replication = "
        "{'class': 'NetworkTopologyStrategy', 'dc1': 1}"
    )
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MAPPER), cassandra.addresses[0], name],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env={**os.environ, "CQLENG_ALLOW_SCHEMA_MANAGEMENT": "1"},
    )
    assert done.stdout.splitlines() == [
        "['b', 'a']",
        "['x', 'y'] e {'s': 1}",
        "[1] 2",
        "1",
        "[2]",
        "b",
        "d",
    ], done.stderr
