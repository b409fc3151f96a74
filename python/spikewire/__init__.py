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
    Newer,
    Operation,
    Page,
    Query,
    Read,
    Record,
    Row,
    Write,
    __version__,
    _after_fork,  # pyright: ignore[reportPrivateUsage]
    _at_exit,  # pyright: ignore[reportPrivateUsage]
)
from spikewire.builder import AsyncBuilder, Builder
from spikewire.client import AsyncClient, Client, Node
from spikewire.errors import (
    BinExists,
    BinNotFound,
    BinTypeError,
    ClientClosed,
    ConnectionFailed,
    ElementExists,
    ElementNotFound,
    Error,
    FilteredOut,
    FunctionFailed,
    GenerationMismatch,
    IndexNotFound,
    NamespaceNotFound,
    NodeUnavailable,
    OpNotApplicable,
    PermissionDenied,
    ProtocolError,
    QueryClosed,
    QueryPaused,
    RecordExists,
    RecordNotFound,
    RecordTooBig,
    RoleExists,
    RoleNotFound,
    ServerError,
    Timeout,
    TooBusy,
    UserExists,
    UserNotFound,
)
from spikewire.profiles import Profile, ProfileError, Profiles
from spikewire.query import around, between, contains, equal, within

if _typing.TYPE_CHECKING:
    from spikewire.pool import Pool

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
    "ConnectionFailed",
    "Dataset",
    "Delete",
    "ElementExists",
    "ElementNotFound",
    "Error",
    "Expression",
    "FilteredOut",
    "FunctionFailed",
    "GenerationMismatch",
    "GeoJSON",
    "HyperLogLog",
    "IndexNotFound",
    "IndexRange",
    "Key",
    "NamespaceNotFound",
    "Newer",
    "Node",
    "NodeUnavailable",
    "OpNotApplicable",
    "Operation",
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
    "Read",
    "Record",
    "RecordExists",
    "RecordNotFound",
    "RecordTooBig",
    "RoleExists",
    "RoleNotFound",
    "Row",
    "ServerError",
    "Timeout",
    "TooBusy",
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


def __getattr__(name: str) -> object:
    # Parts that few programs use, and that take a third of the time of importing this package.
    from importlib import import_module

    if name == "Pool":
        return import_module("spikewire.pool").Pool
    if name in ("cql", "metrics", "pool"):
        return import_module(f"spikewire.{name}")
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
