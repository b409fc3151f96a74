"""What one call of a cell does: a single record, a batch of records, or a batch into columns."""

from __future__ import annotations

from dataclasses import dataclass

SINGLE = "single"
BATCH_READ = "batch-read"
BATCH_WRITE = "batch-write"
COLUMNS = "columns"
TABLE_WRITE = "table-write"
IN_COLUMNS = (COLUMNS, TABLE_WRITE)
"""Kinds of calls whose caller may get columns."""

DICT, NUMPY, NUMPY_PLAIN, ARROW = "dict", "numpy", "numpy-plain", "arrow"
PANDAS = "pandas"
"""Ways of a column table: a dictionary for each record, a structured array, a structured array
without a mask because every record has to exist, an Arrow table, a data frame."""
TABLE_KEY = "_key"
"""The column of the keys of a table that is written."""
POOL, MAP, EACH = "pool", "map", "each"
"""Ways to use several event loops, each in a thread: a pool that runs the tasks, a pool that is
given single commands, and a client for each loop."""
SINGLES = "get"
"""The way that reads the records of a batch one by one."""

BATCH_SIZES = (1, 4, 16, 32, 64, 128, 1024)
WRITE_SIZES = (128, 1024)
OPERATIONS = "operations"
"""The way that writes the records of a batch as rows of operations."""
SINGLES_SIZE = 4
"""The batch size at which the same records are also read one by one."""
COLUMN_ROWS = (100, 1_000, 10_000)
COLUMN_BINS = (1, 5, 20)
TABLE_ROWS = (1_000,)
"""Records of a table that is written."""


@dataclass(frozen=True)
class Shape:
    """The kind of a call, its number of records, and their contents."""

    kind: str = SINGLE
    rows: int = 1
    columns: int = 0
    """Bins of the records of a column table; elsewhere the flag --bins says it."""
    way: str = ""
    """Which of a client's ways, if it has several."""

    def __str__(self) -> str:
        if self.kind == SINGLE:
            return ""
        text = f"{self.kind} {self.rows}"
        if self.columns:
            text += f" x {self.columns}"
        return f"{text} by {self.way}" if self.way else text

    def beside(self, other: Shape) -> bool:
        """Whether both do the same work, in whatever way."""
        mine, theirs = (self.kind, self.rows, self.columns), (other.kind, other.rows, other.columns)
        return mine == theirs


def column_bins(columns: int) -> str:
    """The bins of a column table: integers and floats in turn."""
    return ",".join("F8" if at % 2 else "I8" for at in range(columns))


def column_set(set_name: str, columns: int) -> str:
    """The set of a column table's records: one for each number of bins."""
    return f"{set_name}-{columns}"
