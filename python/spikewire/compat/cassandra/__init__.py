"""The names of the DataStax / Apache Python driver for Cassandra, over ``spikewire.cql``.

A program migrates by changing an import: ``from spikewire.compat.cassandra.cluster import Cluster``
instead of ``from cassandra.cluster import Cluster``. ``install()`` is for programs that cannot be
edited. Unsupported features raise ``NotImplementedError`` with their names;
docs/compat-cassandra.md has the full list.

| module | contents |
|---|---|
| ``cluster`` | ``Cluster``, and the other names in ``cassandra.cluster`` |
| ``session``, ``future``, ``results`` | ``Session``, ``ResponseFuture``, ``ResultSet`` |
| ``profiles``, ``policies``, ``auth`` | execution profiles, policies and authentication |
| ``query``, ``factories``, ``special_values`` | statements, traces, row factories |
| ``concurrent`` | many statements at a time |
| ``metadata``, ``pool`` | schema and nodes |
| ``errors``, ``protocol``, ``error_translation`` | exceptions, and converting errors to them |
| ``levels`` | consistency levels and other named constants |
| ``util`` | classes of values |
| ``values``, ``user_types`` | converting values in both directions |
| ``column_types``, ``cqltypes`` | types of columns; the names in ``cassandra.cqltypes`` |
| ``markers``, ``type_checks``, ``identifiers`` | ``%s`` parameters, checks, names of attributes |
| ``connection``, ``encoder``, ``marshal``, ``murmur3`` | other modules of ``cassandra`` |
| ``synchronization`` | locks and events, also under gevent |
| ``installation``, ``missing_errors`` | ``import cassandra``; errors for names that are not here |
"""

from typing import Any

from spikewire.compat.cassandra.errors import (
    AlreadyExists,
    AuthenticationFailed,
    CDCWriteFailure,
    CompatWarning,
    ConfigurationException,
    CoordinationFailure,
    DependencyException,
    DriverException,
    FunctionFailure,
    InvalidRequest,
    OperationTimedOut,
    ReadFailure,
    ReadTimeout,
    RequestExecutionException,
    RequestValidationException,
    Timeout,
    Unauthorized,
    Unavailable,
    UnresolvableContactPoints,
    UnsupportedOperation,
    WriteFailure,
    WriteTimeout,
)
from spikewire.compat.cassandra.installation import install
from spikewire.compat.cassandra.levels import (
    ConsistencyLevel,
    ProtocolVersion,
    SchemaChangeType,
    SchemaTargetType,
    SignatureDescriptor,
    UserAggregateDescriptor,
    UserFunctionDescriptor,
    WriteType,
    consistency_value_to_name,
)
from spikewire.compat.cassandra.missing_errors import resolve_name

#: The version of cassandra-driver whose API this is.
__version__ = "3.30.0"
__version_info__ = (3, 30, 0)

__all__ = [
    "AlreadyExists",
    "AuthenticationFailed",
    "CDCWriteFailure",
    "CompatWarning",
    "ConfigurationException",
    "ConsistencyLevel",
    "CoordinationFailure",
    "DependencyException",
    "DriverException",
    "FunctionFailure",
    "InvalidRequest",
    "OperationTimedOut",
    "ProtocolVersion",
    "ReadFailure",
    "ReadTimeout",
    "RequestExecutionException",
    "RequestValidationException",
    "SchemaChangeType",
    "SchemaTargetType",
    "SignatureDescriptor",
    "Timeout",
    "Unauthorized",
    "Unavailable",
    "UnresolvableContactPoints",
    "UnsupportedOperation",
    "UserAggregateDescriptor",
    "UserFunctionDescriptor",
    "WriteFailure",
    "WriteTimeout",
    "WriteType",
    "consistency_value_to_name",
    "install",
]


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
