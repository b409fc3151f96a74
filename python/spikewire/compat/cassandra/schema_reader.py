"""The schema as cassandra-driver has it, from that of the engine."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CONTENTS", "Part", "convert_schema"]

#: Attributes of a keyspace with its contents.
CONTENTS = ("tables", "views", "indexes", "user_types", "functions", "aggregates")
#: A part of the schema, as the engine describes it.
About = dict[str, Any]


class Part(NamedTuple):
    """A part of the schema, and how the engine describes it: equal texts make equal parts."""

    value: Any
    about: Any


Parts = dict[str, Part]


def convert_schema(schema: About) -> dict[str, tuple[KeyspaceMetadata, dict[str, Parts]]]:
    """All keyspaces by name, from the engine's JSON. Their contents are ``Part``, by the names of
    ``CONTENTS``."""
    return {
        name: (_keyspace(name, about), _contents(name, about)) for name, about in schema.items()
    }


def _keyspace(name: str, about: About) -> KeyspaceMetadata:
    if about["isVirtual"]:
        keyspace = KeyspaceMetadata(name, True, None, {})
        keyspace.virtual = True
        return keyspace
    replication = dict(about["replication"])
    of_class = replication.pop("class")
    return KeyspaceMetadata(name, about["durableWrites"], of_class, replication)


def _contents(keyspace: str, about: About) -> dict[str, Parts]:
    tables: Parts = {}
    indexes: Parts = {}
    for name, of in about["tables"].items():
        table = TableMetadata(keyspace, name, options=of["options"], virtual=about["isVirtual"])
        _fill(table, of)
        for index, options in of["indexes"].items():
            part = Part(_index(keyspace, name, index, options), (name, options))
            table.indexes[index] = part.value
            indexes[index] = part
        for trigger, options in of["triggers"].items():
            table.triggers[trigger] = TriggerMetadata(table, trigger, dict(options))
        tables[name] = Part(table, of)
    views: Parts = {}
    for name, of in about["views"].items():
        base = of["baseTable"]
        view = MaterializedViewMetadata(
            keyspace, name, base, of["includeAllColumns"], of["whereClause"], of["options"]
        )
        _fill(view, of)
        views[name] = Part(view, of)
        if base in tables:
            tables[base].value.views[name] = view

    def parts(kind: str, make: Callable[[str, str, Any], Any]) -> Parts:
        return {name: Part(make(keyspace, name, of), of) for name, of in about[kind].items()}

    return {
        "tables": tables,
        "views": views,
        "indexes": indexes,
        "user_types": parts("types", _user_type),
        "functions": parts("functions", _function),
        "aggregates": parts("aggregates", _aggregate),
    }


def _fill(table: TableMetadata | MaterializedViewMetadata, about: About) -> None:
    """Adds the columns, and data of extensions."""
    key: list[ColumnMetadata] = []
    others: list[ColumnMetadata] = []
    for of in about["columns"]:
        kind = of["kind"]
        is_static = kind == "static"
        column = ColumnMetadata(table, of["name"], of["type"], is_static, of["descending"])
        if kind == "partition_key":
            table.partition_key.append(column)
        elif kind == "clustering":
            table.clustering_key.append(column)
        (key if kind in ("partition_key", "clustering") else others).append(column)
    # Static columns are among the others there.
    others.sort(key=lambda column: column.name)
    table.columns = {column.name: column for column in key + others}
    table.extensions = {name: bytes.fromhex(of) for name, of in about["extensions"].items()}


def _index(keyspace: str, table: str, name: str, about: About) -> IndexMetadata:
    return IndexMetadata(keyspace, table, name, about["kind"], dict(about["options"]))


def _user_type(keyspace: str, name: str, about: list[list[str]]) -> UserType:
    return UserType(keyspace, name, [field for field, _ in about], [of for _, of in about])


def _function(keyspace: str, _signature: str, about: About) -> Function:
    return Function(
        keyspace,
        about["name"],
        list(about["argumentTypes"]),
        list(about["argumentNames"]),
        about["returnType"],
        about["language"],
        about["body"],
        about["calledOnNullInput"],
    )


def _aggregate(keyspace: str, _signature: str, about: About) -> Aggregate:
    return Aggregate(
        keyspace,
        about["name"],
        list(about["argumentTypes"]),
        about["stateFunction"],
        about["stateType"],
        about["finalFunction"],
        about["initialCondition"],
        about["returnType"],
    )
