"""The exceptions of the package ``cassandra`` itself."""

from __future__ import annotations

from typing import Any

from spikewire.compat.cassandra.levels import WriteType, consistency_value_to_name

__all__ = [
    "AlreadyExists",
    "AuthenticationFailed",
    "CDCWriteFailure",
    "CompatWarning",
    "ConfigurationException",
    "CoordinationFailure",
    "DependencyException",
    "DriverException",
    "FunctionFailure",
    "InvalidRequest",
    "OperationTimedOut",
    "ReadFailure",
    "ReadTimeout",
    "RequestExecutionException",
    "RequestValidationException",
    "Timeout",
    "Unauthorized",
    "Unavailable",
    "UnresolvableContactPoints",
    "UnsupportedOperation",
    "WriteFailure",
    "WriteTimeout",
]


class CompatWarning(UserWarning):
    """An internal setting of the other driver that has no effect here."""


class DriverException(Exception):
    """The base class of most of these exceptions."""


class RequestExecutionException(DriverException):
    """The server could not execute the request."""


class Unavailable(RequestExecutionException):
    """Too few replicas are alive for the consistency level; nothing was done."""

    def __init__(
        self,
        summary_message: str,
        consistency: int | None = None,
        required_replicas: int | None = None,
        alive_replicas: int | None = None,
    ) -> None:
        self.consistency = consistency
        self.required_replicas = required_replicas
        self.alive_replicas = alive_replicas
        super().__init__(
            _with_info(
                summary_message,
                consistency=consistency_value_to_name(consistency),
                required_replicas=required_replicas,
                alive_replicas=alive_replicas,
            )
        )


class Timeout(RequestExecutionException):
    """Too few replicas replied to the coordinator in time."""

    def __init__(
        self,
        summary_message: str,
        consistency: int | None = None,
        required_responses: int | None = None,
        received_responses: int | None = None,
        **info: Any,
    ) -> None:
        self.consistency = consistency
        self.required_responses = required_responses
        self.received_responses = received_responses
        super().__init__(
            _with_info(
                summary_message,
                consistency=consistency_value_to_name(consistency),
                required_responses=required_responses,
                received_responses=received_responses,
                **info,
            )
        )


class ReadTimeout(Timeout):
    """Too few replicas replied to a read in time."""

    def __init__(self, message: str, data_retrieved: bool | None = None, **info: Any) -> None:
        super().__init__(message, **info)
        self.data_retrieved = data_retrieved


class WriteTimeout(Timeout):
    """Too few replicas acknowledged a write in time."""

    def __init__(self, message: str, write_type: int | None = None, **info: Any) -> None:
        name = None if write_type is None else WriteType.value_to_name[write_type]
        super().__init__(message, write_type=name, **info)
        self.write_type = write_type


class CDCWriteFailure(RequestExecutionException):
    """The directory for change data capture is full."""


class CoordinationFailure(RequestExecutionException):
    """Replicas failed."""

    def __init__(
        self,
        summary_message: str,
        consistency: int | None = None,
        required_responses: int | None = None,
        received_responses: int | None = None,
        failures: int | None = None,
        error_code_map: dict[str, int] | None = None,
    ) -> None:
        self.consistency = consistency
        self.required_responses = required_responses
        self.received_responses = received_responses
        self.failures = failures
        self.error_code_map = error_code_map
        super().__init__(
            _with_info(
                summary_message,
                consistency=consistency_value_to_name(consistency),
                required_responses=required_responses,
                received_responses=received_responses,
                failures=failures,
            )
        )


class ReadFailure(CoordinationFailure):
    """Replicas failed during a read."""

    def __init__(self, message: str, data_retrieved: bool | None = None, **info: Any) -> None:
        super().__init__(message, **info)
        self.data_retrieved = data_retrieved


class WriteFailure(CoordinationFailure):
    """Replicas failed during a write."""

    def __init__(self, message: str, write_type: int | None = None, **info: Any) -> None:
        super().__init__(message, **info)
        self.write_type = write_type


class FunctionFailure(RequestExecutionException):
    """A user-defined function failed."""

    def __init__(
        self, summary_message: str, keyspace: str, function: str, arg_types: list[str]
    ) -> None:
        self.keyspace = keyspace
        self.function = function
        self.arg_types = arg_types
        super().__init__(summary_message)


class RequestValidationException(DriverException):
    """The server rejects the statement as invalid."""


class ConfigurationException(RequestValidationException):
    """The server's configuration does not allow the statement."""


class AlreadyExists(ConfigurationException):
    """The keyspace or table exists already."""

    def __init__(self, keyspace: str | None = None, table: str | None = None) -> None:
        what = f"Table '{keyspace}.{table}'" if table else f"Keyspace '{keyspace}'"
        super().__init__(f"{what} already exists")
        self.keyspace = keyspace
        self.table = table


class InvalidRequest(RequestValidationException):
    """The statement is invalid: for example an unknown table or a wrong type."""


class Unauthorized(RequestValidationException):
    """The user does not have the permission."""


class AuthenticationFailed(DriverException):
    """The server rejects the user or the password."""


class OperationTimedOut(DriverException):
    """The client's timeout for the statement expired."""

    def __init__(self, errors: dict[Any, Any] | None = None, last_host: Any = None) -> None:
        self.errors = errors
        self.last_host = last_host
        super().__init__(f"errors={errors}, last_host={last_host}")


class UnsupportedOperation(DriverException):
    """The protocol version does not support that."""


class UnresolvableContactPoints(DriverException):
    """No contact point could be resolved to an address."""


class DependencyException(Exception):
    """A dependency of the driver is missing."""


def _with_info(message: str, **info: Any) -> str:
    return f"{message} info={info!r}"
