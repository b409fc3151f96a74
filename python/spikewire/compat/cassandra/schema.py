"""Parts of a schema, and the statements that recreate them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.levels import SignatureDescriptor
from spikewire.compat.cassandra.names import (
    literal_map,
    protect_names,
    protect_value,
    quoted,
    without_frozen,
)
from spikewire.compat.cassandra.strategies import ReplicationStrategy

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Aggregate",
    "ColumnMetadata",
    "Function",
    "IndexMetadata",
    "KeyspaceMetadata",
    "MaterializedViewMetadata",
    "TableMetadata",
    "TriggerMetadata",
    "UserType",
]


@dataclasses.dataclass(repr=False, eq=False)
class ColumnMetadata:
    """A column."""

    table: TableMetadata | MaterializedViewMetadata
    name: str
    cql_type: str
    is_static: bool = False
    is_reversed: bool = False

    def __repr__(self) -> str:
        return f"<ColumnMetadata {self.name} {self.cql_type}>"

    def __str__(self) -> str:
        return f"{self.name} {self.cql_type}"


@dataclasses.dataclass
class IndexMetadata:
    """An index."""

    keyspace_name: str
    table_name: str
    name: str
    kind: str | None
    index_options: dict[str, str]

    def as_cql_query(self) -> str:
        """The statement that recreates the index."""
        options = dict(self.index_options)
        target = options.pop("target")
        table = f"{quoted(self.keyspace_name)}.{quoted(self.table_name)}"
        if self.kind != "CUSTOM":
            return f"CREATE INDEX {quoted(self.name)} ON {table} ({target})"
        of_class = options.pop("class_name")
        text = f"CREATE CUSTOM INDEX {quoted(self.name)} ON {table} ({target}) USING '{of_class}'"
        return f"{text} WITH OPTIONS = {literal_map(options)}" if options else text

    def export_as_string(self) -> str:
        """The statement that recreates the index."""
        return self.as_cql_query() + ";"


@dataclasses.dataclass
class TriggerMetadata:
    """A trigger."""

    table: TableMetadata
    name: str
    options: dict[str, str]

    def as_cql_query(self) -> str:
        """The statement that recreates the trigger."""
        table = f"{quoted(self.table.keyspace_name)}.{quoted(self.table.name)}"
        name, used = quoted(self.name), protect_value(self.options["class"])
        return f"CREATE TRIGGER {name} ON {table} USING {used}"

    def export_as_string(self) -> str:
        """The statement that recreates the trigger."""
        return self.as_cql_query() + ";"


@dataclasses.dataclass
class UserType:
    """A user-defined type."""

    keyspace: str
    name: str
    field_names: list[str]
    field_types: list[str]

    def as_cql_query(self, formatted: bool = False) -> str:
        """The statement that recreates the type."""
        between, edge, indent = (",\n", "\n", "    ") if formatted else (", ", "", "")
        fields = between.join(
            f"{indent}{quoted(name)} {of}"
            for name, of in zip(self.field_names, self.field_types, strict=True)
        )
        return f"CREATE TYPE {quoted(self.keyspace)}.{quoted(self.name)} ({edge}{fields}{edge})"

    def export_as_string(self) -> str:
        """The statement that recreates the type."""
        return self.as_cql_query(formatted=True) + ";"


@dataclasses.dataclass
class Function:
    """A user-defined function."""

    keyspace: str
    name: str
    argument_types: list[str]
    argument_names: list[str]
    return_type: str
    language: str
    body: str
    called_on_null_input: bool
    deterministic: bool = False
    monotonic: bool = False
    monotonic_on: list[str] = dataclasses.field(default_factory=lambda: list[str]())

    @property
    def signature(self) -> str:
        """``name(int,text)``."""
        return SignatureDescriptor.format_signature(self.name, self.argument_types)

    def as_cql_query(self, formatted: bool = False) -> str:
        """The statement that recreates the function."""
        named = zip(self.argument_names, self.argument_types, strict=True)
        arguments = ", ".join(f"{quoted(name)} {without_frozen(of)}" for name, of in named)
        on_null = "CALLED" if self.called_on_null_input else "RETURNS NULL"
        parts = [
            f"CREATE FUNCTION {quoted(self.keyspace)}.{quoted(self.name)}({arguments})",
            f"{on_null} ON NULL INPUT",
            f"RETURNS {self.return_type}",
            *(["DETERMINISTIC"] if self.deterministic else []),
            f"LANGUAGE {self.language}",
            f"AS $${self.body}$$",
        ]
        return ("\n    " if formatted else " ").join(parts)

    def export_as_string(self) -> str:
        """The statement that recreates the function."""
        return self.as_cql_query(formatted=True) + ";"


@dataclasses.dataclass
class Aggregate:
    """A user-defined aggregate."""

    keyspace: str
    name: str
    argument_types: list[str]
    state_func: str
    state_type: str
    final_func: str | None
    initial_condition: str | None
    return_type: str
    deterministic: bool = False

    @property
    def signature(self) -> str:
        """``name(int,text)``."""
        return SignatureDescriptor.format_signature(self.name, self.argument_types)

    def as_cql_query(self, formatted: bool = False) -> str:
        """The statement that recreates the aggregate."""
        types = ", ".join(map(without_frozen, self.argument_types))
        parts = [
            f"CREATE AGGREGATE {quoted(self.keyspace)}.{quoted(self.name)}({types})",
            f"SFUNC {quoted(self.state_func)}",
            f"STYPE {without_frozen(self.state_type)}",
        ]
        if self.final_func:
            parts.append(f"FINALFUNC {quoted(self.final_func)}")
        if self.initial_condition is not None:
            parts.append(f"INITCOND {self.initial_condition}")
        if self.deterministic:
            parts.append("DETERMINISTIC")
        return ("\n    " if formatted else " ").join(parts)

    def export_as_string(self) -> str:
        """The statement that recreates the aggregate."""
        return self.as_cql_query(formatted=True) + ";"


class _Columns:
    """What tables and views have in common."""

    def __init__(self, keyspace_name: str, name: str, options: Mapping[str, Any] | None) -> None:
        self.keyspace_name = keyspace_name
        self.name = name
        self.columns: dict[str, ColumnMetadata] = {}
        self.partition_key: list[ColumnMetadata] = []
        self.clustering_key: list[ColumnMetadata] = []
        self.options: dict[str, Any] = dict(options or {})
        #: Data of the server's own extensions.
        self.extensions: Mapping[str, bytes] = {}

    @property
    def primary_key(self) -> list[ColumnMetadata]:
        """The columns of the partition key and the clustering columns."""
        return self.partition_key + self.clustering_key

    def _key(self) -> str:
        partition = ", ".join(protect_names(column.name for column in self.partition_key))
        if len(self.partition_key) > 1:
            partition = f"({partition})"
        return ", ".join([partition, *protect_names(one.name for one in self.clustering_key)])

    def _properties(self, formatted: bool) -> str:
        parts: list[str] = []
        if self.clustering_key:
            order = ", ".join(
                f"{quoted(one.name)} {'DESC' if one.is_reversed else 'ASC'}"
                for one in self.clustering_key
            )
            parts.append(f"CLUSTERING ORDER BY ({order})")
        parts += self._make_option_strings(self.options)
        return ("\n    AND " if formatted else " AND ").join(parts)

    @staticmethod
    def _make_option_strings(options_map: Mapping[str, Any]) -> list[str]:
        """Settings of a table as statements have them. The object mapper calls this, too."""
        options: list[str] = []
        for name, value in sorted(options_map.items()):
            if value is not None:
                literal = literal_map(value) if hasattr(value, "items") else protect_value(value)
                options.append(f"{name} = {literal}")
        return options

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.keyspace_name}.{self.name}>"


class TableMetadata(_Columns):
    """A table."""

    is_compact_storage = False
    is_cql_compatible = True
    comparator = None

    def __init__(
        self,
        keyspace_name: str,
        name: str,
        partition_key: list[ColumnMetadata] | None = None,
        clustering_key: list[ColumnMetadata] | None = None,
        columns: dict[str, ColumnMetadata] | None = None,
        triggers: dict[str, TriggerMetadata] | None = None,
        options: Mapping[str, Any] | None = None,
        virtual: bool = False,
    ) -> None:
        super().__init__(keyspace_name, name, options)
        self.partition_key = partition_key or []
        self.clustering_key = clustering_key or []
        self.columns = columns or {}
        self.indexes: dict[str, IndexMetadata] = {}
        self.triggers: dict[str, TriggerMetadata] = triggers or {}
        self.views: dict[str, MaterializedViewMetadata] = {}
        self.virtual = virtual

    def as_cql_query(self, formatted: bool = False) -> str:
        """The statement that recreates the table, without its indexes."""
        between, edge, indent = (",\n", "\n", "    ") if formatted else (", ", "", "")
        columns = [
            f"{quoted(one.name)} {one.cql_type}{' static' if one.is_static else ''}"
            for one in self.columns.values()
        ]
        if len(self.primary_key) == 1:
            columns[0] += " PRIMARY KEY"
        else:
            columns.append(f"PRIMARY KEY ({self._key()})")
        listed = between.join(indent + column for column in columns)
        verb = "VIRTUAL" if self.virtual else "CREATE"
        name = f"{quoted(self.keyspace_name)}.{quoted(self.name)}"
        properties = self._properties(formatted)
        with_ = f" WITH {properties}" if properties else ""
        return f"{verb} TABLE {name} ({edge}{listed}{edge}){with_}"

    def export_as_string(self) -> str:
        """The statements that recreate the table, with its indexes, triggers and views."""
        parts = [self.as_cql_query(formatted=True) + ";"]
        parts += [index.export_as_string() for index in self.indexes.values()]
        parts += [trigger.export_as_string() for trigger in self.triggers.values()]
        parts += ["\n" + view.export_as_string() for view in self.views.values()]
        text = "\n".join(parts)
        if not self.virtual:
            return text
        return f"/*\nA virtual table cannot be recreated with CQL. Its structure:\n{text}\n*/"


class MaterializedViewMetadata(_Columns):
    """A materialized view."""

    def __init__(
        self,
        keyspace_name: str,
        view_name: str,
        base_table_name: str,
        include_all_columns: bool,
        where_clause: str,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(keyspace_name, view_name, options)
        self.base_table_name = base_table_name
        self.include_all_columns = include_all_columns
        self.where_clause = where_clause

    def as_cql_query(self, formatted: bool = False) -> str:
        """The statement that recreates the view."""
        keyspace = quoted(self.keyspace_name)
        columns = "*" if self.include_all_columns else ", ".join(protect_names(self.columns))
        parts = [
            f"CREATE MATERIALIZED VIEW {keyspace}.{quoted(self.name)} AS",
            f"SELECT {columns}",
            f"FROM {keyspace}.{quoted(self.base_table_name)}",
            f"WHERE {self.where_clause}",
            f"PRIMARY KEY ({self._key()})",
            f"WITH {self._properties(formatted)}",
        ]
        return ("\n    " if formatted else " ").join(parts)

    def export_as_string(self) -> str:
        """The statement that recreates the view."""
        return self.as_cql_query(formatted=True) + ";"


class KeyspaceMetadata:
    """A keyspace."""

    is_graph_enabled = False

    def __init__(
        self,
        name: str,
        durable_writes: bool,
        strategy_class: str | None,
        strategy_options: dict[str, Any],
        graph_engine: str | None = None,
    ) -> None:
        self.name = name
        self.durable_writes = durable_writes
        #: ``None`` for virtual keyspaces.
        self.replication_strategy = ReplicationStrategy.create(strategy_class, strategy_options)
        self.graph_engine = graph_engine
        self.virtual = False
        self.tables: dict[str, TableMetadata] = {}
        self.views: dict[str, MaterializedViewMetadata] = {}
        self.indexes: dict[str, IndexMetadata] = {}
        self.user_types: dict[str, UserType] = {}
        #: By signature: ``name(int,text)``.
        self.functions: dict[str, Function] = {}
        #: By signature.
        self.aggregates: dict[str, Aggregate] = {}

    @property
    def replication(self) -> dict[str, str]:
        """Class and settings of the replication strategy."""
        strategy = self.replication_strategy
        return {} if strategy is None else strategy.settings()

    def as_cql_query(self) -> str:
        """The statement that recreates the keyspace, without its contents."""
        if self.replication_strategy is None:
            return f"// VIRTUAL KEYSPACE {quoted(self.name)}"
        replication = self.replication_strategy.export_for_schema()
        durable = protect_value(self.durable_writes)
        text = f"CREATE KEYSPACE {quoted(self.name)} WITH replication = {replication}"
        return f"{text}  AND durable_writes = {durable}"

    def user_type_strings(self) -> list[str]:
        """The statements that recreate the types, each after those that it contains."""
        left = dict(sorted(self.user_types.items()))
        statements: list[str] = []

        def add(of: UserType) -> None:
            for inner in of.field_types:
                for name in list(left):
                    if quoted(name) in _words(inner) and name in left:
                        add(left.pop(name))
            statements.append(of.export_as_string())

        while left:
            add(left.pop(next(iter(left))))
        return statements

    def export_as_string(self) -> str:
        """The statements that recreate the keyspace and its contents."""
        parts = [
            self.as_cql_query() + ";",
            *self.user_type_strings(),
            *(one.export_as_string() for one in self.functions.values()),
            *(one.export_as_string() for one in self.aggregates.values()),
            *(one.export_as_string() for one in self.tables.values()),
        ]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        return f"<KeyspaceMetadata {self.name}>"


def _words(cql_type: str) -> list[str]:
    return cql_type.replace("<", " ").replace(">", " ").replace(",", " ").split()
