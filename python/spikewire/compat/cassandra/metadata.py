"""What is known about a cluster: nodes, and the schema, which is read on access."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.names import quoted

if TYPE_CHECKING:
    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = [
    "ColumnMetadata",
    "IndexMetadata",
    "KeyspaceMetadata",
    "MaterializedViewMetadata",
    "Metadata",
    "TableMetadata",
    "UserType",
    "protect_name",
]

protect_name = quoted


@dataclasses.dataclass(repr=False)
class ColumnMetadata:
    """A column."""

    table: TableMetadata
    name: str
    cql_type: str
    is_static: bool = False
    is_reversed: bool = False

    def __repr__(self) -> str:
        return f"<ColumnMetadata {self.name} {self.cql_type}>"


@dataclasses.dataclass
class IndexMetadata:
    """An index."""

    keyspace_name: str
    table_name: str
    name: str
    kind: str
    index_options: dict[str, str]


@dataclasses.dataclass
class UserType:
    """A user-defined type."""

    keyspace: str
    name: str
    field_names: list[str]
    field_types: list[str]


class TableMetadata:
    """A table."""

    def __init__(self, metadata: Metadata, keyspace: str, row: dict[str, Any]) -> None:
        self.keyspace_name = keyspace
        self.name: str = row.get("table_name") or row["view_name"]
        self.options = {key: value for key, value in row.items() if not key.endswith("_name")}
        self.columns: dict[str, ColumnMetadata] = {}
        self.partition_key: list[ColumnMetadata] = []
        self.clustering_key: list[ColumnMetadata] = []
        self.indexes: dict[str, IndexMetadata] = {}
        self.views: dict[str, MaterializedViewMetadata] = {}
        self._metadata = metadata

    @property
    def primary_key(self) -> list[ColumnMetadata]:
        """The columns of the partition key and the clustering columns."""
        return self.partition_key + self.clustering_key

    def _add_columns(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            column = ColumnMetadata(
                self,
                row["column_name"],
                row["type"],
                row["kind"] == "static",
                row["clustering_order"] == "desc",
            )
            row["made"] = column
        of_kind = {
            kind: [
                row["made"]
                for row in sorted(rows, key=lambda row: row["position"])
                if row["kind"] == kind
            ]
            for kind in ("partition_key", "clustering")
        }
        self.partition_key = of_kind["partition_key"]
        self.clustering_key = of_kind["clustering"]
        first = {column.name: column for column in self.primary_key}
        self.columns = first | {row["column_name"]: row["made"] for row in rows}

    def export_as_string(self) -> str:
        """The statements that recreate the table, as reported by the server."""
        return self._metadata._described(
            "TABLE", f"{quoted(self.keyspace_name)}.{quoted(self.name)}"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.keyspace_name}.{self.name}>"


class MaterializedViewMetadata(TableMetadata):
    """A materialized view."""

    def __init__(self, metadata: Metadata, keyspace: str, row: dict[str, Any]) -> None:
        super().__init__(metadata, keyspace, row)
        self.base_table_name: str = row["base_table_name"]
        self.include_all_columns: bool = row["include_all_columns"]

    def export_as_string(self) -> str:
        """The statement that recreates the view, as reported by the server."""
        name = f"{quoted(self.keyspace_name)}.{quoted(self.name)}"
        return self._metadata._described("MATERIALIZED VIEW", name)


class KeyspaceMetadata:
    """A keyspace."""

    def __init__(self, metadata: Metadata, row: dict[str, Any]) -> None:
        self.name: str = row["keyspace_name"]
        self.durable_writes: bool = row["durable_writes"]
        #: Class and settings of the replication strategy.
        self.replication: dict[str, str] = dict(row["replication"])
        self.tables: dict[str, TableMetadata] = {}
        self.views: dict[str, MaterializedViewMetadata] = {}
        self.user_types: dict[str, UserType] = {}
        self.indexes: dict[str, IndexMetadata] = {}
        self._metadata = metadata

    def export_as_string(self) -> str:
        """The statements that recreate the keyspace, as reported by the server."""
        return self._metadata._described("KEYSPACE", quoted(self.name))

    def __repr__(self) -> str:
        return f"<KeyspaceMetadata {self.name}>"


class Metadata:
    """Nodes and schema of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def _rows(self, query: str) -> list[dict[str, Any]]:
        return [dict(row.items()) for row in self._cluster._core().execute(query)]

    def _described(self, what: str, name: str) -> str:
        rows = self._rows(f"DESCRIBE {what} {name}")
        return "\n\n".join(row["create_statement"] for row in rows)

    @property
    def cluster_name(self) -> str:
        """The name of the cluster."""
        return str(self._rows("SELECT cluster_name FROM system.local")[0]["cluster_name"])

    @property
    def partitioner(self) -> str:
        """The class that computes the tokens of keys."""
        return str(self._rows("SELECT partitioner FROM system.local")[0]["partitioner"])

    def all_hosts(self) -> list[Host]:
        """All nodes."""
        hosts = self._cluster._hosts_of(self._cluster._core())
        ids: dict[str, Any] = {}
        for row in self._rows("SELECT host_id, rpc_address FROM system.local"):
            ids[str(row["rpc_address"])] = row["host_id"]
        for row in self._rows("SELECT host_id, native_address FROM system.peers_v2"):
            ids[str(row["native_address"])] = row["host_id"]
        for host in hosts:
            host.host_id = ids.get(host.address)
        return hosts

    def get_host(self, endpoint_or_address: str, port: int | None = None) -> Host | None:
        """The node with an address; ``None`` if there is none."""
        for host in self.all_hosts():
            if endpoint_or_address in (host.address, host.endpoint) and port in (None, host.port):
                return host
        return None

    @property
    def keyspaces(self) -> dict[str, KeyspaceMetadata]:
        """Keyspaces by name, with their contents. Every access reads them from the server."""
        made = {
            row["keyspace_name"]: KeyspaceMetadata(self, row)
            for row in self._rows("SELECT * FROM system_schema.keyspaces")
        }
        columns: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in self._rows("SELECT * FROM system_schema.columns"):
            columns.setdefault((row["keyspace_name"], row["table_name"]), []).append(row)
        for row in self._rows("SELECT * FROM system_schema.tables"):
            keyspace = made.get(row["keyspace_name"])
            if keyspace is not None:
                table = TableMetadata(self, keyspace.name, row)
                table._add_columns(columns.get((keyspace.name, table.name), []))
                keyspace.tables[table.name] = table
        for row in self._rows("SELECT * FROM system_schema.views"):
            keyspace = made.get(row["keyspace_name"])
            if keyspace is not None:
                view = MaterializedViewMetadata(self, keyspace.name, row)
                view._add_columns(columns.get((keyspace.name, view.name), []))
                keyspace.views[view.name] = view
                if view.base_table_name in keyspace.tables:
                    keyspace.tables[view.base_table_name].views[view.name] = view
        self._add_types_and_indexes(made)
        return made

    def _add_types_and_indexes(self, made: dict[str, KeyspaceMetadata]) -> None:
        for row in self._rows("SELECT * FROM system_schema.types"):
            keyspace = made.get(row["keyspace_name"])
            if keyspace is not None:
                name = row["type_name"]
                fields = list(row["field_names"]), list(row["field_types"])
                keyspace.user_types[name] = UserType(keyspace.name, name, *fields)
        for row in self._rows("SELECT * FROM system_schema.indexes"):
            keyspace = made.get(row["keyspace_name"])
            if keyspace is None or row["table_name"] not in keyspace.tables:
                continue
            options = dict(row["options"])
            names = keyspace.name, row["table_name"], row["index_name"]
            index = IndexMetadata(*names, row["kind"], options)
            keyspace.indexes[index.name] = index
            keyspace.tables[index.table_name].indexes[index.name] = index
