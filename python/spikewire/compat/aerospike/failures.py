"""Converts errors of the engine to the exceptions of the official client."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any, cast

from spikewire import errors
from spikewire.compat.aerospike import exception as names
from spikewire.compat.aerospike.differences import DIFFERENCES

if TYPE_CHECKING:
    from typing_extensions import Never

__all__ = [
    "CompatWarning",
    "deprecated",
    "failure",
    "missing",
    "of_code",
    "of_server",
    "reject",
    "without_effect",
]


class CompatWarning(UserWarning):
    """A feature of the official client has no effect here."""


#: Errors without a server result code, by class.
_BY_KIND: tuple[tuple[type[errors.Error], type[names.AerospikeError]], ...] = (
    (errors.Timeout, names.TimeoutError),
    (errors.ConnectionFailed, names.ConnectionError),
    (errors.NodeUnavailable, names.InvalidNodeError),
    (errors.TooBusy, names.NoMoreConnectionsError),
    (errors.FeatureUnavailable, names.UnsupportedFeature),
    (errors.ClientClosed, names.ClusterError),
    (errors.NamespaceNotFound, names.NamespaceNotFound),
)


#: The official client's message for a command on a record that a server rejected: the name of a
#: constant.
_NAMES = {
    1: "AEROSPIKE_ERR_SERVER",
    2: "AEROSPIKE_ERR_RECORD_NOT_FOUND",
    3: "AEROSPIKE_ERR_RECORD_GENERATION",
    4: "AEROSPIKE_ERR_REQUEST_INVALID",
    5: "AEROSPIKE_ERR_RECORD_EXISTS",
    6: "AEROSPIKE_ERR_BIN_EXISTS",
    8: "AEROSPIKE_ERR_SERVER_FULL",
    10: "AEROSPIKE_ERR_ALWAYS_FORBIDDEN",
    12: "AEROSPIKE_ERR_BIN_INCOMPATIBLE_TYPE",
    13: "AEROSPIKE_ERR_RECORD_TOO_BIG",
    14: "AEROSPIKE_ERR_RECORD_BUSY",
    16: "AEROSPIKE_ERR_UNSUPPORTED_FEATURE",
    17: "AEROSPIKE_ERR_BIN_NOT_FOUND",
    18: "AEROSPIKE_ERR_DEVICE_OVERLOAD",
    19: "AEROSPIKE_ERR_RECORD_KEY_MISMATCH",
    20: "AEROSPIKE_ERR_NAMESPACE_NOT_FOUND",
    21: "AEROSPIKE_ERR_BIN_NAME",
    22: "AEROSPIKE_ERR_FAIL_FORBIDDEN",
    23: "AEROSPIKE_ERR_FAIL_ELEMENT_NOT_FOUND",
    24: "AEROSPIKE_ERR_FAIL_ELEMENT_EXISTS",
    25: "AEROSPIKE_ERR_ENTERPRISE_ONLY",
    26: "AEROSPIKE_ERR_OP_NOT_APPLICABLE",
    27: "AEROSPIKE_FILTERED_OUT",
}


#: The same for a call about users and roles.
_OF_ACCOUNTS = {
    51: "AEROSPIKE_SECURITY_NOT_SUPPORTED",
    52: "AEROSPIKE_SECURITY_NOT_ENABLED",
    53: "AEROSPIKE_SECURITY_SCHEME_NOT_SUPPORTED",
    54: "AEROSPIKE_INVALID_COMMAND",
    55: "AEROSPIKE_INVALID_FIELD",
    56: "AEROSPIKE_ILLEGAL_STATE",
    60: "AEROSPIKE_INVALID_USER",
    61: "AEROSPIKE_USER_ALREADY_EXISTS",
    62: "AEROSPIKE_INVALID_PASSWORD",
    63: "AEROSPIKE_EXPIRED_PASSWORD",
    64: "PKI user password not changeable",
    65: "AEROSPIKE_INVALID_CREDENTIAL",
    66: "AEROSPIKE_EXPIRED_SESSION",
    70: "AEROSPIKE_INVALID_ROLE",
    71: "AEROSPIKE_ROLE_ALREADY_EXISTS",
    72: "AEROSPIKE_INVALID_PRIVILEGE",
    73: "AEROSPIKE_INVALID_WHITELIST",
    74: "AEROSPIKE_QUOTAS_NOT_ENABLED",
    75: "AEROSPIKE_INVALID_QUOTA",
    80: "AEROSPIKE_NOT_AUTHENTICATED",
    81: "AEROSPIKE_ROLE_VIOLATION",
    82: "AEROSPIKE_NOT_WHITELISTED",
    83: "AEROSPIKE_QUOTA_EXCEEDED",
}


def failure(error: BaseException, key: Any = None, bin: Any = None) -> BaseException:
    """The exception for an error of the engine. Any other exception is returned unchanged."""
    if isinstance(error, names.AerospikeError):
        return error
    if isinstance(error, errors.Error):
        exception = _of_engine(error, of_record=key is not None)
    elif isinstance(error, (TypeError, ValueError, OverflowError)):
        exception = _of_argument(str(error))
    else:
        return error
    if isinstance(exception, names.RecordError):
        exception.key, exception.bin = key, bin
    return exception


def _of_argument(text: str) -> names.AerospikeError:
    """For arguments that the engine rejected, in the official client's words if it has any."""
    if "bin name" in text and "limit is 15" in text:
        return of_code(21, "A bin name should not exceed 15 characters limit")
    if "does not fit 64 bits" in text:
        return of_code(-2, "integer value exceeds sys.maxsize")
    if "returning must be" in text:  # A server's error for a type that does not fit.
        return of_code(26, text)
    if "the expression takes" in text:  # A server's error for an expression that is too large.
        exception: Any = of_code(4, text)
        exception.of_expression = True  # A batch has it as its result.
        return cast("names.AerospikeError", exception)
    for marker, number in (("op.INFINITY", 14), ("op.WILDCARD", 13)):
        if text.endswith(f'": {marker} cannot be stored'):  # A bin's whole value.
            return of_code(-1, f"Invalid value type: {number}")
    return of_code(-2, text)


def _of_engine(error: errors.Error, *, of_record: bool) -> names.AerospikeError:
    exception = _in_official_words(error, of_record=of_record)
    if error.subcode is not None:
        exception.subcode = error.subcode
    return exception


def _in_official_words(error: errors.Error, *, of_record: bool) -> names.AerospikeError:
    text = error.message if error.node is None else f"{error.node} {error.message}"
    for kind, name in _BY_KIND:
        if isinstance(error, kind):
            return _filled(name, name.code, text, in_doubt=error.in_doubt)
    named = _NAMES.get(error.code)
    if named is None or not of_record or not isinstance(error, errors.ServerError):
        return of_code(error.code, text, in_doubt=error.in_doubt)
    if error.node is not None:
        named = f"{error.node.rpartition(' ')[2]} {named}"
    exception = of_code(error.code, named, in_doubt=error.in_doubt)
    add_note: Any = getattr(exception, "add_note", None)  # From Python 3.11.
    if add_note is not None:
        add_note(text)
    return exception


def of_server(error: BaseException) -> BaseException:
    """The exception for a call about users and roles, in the official client's words."""
    named = _OF_ACCOUNTS.get(getattr(error, "code", 0))
    if named is None or not isinstance(error, names.AerospikeError):
        return error
    exception = of_code(error.code or 0, named, in_doubt=bool(error.in_doubt))
    add_note: Any = getattr(exception, "add_note", None)  # From Python 3.11.
    if add_note is not None:
        add_note(error.msg)
    return exception


def of_code(code: int, text: str, *, in_doubt: bool = False) -> names.AerospikeError:
    """The exception for a code."""
    kind = names.BY_CODE.get(code, names.AerospikeError if code else names.ClientError)
    return _filled(kind, code, text, in_doubt=in_doubt)


def _filled(
    kind: type[names.AerospikeError], code: int | None, text: str, *, in_doubt: bool
) -> names.AerospikeError:
    exception = kind(code, text, "", 0, in_doubt)
    exception.code, exception.msg, exception.file, exception.line = code, text, "", 0
    exception.in_doubt, exception.subcode = in_doubt, 0
    return exception


def reject(text: str) -> Never:
    """Raises ``ParamError``."""
    raise of_code(-2, text)


missing = DIFFERENCES.missing


def without_effect(what: str) -> None:
    """Warns that something has no effect."""
    warnings.warn(f"{what} has no effect with Spikewire", CompatWarning, stacklevel=4)


def deprecated(text: str) -> None:
    """Warns, as the official client does, that it will not have something any more. The warning is
    about the program's line."""
    level, frame = 2, sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("spikewire.compat."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, DeprecationWarning, stacklevel=level)
