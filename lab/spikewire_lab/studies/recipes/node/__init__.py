"""The study of the Node.js client 2.0: single records by four processes, scans and their memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recipe import Recipe
from .published import SCANS, SHARES
from .scans import Index, Scans
from .singles import Singles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...recipe import Measurement
    from ...report import Table

__all__ = ["RECIPE"]


class Node(Recipe):
    name = "node"
    title = "Node.js: single records by four processes, scans with consumers"
    source = "Greater Speed and Lower Latency with Aerospike's Node.js Client v2.0 (2016)"
    text = (
        "Version 2.0 of the vendor's client moved its input and output to the event loop. The study"
        " shows what that brought: operations per second of four processes, which share of the"
        " calls"
        " took less than 1, 2, 4, 8 and 16 ms, and the speed and the memory of queries whose"
        " records"
        " are dropped or written to a file.\n\n"
        "Measured again with today's npm `aerospike` and with Spikewire, on the same server, in"
        " interleaved rounds. What we changed: the study's benchmark cuts its latencies to whole"
        " milliseconds, so that what it calls 1 ms is anything below 2 ms; here they are taken in"
        " nanoseconds, and an edge is the largest value that counts. It sends commands in"
        " groups and waits for the slowest of each; here a call follows each reply. It reads"
        " what it has just written; here keys are drawn at random. It adds the memory of moments;"
        " here it"
        " is the peak that the system saw."
    )

    def published(self) -> Sequence[Table]:
        return (SHARES, SCANS)

    def parts(self) -> Sequence[Measurement]:
        return (Singles(), Scans(), Index())


RECIPE = Node()
