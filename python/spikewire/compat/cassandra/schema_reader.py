"""Reads a schema from the server's tables."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from spikewire.compat.cassandra.schema import (
    Aggregate,
    ColumnMetadata,
    Function,
    IndexMetadata,
    KeyspaceMetadata,
    MaterializedViewMetadata,
    TableMetadata,
    TriggerMetadata,
    UserType,
)
from spikewire.cql.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CONTENTS", "Part", "read_schema"]

Row = dict[str, Any]
#: Attributes of a keyspace with its contents.
CONTENTS = ("tables", "views", "indexes", "user_types", "functions", "aggregates")
#: Columns of a table's row that are no settings of it.
_NO_OPTIONS = frozenset(
    (
        "base_table_id",
        "base_table_name",
        "extensions",
        "flags",
        "id",
        "include_all_columns",
        "keyspace_name",
        "table_name",
        "view_name",
        "where_clause",
    )
)


class Part(NamedTuple):
    """A part of the schema, with the rows that it was read from: equal rows make equal parts."""

    value: Any
    rows: Any


Parts = dict[str, Part]


def read_schema(rows_of: Callable[[str], list[Row]]) -> dict[str, tuple[KeyspaceMetadata, Any]]:
    """All keyspaces by name. Their contents are ``Part``."""
    schema = _Schema(rows_of)
    keyspaces: dict[str, tuple[KeyspaceMetadata, Any]] = {}
    for row in rows_of("SELECT * FROM system_schema.keyspaces"):
        replication = dict(row["replication"])
        of_class = replication.pop("class")
        keyspace = KeyspaceMetadata(
            row["keyspace_name"], row["durable_writes"], of_class, replication
        )
        keyspaces[keyspace.name] = keyspace, schema.contents(keyspace.name)
    try:
        virtual = rows_of("SELECT * FROM system_virtual_schema.keyspaces")
    except InvalidRequest:
        return keyspaces  # Cassandra 3 has none.
    schema = _Schema(rows_of, virtual=True)
    for row in virtual:
        keyspace = KeyspaceMetadata(row["keyspace_name"], True, None, {})
        keyspace.virtual = True
        keyspaces[keyspace.name] = keyspace, schema.contents(keyspace.name)
    return keyspaces


class _Schema:
    """The rows of all keyspaces, by keyspace."""

    def __init__(self, rows_of: Callable[[str], list[Row]], virtual: bool = False) -> None:
        self.virtual = virtual
        place = "system_virtual_schema" if virtual else "system_schema"

        def by_keyspace(table: str) -> dict[str, list[Row]]:
            rows: dict[str, list[Row]] = defaultdict(list)
            if virtual and table not in ("tables", "columns"):
                return rows
            for row in rows_of(f"SELECT * FROM {place}.{table}"):  # noqa: S608
                rows[row["keyspace_name"]].append(row)
            return rows

        self.rows = {
            table: by_keyspace(table)
            for table in (
                "tables",
                "columns",
                "views",
                "indexes",
                "triggers",
                "types",
                "functions",
                "aggregates",
            )
        }

    def contents(self, keyspace: str) -> dict[str, Parts]:
        """The contents of a keyspace, by the names of ``CONTENTS``."""
        columns = self._by_table("columns", keyspace)
        indexes = self._by_table("indexes", keyspace)
        triggers = self._by_table("triggers", keyspace)
        tables: Parts = {}
        views: Parts = {}
        all_indexes: Parts = {}
        for row in self.rows["tables"][keyspace]:
            name = row["table_name"]
            rows = row, columns[name], indexes[name], triggers[name]
            table = TableMetadata(keyspace, name, options=_options(row), virtual=self.virtual)
            table.extensions = dict(row.get("extensions") or {})
            _add_columns(table, columns[name])
            for part in _indexes(indexes[name]):
                table.indexes[part.value.name] = part.value
                all_indexes[part.value.name] = part
            for one in triggers[name]:
                trigger = TriggerMetadata(table, one["trigger_name"], dict(one["options"]))
                table.triggers[trigger.name] = trigger
            tables[name] = Part(table, rows)
        for row in self.rows["views"][keyspace]:
            view = MaterializedViewMetadata(
                keyspace,
                row["view_name"],
                row["base_table_name"],
                row["include_all_columns"],
                row["where_clause"],
                _options(row),
            )
            view.extensions = dict(row.get("extensions") or {})
            _add_columns(view, columns[view.name])
            views[view.name] = Part(view, (row, columns[view.name]))
            if view.base_table_name in tables:
                tables[view.base_table_name].value.views[view.name] = view
        return {
            "tables": tables,
            "views": views,
            "indexes": all_indexes,
            "user_types": {
                row["type_name"]: _user_type(row) for row in self.rows["types"][keyspace]
            },
            "functions": _by_signature(map(_function, self.rows["functions"][keyspace])),
            "aggregates": _by_signature(map(_aggregate, self.rows["aggregates"][keyspace])),
        }

    def _by_table(self, kind: str, keyspace: str) -> dict[str, list[Row]]:
        rows: dict[str, list[Row]] = defaultdict(list)
        for row in self.rows[kind][keyspace]:
            rows[row["table_name"]].append(row)
        return rows


def _options(row: Row) -> Row:
    # From Cassandra 4 on, the table has these two, but statements do not.
    former = ("read_repair_chance", "dclocal_read_repair_chance") if "read_repair" in row else ()
    return {
        name: value for name, value in row.items() if name not in _NO_OPTIONS and name not in former
    }


def _add_columns(table: TableMetadata | MaterializedViewMetadata, rows: list[Row]) -> None:
    columns = {
        row["column_name"]: ColumnMetadata(
            table,
            row["column_name"],
            row["type"],
            row["kind"] == "static",
            row["clustering_order"] == "desc",
        )
        for row in rows
    }
    in_order = sorted(rows, key=lambda row: row["position"])
    for kind, key in (("partition_key", "partition_key"), ("clustering", "clustering_key")):
        names = [row["column_name"] for row in in_order if row["kind"] == kind]
        setattr(table, key, [columns[name] for name in names])
    table.columns = {column.name: column for column in table.primary_key} | columns


def _indexes(rows: list[Row]) -> Iterator[Part]:
    for row in rows:
        names = row["keyspace_name"], row["table_name"], row["index_name"]
        yield Part(IndexMetadata(*names, row["kind"], dict(row["options"])), row)


def _user_type(row: Row) -> Part:
    fields = list(row["field_names"]), list(row["field_types"])
    return Part(UserType(row["keyspace_name"], row["type_name"], *fields), row)


def _by_signature(parts: Iterator[Part]) -> Parts:
    return {part.value.signature: part for part in parts}


def _function(row: Row) -> Part:
    function = Function(
        row["keyspace_name"],
        row["function_name"],
        list(row["argument_types"]),
        list(row["argument_names"] or ()),
        row["return_type"],
        row["language"],
        row["body"],
        row["called_on_null_input"],
    )
    return Part(function, row)


def _aggregate(row: Row) -> Part:
    aggregate = Aggregate(
        row["keyspace_name"],
        row["aggregate_name"],
        list(row["argument_types"]),
        row["state_func"],
        row["state_type"],
        row["final_func"],
        row["initcond"],
        row["return_type"],
    )
    return Part(aggregate, row)
