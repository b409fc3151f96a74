"""The clients for which there are drop-ins."""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spikewire.compat.difference_table import Differences

__all__ = ["PEERS", "NotImportable", "Peer", "class_at", "module_at", "of_module"]


class NotImportable(Exception):  # noqa: N818
    """A drop-in that cannot be imported here, so its names cannot be checked."""


class Peer(NamedTuple):
    """A client."""

    name: str
    """Of its distribution."""
    roots: Mapping[str, str]
    """Its top modules, and the drop-in's."""
    drop_in: str
    makes: Mapping[str, str]
    """What calls give, by the path of a function or ``Class.method``: the name of a class."""
    classes: Mapping[str, str]
    """Where the drop-in has these classes."""
    receivers: Mapping[str, str]
    """What a variable of such a name is, where nothing else says so."""
    config_calls: frozenset[str]
    """Functions whose first argument is a configuration."""
    modules: frozenset[str] | None = None
    """The modules of its first root; others of such a name are the drop-in's own. ``None``: all
    that the drop-in has."""

    def differences(self) -> Differences:
        """The known differences."""
        module = _imported(f"{self.drop_in}.differences")
        if module is None:
            message = f"{self.drop_in} is incomplete: it has no table of differences"
            raise NotImportable(message)
        table: Differences = module.DIFFERENCES
        return table

    def has_module(self, path: str) -> bool:
        """Whether a module here, for this path, is one of the client's."""
        root = next(iter(self.roots))
        of_root = path == root or path.startswith(f"{root}.")
        return self.modules is None or not of_root or path in self.modules

    def settings(self, kind: str) -> frozenset[str]:
        """The entries of configurations (``config``) or policies (``policy``)."""
        return _settings(self.drop_in, kind)

    def place(self, path: str) -> str | None:
        """The drop-in's path for one of the client's."""
        root, _, rest = path.partition(".")
        here = self.roots.get(root)
        return None if here is None else f"{here}.{rest}" if rest else here


@cache
def _settings(drop_in: str, kind: str) -> frozenset[str]:
    if drop_in.endswith(".aerospike"):
        keys: Any = importlib.import_module(f"{drop_in}.valid_keys")
        if kind == "policy":
            return frozenset(name for own in keys.POLICIES.values() for name in own)
        of_tls = {f"tls.{name}" for name in keys.CONFIGURATION["tls"]}
        names: frozenset[str] = keys.CONFIGURATION[""] | of_tls
        return names
    if drop_in.endswith(".aerospike_py"):
        where, name = ("policies", "POLICY") if kind == "policy" else ("configuration", "CONFIG")
        known: frozenset[str] = getattr(importlib.import_module(f"{drop_in}.{where}"), name)
        return known
    return frozenset()


PEERS = (
    Peer(
        "aerospike",
        {
            "aerospike": "spikewire.compat.aerospike",
            "aerospike_helpers": "spikewire.compat.aerospike_helpers",
        },
        "spikewire.compat.aerospike",
        {
            "aerospike.client": "Client",
            "aerospike.Client": "Client",
            "Client.connect": "Client",
            "Client.query": "Query",
            "Client.scan": "Scan",
        },
        {
            "Client": "spikewire.compat.aerospike.client.Client",
            "Query": "spikewire.compat.aerospike.query.Query",
            "Scan": "spikewire.compat.aerospike.query.Scan",
        },
        {"client": "Client", "query": "Query", "scan": "Scan"},
        frozenset({"aerospike.client", "aerospike.Client"}),
        frozenset({"aerospike", "aerospike.exception", "aerospike.predicates"}),
    ),
    Peer(
        "aerospike-py",
        {"aerospike_py": "spikewire.compat.aerospike_py"},
        "spikewire.compat.aerospike_py",
        {
            "aerospike_py.client": "Client",
            "aerospike_py.Client": "Client",
            "aerospike_py.async_client": "AsyncClient",
            "aerospike_py.AsyncClient": "AsyncClient",
            "Client.connect": "Client",
            "AsyncClient.connect": "AsyncClient",
            "Client.query": "Query",
            "AsyncClient.query": "AsyncQuery",
            "Client.batch_read": "LazyBatchRecords",
            "AsyncClient.batch_read": "LazyBatchRecords",
            "LazyBatchRecords.to_numpy": "NumpyBatchRecords",
        },
        {
            "Client": "spikewire.compat.aerospike_py.client.Client",
            "AsyncClient": "spikewire.compat.aerospike_py.async_client.AsyncClient",
            "Query": "spikewire.compat.aerospike_py.query.Query",
            "AsyncQuery": "spikewire.compat.aerospike_py.query.AsyncQuery",
            "LazyBatchRecords": "spikewire.compat.aerospike_py.read_results.LazyBatchRecords",
            "NumpyBatchRecords": "spikewire.compat.aerospike_py.numpy_batch.NumpyBatchRecords",
        },
        {"client": "Client", "query": "Query"},
        frozenset(
            {
                "aerospike_py.client",
                "aerospike_py.Client",
                "aerospike_py.async_client",
                "aerospike_py.AsyncClient",
            }
        ),
    ),
    Peer(
        "cassandra-driver",
        {"cassandra": "spikewire.compat.cassandra"},
        "spikewire.compat.cassandra",
        {
            "cassandra.cluster.Cluster": "Cluster",
            "Cluster.connect": "Session",
            "Session.execute": "ResultSet",
            "Session.execute_async": "ResponseFuture",
            "ResponseFuture.result": "ResultSet",
            "Session.prepare": "PreparedStatement",
            "PreparedStatement.bind": "BoundStatement",
            "cassandra.query.SimpleStatement": "SimpleStatement",
            "cassandra.query.BatchStatement": "BatchStatement",
            "cassandra.cluster.ExecutionProfile": "ExecutionProfile",
        },
        {
            "Cluster": "spikewire.compat.cassandra.cluster.Cluster",
            "Session": "spikewire.compat.cassandra.session.Session",
            "ResultSet": "spikewire.compat.cassandra.results.ResultSet",
            "ResponseFuture": "spikewire.compat.cassandra.future.ResponseFuture",
            "PreparedStatement": "spikewire.compat.cassandra.query.PreparedStatement",
            "BoundStatement": "spikewire.compat.cassandra.query.BoundStatement",
            "SimpleStatement": "spikewire.compat.cassandra.query.SimpleStatement",
            "BatchStatement": "spikewire.compat.cassandra.query.BatchStatement",
            "ExecutionProfile": "spikewire.compat.cassandra.profiles.ExecutionProfile",
        },
        {"cluster": "Cluster", "session": "Session"},
        frozenset(),
        frozenset(
            {
                "cassandra",
                "cassandra.auth",
                "cassandra.cluster",
                "cassandra.concurrent",
                "cassandra.connection",
                "cassandra.cqltypes",
                "cassandra.encoder",
                "cassandra.marshal",
                "cassandra.metadata",
                "cassandra.murmur3",
                "cassandra.policies",
                "cassandra.pool",
                "cassandra.protocol",
                "cassandra.query",
                "cassandra.util",
            }
        ),
    ),
)


def of_module(path: str) -> Peer | None:
    """The client to which a module belongs."""
    root = path.partition(".")[0]
    return next((peer for peer in PEERS if root in peer.roots), None)


@cache
def module_at(path: str) -> Any:
    """A module, or something in one; ``None`` if there is nothing of that name. Raises
    ``NotImportable`` if there is a module that cannot be imported."""
    parent, _, name = path.rpartition(".")
    if parent:
        owner = module_at(parent)
        if not inspect.ismodule(owner) or hasattr(owner, name):
            return getattr(owner, name, None)
    return _imported(path)


def class_at(path: str) -> Any:
    """A class of a drop-in, by its module."""
    module, _, name = path.rpartition(".")
    return getattr(_imported(module), name, None)


def _imported(path: str) -> Any:
    try:
        return importlib.import_module(path)
    except Exception as error:
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent is not None and f"{path}.".startswith(f"{absent}."):
            return None
        message = f"{path} cannot be imported here: {type(error).__name__}: {error}"
        raise NotImportable(message) from error
