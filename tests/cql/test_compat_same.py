"""The same programs observe the same with cassandra-driver and with its drop-in."""

from __future__ import annotations

import datetime as dt
import ipaddress
import threading
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import Driver, shown

if TYPE_CHECKING:
    from collections.abc import Callable

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


ID = uuid.UUID("00000000-0000-4000-8000-0000000000aa")
MOMENT = dt.datetime(2024, 2, 29, 12, 30, 45, 123456)  # noqa: DTZ001

#: Type, a parameter of a prepared statement, another one.
VALUES: dict[str, list[Any]] = {
    "ascii": ["plain"],
    "text": ["Grüße", ""],
    "blob": [b"\x00\xff", b"", bytearray(b"ab")],
    "boolean": [True, False, 1],
    "tinyint": [-128, True],
    "smallint": [32767],
    "int": [-5],
    "bigint": [2**63 - 1],
    "varint": [10**40, -1],
    "float": [1.5, 3],
    "double": [1e300, Decimal("2.5")],
    "decimal": [Decimal("-1.230"), Decimal("1E+5")],
    "uuid": [ID],
    "timeuuid": [uuid.UUID("13814000-1dd2-11b2-8080-808080808080")],
    "inet": ["127.0.0.1", "::1"],
    "timestamp": [
        MOMENT,
        MOMENT.replace(tzinfo=dt.timezone(dt.timedelta(hours=2))),
        dt.date(2020, 1, 2),
        1_700_000_000_123,
    ],
    "date": [dt.date(2024, 2, 29), "1969-12-31", 2**31 + 3],
    "time": [dt.time(1, 2, 3, 4), "23:59:59.123456789", 7],
    "list<int>": [[3, 1, 3], (1, 2)],
    "set<text>": [{"b", "a"}, ["x"]],
    "map<text, int>": [{"b": 1, "a": 2}],
    "frozen<map<frozen<list<int>>, text>>": [{(1, 2): "x"}],
    "set<frozen<list<int>>>": [[[2, 1], [1, 2]]],
    "tuple<int, text, timestamp>": [(1, None, MOMENT)],
    "list<frozen<tuple<date, inet>>>": [[(dt.date(2000, 1, 1), "10.0.0.1")]],
    "vector<float, 3>": [[1.0, 2.0, 3.5]],
}


@scenario
def values_of_every_type_through_prepared_statements(d: Driver) -> Any:
    seen = []
    for of, values in VALUES.items():
        table = d.table(f"k int PRIMARY KEY, v {of}")
        insert = d.session.prepare(f"INSERT INTO {table} (k, v) VALUES (?, ?)")
        select = d.session.prepare(f"SELECT v FROM {table} WHERE k = ?")
        for at, value in enumerate([*values, None]):
            d.session.execute(insert, (at, value))
            seen.append((of, shown(d.session.execute(select, (at,)).one())))
    return seen


@scenario
def values_of_simple_statements(d: Driver) -> Any:
    table = d.table(
        "k int PRIMARY KEY, a text, b timestamp, c set<int>, d inet, e date, f decimal, g double, "
        "h uuid, i map<text, int>, j boolean"
    )
    values = (
        1, "it's", MOMENT, {1, 2}, "127.0.0.1", dt.date(2020, 5, 6), Decimal("1.5"), 2.5,
        ID, {"a": 1}, True,
    )  # fmt: skip
    names = "k, a, b, c, d, e, f, g, h, i, j"
    marks = ", ".join(["%s"] * len(values))
    d.session.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)
    named = {"key": 2, "textValue": "x", "when": "2020-01-01 00:00:00+0000"}
    d.session.execute(
        f"INSERT INTO {table} (k, a, b) VALUES (%(key)s, %(textValue)s, %(when)s)", named
    )
    rows = d.session.execute(f"SELECT {names} FROM {table} WHERE k IN (1, 2)")
    more = d.session.execute(
        f"SELECT k FROM {table} WHERE k IN %s", (d.query.ValueSequence([1, 2]),)
    )
    percent = d.session.execute(f"SELECT a FROM {table} WHERE k = 1 AND a = '%s' ALLOW FILTERING")
    return [shown(row) for row in rows], sorted(row.k for row in more), list(percent)


@scenario
def durations(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, v duration")
    insert = d.session.prepare(f"INSERT INTO {table} (k, v) VALUES (0, ?)")
    d.session.execute(insert, (d.util.Duration(1, -0, 3),))
    value = d.session.execute(f"SELECT v FROM {table}").one().v
    return shown(value), str(value), value == d.util.Duration(1, 0, 3)


@scenario
def user_types(d: Driver) -> Any:
    d.session.execute("CREATE TYPE inner_type (at timestamp, names set<text>)")
    d.session.execute("CREATE TYPE outer_type (street text, parts frozen<inner_type>)")
    table = d.table("k int PRIMARY KEY, v frozen<outer_type>, l list<frozen<inner_type>>")
    insert = d.session.prepare(f"INSERT INTO {table} (k, v, l) VALUES (?, ?, ?)")

    class Inner:
        def __init__(self, at: Any, names: Any) -> None:
            self.at = at
            self.names = names

    one = Inner(MOMENT, {"b", "a"})
    d.session.execute(insert, (1, ("Main", one), [one]))
    select = f"SELECT v, l FROM {table} WHERE k = 1"
    before = shown(d.session.execute(select).one())
    d.cluster.register_user_type(d.keyspace, "inner_type", Inner)
    row = d.session.execute(select).one()
    after = type(row.v.parts).__name__, shown(row.v.parts.at), shown(row.l[0].names)
    missing = d.failure(d.cluster.register_user_type, d.keyspace, "nothing", Inner)
    return before, after, missing


@scenario
def binding(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a int, b int")
    insert = d.session.prepare(f"INSERT INTO {table} (k, a, b) VALUES (?, ?, ?)")
    d.session.execute(insert, (1, 2, 3))
    d.session.execute(insert, (1, 4))  # short: the rest is left unset
    d.session.execute(insert.bind({"k": 1, "b": None, "other": 5}))  # missing and additional names
    d.session.execute(insert, [2, d.query.UNSET_VALUE, 6])
    rows = sorted(d.session.execute(f"SELECT k, a, b FROM {table}"))
    return [shown(row) for row in rows], [
        d.failure(d.session.execute, insert, (1, 2, 3, 4)),
        d.failure(d.session.execute, insert, ("x", 2, 3)),
        d.failure(d.session.execute, insert, (1, 2**40, 3)),
        d.failure(d.session.execute_async, insert, (1, "x", 3)),
        d.failure(insert.bind, (1, 1.5)),
        d.failure(d.session.execute, insert, ()),
        d.failure(d.session.execute, insert, (None,)),
        d.failure(d.session.execute, f"SELECT * FROM {table} WHERE k = %s", (1, 2)),
        d.failure(d.session.execute, f"SELECT * FROM {table} WHERE k = %s AND a = %s", (1,)),
        d.failure(d.session.execute, f"SELECT * FROM {table} WHERE k = %(x)s", {"y": 1}),
        insert.routing_key_indexes,
        insert.is_routing_key_index(0),
        insert.query_string == f"INSERT INTO {table} (k, a, b) VALUES (?, ?, ?)",
    ]


def at_three(d: Driver, table: str) -> Any:
    """A statement that one node cannot execute, without the retry at the next node."""
    return d.query.SimpleStatement(
        f"SELECT * FROM {table}",
        consistency_level=d.root.ConsistencyLevel.THREE,
        retry_policy=d.policies.FallthroughRetryPolicy(),
    )


@scenario
def failures(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a int")
    run = d.session.execute
    closed = d.connectable()
    closed.connect()
    closed.shutdown()
    three = at_three(d, table)
    nobody = d.cluster_.Cluster([d.address], port=1)
    lost = d.connectable()
    seen = [
        d.failure(run, "SELECT nonsense"),
        d.failure(run, "SELECT * FROM nothing"),
        d.failure(run, f"SELECT nothing FROM {table}"),
        d.failure(run, f"CREATE TABLE {table} (k int PRIMARY KEY)"),
        d.failure(
            run,
            f"CREATE KEYSPACE {d.keyspace} WITH replication = "
            "{'class': 'SimpleStrategy', 'replication_factor': 1}",
        ),
        d.failure(run, "CREATE KEYSPACE k_wrong WITH replication = {'class': 'Nonsense'}"),
        d.failure(run, three),
        d.failure(run, "USE nothing_there"),
        d.failure(d.session.prepare, "SELECT nonsense"),
        d.failure(d.session.execute_async("SELECT nonsense").result),
        d.failure(run, f"SELECT * FROM {table}", execution_profile="unknown"),
        d.failure(closed.connect),
        d.failure(nobody.connect)[0],
        d.failure(lost.connect, "nothing_there"),
    ]
    # Otherwise its threads keep running, also during later tests.
    nobody.shutdown()
    lost.shutdown()
    return seen


@scenario
def attributes_of_failures(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a int")
    seen: list[Any] = []
    try:
        d.session.execute(f"CREATE TABLE {table} (k int PRIMARY KEY)")
    except d.root.AlreadyExists as error:
        seen.append((error.keyspace == d.keyspace, error.table))
    try:
        d.session.execute(at_three(d, table))
    except d.root.Unavailable as error:
        seen.append((error.consistency, error.required_replicas, error.alive_replicas, str(error)))
    try:
        d.session.execute("SELECT nonsense")
    except d.protocol.SyntaxException as error:
        seen.append((error.code, error.message, str(error)))
    try:
        d.session.execute("SELECT * FROM nothing")
    except d.root.InvalidRequest as error:
        seen.append(str(error))
    return seen


@scenario
def rows_by_factory(d: Driver) -> Any:
    table = d.table('k int, c int, "Mixed Name" text, s int static, PRIMARY KEY (k, c)')
    for at in range(3):
        d.session.execute(
            f'INSERT INTO {table} (k, c, "Mixed Name", s) VALUES (0, %s, %s, 9)', (at, f"n{at}")
        )
    text = f"SELECT * FROM {table}"
    seen = [shown(list(d.session.execute(text)))]
    counted = d.session.execute(f"SELECT count(*), max(c), k AS key FROM {table}")
    seen.append(shown(counted.one()))
    former = d.session.row_factory
    for name in ("tuple_factory", "dict_factory", "ordered_dict_factory", "named_tuple_factory"):
        d.session.row_factory = getattr(d.query, name)
        seen.append((name, shown(d.session.execute(text).all())))
    d.session.row_factory = lambda names, rows: [(list(names), tuple(row)) for row in rows]
    seen.append(shown(d.session.execute(text).all()))
    d.session.row_factory = former
    return seen


@scenario
def results(d: Driver) -> Any:
    table = d.table("k int, c int, PRIMARY KEY (k, c)")
    insert = d.session.prepare(f"INSERT INTO {table} (k, c) VALUES (0, ?)")
    void = d.session.execute(insert, (0,))
    seen: list[Any] = [void.one(), list(void), bool(void), void.column_names, void.current_rows]
    for at in range(1, 25):
        d.session.execute(insert, (at,))
    statement = d.query.SimpleStatement(f"SELECT c FROM {table}", fetch_size=10)
    result = d.session.execute(statement)
    seen += [result.has_more_pages, len(result.current_rows), result.column_names, bool(result)]
    state = result.paging_state
    seen.append([row.c for row in result])
    seen += [result.has_more_pages, result.paging_state, list(result), result.one()]
    other = d.session.execute(statement, paging_state=state)
    seen.append([row.c for row in other.current_rows])
    other.fetch_next_page()
    seen.append([row.c for row in other.current_rows])
    other.fetch_next_page()
    seen += [other.current_rows, other.has_more_pages]
    seen.append(d.session.execute(statement)[12].c)
    seen.append(len(d.session.execute(statement).all()))
    iterated = d.session.execute(statement)
    next(iter(iterated))
    seen.append(d.failure(iterated.__getitem__, 3))
    d.session.default_fetch_size = 7
    seen.append(len(d.session.execute(f"SELECT c FROM {table}").current_rows))
    d.session.default_fetch_size = None
    seen.append(len(d.session.execute(f"SELECT c FROM {table}").current_rows))
    d.session.default_fetch_size = 5000
    return seen


@scenario
def conditional_statements(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a int")
    insert = f"INSERT INTO {table} (k, a) VALUES (1, 2) IF NOT EXISTS"
    first, second = d.session.execute(insert), d.session.execute(insert)
    plain = d.session.execute(f"INSERT INTO {table} (k, a) VALUES (3, 4)")
    serial = d.query.SimpleStatement(
        f"UPDATE {table} SET a = 5 WHERE k = 1 IF a = 2",
        serial_consistency_level=d.root.ConsistencyLevel.LOCAL_SERIAL,
    )
    return [
        first.was_applied,
        shown(first.one()),
        second.was_applied,
        shown(second.one()),
        d.session.execute(serial).was_applied,
        d.failure(lambda: plain.was_applied),
        d.failure(d.query.SimpleStatement, "x", serial_consistency_level=1),
    ]


@scenario
def futures(d: Driver) -> Any:
    table = d.table("k int, c int, PRIMARY KEY (k, c)")
    for at in range(5):
        d.session.execute(f"INSERT INTO {table} (k, c) VALUES (0, %s)", (at,))
    statement = d.query.SimpleStatement(f"SELECT c FROM {table}", fetch_size=2)
    pages: list[Any] = []
    ended = threading.Event()
    threads = set()

    def page(rows: Any, future: Any, *, key: str) -> None:
        threads.add(threading.get_ident())
        pages.append((key, type(rows).__name__, [row.c for row in rows], future.has_more_pages))
        if future.has_more_pages:
            future.start_fetching_next_page()
        else:
            ended.set()

    future = d.session.execute_async(statement)
    future.add_callbacks(page, pages.append, callback_args=(future,), callback_kwargs={"key": "x"})
    assert ended.wait(60)
    errors: list[Any] = []
    failed = threading.Event()
    bad = d.session.execute_async("SELECT nonsense")

    def note(error: BaseException, more: int) -> None:
        errors.append((type(error).__name__, more))
        failed.set()

    bad.add_errback(note, 5)
    assert failed.wait(60)
    late: list[Any] = []
    bad.add_errback(lambda error: late.append(type(error).__name__))
    bad.add_callback(late.append)
    done = d.session.execute_async(f"SELECT c FROM {table} WHERE k = 0 AND c = 3")
    value = done.result().one().c
    done.add_callback(lambda rows: late.append(shown(rows)))
    exhausted = d.failure(done.start_fetching_next_page)
    return pages, errors, late, value, exhausted, done.warnings, done.has_more_pages


@scenario
def void_results_in_callbacks(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY")
    seen: list[Any] = []
    ended = threading.Event()
    future = d.session.execute_async(f"INSERT INTO {table} (k) VALUES (1)")

    def note(rows: Any) -> None:
        seen.append(shown(rows))
        ended.set()

    future.add_callback(note)
    assert ended.wait(60)
    return seen, shown(future.result().all())


@scenario
def batches(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a text")
    counters = d.table("k int PRIMARY KEY, n counter")
    insert = d.session.prepare(f"INSERT INTO {table} (k, a) VALUES (?, ?)")
    batch = d.query.BatchStatement()
    batch.add(insert, (1, "one"))
    batch.add(insert.bind((2, "two")))
    batch.add(f"INSERT INTO {table} (k, a) VALUES (%s, %s)", (3, "three"))
    batch.add(d.query.SimpleStatement(f"INSERT INTO {table} (k, a) VALUES (4, 'four')"))
    batch.add_all([insert, insert], [(5, "five"), (6,)])
    d.session.execute(batch)
    count = len(batch)
    batch.clear()
    unlogged = d.query.BatchStatement(d.query.BatchType.UNLOGGED)
    unlogged.add(insert, (7, "seven"))
    d.session.execute_async(unlogged).result()
    counting = d.query.BatchStatement(batch_type=d.query.BatchType.COUNTER)
    counting.add(f"UPDATE {counters} SET n = n + 2 WHERE k = 1")
    d.session.execute(counting)
    applied = d.query.BatchStatement()
    applied.add(f"INSERT INTO {table} (k, a) VALUES (9, 'x') IF NOT EXISTS")
    rows = sorted(tuple(row) for row in d.session.execute(f"SELECT k, a FROM {table}"))
    empty = d.session.execute(d.query.BatchStatement())
    return [
        rows, count, len(batch), empty.one(),
        d.session.execute(f"SELECT n FROM {counters}").one().n,
        d.session.execute(applied).was_applied,
        d.failure(batch.add, insert.bind((1, "x")), (1,)),
        str(d.query.BatchType.LOGGED),
    ]  # fmt: skip


@scenario
def concurrency(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY, a int")
    insert = d.session.prepare(f"INSERT INTO {table} (k, a) VALUES (?, ?)")
    select = d.session.prepare(f"SELECT a FROM {table} WHERE k = ?")
    run, run_args = d.concurrent.execute_concurrent, d.concurrent.execute_concurrent_with_args
    written = run_args(d.session, insert, [(at, at * 2) for at in range(300)], concurrency=50)
    read = run_args(d.session, select, [(at,) for at in range(300)])
    mixed = [(select, (1,)), ("SELECT nonsense", None), (select, (2,))]
    stored = run(d.session, mixed, raise_on_first_error=False)
    streamed = run_args(d.session, select, ((at,) for at in range(50)), results_generator=True)
    return [
        all(result.success for result in written), len(written),
        [result.result_or_exc.one().a for result in read],
        [(ok, type(actual).__name__) for ok, actual in stored],
        [actual.one().a for ok, actual in streamed if ok],
        d.failure(run, d.session, mixed),
        d.failure(lambda: list(run(d.session, mixed, results_generator=True))),
        [actual.one().a for _, actual in d.session.execute_concurrent([(select, (3,))])],
        run(d.session, []),
        d.failure(run, d.session, mixed, concurrency=0),
    ]  # fmt: skip


@scenario
def tracing_and_payload(d: Driver) -> Any:
    table = d.table("k int PRIMARY KEY")
    result = d.session.execute(f"SELECT * FROM {table}", trace=True)
    trace = result.get_query_trace(max_wait_sec=30)
    plain = d.session.execute(f"SELECT * FROM {table}")
    return [
        trace.request_type,
        type(trace.duration).__name__,
        trace.coordinator,
        type(trace.started_at).__name__,
        len(trace.events) > 2,
        type(trace.events[0].source_elapsed).__name__,
        trace.parameters["query"].startswith("SELECT * FROM t"),
        len(result.get_all_query_traces()),
        plain.get_query_trace(),
        result.response_future.custom_payload,
        str(result.response_future.coordinator_host),
    ]


@scenario
def profiles(d: Driver) -> Any:
    level = d.root.ConsistencyLevel
    profile = d.cluster_.ExecutionProfile
    default = d.cluster_.EXEC_PROFILE_DEFAULT
    policies = d.policies
    cluster = d.connectable(
        execution_profiles={
            default: profile(
                load_balancing_policy=policies.TokenAwarePolicy(
                    policies.DCAwareRoundRobinPolicy("dc1")
                ),
                row_factory=d.query.dict_factory,
                consistency_level=level.LOCAL_QUORUM,
                request_timeout=20,
                retry_policy=policies.FallthroughRetryPolicy(),
            ),
            "only": profile(
                load_balancing_policy=policies.WhiteListRoundRobinPolicy([d.address]),
                row_factory=d.query.tuple_factory,
            ),
        }
    )
    session = cluster.connect()
    text = "SELECT key FROM system.local"
    other = session.execution_profile_clone_update("only", row_factory=d.query.dict_factory)
    seen = [
        shown(session.execute(text).one()),
        shown(session.execute(text, execution_profile="only").one()),
        shown(session.execute(text, execution_profile=other).one()),
        d.failure(setattr, session, "row_factory", d.query.tuple_factory),
        d.failure(setattr, session, "default_timeout", 5),
        d.failure(session.execute, text, execution_profile="missing"),
        d.failure(cluster.add_execution_profile, "only", profile()),
        session.get_execution_profile("only").consistency_level,
        session.get_execution_profile(default).request_timeout,
    ]
    cluster.shutdown()
    legacy = d.connectable(load_balancing_policy=policies.RoundRobinPolicy())
    with legacy.connect() as session:
        session.default_consistency_level = level.ONE
        seen.append(session.default_consistency_level)
        seen.append(d.failure(session.execute, text, execution_profile="x"))
    legacy.shutdown()
    return seen


@scenario
def keyspaces_of_sessions(d: Driver) -> Any:
    seen = []
    cluster = d.connectable()
    session = cluster.connect()
    seen.append(session.keyspace)
    session.set_keyspace(d.keyspace)
    seen.append(session.keyspace == d.keyspace)
    session.execute("USE system")
    seen.append(session.keyspace)
    seen.append(shown(session.execute("SELECT key FROM local").one()))
    seen.append(d.failure(session.set_keyspace, "nothing_there"))
    cluster.shutdown()
    seen.append(cluster.is_shutdown)
    return seen


@scenario
def schema_metadata(d: Driver) -> Any:
    d.session.execute("CREATE TYPE meta_type (a int, b text)")
    d.session.execute(
        "CREATE TABLE meta (p1 int, p2 text, c1 int, c2 int, s int static, v list<text>, "
        "PRIMARY KEY ((p1, p2), c1, c2)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC)"
    )
    keyspace = d.cluster.metadata.keyspaces[d.keyspace]
    table = keyspace.tables["meta"]
    host = d.cluster.metadata.all_hosts()[0]
    result = d.cluster.metadata.get_host(d.address)
    return [
        keyspace.name == d.keyspace,
        keyspace.durable_writes,
        [column.name for column in table.partition_key],
        [column.name for column in table.clustering_key],
        [column.name for column in table.primary_key],
        {
            name: (column.cql_type, column.is_static, column.is_reversed)
            for name, column in table.columns.items()
        },
        list(keyspace.user_types["meta_type"].field_names),
        table.name,
        len(d.cluster.metadata.all_hosts()),
        (host.address, host.datacenter, host.rack, host.is_up, host.release_version),
        str(host), str(host.host_id), result == host,
        "missing" in d.cluster.metadata.keyspaces,
        d.cluster.metadata.cluster_name,
        table.export_as_string().startswith("CREATE TABLE"),
    ]  # fmt: skip


@scenario
def names_and_numbers(d: Driver) -> Any:
    level, kinds = d.root.ConsistencyLevel, d.root.WriteType
    return [
        {name: getattr(level, name) for name in level.name_to_value},
        level.value_to_name[6],
        kinds.name_to_value,
        d.root.consistency_value_to_name(None),
        repr(d.util.Date("2020-01-02")), str(d.util.Date(5)), str(d.util.Time("01:02:03.5")),
        repr(d.util.SortedSet([3, 1, 1])), d.util.SortedSet([1]) == {1},
        repr(d.util.SortedSet([1]) | {2}),
        d.util.datetime_from_uuid1(d.util.min_uuid_from_time(1.5)),
        str(d.util.max_uuid_from_time(MOMENT)),
        str(d.util.Duration(1, 2, 3)), d.util.ms_timestamp_from_datetime(MOMENT),
        ipaddress.ip_address(d.address).is_loopback,
    ]  # fmt: skip
