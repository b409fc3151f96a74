"""What a cluster has: keyspaces, tables, columns, indexes, views and user-defined types. From
``session.schema()``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ColumnSchema", "Index", "Keyspace", "Schema", "Table", "View", "schema_of"]


@dataclass(frozen=True)
class ColumnSchema:
    """A column of a table or a view."""

    name: str
    """Its name."""
    type: str
    """Its type, as CQL: ``frozen<list<int>>``."""
    kind: Literal["partition_key", "clustering", "static", "regular"]
    """What it is in its table."""
    descending: bool
    """Whether its order is descending, as a clustering column."""


@dataclass(frozen=True)
class Index:
    """A secondary index."""

    name: str
    """Its name."""
    kind: str
    """``COMPOSITES``, ``KEYS`` or ``CUSTOM``."""
    options: dict[str, str]
    """Its options; ``target`` is what it is about."""


@dataclass(frozen=True)
class Table:
    """A table."""

    keyspace: str
    """Its keyspace."""
    name: str
    """Its name."""
    columns: dict[str, ColumnSchema]
    """Its columns by name, in the order of ``SELECT *``."""
    indexes: dict[str, Index]
    """Its secondary indexes by name."""
    comment: str
    """Its comment."""

    @property
    def partition_key(self) -> list[str]:
        """The names of the columns of its partition key, in order."""
        return self._of_kind("partition_key")

    @property
    def clustering(self) -> list[str]:
        """The names of its clustering columns, in order."""
        return self._of_kind("clustering")

    def _of_kind(self, kind: str) -> list[str]:
        return [column.name for column in self.columns.values() if column.kind == kind]


@dataclass(frozen=True)
class View(Table):
    """A materialized view, which is like a table."""

    base_table: str
    """The table whose rows it has."""
    where_clause: str
    """The condition on them."""


@dataclass(frozen=True)
class Keyspace:
    """A keyspace."""

    name: str
    """Its name."""
    replication: dict[str, str]
    """Its replication: ``class``, and the options of that class. Empty if it is virtual."""
    durable_writes: bool
    """Whether writes go through the commit log."""
    is_virtual: bool
    """Whether its tables are views into the server."""
    tables: dict[str, Table]
    """Its tables by name."""
    views: dict[str, View]
    """Its materialized views by name."""
    types: dict[str, dict[str, str]]
    """Its user-defined types by name: the types of their fields by name, in order."""


@dataclass(frozen=True)
class Schema:
    """The schema of a cluster."""

    keyspaces: dict[str, Keyspace]
    """The keyspaces by name, those of the system included."""

    def table(self, keyspace: str, name: str) -> Table:
        """A table or a view. Raises ``LookupError`` if there is none."""
        known = self.keyspaces.get(keyspace)
        table = None if known is None else known.tables.get(name) or known.views.get(name)
        if table is None:
            what = f"table {keyspace}.{name}" if known else f"keyspace {keyspace}"
            message = f"there is no {what}"
            raise LookupError(message)
        return table


def schema_of(text: str) -> Schema:
    """The schema as the engine tells it."""
    keyspaces: dict[str, Any] = json.loads(text)
    return Schema({name: _keyspace(name, about) for name, about in keyspaces.items()})


def _keyspace(name: str, about: dict[str, Any]) -> Keyspace:
    tables = {table: Table(**_table(name, table, of)) for table, of in about["tables"].items()}
    views = {
        view: View(
            **_table(name, view, of),
            base_table=of["baseTable"],
            where_clause=of["whereClause"],
        )
        for view, of in about["views"].items()
    }
    types = {type_name: dict(fields) for type_name, fields in about["types"].items()}
    return Keyspace(
        name,
        about["replication"],
        about["durableWrites"],
        about["isVirtual"],
        tables,
        views,
        types,
    )


def _table(keyspace: str, name: str, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "keyspace": keyspace,
        "name": name,
        "columns": {column["name"]: ColumnSchema(**column) for column in about["columns"]},
        "indexes": {
            index: Index(index, of["kind"], of["options"]) for index, of in about["indexes"].items()
        },
        "comment": about["comment"],
    }
