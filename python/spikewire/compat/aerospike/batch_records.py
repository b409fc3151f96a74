"""The rows of a batch, and their results."""

from __future__ import annotations

from typing import Any

from spikewire._native import OfficialRow as BatchRecord
from spikewire._native import OfficialWrite as Write

__all__ = ["Apply", "BatchRecord", "BatchRecords", "Read", "Remove", "Write"]


class Read(BatchRecord):
    """Reads with operations, or reads all bins."""

    def __init__(
        self,
        key: tuple[Any, ...],
        ops: list[dict[str, Any]] | None,
        read_all_bins: bool = False,
        meta: dict[str, Any] | None = None,
        policy: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(key)
        self.ops = ops
        self.read_all_bins = read_all_bins
        self.meta = meta
        self.policy = policy


class Apply(BatchRecord):
    """Calls a function of a registered module."""

    def __init__(
        self,
        key: tuple[Any, ...],
        module: str,
        function: str,
        args: list[Any],
        policy: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(key)
        self.module = module
        self.function = function
        self.args = args
        self.policy = policy


class Remove(BatchRecord):
    """Deletes the record."""

    def __init__(self, key: tuple[Any, ...], policy: dict[str, Any] | None = None) -> None:
        super().__init__(key)
        self.policy = policy


class BatchRecords:
    """The rows. ``result`` is 0, or -16 if a row failed."""

    def __init__(self, batch_records: list[BatchRecord] | None = None) -> None:
        self.batch_records: list[Any] = [] if batch_records is None else batch_records
        self.result = 0


# Where programs find them.
for _class in (Apply, BatchRecords, Read, Remove):
    _class.__module__ = "spikewire.compat.aerospike_helpers.batch.records"
