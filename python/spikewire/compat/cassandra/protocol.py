"""The exceptions of ``cassandra.protocol`` for errors from servers."""

from __future__ import annotations

from typing import Any, ClassVar

from spikewire.compat.cassandra.levels import ProtocolVersion
from spikewire.compat.cassandra.missing_errors import resolve_name

__all__ = [
    "ConfigurationException",
    "ErrorMessage",
    "IsBootstrappingErrorMessage",
    "OverloadedErrorMessage",
    "ProtocolException",
    "ProtocolVersion",
    "RequestExecutionException",
    "RequestValidationException",
    "ServerError",
    "SyntaxException",
    "TruncateError",
]


class ErrorMessage(Exception):
    """An error from the server."""

    error_code: ClassVar[int | None] = None
    summary: ClassVar[str] = "Unknown"

    def __init__(self, code: int, message: str, info: Any = None) -> None:
        super().__init__(code, message, info)
        self.code = code
        self.message = message
        self.info = info

    def summary_msg(self) -> str:
        """Code, name and message in one line."""
        return f'Error from server: code={self.code:04x} [{self.summary}] message="{self.message}"'

    def __str__(self) -> str:
        return f"<{self.summary_msg()}>"

    __repr__ = __str__


class RequestExecutionException(ErrorMessage):
    """The server could not execute the request."""


class RequestValidationException(ErrorMessage):
    """The server rejects the statement as invalid."""


class ServerError(ErrorMessage):
    """The server failed."""

    error_code = 0x0000
    summary = "Server error"


class ProtocolException(ErrorMessage):
    """A protocol error of the client or the server."""

    error_code = 0x000A
    summary = "Protocol error"


class OverloadedErrorMessage(RequestExecutionException):
    """The coordinator is overloaded."""

    error_code = 0x1001
    summary = "Coordinator node overloaded"


class IsBootstrappingErrorMessage(RequestExecutionException):
    """The coordinator is still joining the cluster."""

    error_code = 0x1002
    summary = "Coordinator node is bootstrapping"


class TruncateError(RequestExecutionException):
    """A table could not be truncated."""

    error_code = 0x1003
    summary = "Error during truncate"


class SyntaxException(RequestValidationException):
    """The text of the statement is not CQL."""

    error_code = 0x2000
    summary = "Syntax error in CQL query"


class ConfigurationException(RequestValidationException):
    """The server's configuration does not allow the statement."""

    error_code = 0x2300
    summary = "Query invalid because of configuration issue"


class RateLimitReached(ConfigurationException):
    """A partition is used more often than its table allows (Scylla).

    ``op_type`` is 0 for reads, 1 for writes, ``None`` for others; ``rejected_by_coordinator`` says
    that no replica has seen the statement.
    """

    summary = "Rate limit of a partition reached"

    def __init__(
        self, code: int, message: str, op_type: int | None, rejected_by_coordinator: bool
    ) -> None:
        super().__init__(code, message)
        self.op_type = op_type
        self.rejected_by_coordinator = rejected_by_coordinator


def __getattr__(name: str) -> Any:
    return resolve_name(__name__, name)
