"""The rows of a batch, and their results."""

from __future__ import annotations

from typing import Any

from spikewire.compat.aerospike.batch_records import (
    Apply,
    BatchRecord,
    BatchRecords,
    Read,
    Remove,
    Write,
)

__all__ = ["Apply", "BatchRecord", "BatchRecords", "Read", "Remove", "Write"]

# Names of types for annotations, under which the official client has them.
TypeBatchPolicyApply = TypeBatchPolicyRead = dict[str, Any] | None
TypeBatchPolicyRemove = TypeBatchPolicyWrite = dict[str, Any] | None
TypeBatchRecordList = list[BatchRecord]
TypeOps = list[dict[str, Any]]
TypeRecord = tuple[Any, ...] | None
TypeUDFArgs = list[Any]
