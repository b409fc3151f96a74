"""The study of aerospike-py: single operations and batches, NumPy, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .operations import Operations
from .published import TABLES
from .scaling import Scaling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement
    from ...report import Table

__all__ = ["RECIPE"]


class AerospikePy(Recipe):
    name = "aerospike-py"
    title = "aerospike-py beside the official client: operations, NumPy, memory"
    source = "aerospike-py, benchmark/README"
    text = (
        "The study times its client's blocking API and the official client one call after the"
        " other, and its asyncio API with 50 calls at once: so many operations in so many rounds,"
        " rounds trimmed by their interquartile range, medians of what is left. A second script"
        " compares dictionaries with NumPy, and what both take of memory.\n\n"
        "The method is run again as it is, with a column of ours beside each of theirs."
        " What we changed: every figure has a process of its own, in turns, where the study runs"
        " all of a client's operations in one; keys are integers instead of text; batches are"
        " written by `batch_write` with values for each record, where the study applies the same"
        " two operations to all; a read of a batch is over when its caller has seen every bin of"
        " every record, because aerospike-py now hands out records lazily; a client that does not"
        " read back what was written is disqualified; times are in microseconds. Added: figures"
        " without trimming, the slowest call, and the processor time of the client."
    )

    def published(self) -> Sequence[Table]:
        return TABLES

    def parts(self) -> Sequence[Measurement]:
        return (Operations(), Scaling())


RECIPE = AerospikePy()
