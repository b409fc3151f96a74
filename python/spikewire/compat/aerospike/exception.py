"""Exceptions with the names and codes of the official client."""

from __future__ import annotations

from typing import Any


class AerospikeError(Exception):
    """The base class. ``args`` are code, message, file, line and ``in_doubt``. File and line refer
    to the source of another program, and are always empty."""

    code: int | None = None
    msg: str | None = None
    file: str | None = None
    line: int | None = None
    in_doubt: bool | None = None
    subcode: int | None = None


class ServerError(AerospikeError):
    code: int | None = 1


class AdminError(ServerError):
    code: int | None = None


class AlwaysForbidden(ServerError):
    code: int | None = 10


class ClientError(AerospikeError):
    code: int | None = -1


class AsyncConnectionError(ClientError):
    code: int | None = -6


class BatchDisabledError(ServerError):
    code: int | None = 150


class BatchFailed(ClientError):
    code: int | None = -16


class BatchMaxRequestError(ServerError):
    code: int | None = 151


class BatchQueueFullError(ServerError):
    code: int | None = 152


class RecordError(ServerError):
    code: int | None = None
    key: Any = None
    bin: Any = None


class BinExistsError(RecordError):
    code: int | None = 6


class BinIncompatibleType(RecordError):
    code: int | None = 12


class BinNameError(RecordError):
    code: int | None = 21


class BinNotFound(RecordError):
    code: int | None = 17


class ClientAbortError(ClientError):
    code: int | None = -5


class ClusterError(ServerError):
    code: int | None = 11


class ClusterChangeError(ClusterError):
    code: int | None = 7


class ConnectionError(ClientError):  # noqa: A001
    code: int | None = -10


class DeviceOverload(ServerError):
    code: int | None = 18


class ElementExistsError(ServerError):
    code: int | None = 24


class ElementNotFoundError(ServerError):
    code: int | None = 23


class ExpiredPassword(AdminError):
    code: int | None = 63


class FilteredOut(ServerError):
    code: int | None = 27


class ForbiddenError(ServerError):
    code: int | None = 22


class ForbiddenPassword(AdminError):
    code: int | None = 64


class IllegalState(AdminError):
    code: int | None = 56


class IndexError(ServerError):  # noqa: A001
    code: int | None = 204
    name: Any = None


class IndexFoundError(IndexError):
    code: int | None = 200


class IndexNameMaxCount(IndexError):
    code: int | None = 206


class IndexNameMaxLen(IndexError):
    code: int | None = 205


class IndexNotFound(IndexError):
    code: int | None = 201


class IndexNotReadable(IndexError):
    code: int | None = 203


class IndexOOM(IndexError):
    code: int | None = 202


class InvalidCommand(AdminError):
    code: int | None = 54


class InvalidCredential(AdminError):
    code: int | None = 65


class InvalidField(AdminError):
    code: int | None = 55


class InvalidGeoJSON(ServerError):
    code: int | None = 160


class InvalidHostError(ClientError):
    code: int | None = -4


class InvalidNodeError(ClientError):
    code: int | None = -8


class InvalidPassword(AdminError):
    code: int | None = 62


class InvalidPrivilege(AdminError):
    code: int | None = 72


class InvalidQuota(AdminError):
    code: int | None = 75


class InvalidRequest(ServerError):
    code: int | None = 4


class InvalidRole(AdminError):
    code: int | None = 70


class InvalidUser(AdminError):
    code: int | None = 60


class InvalidWhitelist(AdminError):
    code: int | None = 73


class LostConflict(ServerError):
    code: int | None = 28


class UDFError(ServerError):
    code: int | None = 100
    module: Any = None
    func: Any = None


class LuaFileNotFound(UDFError):
    code: int | None = 1302


class MaxErrorRateExceeded(ClientError):
    code: int | None = -14


class MaxRetriesExceeded(ClientError):
    code: int | None = -12


class NamespaceNotFound(ServerError):
    code: int | None = 20


class NoMoreConnectionsError(ClientError):
    code: int | None = -7


class NoResponse(ClientError):
    code: int | None = -15


class NotAuthenticated(AdminError):
    code: int | None = 80


class NotWhitelisted(AdminError):
    code: int | None = 82


class OpNotApplicable(ServerError):
    code: int | None = 26


class ParamError(ClientError):
    code: int | None = -2


class QueryAbortedError(ServerError):
    code: int | None = 210


class QueryError(ServerError):
    code: int | None = 213


class QueryQueueFull(QueryError):
    code: int | None = 211


class QueryTimeout(QueryError):
    code: int | None = 212


class QuotaExceeded(AdminError):
    code: int | None = 83


class QuotasNotEnabled(AdminError):
    code: int | None = 74


class RecordBusy(RecordError):
    code: int | None = 14


class RecordExistsError(RecordError):
    code: int | None = 5


class RecordGenerationError(RecordError):
    code: int | None = 3


class RecordKeyMismatch(RecordError):
    code: int | None = 19


class RecordNotFound(RecordError):
    code: int | None = 2


class RecordTooBig(RecordError):
    code: int | None = 13


class RoleExistsError(AdminError):
    code: int | None = 71


class RoleViolation(AdminError):
    code: int | None = 81


class ScanAbortedError(ServerError):
    code: int | None = 15


class SecurityNotEnabled(AdminError):
    code: int | None = 52


class SecurityNotSupported(AdminError):
    code: int | None = 51


class SecuritySchemeNotSupported(AdminError):
    code: int | None = 53


class ServerFull(ServerError):
    code: int | None = 8


class TLSError(ClientError):
    code: int | None = -9


class TimeoutError(AerospikeError):  # noqa: A001
    code: int | None = 9


class TransactionAlreadyAborted(ClientError):
    code: int | None = -19


class TransactionAlreadyCommitted(ClientError):
    code: int | None = -18


class TransactionFailed(ClientError):
    code: int | None = -17


class UDFNotFound(UDFError):
    code: int | None = 1301


class UnsupportedFeature(ServerError):
    code: int | None = 16


class UserExistsError(AdminError):
    code: int | None = 61


#: The classes by code.
BY_CODE: dict[int, type[AerospikeError]] = {
    kind.code: kind
    for kind in (
        ServerError,
        AlwaysForbidden,
        ClientError,
        AsyncConnectionError,
        BatchDisabledError,
        BatchFailed,
        BatchMaxRequestError,
        BatchQueueFullError,
        BinExistsError,
        BinIncompatibleType,
        BinNameError,
        BinNotFound,
        ClientAbortError,
        ClusterError,
        ClusterChangeError,
        ConnectionError,
        DeviceOverload,
        ElementExistsError,
        ElementNotFoundError,
        ExpiredPassword,
        FilteredOut,
        ForbiddenError,
        ForbiddenPassword,
        IllegalState,
        IndexError,
        IndexFoundError,
        IndexNameMaxCount,
        IndexNameMaxLen,
        IndexNotFound,
        IndexNotReadable,
        IndexOOM,
        InvalidCommand,
        InvalidCredential,
        InvalidField,
        InvalidGeoJSON,
        InvalidHostError,
        InvalidNodeError,
        InvalidPassword,
        InvalidPrivilege,
        InvalidQuota,
        InvalidRequest,
        InvalidRole,
        InvalidUser,
        InvalidWhitelist,
        LostConflict,
        UDFError,
        LuaFileNotFound,
        MaxErrorRateExceeded,
        MaxRetriesExceeded,
        NamespaceNotFound,
        NoMoreConnectionsError,
        NoResponse,
        NotAuthenticated,
        NotWhitelisted,
        OpNotApplicable,
        ParamError,
        QueryAbortedError,
        QueryError,
        QueryQueueFull,
        QueryTimeout,
        QuotaExceeded,
        QuotasNotEnabled,
        RecordBusy,
        RecordExistsError,
        RecordGenerationError,
        RecordKeyMismatch,
        RecordNotFound,
        RecordTooBig,
        RoleExistsError,
        RoleViolation,
        ScanAbortedError,
        SecurityNotEnabled,
        SecurityNotSupported,
        SecuritySchemeNotSupported,
        ServerFull,
        TLSError,
        TimeoutError,
        TransactionAlreadyAborted,
        TransactionAlreadyCommitted,
        TransactionFailed,
        UDFNotFound,
        UnsupportedFeature,
        UserExistsError,
    )
    if kind.code is not None
}
