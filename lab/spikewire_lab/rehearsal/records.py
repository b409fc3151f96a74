"""The records that a rehearsal needs: which there are, and how large they are."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spikewire.recording import Trace

REQUEST, REPLY = 100, 36
"""About how many bytes of a request and of a reply are not the record: headers, names, digest."""
ROW_REQUEST, ROW_REPLY = 64, 38
"""The same for a row of a batch."""
USUAL = 100
"""Bytes of records whose size no call shows."""
LARGEST = 1 << 20
READS = ("get", "batch_read")
WRITES = ("put", "batch_write")
MISSING = "not_found"


@dataclass
class Records:
    """The records of one set."""

    sizes: dict[int, int | None] = field(default_factory=dict)
    """By the number that stands for the key: bytes, if a call shows it."""
    absent: set[int] = field(default_factory=set)
    """Those that did not exist when they were first asked for."""
    in_batches: list[int] = field(default_factory=list)
    """Those seen in batches, as often as they were."""
    usual: int = USUAL
    """The bytes of those whose size no call shows."""

    def size(self, key: int) -> int:
        """Bytes of a record."""
        return self.sizes.get(key) or self.usual

    def present(self) -> list[int]:
        """Those to be written before the rehearsal."""
        return [key for key in self.sizes if key not in self.absent]


def records_of(trace: Trace) -> dict[int, Records]:
    """The records of each set."""
    sets: dict[int, Records] = {}
    for at, key in enumerate(trace.key):
        if not key:
            continue
        records = sets.setdefault(trace.set[at], Records())
        operation = trace.labels[trace.operation[at]]
        result = trace.labels[trace.result[at]]
        if key not in records.sizes and result == MISSING:
            records.absent.add(key)
        known = records.sizes.get(key)
        size = size_of(
            operation, trace.rows[at], trace.request[at], trace.reply[at] if result == "ok" else 0
        )
        records.sizes[key] = size if known is None else max(known, size or 0)
        if operation.startswith("batch"):
            records.in_batches.append(key)
    for records in sets.values():
        known_sizes = [size for size in records.sizes.values() if size]
        records.usual = int(statistics.median(known_sizes)) if known_sizes else USUAL
        records.in_batches = records.in_batches or list(records.sizes)
    return sets


def size_of(operation: str, rows: int, request: int, reply: int) -> int | None:
    """The bytes of a record as a call shows them; of a batch, those of its average record."""
    if operation in WRITES:
        many = operation != "put"
        size = request // max(1, rows) - ROW_REQUEST if many else request - REQUEST
    elif operation in READS and reply:
        many = operation != "get"
        size = reply // max(1, rows) - ROW_REPLY if many else reply - REPLY
    else:
        return None
    return min(max(1, size), LARGEST)
