"""The schema of a real node, as sessions tell it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from spikewire import cql
from spikewire.testing.cassandra import CannedServer
from waiting import until

if TYPE_CHECKING:
    from spikewire.testing.cassandra import SharedCassandra


@pytest.fixture(scope="module")
def table(cassandra: SharedCassandra, keyspace: str) -> str:
    for text in (
        f"CREATE TYPE {keyspace}.place (street text, zip int)",
        f"""CREATE TABLE {keyspace}.orders (
            shop text, day date, at timeuuid, name text, "Total" decimal static,
            places frozen<list<place>>, PRIMARY KEY ((shop, day), at, name)
        ) WITH CLUSTERING ORDER BY (at DESC, name ASC) AND comment = 'of a day'""",
        f"CREATE INDEX by_places ON {keyspace}.orders (FULL(places))",
        f"""ALTER TABLE {keyspace}.orders WITH gc_grace_seconds = 77
            AND bloom_filter_fp_chance = 0.25 AND speculative_retry = '10ms' AND compaction =
            {{'class': 'SizeTieredCompactionStrategy', 'min_threshold': '5'}}""",
        f"""CREATE FUNCTION {keyspace}.plus (a int, b int) RETURNS NULL ON NULL INPUT RETURNS int
            LANGUAGE java AS 'return a + b;'""",
        f"""CREATE FUNCTION {keyspace}.size (places list<frozen<place>>) CALLED ON NULL INPUT
            RETURNS int LANGUAGE java AS 'return 0;'""",
        f"""CREATE FUNCTION {keyspace}.half (a int) RETURNS NULL ON NULL INPUT RETURNS double
            LANGUAGE java AS 'return a / 2.0;'""",
        f"""CREATE FUNCTION {keyspace}.latest (a int, b int) CALLED ON NULL INPUT RETURNS int
            LANGUAGE java AS 'return b;'""",
        f"CREATE AGGREGATE {keyspace}.total (int) SFUNC plus STYPE int INITCOND 0",
        f"CREATE AGGREGATE {keyspace}.half_of (int) SFUNC latest STYPE int FINALFUNC half",
    ):
        cassandra.execute(text)
    return f"{keyspace}.orders"


def test_a_table_with_everything(cassandra: SharedCassandra, keyspace: str, table: str) -> None:
    with cql.Session(cassandra.addresses[0], timeout=60) as session:
        schema = session.schema()
        known = schema.keyspaces[keyspace]
        assert known.replication["class"].endswith("NetworkTopologyStrategy")
        assert (known.durable_writes, known.is_virtual) == (True, False)
        assert known.types == {"place": {"street": "text", "zip": "int"}}
        orders = schema.table(keyspace, "orders")
        assert (orders.partition_key, orders.clustering) == (["shop", "day"], ["at", "name"])
        assert {name: column.type for name, column in orders.columns.items()} == {
            "shop": "text",
            "day": "date",
            "at": "timeuuid",
            "name": "text",
            "Total": "decimal",
            "places": "frozen<list<frozen<place>>>",
        }
        rows = session.execute(f"SELECT * FROM {table}")
        assert list(orders.columns) == list(rows.columns)
        assert [column.descending for column in orders.columns.values()][2:4] == [True, False]
        assert orders.columns["Total"].kind == "static"
        assert (orders.comment, orders.name, orders.keyspace) == ("of a day", "orders", keyspace)
        index = orders.indexes["by_places"]
        assert (index.kind, index.options) == ("COMPOSITES", {"target": "full(places)"})
        assert (orders.triggers, orders.extensions) == ({}, {})
        virtual = schema.keyspaces["system_views"]
        assert virtual.is_virtual
        assert "clients" in virtual.tables
        with pytest.raises(LookupError, match=f"there is no table {keyspace}.nothing"):
            schema.table(keyspace, "nothing")
        with pytest.raises(LookupError, match="there is no keyspace nowhere"):
            schema.table("nowhere", "nothing")


def test_options_functions_and_aggregates(
    cassandra: SharedCassandra, keyspace: str, table: str
) -> None:
    del table
    with cql.Session(cassandra.addresses[0], timeout=60) as session:
        known = session.schema().keyspaces[keyspace]
    options: dict[str, Any] = known.tables["orders"].options
    expected = {
        "gc_grace_seconds": 77,
        "bloom_filter_fp_chance": 0.25,
        "crc_check_chance": 1.0,
        "speculative_retry": "10ms",
        "comment": "of a day",
        "cdc": False,
        "caching": {"keys": "ALL", "rows_per_partition": "NONE"},
    }
    # Servers need not have all of them.
    assert {name: options.get(name, value) for name, value in expected.items()} == expected
    assert type(options["crc_check_chance"]) is float
    assert type(options["gc_grace_seconds"]) is int
    assert options["compaction"]["min_threshold"] == "5"
    assert options["compaction"]["class"].endswith("SizeTieredCompactionStrategy")
    assert not {"id", "keyspace_name", "table_name", "extensions", "flags"} & options.keys()
    assert known.functions["plus(int,int)"] == cql.UserFunction(
        "plus", ["int", "int"], ["a", "b"], "int", "java", "return a + b;", False
    )
    (size,) = (one for one in known.functions.values() if one.name == "size")
    assert (size.argument_names, size.called_on_null_input) == (["places"], True)
    assert known.functions.keys() == {
        f"{one.name}({','.join(one.argument_types)})" for one in known.functions.values()
    }
    assert known.aggregates == {
        "total(int)": cql.UserAggregate("total", ["int"], "int", "plus", "int", None, "0"),
        "half_of(int)": cql.UserAggregate(
            "half_of", ["int"], "double", "latest", "int", "half", None
        ),
    }


def test_it_is_what_cassandra_driver_says(
    cassandra: SharedCassandra, keyspace: str, table: str
) -> None:
    del table
    driver = pytest.importorskip("cassandra.cluster", exc_type=ImportError)
    host, _, port = cassandra.addresses[0].partition(":")
    cluster = driver.Cluster([host], port=int(port), connect_timeout=30)
    try:
        cluster.connect()
        theirs = cluster.metadata.keyspaces
        with cql.Session(cassandra.addresses[0], timeout=60) as session:
            ours = session.schema().keyspaces
        for name in (keyspace, "system", "system_schema", "system_auth"):
            assert ours[name].tables.keys() == theirs[name].tables.keys()
            for table_name, known in ours[name].tables.items():
                described = theirs[name].tables[table_name]
                assert known.partition_key == [one.name for one in described.partition_key]
                assert known.clustering == [one.name for one in described.clustering_key]
                types = {column: one.cql_type for column, one in described.columns.items()}
                assert {column: one.type for column, one in known.columns.items()} == types
                assert known.indexes.keys() == described.indexes.keys()
                assert known.triggers.keys() == described.triggers.keys()
                options = {
                    option: value
                    for option, value in described.options.items()
                    if value is not None
                }
                assert options.items() <= known.options.items()
            for signature, function in ours[name].functions.items():
                same = theirs[name].functions[signature]
                assert (function.argument_types, function.argument_names) == (
                    same.argument_types,
                    same.argument_names,
                )
                assert (function.return_type, function.language, function.body) == (
                    same.return_type,
                    same.language,
                    same.body,
                )
                assert function.called_on_null_input == same.called_on_null_input
            assert ours[name].functions.keys() == theirs[name].functions.keys()
            assert ours[name].aggregates.keys() == theirs[name].aggregates.keys()
            for signature, aggregate in ours[name].aggregates.items():
                same = theirs[name].aggregates[signature]
                assert (aggregate.state_function, aggregate.state_type) == (
                    same.state_func,
                    same.state_type,
                )
                assert (aggregate.final_function, aggregate.initial_condition) == (
                    same.final_func,
                    same.initial_condition,
                )
    finally:
        cluster.shutdown()


def test_changes_of_the_session_are_in_it_at_once(
    cassandra: SharedCassandra, keyspace: str
) -> None:
    with cql.Session(cassandra.addresses[0], timeout=60, keyspace=keyspace) as session:
        for number in range(3):
            session.execute(f"CREATE TABLE grows_{number} (id int PRIMARY KEY)")
            assert f"grows_{number}" in session.schema().keyspaces[keyspace].tables
        session.execute("ALTER TABLE grows_0 ADD name text")
        assert "name" in session.schema().table(keyspace, "grows_0").columns
        session.execute("DROP TABLE grows_1")
        assert "grows_1" not in session.schema().keyspaces[keyspace].tables


def test_it_follows_changes_of_others(cassandra: SharedCassandra, keyspace: str) -> None:
    with cql.Session(cassandra.addresses[0], timeout=60) as session:
        assert "elsewhere" not in session.schema().keyspaces[keyspace].tables
        cassandra.execute(f"CREATE TABLE {keyspace}.elsewhere (id int PRIMARY KEY)")
        assert until(lambda: "elsewhere" in session.schema().keyspaces[keyspace].tables, 30)


def test_on_an_event_loop(cassandra: SharedCassandra, keyspace: str, table: str) -> None:
    del table

    async def main() -> Any:
        async with cql.AsyncSession(cassandra.addresses[0], timeout=60) as session:
            schemas = await asyncio.gather(*(session.schema() for _ in range(5)))
            assert all(schema == schemas[0] for schema in schemas)
            return schemas[0]

    assert "orders" in asyncio.run(main()).keyspaces[keyspace].tables


def test_views(cassandra: SharedCassandra, keyspace: str) -> None:
    with cql.Session(cassandra.addresses[0], timeout=60, keyspace=keyspace) as session:
        session.execute("CREATE TABLE based (id int PRIMARY KEY, name text)")
        try:
            session.execute(
                "CREATE MATERIALIZED VIEW by_name AS SELECT * FROM based WHERE name IS NOT NULL "
                "AND id IS NOT NULL PRIMARY KEY (name, id) WITH gc_grace_seconds = 78"
            )
        except cql.errors.InvalidRequest as error:
            pytest.skip(str(error))
        view = session.schema().keyspaces[keyspace].views["by_name"]
        assert isinstance(view, cql.View)
        assert (view.base_table, view.partition_key, view.clustering) == ("based", ["name"], ["id"])
        assert "name IS NOT NULL" in view.where_clause
        assert view.include_all_columns
        assert view.options["gc_grace_seconds"] == 78
        assert "base_table_name" not in view.options


def test_a_server_without_virtual_tables_and_a_closed_session() -> None:
    with CannedServer() as server:
        with cql.Session(server.address) as session:
            session.execute(
                "CREATE KEYSPACE k WITH replication = "
                "{'class': 'SimpleStrategy', 'replication_factor': 1}"
            )
            session.execute("CREATE TABLE k.t (id int, at int, v text, PRIMARY KEY (id, at))")
            table = session.schema().table("k", "t")
            assert (table.partition_key, table.clustering) == (["id"], ["at"])
        with pytest.raises(cql.errors.SessionClosed):
            session.schema()
