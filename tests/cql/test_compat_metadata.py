"""The schema, nodes and tokens that cassandra-driver and its drop-in show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cql.compat_drivers import OURS, Driver

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


def settled(d: Driver) -> Any:
    """The metadata of the keyspace, with all changes so far."""
    d.cluster.refresh_schema_metadata()
    return d.cluster.metadata.keyspaces[d.keyspace]


@scenario
def a_keyspace(d: Driver) -> Any:
    keyspace = settled(d)
    strategy = keyspace.replication_strategy
    return [
        keyspace.name == d.keyspace,
        keyspace.durable_writes,
        strategy.name,
        strategy.dc_replication_factors,
        keyspace.as_cql_query().replace(d.keyspace, "k"),
        keyspace.virtual,
        d.cluster.metadata.keyspaces["system_views"].virtual,
        d.cluster.metadata.keyspaces["system_auth"].replication_strategy.name,
        d.cluster.metadata.keyspaces["system"].replication_strategy.name,
    ]


@scenario
def tables_and_indexes(d: Driver) -> Any:
    d.session.execute(
        'CREATE TABLE "OddTable" (p1 int, "P 2" text, c1 int, c2 int, s int static, v list<text>, '
        '"select" map<text, int>, PRIMARY KEY ((p1, "P 2"), c1, c2)) '
        "WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC) AND comment = 'it''s'"
    )
    d.session.execute('CREATE INDEX of_values ON "OddTable" (v)')
    d.session.execute('CREATE INDEX "OfKeys" ON "OddTable" (keys("select"))')
    keyspace = settled(d)
    table = keyspace.tables["OddTable"]
    text = table.as_cql_query().replace(d.keyspace, "k")
    recreated = table.export_as_string()
    d.session.execute('DROP TABLE "OddTable"')
    for statement in recreated.split(";\n"):
        d.session.execute(statement.rstrip("; \n"))
    again = settled(d).tables["OddTable"].as_cql_query().replace(d.keyspace, "k")
    return [
        text[: text.index(" AND ")],
        text == again,
        {
            name: (one.cql_type, one.is_static, one.is_reversed)
            for name, one in table.columns.items()
        },
        [column.name for column in table.primary_key],
        sorted(table.indexes),
        sorted(keyspace.indexes),
        [one.as_cql_query().replace(d.keyspace, "k") for _, one in sorted(table.indexes.items())],
        table.options["comment"],
        table.options["compaction"]["class"],
        table.is_cql_compatible,
        table.virtual,
        dict(table.triggers),
    ]


@scenario
def types_functions_and_aggregates(d: Driver) -> Any:
    d.session.execute("CREATE TYPE z_inner (a int, b frozen<list<text>>)")
    d.session.execute('CREATE TYPE a_outer ("In" frozen<z_inner>, c text)')
    d.session.execute(
        "CREATE FUNCTION plus (a int, b int) RETURNS NULL ON NULL INPUT RETURNS int "
        "LANGUAGE java AS 'return a + b;'"
    )
    d.session.execute("CREATE AGGREGATE total (int) SFUNC plus STYPE int INITCOND 0")
    keyspace = settled(d)
    seen = [
        list(keyspace.user_types["a_outer"].field_names),
        list(keyspace.user_types["a_outer"].field_types),
        [text.replace(d.keyspace, "k") for text in keyspace.user_type_strings()][-2:],
        sorted(keyspace.functions),
        sorted(keyspace.aggregates),
        keyspace.functions["plus(int,int)"].as_cql_query().replace(d.keyspace, "k"),
        keyspace.aggregates["total(int)"].as_cql_query().replace(d.keyspace, "k"),
    ]
    d.session.execute("DROP AGGREGATE total")
    d.session.execute("DROP FUNCTION plus")
    return seen


@scenario
def views(d: Driver) -> Any:
    d.session.execute("CREATE TABLE base (a int PRIMARY KEY, b int, c int)")
    d.session.execute(
        "CREATE MATERIALIZED VIEW by_b AS SELECT a, b FROM base "
        "WHERE a IS NOT NULL AND b IS NOT NULL PRIMARY KEY (b, a)"
    )
    keyspace = settled(d)
    view = keyspace.views["by_b"]
    text = view.as_cql_query().replace(d.keyspace, "k")
    seen = [
        text.split(" WITH ")[0],
        keyspace.tables["base"].views["by_b"] is view,
        view.base_table_name,
        view.include_all_columns,
        [column.name for column in view.partition_key + view.clustering_key],
    ]
    d.session.execute("DROP MATERIALIZED VIEW by_b")
    return [*seen, sorted(settled(d).tables["base"].views)]


@scenario
def what_a_program_holds_on_to_follows(d: Driver) -> Any:
    """Changes by the program's own statements are there when they return."""
    keyspace = settled(d)
    tables, types = keyspace.tables, keyspace.user_types
    d.session.execute("CREATE TABLE later (a int PRIMARY KEY)")
    seen = ["later" in tables]
    d.session.execute("CREATE TYPE later_type (a int)")
    seen.append("later_type" in types)
    d.session.execute("ALTER TABLE later ADD b int")
    seen.append("b" in tables["later"].columns)
    d.session.execute("DROP TABLE later")
    seen.append("later" in tables)
    d.session.execute(f"ALTER KEYSPACE {d.keyspace} WITH durable_writes = false")
    seen.append(d.cluster.metadata.keyspaces[d.keyspace].durable_writes)
    d.session.execute(f"ALTER KEYSPACE {d.keyspace} WITH durable_writes = true")
    return seen


@scenario
def one_part_at_a_time(d: Driver) -> Any:
    """Without automatic refreshes, each method reads one part."""
    still = d.connectable(schema_event_refresh_window=-1)
    still.connect()
    keyspaces = still.metadata.keyspaces
    d.session.execute("CREATE TABLE part_table (a int PRIMARY KEY)")
    d.session.execute("CREATE TYPE part_type (a int)")
    keyspace = keyspaces[d.keyspace]
    seen = ["part_table" in keyspace.tables, "part_type" in keyspace.user_types]
    still.refresh_table_metadata(d.keyspace, "part_table")
    seen += ["part_table" in keyspace.tables, "part_type" in keyspace.user_types]
    still.refresh_user_type_metadata(d.keyspace, "part_type")
    seen += ["part_type" in keyspace.user_types]
    former = keyspace.tables["part_table"]
    still.refresh_table_metadata(d.keyspace, "part_table")
    seen.append(keyspace.tables["part_table"] is former)
    d.session.execute("DROP TABLE part_table")
    seen.append("part_table" in still.metadata.keyspaces[d.keyspace].tables)
    still.refresh_schema_metadata()
    seen.append("part_table" in still.metadata.keyspaces[d.keyspace].tables)
    still.shutdown()
    return seen


@scenario
def without_schema_or_tokens(d: Driver) -> Any:
    no_schema = d.connectable(schema_metadata_enabled=False)
    no_schema.connect()
    no_tokens = d.connectable(token_metadata_enabled=False)
    no_tokens.connect()
    seen = [
        len(no_schema.metadata.keyspaces),
        no_schema.metadata.export_schema_as_string(),
        len(no_tokens.metadata.token_map.token_to_host_owner),
        d.connectable().metadata.keyspaces,
        d.connectable().metadata.all_hosts(),
    ]
    no_schema.shutdown()
    no_tokens.shutdown()
    return seen


@scenario
def tokens_and_replicas(d: Driver) -> Any:
    metadata = d.cluster.metadata
    tokens = metadata.token_map
    kind = tokens.token_class
    return [
        kind.__name__,
        [token.value for token in tokens.ring],
        [str(host) for host in tokens.token_to_host_owner.values()],
        [str(host) for host in metadata.get_replicas(d.keyspace, b"key")],
        [str(host) for host in tokens.get_replicas(d.keyspace, tokens.ring[0])],
        list(metadata.get_replicas("nothing_there", b"key")),
        [kind.from_key(bytes(range(at))).value for at in range(40)],
        kind.from_key(b"\xff" * 33).value,
        metadata.partitioner,
        metadata.can_support_partitioner(),
    ]


@scenario
def nodes(d: Driver) -> Any:
    metadata = d.cluster.metadata
    host = metadata.all_hosts()[0]
    endpoint = d.connection.DefaultEndPoint(d.address, d.port)
    return [
        metadata.get_host(endpoint) == host,
        metadata.get_host(d.address) == host,
        metadata.get_host("192.0.2.1"),
        host.endpoint == endpoint,
        str(host.endpoint),
        host.broadcast_address,
        host.broadcast_rpc_address,
        host.listen_address,
        str(d.cluster.get_control_connection_host()),
    ]


def test_group_keys_by_replica_groups_by_host(cassandra: SharedCassandra, keyspace: str) -> None:
    driver = Driver(OURS, cassandra.addresses[0], keyspace)
    try:
        driver.session.execute("CREATE TABLE by_node (a int, b text, PRIMARY KEY ((a, b)))")
        keys = [(at, "x") for at in range(20)]
        group = driver.metadata.group_keys_by_replica
        grouped = group(driver.session, keyspace, "by_node", keys)
        assert {str(host): result for host, result in grouped.items()} == {
            cassandra.addresses[0]: keys
        }
    finally:
        driver.close()


def test_another_session_sees_what_one_changed(cassandra: SharedCassandra, keyspace: str) -> None:
    """A change by somebody else is seen at the next look."""
    driver = Driver(OURS, cassandra.addresses[0], keyspace)
    try:
        assert "by_other" not in driver.cluster.metadata.keyspaces[keyspace].tables
        cassandra.execute(f"CREATE TABLE {keyspace}.by_other (a int PRIMARY KEY)")
        assert "by_other" in driver.cluster.metadata.keyspaces[keyspace].tables
    finally:
        driver.close()
