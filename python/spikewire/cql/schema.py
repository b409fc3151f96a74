"""What a cluster has: keyspaces, tables, columns, indexes, triggers, views, and user-defined types,
functions and aggregates. From ``session.schema()``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "ColumnSchema",
    "Index",
    "Keyspace",
    "Schema",
    "Table",
    "TableOption",
    "UserAggregate",
    "UserFunction",
    "View",
    "schema_of",
]

#: The value of an option of a table.
TableOption = bool | int | float | str | dict[str, str]


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
    triggers: dict[str, dict[str, str]]
    """Its triggers by name: their options, of which ``class`` is what runs."""
    comment: str
    """Its comment."""
    options: dict[str, TableOption]
    """Its options that are set, ``comment`` included, as statements name them:
    ``gc_grace_seconds`` (seconds), ``compaction`` (a dictionary of texts)."""
    extensions: dict[str, bytes]
    """Data of extensions of the server by name."""

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
    include_all_columns: bool
    """Whether it has all columns of that table, also those that are added to it."""


@dataclass(frozen=True)
class UserFunction:
    """A user-defined function."""

    name: str
    """Its name."""
    argument_types: list[str]
    """The types of its arguments, as CQL, in order."""
    argument_names: list[str]
    """The names of its arguments, in order."""
    return_type: str
    """The type of what it returns, as CQL."""
    language: str
    """The language of its body: ``java``."""
    body: str
    """Its body."""
    called_on_null_input: bool
    """Whether it is called if an argument is null; otherwise it returns null then."""


@dataclass(frozen=True)
class UserAggregate:
    """A user-defined aggregate."""

    name: str
    """Its name."""
    argument_types: list[str]
    """The types of its arguments, as CQL, in order."""
    return_type: str
    """The type of what it returns, as CQL."""
    state_function: str
    """The name of the function that takes the state and the arguments, and returns the next
    state."""
    state_type: str
    """The type of the state, as CQL."""
    final_function: str | None
    """The name of the function that makes the result of the last state; ``None`` if that is the
    result."""
    initial_condition: str | None
    """The first state, as CQL; ``None`` if it is null."""


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
    functions: dict[str, UserFunction]
    """Its user-defined functions by signature: ``name(int,text)``."""
    aggregates: dict[str, UserAggregate]
    """Its user-defined aggregates by signature."""


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
            include_all_columns=of["includeAllColumns"],
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
        {signature: _function(of) for signature, of in about["functions"].items()},
        {signature: _aggregate(of) for signature, of in about["aggregates"].items()},
    )


def _table(keyspace: str, name: str, about: dict[str, Any]) -> dict[str, Any]:
    return {
        "keyspace": keyspace,
        "name": name,
        "columns": {column["name"]: ColumnSchema(**column) for column in about["columns"]},
        "indexes": {
            index: Index(index, of["kind"], of["options"]) for index, of in about["indexes"].items()
        },
        "triggers": about["triggers"],
        "comment": about["comment"],
        "options": about["options"],
        "extensions": {
            extension: bytes.fromhex(data) for extension, data in about["extensions"].items()
        },
    }


def _function(about: dict[str, Any]) -> UserFunction:
    return UserFunction(
        about["name"],
        about["argumentTypes"],
        about["argumentNames"],
        about["returnType"],
        about["language"],
        about["body"],
        about["calledOnNullInput"],
    )


def _aggregate(about: dict[str, Any]) -> UserAggregate:
    return UserAggregate(
        about["name"],
        about["argumentTypes"],
        about["returnType"],
        about["stateFunction"],
        about["stateType"],
        about["finalFunction"],
        about["initialCondition"],
    )
