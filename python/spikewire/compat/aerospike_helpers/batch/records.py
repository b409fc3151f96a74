"""The rows of a batch, and what became of them."""

from __future__ import annotations

from typing import Any

__all__ = ["Apply", "BatchRecord", "BatchRecords", "Read", "Remove", "Write"]


class BatchRecord:
    """A row: ``record`` and ``result`` (0, or the code of its failure) are set by the batch."""

    # Of the class, for programs make many rows.
    record: tuple[Any, ...] | None = None
    result = 0
    message: str | None = None
    subcode = 0
    in_doubt = False

    def __init__(self, key: tuple[Any, ...]) -> None:
        self.key = key


class Write(BatchRecord):
    """Operations of which at least one writes."""

    _type = 1
    _has_write = True

    def __init__(
        self,
        key: tuple[Any, ...],
        ops: list[dict[str, Any]],
        meta: dict[str, Any] | None = None,
        policy: dict[str, Any] | None = None,
    ) -> None:
        self.key = key
        self.ops = ops
        self.meta = meta
        self.policy = policy


class Read(BatchRecord):
    """Operations that read, or all bins."""

    _type = 0
    _has_write = False

    def __init__(
        self,
        key: tuple[Any, ...],
        ops: list[dict[str, Any]] | None,
        read_all_bins: bool = False,
        meta: dict[str, Any] | None = None,
        policy: dict[str, Any] | None = None,
    ) -> None:
        self.key = key
        self.ops = ops
        self.read_all_bins = read_all_bins
        self.meta = meta
        self.policy = policy


class Apply(BatchRecord):
    """A function of a registered module."""

    _type = 2
    _has_write = True

    def __init__(
        self,
        key: tuple[Any, ...],
        module: str,
        function: str,
        args: list[Any],
        policy: dict[str, Any] | None = None,
    ) -> None:
        self.key = key
        self.module = module
        self.function = function
        self.args = args
        self.policy = policy


class Remove(BatchRecord):
    """Deletes the record."""

    _type = 3
    _has_write = True

    def __init__(self, key: tuple[Any, ...], policy: dict[str, Any] | None = None) -> None:
        self.key = key
        self.policy = policy


class BatchRecords:
    """The rows; ``result`` is 0, or -16 when a row failed."""

    def __init__(self, batch_records: list[BatchRecord] | None = None) -> None:
        self.batch_records: list[Any] = [] if batch_records is None else batch_records
        self.result = 0
