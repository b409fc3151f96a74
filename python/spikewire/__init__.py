"""Spikewire: a native client for databases that speak the Aerospike protocol.

    import spikewire

    with spikewire.Client("127.0.0.1:3000") as client:
        users = client.dataset("test", "users")
        users.put("alice", {"name": "Alice", "age": 28})
        print(users.get("alice")["name"])

The asyncio client has the same names: ``async with spikewire.AsyncClient(...)``, and every verb is
awaited. ``spikewire.testing.Cluster`` is a cluster in this process, with no server to install.
``spikewire.cql`` is the client for Apache Cassandra.
"""

from __future__ import annotations

import atexit as _atexit
import os as _os
import typing as _typing
import warnings as _warnings

from spikewire._imports import import_late as _import_late
from spikewire._native import (
    DEBUG_BUILD as _DEBUG_BUILD,
)
from spikewire._native import (
    Apply,
    ArrowTable,
    AsyncDataset,
    AsyncQuery,
    Batch,
    Dataset,
    Delete,
    Expression,
    GeoJSON,
    HyperLogLog,
    IndexRange,
    Key,
    Late,
    Newer,
    Operation,
    Page,
    Query,
    QueryPlan,
    Read,
    Record,
    Row,
    Write,
    __version__,
    _after_fork,  # pyright: ignore[reportPrivateUsage]
    _at_exit,  # pyright: ignore[reportPrivateUsage]
)
from spikewire.aerospike.builder.asynchronous import AsyncBuilder
from spikewire.aerospike.builder.blocking import Builder
from spikewire.aerospike.client import AsyncClient, Client, Node
from spikewire.aerospike.query import around, between, contains, equal, within
from spikewire.errors import (
    BinExists,
    BinNotFound,
    BinTypeError,
    ClientClosed,
    CommitFailed,
    ConnectionFailed,
    ElementExists,
    ElementNotFound,
    Error,
    FeatureUnavailable,
    FilteredOut,
    FunctionFailed,
    GenerationMismatch,
    IndexNotFound,
    NamespaceNotFound,
    NodeUnavailable,
    OpNotApplicable,
    Overloaded,
    PermissionDenied,
    ProtocolError,
    QueryClosed,
    QueryPaused,
    RecordChanged,
    RecordExists,
    RecordLocked,
    RecordNotFound,
    RecordTooBig,
    RoleExists,
    RoleNotFound,
    ServerError,
    Timeout,
    TooBusy,
    TransactionError,
    TransactionExpired,
    UserExists,
    UserNotFound,
)

if _typing.TYPE_CHECKING:
    from spikewire import (
        builder,
        codec,
        ctx,
        errors,
        exp,
        op,
        opening,
        options,
        profiles,
        query,
        tasks,
        testing,
        types,
    )
    from spikewire.pool import Pool
    from spikewire.profiles import Profile, ProfileError, Profiles

__all__ = [
    "Apply",
    "ArrowTable",
    "AsyncBuilder",
    "AsyncClient",
    "AsyncDataset",
    "AsyncQuery",
    "Batch",
    "BinExists",
    "BinNotFound",
    "BinTypeError",
    "Builder",
    "Client",
    "ClientClosed",
    "CommitFailed",
    "ConnectionFailed",
    "Dataset",
    "Delete",
    "ElementExists",
    "ElementNotFound",
    "Error",
    "Expression",
    "FeatureUnavailable",
    "FilteredOut",
    "FunctionFailed",
    "GenerationMismatch",
    "GeoJSON",
    "HyperLogLog",
    "IndexNotFound",
    "IndexRange",
    "Key",
    "Late",
    "NamespaceNotFound",
    "Newer",
    "Node",
    "NodeUnavailable",
    "OpNotApplicable",
    "Operation",
    "Overloaded",
    "Page",
    "PermissionDenied",
    "Pool",
    "Profile",
    "ProfileError",
    "Profiles",
    "ProtocolError",
    "Query",
    "QueryClosed",
    "QueryPaused",
    "QueryPlan",
    "Read",
    "Record",
    "RecordChanged",
    "RecordExists",
    "RecordLocked",
    "RecordNotFound",
    "RecordTooBig",
    "RoleExists",
    "RoleNotFound",
    "Row",
    "ServerError",
    "Timeout",
    "TooBusy",
    "TransactionError",
    "TransactionExpired",
    "UserExists",
    "UserNotFound",
    "Write",
    "__version__",
    "around",
    "between",
    "builder",
    "codec",
    "contains",
    "ctx",
    "equal",
    "errors",
    "exp",
    "op",
    "opening",
    "options",
    "profiles",
    "query",
    "tasks",
    "testing",
    "types",
    "within",
]


def __dir__() -> tuple[str, ...]:
    return tuple(__all__)


#: Modules that not every program uses, imported when they are first named here.
_MODULES = frozenset(
    (
        *("builder", "codec", "cql", "ctx", "exp", "metrics", "op", "opening", "options", "pool"),
        *("profiles", "query", "tasks", "testing", "types"),
    )
)
#: Classes of theirs, with the module of each.
_CLASSES = {
    "Pool": "pool",
    "Profile": "profiles",
    "ProfileError": "profiles",
    "Profiles": "profiles",
}


def __getattr__(name: str) -> object:
    if name in _CLASSES:
        return getattr(_import_late(f"spikewire.{_CLASSES[name]}"), name)
    if name in _MODULES:
        return _import_late(f"spikewire.{name}")
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


if _DEBUG_BUILD:
    _warnings.warn(
        "spikewire was built in debug mode: correct, but many times slower. "
        "Build with `make build` (maturin --release).",
        RuntimeWarning,
        stacklevel=2,
    )

# Clients opened for unpickled datasets are not closed by any program, and the threads of submitted
# calls must end while the interpreter still exists for their futures.
_atexit.register(_at_exit)

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_after_fork)
