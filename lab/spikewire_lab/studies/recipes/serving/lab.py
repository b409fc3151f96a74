"""Measures the cells of serving."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ....clients import OURS, PEERS
from ....measure import merge
from ....run.compare import CannotRunError
from ....run.launch import python_worker, run_job
from ....run.served import records
from ....serving.cells import BINS, CALL, DESCRIBE, FILL, LOAD, LOOP, Cell
from ....serving.result import ServingJob, ServingResult, as_serving
from ...interleaved import FILL_SECONDS, InterleavedLab, Outcomes

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from ....contract.result import Failure
    from ....run.cluster import Cluster
    from ...recipe import Bench

SECONDS = 120.0
"""Seconds that the processes of a measurement may take in addition to its time."""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Variables that limit the model to one thread per request, instead of one per processor each."""


@dataclass(frozen=True)
class Amount:
    """The numbers of sets, records and users, and the durations."""

    users: int
    sets: int
    rows: int
    keys: int
    warmup: float
    duration: float
    rounds: int

    def caption(self) -> str:
        """How it was measured, in a sentence or two."""
        several = f"{self.rounds} rounds in turns" if self.rounds > 1 else "one round"
        noise = "" if self.rounds > 1 else " Nothing is known of the noise of a single round."
        return (
            f"{self.users} users, each with one request at a time; a request needs {self.rows:,}"
            f" records of {self.sets} sets each, {self.rows * self.sets:,} in all; {several} of"
            f" {self.duration:g} s after {self.warmup:g} s of warm-up, new processes for each."
            f"{noise}"
        )


def amount(bench: Bench) -> Amount:
    """The sets, records and users of the study at full size."""
    amount: Amount = bench.pick(
        Amount(users=4, sets=3, rows=5, keys=200, warmup=0.05, duration=0.15, rounds=1),
        Amount(users=10, sets=9, rows=20, keys=2_000, warmup=0.2, duration=0.5, rounds=1),
        Amount(users=10, sets=9, rows=200, keys=20_000, warmup=1.0, duration=5.0, rounds=5),
    )
    amount = bench.overrides.of(amount)
    return replace(amount, rows=min(amount.rows, amount.keys))


class ServingLab(InterleavedLab[Cell, ServingResult]):
    def __init__(
        self,
        bench: Bench,
        cells: Sequence[Cell],
        much: Amount,
        outcomes: Outcomes[Cell, ServingResult],
    ) -> None:
        super().__init__(bench, cells, much.rounds, outcomes)
        self._amount = much

    def what(self, cell: Cell) -> Hashable:
        return cell.environment, cell.client, cell.interpreter

    def reason(self, cell: Cell) -> str | None:
        answer = self.start(cell, self._serving(cell, DESCRIBE, None), SECONDS)
        reason = answer.get("failed") or answer.get("unavailable")
        if reason is None and cell.environment != LOOP and find_spec("httptools") is None:
            reason = "httptools not installed where the users run"
        return None if reason is None else f"{cell.environment}: {reason}"

    def prepare(self, cells: Sequence[Cell], cluster: Cluster) -> None:
        written = self._amount.sets * self._amount.keys
        self.bench.progress.say(f"writing {written:,} records to {self._amount.sets} sets")
        job = self._serving(replace(cells[0], client=OURS), FILL, cluster)
        answer = run_job(python_worker(""), job, {}, FILL_SECONDS)
        if answer.get("records") != written:
            raise CannotRunError(f"the records could not be written: {answer.get('failed')}")

    def measure(self, cell: Cell, cluster: Cluster) -> ServingResult | Failure:
        before = records(cluster, self.target.namespace)
        outcome = self._outcome(cell, cluster)
        after = records(cluster, self.target.namespace)
        if "failed" not in outcome and before is not None and after is not None:
            outcome["records"] = after - before
        return outcome

    def _outcome(self, cell: Cell, cluster: Cluster) -> ServingResult | Failure:
        if cell.environment == LOOP:
            job = self._serving(cell, CALL, cluster)
            return as_serving(self.start(cell, job, SECONDS))
        job = self._serving(cell, LOAD, cluster)
        # The users run under the lab's own interpreter, whichever the server has.
        return as_serving(run_job(python_worker(""), job, {}, SECONDS))

    def brief(self, result: ServingResult) -> str:
        p95 = merge([result["latency"]]).get_value_at_percentile(95.0) / 1e6
        each = result["cpu"] / result["requests"] * 1e3
        rate = result["requests"] / result["elapsed"]
        text = f"{rate:,.0f} requests/s, p95 {p95:,.1f} ms, {each:,.2f} ms CPU each"
        return f"{text}, {result['errors']:,} errors" if result["errors"] else text

    def _serving(self, cell: Cell, action: str, cluster: Cluster | None) -> ServingJob:
        much = self._amount
        job: ServingJob = {
            **self.job(cell, action, cluster),
            "environment": cell.environment,
            "way": cell.way,
            "sets": much.sets,
            "rows": much.rows,
            "server": python_worker(cell.interpreter),
            "rate": cell.rate or None,
            "replicas": cell.replicas,
            "variables": {**PEERS[cell.client].environment.get(cell.mode, {}), **ONE_THREAD},
        }
        job["set"] = f"{self.target.set_name}-serving"
        job["concurrency"], job["keys"], job["bins"] = much.users, much.keys, BINS
        job["warmup"], job["duration"] = much.warmup, much.duration
        return job
