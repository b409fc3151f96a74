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
    """A setting of the other driver's inner workings, which has no meaning here."""


class DriverException(Exception):
    """The root of most of these exceptions."""


class RequestExecutionException(DriverException):
    """The server could not do what it was asked to."""


class Unavailable(RequestExecutionException):
    """Too few replicas are alive for the consistency level: nothing was done."""

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
    """Too few replicas answered the coordinator in time."""

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
    """Too few replicas answered a read in time."""

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
    """The folder for captured changes is full."""


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
    """Replicas failed at a read."""

    def __init__(self, message: str, data_retrieved: bool | None = None, **info: Any) -> None:
        super().__init__(message, **info)
        self.data_retrieved = data_retrieved


class WriteFailure(CoordinationFailure):
    """Replicas failed at a write."""

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
    """The server refuses the statement as it is."""


class ConfigurationException(RequestValidationException):
    """The server's configuration does not allow the statement."""


class AlreadyExists(ConfigurationException):
    """There is such a keyspace or table already."""

    def __init__(self, keyspace: str | None = None, table: str | None = None) -> None:
        what = f"Table '{keyspace}.{table}'" if table else f"Keyspace '{keyspace}'"
        super().__init__(f"{what} already exists")
        self.keyspace = keyspace
        self.table = table


class InvalidRequest(RequestValidationException):
    """The statement makes no sense here: an unknown table, a wrong type."""


class Unauthorized(RequestValidationException):
    """The user may not do that."""


class AuthenticationFailed(DriverException):
    """The server refuses the user or the password."""


class OperationTimedOut(DriverException):
    """The time that the client gives a statement passed."""

    def __init__(self, errors: dict[Any, Any] | None = None, last_host: Any = None) -> None:
        self.errors = errors
        self.last_host = last_host
        super().__init__(f"errors={errors}, last_host={last_host}")


class UnsupportedOperation(DriverException):
    """The version of the protocol does not have that."""


class UnresolvableContactPoints(DriverException):
    """No contact point's name has an address."""


class DependencyException(Exception):
    """Something that the driver needs is missing."""


def _with_info(message: str, **info: Any) -> str:
    return f"{message} info={info!r}"
