"""Named tuples for results, and typed dictionaries for arguments."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias, TypedDict

Bins: TypeAlias = dict[str, Any]
UserKey: TypeAlias = str | int
AerospikeRecord: TypeAlias = dict[str, Any]
BatchRecords: TypeAlias = dict[UserKey, AerospikeRecord]
Operation: TypeAlias = dict[str, Any]


class AerospikeKey(NamedTuple):
    """The key of a record."""

    namespace: str
    set_name: str
    user_key: str | int | bytes | None
    digest: bytes


class RecordMetadata(NamedTuple):
    """Generation, and seconds until the record expires; 4294967295 for never."""

    gen: int
    ttl: int


class Record(NamedTuple):
    """A record."""

    key: AerospikeKey | None
    meta: RecordMetadata | None
    bins: Bins | None


class ExistsResult(NamedTuple):
    """Whether a record exists: ``meta`` is ``None`` if it does not."""

    key: AerospikeKey | None
    meta: RecordMetadata | None


class InfoNodeResult(NamedTuple):
    """The reply of one node."""

    node_name: str
    error_code: int
    response: str


class BinTuple(NamedTuple):
    """A bin and its result."""

    name: str
    value: Any


class OperateOrderedResult(NamedTuple):
    """The results of several operations, in order."""

    key: AerospikeKey | None
    meta: RecordMetadata | None
    ordered_bins: list[BinTuple]


class BatchRecord(NamedTuple):
    """The result of one row of a batch."""

    key: AerospikeKey | None
    result: int
    record: Record | None
    in_doubt: bool = False


class BatchRetryInfo(NamedTuple):
    """How often rows of ``batch_write`` were tried."""

    attempts: int = 1
    max_attempts: int = 1
    truncated_by_timeout: bool = False
    unresolved: int = 0


class BatchWriteResult(NamedTuple):
    """The results of the rows of a batch."""

    batch_records: list[BatchRecord]
    retry: BatchRetryInfo = BatchRetryInfo()


class ListPolicy(TypedDict, total=False):
    """For operations on lists."""

    order: int
    flags: int


class MapPolicy(TypedDict, total=False):
    """For operations on maps."""

    order: int
    write_mode: int


class HLLPolicy(TypedDict, total=False):
    """For operations on sketches."""

    flags: int


class _Call(TypedDict, total=False):
    socket_timeout: int
    total_timeout: int
    max_retries: int
    sleep_between_retries: int
    timeout_delay: int
    filter_expression: Any
    replica: int
    read_mode_ap: int


class ReadPolicy(_Call, total=False):
    """For reads of one record."""

    read_touch_ttl_percent: int


class WritePolicy(TypedDict, total=False):
    """For writes of one record."""

    socket_timeout: int
    total_timeout: int
    max_retries: int
    sleep_between_retries: int
    timeout_delay: int
    durable_delete: bool
    key: int
    exists: int
    gen: int
    commit_level: int
    ttl: int
    filter_expression: Any
    read_mode_ap: int
    read_touch_ttl_percent: int


class BatchPolicy(_Call, total=False):
    """For batches, and for all their rows."""

    allow_inline: bool
    allow_inline_ssd: bool
    respond_all_keys: bool
    read_touch_ttl_percent: int
    concurrency: int
    key: int
    exists: int
    gen: int
    commit_level: int
    durable_delete: bool
    ttl: int


class BatchReadPolicy(TypedDict, total=False):
    """For the rows of ``batch_read``."""

    read_touch_ttl_percent: int
    filter_expression: Any


class BatchDeletePolicy(TypedDict, total=False):
    """For the rows of ``batch_remove``."""

    gen: int
    key: int
    commit_level: int
    durable_delete: bool
    filter_expression: Any


class BatchDeleteMeta(TypedDict, total=False):
    """For one row of ``batch_remove``."""

    gen: int
    key: int
    commit_level: int
    durable_delete: bool


class BatchUDFPolicy(TypedDict, total=False):
    """For the rows of ``batch_apply``."""

    commit_level: int
    ttl: int
    key: int
    durable_delete: bool
    filter_expression: Any


class BatchUDFMeta(TypedDict, total=False):
    """For one row of ``batch_apply``."""

    module: str
    function: str
    args: list[Any]
    ttl: int
    commit_level: int
    key: int
    durable_delete: bool


class AdminPolicy(TypedDict, total=False):
    """For administrative commands."""

    timeout: int


class QueryPolicy(_Call, total=False):
    """For queries."""

    max_records: int
    records_per_second: int
    read_touch_ttl_percent: int
    max_concurrent_nodes: int
    record_queue_size: int
    expected_duration: int
    include_bin_data: bool
    partition_filter: Any


class ScanPolicy(_Call, total=False):
    """For queries without a predicate."""

    records_per_second: int
    max_records: int
    durable_delete: bool
    ttl: int
    partition_filter: Any


class WriteMeta(TypedDict, total=False):
    """For one write."""

    gen: int
    ttl: int
    key: int
    exists: int
    commit_level: int
    durable_delete: bool


class ClientConfig(TypedDict, total=False):
    """The configuration of a client."""

    hosts: list[tuple[str, int]]
    cluster_name: str | None
    auth_mode: int
    user: str
    password: str
    timeout: int
    idle_timeout: int
    max_conns_per_node: int
    min_conns_per_node: int
    conn_pools_per_node: int
    tend_interval: int
    use_services_alternate: bool
    max_concurrent_operations: int
    operation_queue_timeout_ms: int


class Privilege(TypedDict, total=False):
    """A permission of a role."""

    code: int | str
    ns: str
    set: str


class UserInfo(TypedDict):
    """A user."""

    user: str
    roles: list[str]
    conns_in_use: int


class RoleInfo(TypedDict):
    """A role."""

    name: str
    privileges: list[Privilege]
    allowlist: list[str]
    read_quota: int
    write_quota: int
