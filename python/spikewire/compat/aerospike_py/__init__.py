"""The names of aerospike-py, over this package.

    from spikewire.compat import aerospike_py

    client = aerospike_py.client({"hosts": [("127.0.0.1", 3000)]}).connect()
    client.put(("test", "users", "alice"), {"age": 28})
    print(client.get(("test", "users", "alice")).bins)

``install()`` is for programs that cannot be edited. Unsupported features raise
``NotImplementedError`` with an alternative; docs/compat-aerospike-py.md has the list.

| module | contents |
|---|---|
| ``client``, ``async_client``, ``base_client``, ``users`` | the two clients |
| ``requests``, ``batches``, ``steps`` | converting calls to the engine's, for both clients |
| ``query``, ``read_results``, ``write_results``, ``numpy_batch`` | queries; results of batches |
| ``configuration``, ``policies`` | converting configurations and policies |
| ``operations``, ``expressions``, ``values`` | converting arguments for the engine |
| ``observability``, ``metrics_server`` | metrics, traces, logs |
| ``exception``, ``failures``, ``differences`` | exceptions; what is not supported |
| ``exp``, ``predicates``, ``types``, ``constants``, ``*_operations`` | plain definitions |
"""

from __future__ import annotations

import logging
from typing import Any

from spikewire.compat.aerospike_py import (
    bit_operations as bit_operations,
)
from spikewire.compat.aerospike_py import constants as _constants
from spikewire.compat.aerospike_py import (
    exception as exception,
)
from spikewire.compat.aerospike_py import (
    exp as exp,
)
from spikewire.compat.aerospike_py import (
    hll_operations as hll_operations,
)
from spikewire.compat.aerospike_py import (
    list_operations as list_operations,
)
from spikewire.compat.aerospike_py import (
    map_operations as map_operations,
)
from spikewire.compat.aerospike_py import (
    predicates as predicates,
)
from spikewire.compat.aerospike_py.async_client import (
    AsyncClient as AsyncClient,
)
from spikewire.compat.aerospike_py.client import (
    Client as Client,
)
from spikewire.compat.aerospike_py.constants import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]
from spikewire.compat.aerospike_py.exception import (
    AdminError as AdminError,
)
from spikewire.compat.aerospike_py.exception import (
    AerospikeError as AerospikeError,
)
from spikewire.compat.aerospike_py.exception import (
    AerospikeIndexError as AerospikeIndexError,
)
from spikewire.compat.aerospike_py.exception import (
    AerospikeTimeoutError as AerospikeTimeoutError,
)
from spikewire.compat.aerospike_py.exception import (
    BackpressureError as BackpressureError,
)
from spikewire.compat.aerospike_py.exception import (
    BinExistsError as BinExistsError,
)
from spikewire.compat.aerospike_py.exception import (
    BinNameError as BinNameError,
)
from spikewire.compat.aerospike_py.exception import (
    BinNotFound as BinNotFound,
)
from spikewire.compat.aerospike_py.exception import (
    BinTypeError as BinTypeError,
)
from spikewire.compat.aerospike_py.exception import (
    ClientError as ClientError,
)
from spikewire.compat.aerospike_py.exception import (
    ClusterError as ClusterError,
)
from spikewire.compat.aerospike_py.exception import (
    FilteredOut as FilteredOut,
)
from spikewire.compat.aerospike_py.exception import (
    IndexFoundError as IndexFoundError,
)
from spikewire.compat.aerospike_py.exception import (
    IndexNotFound as IndexNotFound,
)
from spikewire.compat.aerospike_py.exception import (
    InvalidArgError as InvalidArgError,
)
from spikewire.compat.aerospike_py.exception import (
    QueryAbortedError as QueryAbortedError,
)
from spikewire.compat.aerospike_py.exception import (
    QueryError as QueryError,
)
from spikewire.compat.aerospike_py.exception import (
    RecordError as RecordError,
)
from spikewire.compat.aerospike_py.exception import (
    RecordExistsError as RecordExistsError,
)
from spikewire.compat.aerospike_py.exception import (
    RecordGenerationError as RecordGenerationError,
)
from spikewire.compat.aerospike_py.exception import (
    RecordNotFound as RecordNotFound,
)
from spikewire.compat.aerospike_py.exception import (
    RecordTooBig as RecordTooBig,
)
from spikewire.compat.aerospike_py.exception import (
    RustPanicError as RustPanicError,
)
from spikewire.compat.aerospike_py.exception import (
    ServerError as ServerError,
)
from spikewire.compat.aerospike_py.exception import (
    UDFError as UDFError,
)
from spikewire.compat.aerospike_py.failures import (
    CompatWarning as CompatWarning,
)
from spikewire.compat.aerospike_py.installation import (
    install as install,
)
from spikewire.compat.aerospike_py.numpy_batch import (
    NumpyBatchRecords as NumpyBatchRecords,
)
from spikewire.compat.aerospike_py.observability import (
    dropped_log_count as dropped_log_count,
)
from spikewire.compat.aerospike_py.observability import (
    get_metrics as get_metrics,
)
from spikewire.compat.aerospike_py.observability import (
    init_tracing as init_tracing,
)
from spikewire.compat.aerospike_py.observability import (
    internal_stage_profiling as internal_stage_profiling,
)
from spikewire.compat.aerospike_py.observability import (
    is_internal_stage_metrics_enabled as is_internal_stage_metrics_enabled,
)
from spikewire.compat.aerospike_py.observability import (
    is_metrics_enabled as is_metrics_enabled,
)
from spikewire.compat.aerospike_py.observability import (
    set_internal_stage_metrics_enabled as set_internal_stage_metrics_enabled,
)
from spikewire.compat.aerospike_py.observability import (
    set_log_level as set_log_level,
)
from spikewire.compat.aerospike_py.observability import (
    set_metrics_enabled as set_metrics_enabled,
)
from spikewire.compat.aerospike_py.observability import (
    shutdown_tracing as shutdown_tracing,
)
from spikewire.compat.aerospike_py.observability import (
    start_metrics_server as start_metrics_server,
)
from spikewire.compat.aerospike_py.observability import (
    stop_metrics_server as stop_metrics_server,
)
from spikewire.compat.aerospike_py.policies import (
    PartitionFilter as PartitionFilter,
)
from spikewire.compat.aerospike_py.query import (
    AsyncQuery as AsyncQuery,
)
from spikewire.compat.aerospike_py.query import (
    Query as Query,
)
from spikewire.compat.aerospike_py.query import (
    partition_filter_all as partition_filter_all,
)
from spikewire.compat.aerospike_py.query import (
    partition_filter_by_id as partition_filter_by_id,
)
from spikewire.compat.aerospike_py.query import (
    partition_filter_by_range as partition_filter_by_range,
)
from spikewire.compat.aerospike_py.read_results import (
    LazyBatchRecords as LazyBatchRecords,
)
from spikewire.compat.aerospike_py.types import (
    AdminPolicy as AdminPolicy,
)
from spikewire.compat.aerospike_py.types import (
    AerospikeKey as AerospikeKey,
)
from spikewire.compat.aerospike_py.types import (
    AerospikeRecord as AerospikeRecord,
)
from spikewire.compat.aerospike_py.types import (
    BatchDeleteMeta as BatchDeleteMeta,
)
from spikewire.compat.aerospike_py.types import (
    BatchDeletePolicy as BatchDeletePolicy,
)
from spikewire.compat.aerospike_py.types import (
    BatchPolicy as BatchPolicy,
)
from spikewire.compat.aerospike_py.types import (
    BatchReadPolicy as BatchReadPolicy,
)
from spikewire.compat.aerospike_py.types import (
    BatchRecord as BatchRecord,
)
from spikewire.compat.aerospike_py.types import (
    BatchRecords as BatchRecords,
)
from spikewire.compat.aerospike_py.types import (
    BatchRetryInfo as BatchRetryInfo,
)
from spikewire.compat.aerospike_py.types import (
    BatchUDFMeta as BatchUDFMeta,
)
from spikewire.compat.aerospike_py.types import (
    BatchUDFPolicy as BatchUDFPolicy,
)
from spikewire.compat.aerospike_py.types import (
    BatchWriteResult as BatchWriteResult,
)
from spikewire.compat.aerospike_py.types import (
    Bins as Bins,
)
from spikewire.compat.aerospike_py.types import (
    BinTuple as BinTuple,
)
from spikewire.compat.aerospike_py.types import (
    ClientConfig as ClientConfig,
)
from spikewire.compat.aerospike_py.types import (
    ExistsResult as ExistsResult,
)
from spikewire.compat.aerospike_py.types import (
    HLLPolicy as HLLPolicy,
)
from spikewire.compat.aerospike_py.types import (
    InfoNodeResult as InfoNodeResult,
)
from spikewire.compat.aerospike_py.types import (
    ListPolicy as ListPolicy,
)
from spikewire.compat.aerospike_py.types import (
    MapPolicy as MapPolicy,
)
from spikewire.compat.aerospike_py.types import (
    OperateOrderedResult as OperateOrderedResult,
)
from spikewire.compat.aerospike_py.types import (
    Operation as Operation,
)
from spikewire.compat.aerospike_py.types import (
    Privilege as Privilege,
)
from spikewire.compat.aerospike_py.types import (
    QueryPolicy as QueryPolicy,
)
from spikewire.compat.aerospike_py.types import (
    ReadPolicy as ReadPolicy,
)
from spikewire.compat.aerospike_py.types import (
    Record as Record,
)
from spikewire.compat.aerospike_py.types import (
    RecordMetadata as RecordMetadata,
)
from spikewire.compat.aerospike_py.types import (
    RoleInfo as RoleInfo,
)
from spikewire.compat.aerospike_py.types import (
    ScanPolicy as ScanPolicy,
)
from spikewire.compat.aerospike_py.types import (
    UserInfo as UserInfo,
)
from spikewire.compat.aerospike_py.types import (
    UserKey as UserKey,
)
from spikewire.compat.aerospike_py.types import (
    WriteMeta as WriteMeta,
)
from spikewire.compat.aerospike_py.types import (
    WritePolicy as WritePolicy,
)

TimeoutError = AerospikeTimeoutError  # The old name.
IndexError = AerospikeIndexError  # The old name.
#: The version of aerospike-py with these names.
__version__ = "0.14.4"
logger = logging.getLogger("aerospike_py")
logger.addHandler(logging.NullHandler())


def client(config: Any) -> Client:
    """A client for a configuration; it connects with ``connect()``."""
    return Client(config)


def async_client(config: Any) -> AsyncClient:
    """An asyncio client; it connects with ``await connect()``."""
    return AsyncClient(config)


__all__ = [
    "AdminError",
    "AdminPolicy",
    "AerospikeError",
    "AerospikeIndexError",
    "AerospikeKey",
    "AerospikeRecord",
    "AerospikeTimeoutError",
    "AsyncClient",
    "AsyncQuery",
    "BackpressureError",
    "BatchDeleteMeta",
    "BatchDeletePolicy",
    "BatchPolicy",
    "BatchReadPolicy",
    "BatchRecord",
    "BatchRecords",
    "BatchRetryInfo",
    "BatchUDFMeta",
    "BatchUDFPolicy",
    "BatchWriteResult",
    "BinExistsError",
    "BinNameError",
    "BinNotFound",
    "BinTuple",
    "BinTypeError",
    "Bins",
    "Client",
    "ClientConfig",
    "ClientError",
    "ClusterError",
    "ExistsResult",
    "FilteredOut",
    "HLLPolicy",
    "IndexError",
    "IndexFoundError",
    "IndexNotFound",
    "InfoNodeResult",
    "InvalidArgError",
    "LazyBatchRecords",
    "ListPolicy",
    "MapPolicy",
    "NumpyBatchRecords",
    "OperateOrderedResult",
    "Operation",
    "PartitionFilter",
    "Privilege",
    "Query",
    "QueryAbortedError",
    "QueryError",
    "QueryPolicy",
    "ReadPolicy",
    "Record",
    "RecordError",
    "RecordExistsError",
    "RecordGenerationError",
    "RecordMetadata",
    "RecordNotFound",
    "RecordTooBig",
    "RoleInfo",
    "RustPanicError",
    "ScanPolicy",
    "ServerError",
    "TimeoutError",
    "UDFError",
    "UserInfo",
    "UserKey",
    "WriteMeta",
    "WritePolicy",
    "__version__",
    "async_client",
    "bit_operations",
    "client",
    "dropped_log_count",
    "exception",
    "exp",
    "get_metrics",
    "hll_operations",
    "init_tracing",
    "internal_stage_profiling",
    "is_internal_stage_metrics_enabled",
    "is_metrics_enabled",
    "list_operations",
    "map_operations",
    "partition_filter_all",
    "partition_filter_by_id",
    "partition_filter_by_range",
    "predicates",
    "set_internal_stage_metrics_enabled",
    "set_log_level",
    "set_metrics_enabled",
    "shutdown_tracing",
    "start_metrics_server",
    "stop_metrics_server",
    "CompatWarning",
    "install",
    *(name for name in vars(_constants) if name.isupper()),  # pyright: ignore[reportUnsupportedDunderAll]
]
