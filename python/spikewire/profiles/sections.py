"""The keywords of a profile, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from spikewire.types import Exists, Hedge, ReadMode, Replica, Seconds, Ttl

__all__ = [
    "BatchSection",
    "JobSection",
    "ProfileOptions",
    "QuerySection",
    "ReadOptions",
    "ReadPointOptions",
    "ReadSection",
    "WriteOptions",
    "WriteSection",
]


class CallOptions(TypedDict, total=False):
    """Options of all calls but queries' and jobs'."""

    timeout: Seconds | None
    replica: Replica | None
    max_retries: int | None
    sleep_between_retries: Seconds | None
    sleep_multiplier: float | None
    max_sleep_between_retries: Seconds | None
    sleep_jitter: bool | None


class BatchSection(CallOptions, total=False):
    """Options of ``batch``, and those of its rows that do not say otherwise."""

    retry_in_doubt: bool | None
    read_mode: ReadMode | None
    read_touch: int | None
    ttl: Ttl | None
    exists: Exists | None
    durable: bool
    send_key: bool | None


class ReadOptions(CallOptions, total=False):
    """Options of reads."""

    read_mode: ReadMode | None
    read_touch: int | None
    buffers: bool


class ReadPointOptions(ReadOptions, total=False):
    """Options of reads of one record."""

    hedge: Hedge | None


class ReadSection(ReadPointOptions, total=False):
    """Options of reads, and those of reads of one record or of many."""

    point: ReadPointOptions
    many: ReadOptions


class WriteOptions(CallOptions, total=False):
    """Options of writes."""

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


class QuerySection(TypedDict, total=False):
    """Options of ``query``."""

    timeout: Seconds | None
    socket_timeout: Seconds | None
    replica: Replica | None
    max_retries: int | None
    sleep_between_retries: Seconds | None
    sleep_multiplier: float | None
    max_sleep_between_retries: Seconds | None
    sleep_jitter: bool | None
    page_size: int | None
    records_per_second: int | None
    concurrent_nodes: int | None


class JobSection(TypedDict, total=False):
    """Options of background jobs."""

    timeout: Seconds | None
    ttl: Ttl | None
    durable: bool
    records_per_second: int | None


class ProfileOptions(ReadPointOptions, WriteOptions, QuerySection, total=False):
    """The keywords of a profile: options of all verbs that take them, and sections."""

    read: ReadSection
    write: WriteSection
    batch: BatchSection
    query: QuerySection
    job: JobSection
