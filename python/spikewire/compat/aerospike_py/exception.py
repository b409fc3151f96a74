"""Exceptions with the names of aerospike-py."""

from __future__ import annotations

import warnings
from typing import Any

__all__ = [
    "AdminError",
    "AerospikeError",
    "AerospikeIndexError",
    "AerospikeTimeoutError",
    "BackpressureError",
    "BinExistsError",
    "BinNameError",
    "BinNotFound",
    "BinTypeError",
    "ClientError",
    "ClusterError",
    "FilteredOut",
    "IndexFoundError",
    "IndexNotFound",
    "InvalidArgError",
    "QueryAbortedError",
    "QueryError",
    "RecordError",
    "RecordExistsError",
    "RecordGenerationError",
    "RecordNotFound",
    "RecordTooBig",
    "RustPanicError",
    "ServerError",
    "UDFError",
]


class AerospikeError(Exception):
    """The base class. ``result_code`` is the server's code, or -1 for a client-side error."""

    result_code: int = -1


class ClientError(AerospikeError):
    """A client-side error."""


class BackpressureError(ClientError):
    """Too many operations at once."""


class RustPanicError(ClientError):
    """Never raised here."""


class ServerError(AerospikeError):
    """A server error without a class of its own."""


class AerospikeIndexError(ServerError):
    """An error about a secondary index."""


class IndexNotFound(AerospikeIndexError):
    """The index does not exist."""


class IndexFoundError(AerospikeIndexError):
    """The index exists already."""


class QueryError(ServerError):
    """A query failed."""


class QueryAbortedError(QueryError):
    """A query was aborted by the server."""


class AdminError(ServerError):
    """An error about users, roles or privileges."""


class UDFError(ServerError):
    """A function on the server failed."""


class RecordError(AerospikeError):
    """A server error about a record."""


class RecordNotFound(RecordError):
    """The record does not exist."""


class RecordExistsError(RecordError):
    """The record exists already."""


class RecordGenerationError(RecordError):
    """The record has another generation."""


class RecordTooBig(RecordError):
    """The record is larger than the server allows."""


class BinNameError(RecordError):
    """The server rejects the bin name."""


class BinExistsError(RecordError):
    """The bin exists already."""


class BinNotFound(RecordError):
    """The bin does not exist."""


class BinTypeError(RecordError):
    """The bin has a value of another type."""


class FilteredOut(RecordError):
    """The filter expression is not true for the record."""


class ClusterError(AerospikeError):
    """No node of the cluster could be reached."""


class AerospikeTimeoutError(AerospikeError):
    """The operation timed out."""


class InvalidArgError(AerospikeError):
    """An argument that every server would reject."""


_OLD: dict[str, type[AerospikeError]] = {
    "TimeoutError": AerospikeTimeoutError,
    "IndexError": AerospikeIndexError,
}


def __getattr__(name: str) -> Any:
    kind = _OLD.get(name)
    if kind is None:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    message = f"exception.{name} is an old name of {kind.__name__}"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return kind
