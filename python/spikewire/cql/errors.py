"""The errors of statements and sessions; all are subclasses of :class:`Error`.

Each error carries ``code`` (the server's error code, ``None`` for client-side failures),
``in_doubt`` (a write may have been applied despite the error), ``node`` (the address of the node)
and ``attempts``; some carry further data from the server. All of them can be pickled. Invalid
arguments raise ``TypeError``, ``ValueError`` or ``OverflowError`` instead, before anything is sent.
"""

# The native half calls `_make`.
# pyright: reportUnusedFunction=false

from __future__ import annotations

__all__ = [
    "AlreadyExists",
    "AuthenticationFailed",
    "Bootstrapping",
    "ConnectionFailed",
    "Error",
    "FunctionFailed",
    "InvalidRequest",
    "NodeUnavailable",
    "Overloaded",
    "ProtocolError",
    "RateLimited",
    "ReadFailure",
    "ReadTimeout",
    "ServerError",
    "SessionClosed",
    "SyntaxException",
    "Timeout",
    "TooBusy",
    "Unauthorized",
    "Unavailable",
    "WriteFailure",
    "WriteTimeout",
    "WriteUnknown",
]


class Error(Exception):
    """Base class of all Cassandra errors."""

    #: What went wrong; the server's message if it rejected the statement.
    message: str
    #: The server's error code; ``None`` for client-side failures.
    code: int | None
    #: The address of the node; ``None`` if no node was involved.
    node: str | None
    #: How often the request was sent; 0 if nothing was sent.
    attempts: int
    #: Whether a write may have been applied despite the error.
    in_doubt: bool
    #: Node and reason of each attempt, in order.
    failed_attempts: list[tuple[str | None, str]]

    def __init__(
        self,
        message: str = "",
        *,
        code: int | None = None,
        node: str | None = None,
        attempts: int = 0,
        in_doubt: bool = False,
        **details: object,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.node = node
        self.attempts = attempts
        self.in_doubt = in_doubt
        self.failed_attempts = []
        for name, value in details.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        context: list[str] = []
        if self.code is not None:
            context.append(f"code 0x{self.code:04x}")
        if self.node is not None:
            context.append(f"node {self.node}")
        if self.attempts > 1:
            context.append(f"{self.attempts} attempts")
        if self.in_doubt:
            context.append("the write may have been applied")
        return f"{self.message} ({', '.join(context)})" if context else self.message

    def __reduce__(self) -> tuple[object, ...]:
        # The attributes, including notes, are pickled as the state.
        return _rebuild, (type(self), self.message), self.__dict__


class Timeout(Error, TimeoutError):
    """The statement's total timeout has expired."""

    __str__ = Error.__str__


class ConnectionFailed(Error, ConnectionError):
    """No connection could be opened, or it was lost during the request."""

    __str__ = Error.__str__


class NodeUnavailable(Error):
    """No node is available, or the node failed too often recently."""


class TooBusy(Error):
    """The limit of requests waiting for a node (``queue_limit``) is reached."""


class SessionClosed(Error):
    """The session is closed, or not open yet."""


class ProtocolError(Error):
    """A node sent invalid data, or reported that it received invalid data."""


class AuthenticationFailed(Error):
    """The server rejected the user or password, or requires them and none were given."""


class ServerError(Error):
    """The server rejected the statement; ``code`` says why."""


class Unavailable(ServerError):
    """Too few replicas are alive for the consistency level; nothing was done."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that are alive.
    received: int
    #: The number of replicas required.
    required: int


class Overloaded(ServerError):
    """The coordinator is overloaded, or shutting down; or so many requests wait for it that the
    statement would not be answered within its ``timeout``, so that it was not sent.
    """


class RateLimited(Overloaded):
    """A partition is used more often than its table allows (Scylla). It is not sent again."""

    #: What was limited: ``read``, ``write`` or ``other``.
    operation: str
    #: Whether the coordinator rejected the statement, so that no replica has seen it.
    by_coordinator: bool


class Bootstrapping(ServerError):
    """The coordinator is still joining the cluster."""


class WriteTimeout(ServerError):
    """Too few replicas acknowledged a write in time."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that acknowledged.
    received: int
    #: The number of replicas required.
    required: int
    #: The kind of write: ``SIMPLE``, ``BATCH``, ``UNLOGGED_BATCH``, ``COUNTER``, ``BATCH_LOG``,
    #: ``CAS``, ``VIEW`` or ``CDC``.
    write_type: str
    #: How often other conditional writes interfered; ``None`` if the server does not say.
    contentions: int | None


class ReadTimeout(ServerError):
    """Too few replicas answered a read in time."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that answered.
    received: int
    #: The number of replicas required.
    required: int
    #: Whether the replica asked for the data itself (rather than a digest) answered.
    data_present: bool


class ReadFailure(ServerError):
    """Replicas failed during a read."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that answered.
    received: int
    #: The number of replicas required.
    required: int
    #: The number of replicas that failed.
    failures: int
    #: Whether the replica asked for the data itself (rather than a digest) answered.
    data_present: bool


class WriteFailure(ServerError):
    """Replicas failed during a write."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that acknowledged.
    received: int
    #: The number of replicas required.
    required: int
    #: The number of replicas that failed.
    failures: int
    #: The kind of write, as in ``WriteTimeout``.
    write_type: str


class WriteUnknown(ServerError):
    """It is unknown whether a conditional write was applied; a read at ``serial`` tells."""

    #: The requested consistency level.
    consistency: str
    #: The number of replicas that answered.
    received: int
    #: The number of replicas required.
    required: int


class FunctionFailed(ServerError):
    """A user-defined function failed."""

    #: Its keyspace.
    keyspace: str
    #: Its name.
    function: str
    #: The types of its arguments.
    arguments: list[str]


class SyntaxException(ServerError):
    """The statement is not valid CQL."""


class Unauthorized(ServerError):
    """The user lacks the permission."""


class InvalidRequest(ServerError):
    """The statement is not valid for the schema: an unknown keyspace, table or column, a wrong
    type.
    """


class AlreadyExists(InvalidRequest):
    """The keyspace or table already exists."""

    #: The keyspace.
    keyspace: str
    #: The table; ``None`` if the keyspace exists already.
    table: str | None


def _make(
    class_name: str,
    code: int | None,
    message: str,
    node: str | None,
    attempts: int,
    in_doubt: bool,  # called by the native part
    details: dict[str, object],
) -> Error:
    """The exception for a failure of the engine."""
    kind: type[Error] = globals()[class_name]
    return kind(message, code=code, node=node, attempts=attempts, in_doubt=in_doubt, **details)


def _rebuild(kind: type[Error], message: str) -> Error:
    return kind(message)
