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
    """The root. ``result_code`` is the server's code, or -1 for a failure on this side."""

    result_code: int = -1


class ClientError(AerospikeError):
    """A failure on this side."""


class BackpressureError(ClientError):
    """Too many operations at once."""


class RustPanicError(ClientError):
    """Is never raised here."""


class ServerError(AerospikeError):
    """An answer of the server that has no class of its own."""


class AerospikeIndexError(ServerError):
    """A failure about a secondary index."""


class IndexNotFound(AerospikeIndexError):
    """There is no such index."""


class IndexFoundError(AerospikeIndexError):
    """There is such an index already."""


class QueryError(ServerError):
    """A query failed."""


class QueryAbortedError(QueryError):
    """A query was ended by the server."""


class AdminError(ServerError):
    """A failure about users, roles or rights."""


class UDFError(ServerError):
    """A function on the server failed."""


class RecordError(AerospikeError):
    """An answer of the server about a record."""


class RecordNotFound(RecordError):
    """There is no such record."""


class RecordExistsError(RecordError):
    """There is such a record already."""


class RecordGenerationError(RecordError):
    """The record has another generation."""


class RecordTooBig(RecordError):
    """The record is larger than the server takes."""


class BinNameError(RecordError):
    """The server does not take the name of a bin."""


class BinExistsError(RecordError):
    """There is such a bin already."""


class BinNotFound(RecordError):
    """There is no such bin."""


class BinTypeError(RecordError):
    """A bin holds something else."""


class FilteredOut(RecordError):
    """The filter expression does not hold for the record."""


class ClusterError(AerospikeError):
    """No node of the cluster could be reached."""


class AerospikeTimeoutError(AerospikeError):
    """The time for the operation was over."""


class InvalidArgError(AerospikeError):
    """An argument that no server would take."""


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
