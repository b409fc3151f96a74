"""Converts errors of the engine to the exceptions of the other driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spikewire.compat.cassandra import errors, protocol
from spikewire.compat.cassandra.levels import ConsistencyLevel, WriteType
from spikewire.cql import errors as cql_errors

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["NoHostAvailable", "translate_error"]


class NoHostAvailable(Exception):
    """No node could be used; ``errors`` has the reasons, by node."""

    def __init__(self, message: str, errors: dict[Any, Any] | list[Any]) -> None:
        super().__init__(message, errors)
        self.errors = errors


_SUMMARIES = {
    0x1000: "Unavailable exception",
    0x1100: "Coordinator node timed out waiting for replica nodes' responses",
    0x1200: "Coordinator node timed out waiting for replica nodes' responses",
    0x1300: "Replica(s) failed to execute read",
    0x1400: "User Defined Function failure",
    0x1500: "Replica(s) failed to execute write",
    0x1700: "Outcome of the conditional write is unknown",
    0x2100: "Unauthorized",
    0x2200: "Invalid query",
}

_MESSAGES: dict[int, type[protocol.ErrorMessage]] = {
    kind.error_code: kind
    for kind in (
        protocol.ServerError,
        protocol.ProtocolException,
        protocol.OverloadedErrorMessage,
        protocol.IsBootstrappingErrorMessage,
        protocol.TruncateError,
        protocol.SyntaxException,
        protocol.ConfigurationException,
    )
    if kind.error_code is not None
}

#: Errors that become ``NoHostAvailable`` if other nodes are tried.
_NEXT_NODE = (0x0000, 0x1001, 0x1002, 0x1003)

_NO_HOST = "Unable to complete the operation against any hosts"


def translate_error(
    error: BaseException, host_of: Callable[[str | None], Any], *, retried: bool = True
) -> BaseException:
    """The exception to raise for ``error``. Unchanged if it needs no conversion.

    ``host_of`` finds a node by its address; ``retried`` says whether other nodes were tried.
    """
    if isinstance(error, OverflowError):
        exception: BaseException = TypeError(str(error))
    elif isinstance(error, cql_errors.Error):
        exception = _of_server(error, host_of, retried) or _of_client(error, host_of)
    else:
        return error
    exception.__cause__ = error
    return exception


def _of_client(error: cql_errors.Error, host_of: Callable[[str | None], Any]) -> BaseException:
    node = host_of(error.node)
    if isinstance(error, cql_errors.Timeout):
        messages = {str(host): one.message for host, one in _by_host(error, host_of).items()}
        return errors.OperationTimedOut(messages or {str(node): error.message}, node)
    if isinstance(error, cql_errors.AuthenticationFailed):
        return errors.AuthenticationFailed(str(error))
    if isinstance(error, cql_errors.ProtocolError):
        return protocol.ProtocolException(error.code or 0x000A, error.message)
    own = {} if node is None else {node: error}
    return NoHostAvailable(_NO_HOST, _by_host(error, host_of) | own)


def _by_host(
    error: cql_errors.Error,
    host_of: Callable[[str | None], Any],
) -> dict[Any, Any]:
    """The errors of attempts, by node: the latest one for each."""
    errors_by_host: dict[Any, Any] = {}
    for node, reason in error.failed_attempts:
        host = host_of(node)
        if host is not None:
            errors_by_host.pop(host, None)
            errors_by_host[host] = cql_errors.Error(reason, node=node, attempts=1)
    return errors_by_host


def _of_server(
    error: cql_errors.Error, host_of: Callable[[str | None], Any], retried: bool
) -> BaseException | None:
    code = error.code
    if code is None:
        return None
    if isinstance(error, cql_errors.RateLimited):
        operation = {"read": 0, "write": 1}.get(error.operation)
        return protocol.RateLimitReached(code, error.message, operation, error.by_coordinator)
    kind = _MESSAGES.get(code)
    if kind is not None:
        exception = kind(code, error.message)
        if code in _NEXT_NODE and retried:
            return NoHostAvailable(
                _NO_HOST, _by_host(error, host_of) | {host_of(error.node): exception}
            )
        return exception
    words = f"Error from server: code={code:04x} [{_SUMMARIES.get(code, 'Unknown')}] "
    words += f'message="{error.message}"'
    if isinstance(error, cql_errors.AlreadyExists):
        return errors.AlreadyExists(error.keyspace, error.table)
    if isinstance(error, cql_errors.InvalidRequest):
        return errors.InvalidRequest(words)
    if isinstance(error, cql_errors.Unauthorized):
        return errors.Unauthorized(words)
    if isinstance(error, cql_errors.FunctionFailed):
        return errors.FunctionFailure(words, error.keyspace, error.function, error.arguments)
    return _of_replicas(error, words)


def _level(name: str) -> int | None:
    return ConsistencyLevel.name_to_value.get(name.upper())


def _of_replicas(error: cql_errors.Error, words: str) -> BaseException | None:
    if isinstance(error, cql_errors.Unavailable):
        level = _level(error.consistency)
        return errors.Unavailable(words, level, error.required, error.received)
    if isinstance(
        error,
        (
            cql_errors.ReadTimeout,
            cql_errors.WriteTimeout,
            cql_errors.ReadFailure,
            cql_errors.WriteFailure,
            cql_errors.WriteUnknown,
        ),
    ):
        arguments: dict[str, Any] = {
            "consistency": _level(error.consistency),
            "required_responses": error.required,
            "received_responses": error.received,
        }
        if isinstance(error, cql_errors.ReadTimeout):
            return errors.ReadTimeout(words, data_retrieved=error.data_present, **arguments)
        if isinstance(error, cql_errors.WriteUnknown):
            return errors.WriteTimeout(words, write_type=WriteType.CAS, **arguments)
        if isinstance(error, cql_errors.ReadFailure):
            present = error.data_present
            return errors.ReadFailure(words, present, failures=error.failures, **arguments)
        kind = WriteType.name_to_value.get(error.write_type.upper())
        if isinstance(error, cql_errors.WriteTimeout):
            return errors.WriteTimeout(words, write_type=kind, **arguments)
        return errors.WriteFailure(words, kind, failures=error.failures, **arguments)
    return None
