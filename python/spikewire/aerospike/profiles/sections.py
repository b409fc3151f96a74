"""The keywords of a profile, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from spikewire.types import (
        CommitLevel,
        DetailLevel,
        Exists,
        Hedge,
        Priority,
        ReadMode,
        Replica,
        Seconds,
        ShareReads,
        Ttl,
    )

__all__ = [
    "BatchOptions",
    "BatchSection",
    "JobOptions",
    "JobSection",
    "ProfileOptions",
    "QueryOptions",
    "QuerySection",
    "ReadManyOptions",
    "ReadOptions",
    "ReadPointOptions",
    "ReadSection",
    "WriteOptions",
    "WriteSection",
]


class CallOptions(TypedDict, total=False):
    """Options of all calls except queries and jobs."""

    timeout: Seconds | None
    replica: Replica | None
    max_retries: int | None
    sleep_between_retries: Seconds | None
    sleep_multiplier: float | None
    max_sleep_between_retries: Seconds | None
    sleep_jitter: bool | None
    priority: Priority | None
    compress: bool | None
    error_details: DetailLevel | None


class BatchOptions(CallOptions, total=False):
    """Options of ``batch``, and defaults for its rows."""

    deadline: Seconds | None
    commit_level: CommitLevel | None
    retry_in_doubt: bool | None
    read_mode: ReadMode | None
    read_touch: int | None
    ttl: Ttl | None
    exists: Exists | None
    durable: bool
    send_key: bool | None


class BatchSection(BatchOptions, total=False):
    """Options of ``batch``, and those for namespaces of a consistency mode."""

    available: BatchOptions
    strong: BatchOptions


class ReadOptions(CallOptions, total=False):
    """Options of reads."""

    read_mode: ReadMode | None
    read_touch: int | None
    buffers: bool


class ReadPointOptions(ReadOptions, total=False):
    """Options of reads of one record."""

    hedge: Hedge | None
    share_reads: ShareReads | None


class ReadManyOptions(ReadOptions, total=False):
    """Options of reads of many records."""

    deadline: Seconds | None


class ReadSection(ReadPointOptions, ReadManyOptions, total=False):
    """Options of reads, and those of reads of one record or of many, or of namespaces of a
    consistency mode."""

    point: ReadPointOptions
    many: ReadManyOptions
    available: ReadPointOptions
    strong: ReadPointOptions


class WriteOptions(CallOptions, total=False):
    """Options of writes."""

    commit_level: CommitLevel | None
    retry_in_doubt: bool | None
    ttl: Ttl | None
    exists: Exists | None
    durable: bool
    send_key: bool | None


class WriteSection(WriteOptions, total=False):
    """Options of writes, and those of some of them."""

    point: WriteOptions
    many: WriteOptions
    retryable: WriteOptions
    not_retryable: WriteOptions
    available: WriteOptions
    strong: WriteOptions


class QueryOptions(TypedDict, total=False):
    """Options of ``query``."""

    timeout: Seconds | None
    socket_timeout: Seconds | None
    replica: Replica | None
    max_retries: int | None
    sleep_between_retries: Seconds | None
    sleep_multiplier: float | None
    max_sleep_between_retries: Seconds | None
    sleep_jitter: bool | None
    error_details: DetailLevel | None
    page_size: int | None
    records_per_second: int | None
    concurrent_nodes: int | None


class QuerySection(QueryOptions, total=False):
    """Options of ``query``, and those for namespaces of a consistency mode."""

    available: QueryOptions
    strong: QueryOptions


class JobOptions(TypedDict, total=False):
    """Options of background jobs."""

    timeout: Seconds | None
    ttl: Ttl | None
    durable: bool
    records_per_second: int | None


class JobSection(JobOptions, total=False):
    """Options of background jobs, and those for namespaces of a consistency mode."""

    available: JobOptions
    strong: JobOptions


class ProfileOptions(ReadPointOptions, ReadManyOptions, WriteOptions, QueryOptions, total=False):
    """The keywords of a profile: options of all verbs that take them, and sections."""

    read: ReadSection
    write: WriteSection
    batch: BatchSection
    query: QuerySection
    job: JobSection
