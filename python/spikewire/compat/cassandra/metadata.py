"""What is known about a cluster: nodes, tokens and the schema."""

# The modules of this package use private names of each other.
# pyright: reportPrivateUsage=false

from __future__ import annotations

import json
import logging
import random
from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra.connection import EndPoint
from spikewire.compat.cassandra.cqltypes import _cqltypes
from spikewire.compat.cassandra.missing_errors import raise_missing_attribute, resolve_name
from spikewire.compat.cassandra.murmur3 import murmur3
from spikewire.compat.cassandra.names import (
    RESERVED,
    is_valid_name,
    protect_names,
    protect_value,
    quoted,
)
from spikewire.compat.cassandra.query import composite_key
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
from spikewire.compat.cassandra.schema_reader import CONTENTS, Part, convert_schema
from spikewire.compat.cassandra.strategies import (
    LocalStrategy,
    NetworkTopologyStrategy,
    ReplicationFactor,
    ReplicationStrategy,
    SimpleStrategy,
)
from spikewire.compat.cassandra.synchronization import new_lock
from spikewire.compat.cassandra.tokens import (
    BytesToken,
    HashToken,
    MD5Token,
    Murmur3Token,
    Token,
    TokenMap,
    token_class_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spikewire.compat.cassandra.cluster import Cluster
    from spikewire.compat.cassandra.pool import Host

__all__ = [
    "NO_VALID_REPLICA",
    "Aggregate",
    "BytesToken",
    "ColumnMetadata",
    "Function",
    "HashToken",
    "IndexMetadata",
    "KeyspaceMetadata",
    "LocalStrategy",
    "MD5Token",
    "MaterializedViewMetadata",
    "Metadata",
    "Murmur3Token",
    "NetworkTopologyStrategy",
    "ReplicationFactor",
    "ReplicationStrategy",
    "SimpleStrategy",
    "TableMetadata",
    "TableMetadataV3",
    "Token",
    "TokenMap",
    "TriggerMetadata",
    "UserType",
    "cql_keywords_reserved",
    "escape_name",
    "group_keys_by_replica",
    "is_valid_name",
    "maybe_escape_name",
    "murmur3",
    "protect_name",
    "protect_names",
    "protect_value",
]

TableMetadataV3 = TableMetadata
cql_keywords_reserved = set(RESERVED)
protect_name = maybe_escape_name = quoted
#: The key of ``group_keys_by_replica`` for keys without a node that is up.
NO_VALID_REPLICA = object()

_log = logging.getLogger(__name__)
_LOCAL = "SELECT * FROM system.local"
_PEERS = "SELECT * FROM system.peers_v2"


def escape_name(name: str) -> str:
    """A name in quotes."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


class Metadata:
    """Nodes and schema of a cluster. Empty until the cluster is connected.

    The schema is read when it is first accessed. It is read again after statements of this
    cluster's sessions that change it, when a node says that it has another version, and by
    ``Cluster.refresh_schema_metadata`` and its like.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lock = new_lock()
        self._keyspaces: dict[str, KeyspaceMetadata] = {}
        #: What each part was read from, by keyspace, kind and name.
        self._described: dict[tuple[str, str, str], Any] = {}
        self._version: Any = None
        #: Whether a statement changed the schema while another thread was reading it.
        self._is_outdated = False

    def _query(self, query: str) -> list[dict[str, Any]]:
        return [dict(row.items()) for row in self._cluster._core().execute(query)]

    @property
    def _is_connected(self) -> bool:
        return self._cluster._control is not None

    # The schema.

    @property
    def keyspaces(self) -> dict[str, KeyspaceMetadata]:
        """Keyspaces by name, with their contents."""
        if self._is_connected and self._cluster.schema_metadata_enabled:
            follows = self._cluster._follows_schema
            if self._version is None or (follows and self._version != self._version_now()):
                self._refresh()
        return self._keyspaces

    def _version_now(self) -> Any:
        return self._query("SELECT schema_version FROM system.local")[0]["schema_version"]

    def _refresh_all(self) -> None:
        """Reads the schema on request: into another dictionary, as in the other driver."""
        self._keyspaces = dict(self._keyspaces)
        self._refresh()

    def _changed_here(self) -> None:
        """After a statement of this cluster that changed the schema: what was accessed already
        follows at once. Called by the thread of submitted statements, which must not wait for the
        lock: who holds it reads the schema once more."""
        if self._version is not None and self._cluster._follows_schema:
            self._is_outdated = True
            self._catch_up()

    def _catch_up(self) -> None:
        while self._is_outdated and self._lock.acquire(blocking=False):
            try:
                self._is_outdated = False
                self._read_schema()
            except Exception:  # noqa: BLE001, PERF203
                # The statement was executed: who looks at the schema next reads it.
                self._version = None
                _log.warning("The schema could not be read after it was changed", exc_info=True)
            finally:
                self._lock.release()

    def _refresh(
        self, keyspace: str | None = None, kinds: Iterable[str] = (), name: str | None = None
    ) -> None:
        """Reads the schema; with a keyspace, only that is updated, and with a name, what has that
        name in it."""
        with self._lock:
            self._read_schema(keyspace, kinds, name)
        self._catch_up()

    def _read_schema(
        self, keyspace: str | None = None, kinds: Iterable[str] = (), name: str | None = None
    ) -> None:
        version = self._version_now()
        read = convert_schema(json.loads(self._cluster._core()._schema(is_anew=True)))
        if keyspace is None:
            for gone in self._keyspaces.keys() - read.keys():
                del self._keyspaces[gone]
            for one, (metadata, contents) in read.items():
                self._update(one, metadata, contents, None)
        elif keyspace not in read:
            self._keyspaces.pop(keyspace, None)
        else:
            self._update(keyspace, *read[keyspace], name, tuple(kinds))
        self._version = version

    def _update(
        self,
        keyspace: str,
        metadata: KeyspaceMetadata,
        contents: dict[str, dict[str, Part]],
        name: str | None,
        kinds: tuple[str, ...] = CONTENTS,
    ) -> None:
        known = self._keyspaces.get(keyspace)
        if known is None:
            kinds, name = CONTENTS, None
        elif name is None:
            # The dictionaries stay the same, for those who hold on to them.
            for kind in CONTENTS:
                setattr(metadata, kind, getattr(known, kind))
        # A keyspace that is requested by name is created anew, too.
        if known is None or (name is None and (not kinds or _own(known) != _own(metadata))):
            self._keyspaces[keyspace] = metadata
        target = self._keyspaces[keyspace]
        for kind in kinds:
            self._fill(keyspace, kind, getattr(target, kind), contents[kind], name)
        for table in target.tables.values():
            views = {one.name: one for one in target.views.values()}
            of_table = {n: v for n, v in views.items() if v.base_table_name == table.name}
            table.views.clear()
            table.views.update(of_table)

    def _fill(
        self,
        keyspace: str,
        kind: str,
        target: dict[str, Any],
        parts: dict[str, Part],
        only: str | None,
    ) -> None:
        for gone in [name for name in target if name not in parts and only in (None, name)]:
            del target[gone]
        for name, part in parts.items():
            if only is not None and not _is_named(kind, part.value, only):
                continue
            key = keyspace, kind, name
            # What is requested by name is created anew.
            if only is not None or name not in target or self._described.get(key) != part.about:
                target[name] = part.value
                self._described[key] = part.about
        if only is not None and kind == "indexes":
            for gone in [name for name, one in target.items() if one.table_name == only]:
                if gone not in parts:
                    del target[gone]

    def export_schema_as_string(self) -> str:
        """The statements that recreate all keyspaces."""
        return "\n\n".join(one.export_as_string() for one in self.keyspaces.values())

    # Nodes.

    @property
    def cluster_name(self) -> str | None:
        """The name of the cluster."""
        return str(self._query(_LOCAL)[0]["cluster_name"]) if self._is_connected else None

    @property
    def partitioner(self) -> str | None:
        """The class that computes the tokens of keys."""
        return str(self._query(_LOCAL)[0]["partitioner"]) if self._is_connected else None

    def _all_hosts(self) -> list[tuple[Host, dict[str, Any]]]:
        """The nodes, each with its row in the server's tables."""
        if not self._is_connected:
            return []
        hosts = self._cluster._hosts_of(self._cluster._core())
        rows = {str(row["rpc_address"]): row for row in self._query(_LOCAL)}
        rows |= {str(row["native_address"]): row for row in self._query(_PEERS)}
        for host in hosts:
            host._set_row(rows.get(host.address, {}))
        return [(host, rows.get(host.address, {})) for host in hosts]

    def all_hosts(self) -> list[Host]:
        """All nodes."""
        return [host for host, _ in self._all_hosts()]

    def get_host(self, endpoint_or_address: Any, port: int | None = None) -> Host | None:
        """The node with an address; ``None`` if there is none."""
        address = str(endpoint_or_address)
        for host in self.all_hosts():
            if isinstance(endpoint_or_address, EndPoint):
                if host.endpoint == endpoint_or_address:
                    return host
            elif address in (host.address, str(host.endpoint)) and port in (None, host.port):
                return host
        return None

    def get_host_by_host_id(self, host_id: Any) -> Host | None:
        """The node with an id; ``None`` if there is none."""
        return next((host for host in self.all_hosts() if host.host_id == host_id), None)

    # Tokens.

    @property
    def token_map(self) -> TokenMap | None:
        """Who owns which tokens; ``None`` until the cluster is connected, or if the partitioner is
        unknown."""
        kind = token_class_of(self.partitioner or "")
        if kind is None:
            return None
        owners: dict[Token, Host] = {}
        if self._cluster.token_metadata_enabled:
            for host, row in self._all_hosts():
                owners |= {kind.from_string(token): host for token in row.get("tokens") or ()}
        return TokenMap(kind, owners, self)

    def can_support_partitioner(self) -> bool:
        """Whether the tokens of keys can be computed."""
        return token_class_of(self.partitioner or "") is not None

    def get_replicas(self, keyspace: str, key: Any) -> list[Host]:
        """The nodes that hold a partition of a keyspace. ``key`` is its key as it is sent."""
        kind = token_class_of(self.partitioner or "")
        return [] if kind is None else self._replicas_of(keyspace, kind.from_key(key))

    def _replicas_of(self, keyspace: str, token: Token) -> list[Host]:
        if not isinstance(token, Murmur3Token):
            return []
        addresses = self._cluster._core().replicas(keyspace, token.value)
        hosts = {str(host.endpoint): host for host in self.all_hosts()}
        return [hosts[address] for address in addresses if address in hosts]

    def __getattr__(self, name: str) -> Any:
        return raise_missing_attribute(self, name)


def _own(keyspace: KeyspaceMetadata) -> tuple[Any, ...]:
    return keyspace.durable_writes, keyspace.replication_strategy, keyspace.virtual


def _is_named(kind: str, value: Any, name: str) -> bool:
    if kind == "indexes":
        return bool(value.table_name == name)
    if kind in ("functions", "aggregates"):
        return bool(value.signature == name)
    return bool(value.name == name)


def group_keys_by_replica(
    session: Any, keyspace: str, table: str, keys: Iterable[tuple[Any, ...]]
) -> dict[Any, list[tuple[Any, ...]]]:
    """Keys of partitions by a node that holds them; those without one that is up are under
    ``NO_VALID_REPLICA``."""
    metadata = session.cluster.metadata
    columns = metadata.keyspaces[keyspace].tables[table].partition_key
    types = [_cqltypes[column.cql_type] for column in columns]
    grouped: dict[Any, list[tuple[Any, ...]]] = {}
    for key in keys:
        parts = [of.serialize(part) or b"" for of, part in zip(types, key, strict=True)]
        sent = parts[0] if len(parts) == 1 else composite_key(parts)
        alive = [host for host in metadata.get_replicas(keyspace, sent) if host.is_up]
        owner = random.choice(alive) if alive else NO_VALID_REPLICA  # noqa: S311
        grouped.setdefault(owner, []).append(key)
    return grouped


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
