"""Cells of fixed work: a client, its API, an operation, a number of records."""

from __future__ import annotations

from dataclasses import dataclass

PUT, GET, OPERATE, REMOVE = "put", "get", "operate", "remove"
BATCH_READ, BATCH_READ_NUMPY = "batch_read", "batch_read_numpy"
BATCH_READ_DICT = "batch_read_dict"
"""As `batch_read`, but the caller keeps a dictionary for each record: what an array replaces."""
BATCH_WRITE, SCAN = "batch_write", "scan"
SINGLES = (PUT, GET, OPERATE, REMOVE)
BATCHES = (BATCH_READ, BATCH_READ_NUMPY, BATCH_READ_DICT, BATCH_WRITE)
OPERATIONS = (*SINGLES, BATCH_READ, BATCH_READ_NUMPY, BATCH_WRITE, SCAN)
"""In the order and under the names of the study."""
WRITES = (PUT, REMOVE, BATCH_WRITE)
"""These have a set of their own, so that nothing is read that is being written."""

DESCRIBE, FIXED = "describe-fixed", "fixed"
ACTIONS = (DESCRIBE, FIXED)
"""Actions of a worker's job."""

PEER = "aerospike-py"
OFFICIAL = "aerospike"
ABSENT = {(OFFICIAL, BATCH_READ_NUMPY): "has no NumPy"}


@dataclass(frozen=True)
class Cell:
    """One operation of one client, in a process of its own."""

    client: str
    mode: str
    operation: str
    rows: int
    """Records of one call; all records of the set for a scan."""
    bins: str
    """The bins of each record."""
    interpreter: str = ""

    def __str__(self) -> str:
        wide = self.bins.count(",") + 1
        many = f" of {self.rows:,} x {wide} bins" if self.operation not in SINGLES else ""
        under = f" under {self.interpreter}" if self.interpreter else ""
        return f"{self.client} {self.mode} {self.operation}{many}{under}"

    def lacks(self) -> str | None:
        """Why there is no such cell, or None."""
        return ABSENT.get((self.client, self.operation))
