"""Every failure of a call, in one tree under :class:`Error`.

Each error carries ``code`` (the server's result code, or a negative number for client-side
failures), ``in_doubt`` (a write may have been applied despite the error), ``node`` (name and
address), ``attempts`` and ``key``. All of them can be pickled. Invalid arguments raise
``TypeError``, ``ValueError`` or ``OverflowError`` instead, before anything is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikewire.error_details import details_of

if TYPE_CHECKING:
    from spikewire._native import Key
    from spikewire.error_details import ErrorDetails, NativeDetails


__all__ = [
    "BinExists",
    "BinNotFound",
    "BinTypeError",
    "ClientClosed",
    "CommitFailed",
    "ConnectionFailed",
    "ElementExists",
    "ElementNotFound",
    "Error",
    "FeatureUnavailable",
    "FilteredOut",
    "FunctionFailed",
    "GenerationMismatch",
    "IndexNotFound",
    "NamespaceNotFound",
    "NodeUnavailable",
    "OpNotApplicable",
    "Overloaded",
    "PermissionDenied",
    "ProtocolError",
    "QueryClosed",
    "QueryPaused",
    "RecordChanged",
    "RecordExists",
    "RecordLocked",
    "RecordNotFound",
    "RecordTooBig",
    "RoleExists",
    "RoleNotFound",
    "ServerError",
    "Timeout",
    "TooBusy",
    "TransactionError",
    "TransactionExpired",
    "UserExists",
    "UserNotFound",
]


#: How long a key may be in a message.
_LONGEST = 400


class Error(Exception):
    """The root of Spikewire's errors."""

    #: What to do about it; empty when the message is enough.
    advice: str = ""

    #: What went wrong, without the circumstances that ``str(error)`` adds.
    message: str
    #: The server's result code; a negative number for failures on this side.
    code: int
    #: Name and address of the node; ``None`` when no node was involved.
    node: str | None
    #: How often the call was tried; 0 when nothing was sent.
    attempts: int
    #: Whether a write may have been applied nevertheless.
    in_doubt: bool
    #: The key of the call; ``None`` when the failure does not concern a single record.
    key: Key | None
    #: What the server said beyond its code, if it was asked with ``error_details``; else ``None``.
    details: ErrorDetails | None = None

    def __init__(
        self,
        message: str = "",
        *,
        code: int = -1,
        node: str | None = None,
        attempts: int = 0,
        in_doubt: bool = False,
        key: Key | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.node = node
        self.attempts = attempts
        self.in_doubt = in_doubt
        self.key = key

    @property
    def subcode(self) -> int | None:
        """A number that says more than ``code`` and means something together with it only;
        ``None`` if the server sent none.
        """
        return None if self.details is None else self.details.subcode

    @property
    def subcode_name(self) -> str | None:
        """What ``subcode`` is called; ``None`` if there is none, or it is not known."""
        return None if self.details is None else self.details.subcode_name

    def __str__(self) -> str:
        parts = [self.message]
        # The codes of failures on this side say no more than the class.
        context = [f"code {self.code}"] if self.code >= 0 else []
        if self.key is not None:
            key = repr(self.key)
            context.append(key if len(key) <= _LONGEST else f"{key[: _LONGEST // 2]}…")
        if self.node is not None and self.node not in self.message:
            context.append(f"node {self.node}")
        if self.attempts > 1:
            context.append(f"{self.attempts} attempts")
        if self.in_doubt:
            context.append("the write may have been applied")
        if context:
            parts.append(f"({', '.join(context)})")
        if self.advice:
            parts.append(f"- {self.advice}")
        return " ".join(parts)

    def __reduce__(self) -> tuple[object, ...]:
        # The attributes, including notes, are pickled as the state.
        return _rebuild, (type(self), self.message), self.__dict__


class ServerError(Error):
    """The server rejected the command; ``code`` says why."""


class RecordNotFound(ServerError, KeyError):
    """The record does not exist."""

    __str__ = Error.__str__


class RecordExists(ServerError):
    """The record exists, and the call asked to create it."""


class GenerationMismatch(ServerError):
    """The record's generation is not the one the call expected."""

    advice = "the record has been written since it was read: read it again and retry"


class BinTypeError(ServerError):
    """The operation does not fit the type of the bin."""


class BinExists(ServerError):
    """The bin exists, and the operation asked to create it."""


class BinNotFound(ServerError):
    """The bin does not exist, and the operation needs it."""


class ElementExists(ServerError):
    """The list has this value, or the map this key, and the operation asked for a new one."""


class ElementNotFound(ServerError):
    """The map does not have this key, and the operation needs it."""


class OpNotApplicable(ServerError):
    """The operation does not apply to the bin's value: an index out of range, a path that does
    not exist, an expression without a value."""


class RecordTooBig(ServerError):
    """The record would exceed the namespace's max-record-size; the old record is unchanged."""


class FilteredOut(ServerError):
    """The record exists, but does not pass the call's ``where``."""


class FunctionFailed(ServerError):
    """A function that the cluster ran raised an error, or the module or function does not exist."""


class IndexNotFound(ServerError):
    """No secondary index fits the query: none exists on that bin with that type, or under that
    name.
    """

    advice = (
        "create it with client.indexes.create(...), or leave out index= and filter with where=, "
        "which looks at every record"
    )


class PermissionDenied(ServerError, PermissionError):
    """The client's user lacks the privilege for this."""

    advice = "log in as a user with a role that permits it, or let a user-admin grant one"


class UserNotFound(ServerError):
    """There is no user of this name."""


class UserExists(ServerError):
    """There is a user of this name already."""


class RoleNotFound(ServerError):
    """There is no role of this name, or it is one that every cluster has and that cannot be
    changed."""


class RoleExists(ServerError):
    """There is a role of this name already."""


class NamespaceNotFound(ServerError):
    """The cluster has no such namespace."""


class TransactionError(Error):
    """The transaction is over, cannot have this call, or was refused by the server."""


class RecordLocked(TransactionError, ServerError):
    """Another transaction has written the record and is not over yet."""

    advice = (
        "abort the transaction and try again after a pause; client.run_in_transaction does that"
    )


class RecordChanged(TransactionError, ServerError):
    """The record changed after this transaction had read it."""

    advice = "abort the transaction and try again; client.run_in_transaction does that"


class TransactionExpired(TransactionError, ServerError):
    """The transaction's time is over, or it has ended; its writes are dropped unless it was
    committed."""

    advice = "give it a longer timeout, of at most 120 seconds, or do less in it"


class CommitFailed(TransactionError):
    """The transaction could not be committed. ``in_doubt``: it may be committed nevertheless."""

    #: What failed: ``"verify"``, because records that were read have changed or could not be
    #: checked; or ``"mark"``, the step from which on a transaction is committed.
    part: str = ""
    #: For ``"verify"``: the errors of these records, each with its ``key``.
    records: tuple[Error, ...] = ()


class Timeout(Error, TimeoutError):
    """The total timeout of the call passed, or the server gave up after its own."""

    __str__ = Error.__str__


class ConnectionFailed(Error, ConnectionError):
    """No connection could be made, or it broke during the call."""

    __str__ = Error.__str__


class NodeUnavailable(Error):
    """No node that could serve the record is reachable, or the node's circuit breaker is open."""


class FeatureUnavailable(Error):
    """The call needs something that a node's server version or edition does not have, or, for a
    batch or a query, that of any node. It was not sent. The message names both.
    """


class TooBusy(Error):
    """A limit of this client is reached; the message says which one."""


class Overloaded(TooBusy):
    """A node has more to do than it can: given what waits for it already, the call would not be
    answered within its ``timeout``. It was not sent. The message says how much waits and how long
    that takes.
    """

    advice = "slow down, give the call a longer timeout, or send it with priority='background'"


class ProtocolError(Error):
    """The node sent data that is not valid in this protocol."""


class QueryPaused(Error):
    """The program took no record of a query for longer than its ``socket_timeout``, and a node
    closed the connection. ``cursor`` resumes it.
    """

    advice = "resume with query(resume=error.cursor), or give the query a longer socket_timeout"

    #: For the ``resume`` of ``query``, with the same arguments.
    cursor: bytes = b""


class QueryClosed(Error):
    """The query is closed: by its ``close``, or at the end of its block."""

    advice = "begin another one; query.cursor says where this one ended"


class ClientClosed(Error):
    """The client is closed, or it was never connected."""


def _make(  # pyright: ignore[reportUnusedFunction]: the engine calls it
    class_name: str,
    code: int,
    message: str,
    node: str | None,
    attempts: int,
    in_doubt: bool,
    key: Key | None,
    details: NativeDetails | None = None,
) -> Error:
    """The exception for a failure reported by the engine."""
    error_class: type[Error] = globals()[class_name]
    error = error_class(
        message, code=code, node=node, attempts=attempts, in_doubt=in_doubt, key=key
    )
    if details is not None:
        error.details = details_of(details)
    return error


def _commit_failed(  # pyright: ignore[reportUnusedFunction]: the engine calls it
    code: int,
    message: str,
    node: str | None,
    attempts: int,
    in_doubt: bool,
    part: str,
    records: list[Error],
) -> CommitFailed:
    """The exception for a commit that failed."""
    error = CommitFailed(message, code=code, node=node, attempts=attempts, in_doubt=in_doubt)
    error.part, error.records = part, tuple(records)
    return error


def _absent(code: int, key: Key | None) -> Error:  # pyright: ignore[reportUnusedFunction]
    """The error for a record that is missing or does not pass its filter."""
    if code == 2:
        return _make("RecordNotFound", code, "no such record", None, 1, False, key)
    return _make("FilteredOut", code, "the record does not pass the filter", None, 1, False, key)


def _rebuild(kind: type[Error], message: str) -> Error:
    """For unpickling."""
    return kind(message)
