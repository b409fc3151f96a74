"""Measures the cells of fixed work from which the tables of this recipe are made."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ....fixed.cells import (
    BATCH_READ_NUMPY,
    DESCRIBE,
    FIXED,
    OPERATE,
    SCAN,
    SINGLES,
    WRITES,
    Cell,
)
from ....fixed.result import FixedJob, FixedResult, as_fixed
from ....fixed.summary import summarise
from ....work import parse_bins
from ...interleaved import InterleavedLab, Outcomes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ....contract.result import Failure
    from ....run.cluster import Cluster
    from ...recipe import Bench

SECONDS = 300.0
"""Time limit of one process."""


@dataclass(frozen=True)
class Amount:
    """The amount of work."""

    calls: int
    """Operations of one round; for batches and scans the records of one round."""
    groups: int
    """Batches of a round, which divide the records among them."""
    rounds: int
    """Rounds of each process."""
    processes: int
    """Processes of each cell, run one after the other, with the cells taking turns."""
    warmup: int
    concurrency: int

    @property
    def batch(self) -> int:
        return max(1, self.calls // self.groups)

    def calls_of(self, cell: Cell) -> int:
        if cell.operation in SINGLES:
            return self.calls
        return 1 if cell.operation == SCAN else self.groups

    def caption(self) -> str:
        """How it was measured, in a sentence or two."""
        rounds = self.rounds * self.processes
        return (
            f"{self.calls:,} records in each of {rounds} rounds, batches of {self.batch:,}; a new"
            f" process for each figure{self._turns()}, {self.warmup:,} calls of warm-up, no garbage"
            f" collection during a round. Asynchronous: all calls of a round are gathered, a"
            f" semaphore lets {self.concurrency} at once."
        )

    def _turns(self) -> str:
        return f" and each {self.rounds} rounds, in turns" if self.processes > 1 else ""


def reckoned(bench: Bench, much: Amount) -> Amount:
    """The same with the numbers of processes and of records per round that flags give."""
    overrides = bench.overrides
    calls = overrides.keys or much.calls
    return replace(
        much,
        calls=calls,
        groups=min(much.groups, calls),
        warmup=min(much.warmup, calls) if overrides.keys else much.warmup,
        processes=overrides.rounds or much.processes,
    )


class FixedLab(InterleavedLab[Cell, FixedResult]):
    def __init__(
        self,
        bench: Bench,
        cells: Sequence[Cell],
        amount: Amount,
        outcomes: Outcomes[Cell, FixedResult],
    ) -> None:
        super().__init__(bench, cells, amount.processes, outcomes)
        self._amount = amount

    def what(self, cell: Cell) -> Hashable:
        return cell.client, cell.mode, cell.interpreter, cell.operation == BATCH_READ_NUMPY

    def reason(self, cell: Cell) -> str | None:
        answer = self.start(cell, self._fixed(cell, DESCRIBE, None), SECONDS)
        reason = answer.get("failed") or answer.get("unavailable")
        return None if reason is None else str(reason)

    def prepare(self, cells: Sequence[Cell], cluster: Cluster) -> None:
        read = [cell for cell in cells if cell.operation not in WRITES]
        most: dict[tuple[str, str], int] = {}
        for cell in read:
            where = self._set(cell), cell.bins
            most[where] = max(most.get(where, 0), self._keys(cell))
        for (set_name, bins), keys in most.items():
            self.fill(cells[0], set_name, keys, bins, cluster)

    def measure(self, cell: Cell, cluster: Cluster) -> FixedResult | Failure:
        return as_fixed(self.start(cell, self._fixed(cell, FIXED, cluster), SECONDS))

    def brief(self, result: FixedResult) -> str:
        summary = summarise([result])
        return f"{summary.study.each * 1e6:,.1f} us, {summary.cpu * 1e6:,.1f} us CPU per record"

    def _set(self, cell: Cell) -> str:
        written = "-written" if cell.operation in WRITES else ""
        if cell.operation == OPERATE:
            written = "-added"  # the bins it adds to could no longer be checked
        kinds = "".join(spec.kind for spec in parse_bins(cell.bins))
        return f"{self.target.set_name}-{kinds}{written}"

    def _keys(self, cell: Cell) -> int:
        return max(self._amount.calls, cell.rows)

    def _fixed(self, cell: Cell, action: str, cluster: Cluster | None) -> FixedJob:
        amount = self._amount
        calls = amount.calls_of(cell)
        job: FixedJob = {
            **self.job(cell, action, cluster),
            "calls": calls,
            "rounds": amount.rounds,
            "warmup_calls": min(calls, max(1, amount.warmup // cell.rows)),
        }
        job["concurrency"] = amount.concurrency
        job["shape"] = {"kind": cell.operation, "rows": cell.rows, "columns": 0, "way": ""}
        job["set"] = self._set(cell)
        job["keys"] = self._keys(cell)
        job["bins"] = cell.bins
        return job
