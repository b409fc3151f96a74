"""Converts errors of the engine to the exceptions of aerospike-py."""

# Programs pass arguments of any type, which are checked here at run time.
# pyright: basic

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire import errors
from spikewire.compat.aerospike.failures import CompatWarning, without_effect
from spikewire.compat.aerospike_py import exception as names
from spikewire.compat.aerospike_py.differences import DIFFERENCES

if TYPE_CHECKING:
    from typing_extensions import Never

__all__ = [
    "FAILURES", "NAMELESS", "NOT_CONNECTED", "CompatWarning", "code_of", "failure", "missing",
    "not_opened", "of_code", "reject", "without_effect",
]  # fmt: skip

#: The exceptions that calls of the engine raise.
FAILURES = (errors.Error, TypeError, ValueError, OverflowError)
NOT_CONNECTED = "Client is not connected. Call connect() first."
#: For bins with an empty name, which aerospike-py does not write as the bins of a record.
NAMELESS = "Bin name must not be empty"

_BY_CODE: dict[int, type[names.AerospikeError]] = {
    2: names.RecordNotFound,
    3: names.RecordGenerationError,
    5: names.RecordExistsError,
    6: names.BinExistsError,
    9: names.AerospikeTimeoutError,
    12: names.BinTypeError,
    13: names.RecordTooBig,
    15: names.QueryAbortedError,
    17: names.BinNotFound,
    21: names.BinNameError,
    23: names.RecordError,
    24: names.RecordError,
    27: names.FilteredOut,
    100: names.UDFError,
    200: names.IndexFoundError,
    201: names.IndexNotFound,
    210: names.QueryAbortedError,
    212: names.AerospikeTimeoutError,
}
_ADMIN = frozenset({*range(51, 57), *range(60, 67), *range(70, 76), *range(80, 84)})

#: Client-side errors.
_BY_KIND: tuple[tuple[type[errors.Error], type[names.AerospikeError]], ...] = (
    (errors.Timeout, names.AerospikeTimeoutError),
    (errors.ConnectionFailed, names.ClusterError),
    (errors.NodeUnavailable, names.ClusterError),
    (errors.TooBusy, names.BackpressureError),
)

missing = DIFFERENCES.missing


def failure(error: BaseException, key: Any = None) -> BaseException:
    """The exception for an error of the engine. Any other exception is returned unchanged."""
    if not isinstance(error, errors.Error):
        if (
            isinstance(error, TypeError)
            and isinstance(key, tuple)
            and len(key) > 2
            and type(key[2]) not in (int, str, bytes)
        ):
            return ValueError(str(error))  # A key value of a type that cannot be a key.
        return error
    if isinstance(error, errors.ClientClosed):
        return names.ClientError(NOT_CONNECTED)
    text = error.message if error.node is None else f"{error.node}: {error.message}"
    if error.code <= 0 or isinstance(error, errors.Timeout):
        for kind, name in _BY_KIND:
            if isinstance(error, kind):
                return name(text + _doubt(error))
        return names.ClientError(text + _doubt(error))
    return of_code(error.code, text + _doubt(error))


def not_opened(error: BaseException) -> BaseException:
    """The exception for a client that could not connect or authenticate."""
    if isinstance(error, errors.ServerError):
        return names.ClusterError(error.message)
    return failure(error)


def _doubt(error: errors.Error) -> str:
    return " [in_doubt]" if error.in_doubt else ""


def of_code(code: int, text: str) -> names.AerospikeError:
    """The exception for a server result code."""
    kind = _BY_CODE.get(code) or (names.AdminError if code in _ADMIN else names.ServerError)
    error = kind(f"AEROSPIKE_ERR ({code}): {text}")
    error.result_code = code
    return error


def code_of(error: errors.Error | None, code: int) -> int:
    """The code for a row that failed."""
    if isinstance(error, errors.Timeout):
        return 9
    if isinstance(error, errors.NamespaceNotFound):
        return 11
    return code


def reject(text: str) -> Never:
    """Raises ``InvalidArgError``."""
    raise names.InvalidArgError(text)
