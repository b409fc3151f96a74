"""Measures the cells of the study: each with a cluster of its own, so that no trouble outlasts its
scenario."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from typing import TYPE_CHECKING, Generic, TypeVar

from ....run.awake import awake
from ....run.compare import CannotRunError
from ....run.launch import python_worker, run_job
from ....run.rounds import Lazy
from ....spike.cluster import FaultyCluster
from ....spike.fault_schedule import FaultSchedule
from ....spike.nodes import SETTLED
from ....spike.result import (
    CAPACITY,
    DESCRIBE,
    RUN,
    CapacityResult,
    SpikeResult,
    as_capacity,
    as_spike,
)
from ....spike.scenarios import KILL
from ...interleaved import InterleavedLab, Outcomes
from .cells import Cell, Study

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ....contract.result import Failure
    from ....run.cluster import Cluster
    from ....spike.result import SpikeJob, SpikePlan
    from ....spike.scenarios import Scenario
    from ...recipe import Bench

SECONDS = 60.0
"""Seconds that a process may take in addition to its time."""
BINS = "I8,S100"
SERVICE_TIME = 0.001
"""Seconds that each node works on a request where the cluster has a capacity of its own."""
IN_FLIGHT = 64
"""Calls in flight in the closed loop that finds a capacity."""
INTERVAL = 0.1

R = TypeVar("R", bound="Mapping[str, object]")


class OwnClusters(InterleavedLab[Cell, R], Generic[R]):
    """A cluster for each measurement, unless the user names one for all."""

    def __init__(
        self,
        bench: Bench,
        cells: Sequence[Cell],
        keys: int,
        outcomes: Outcomes[Cell, R],
    ) -> None:
        super().__init__(bench, cells, bench.overrides.rounds or 1, outcomes)
        self.keys = bench.overrides.keys or keys
        self.set_name = f"{self.target.set_name}-spike"

    def run(self, command_line: Sequence[str]) -> None:
        cells = self.usable_cells()
        with ExitStack() as stack:
            described = Lazy(lambda: self._described(stack, command_line))
            self._rounds.measure(cells, self._alone, self._keep, lambda _: described())

    def _described(self, stack: ExitStack, command_line: Sequence[str]) -> bool:
        stack.enter_context(awake(self.target.keep_awake))
        with self.place() as cluster:
            self._describe(cluster, command_line)
        return True

    def place(self) -> Cluster:
        """The cluster that was named, or one of our own."""
        target = self.target
        if target.hosts:
            return target.cluster()
        if target.access:
            raise CannotRunError("users and TLS are for a cluster given by -H here")
        copies = target.replication_factor or min(2, target.nodes)
        return FaultyCluster(
            target.nodes, target.namespace, target.server_threads, target.server_cpus, copies
        )

    def _alone(self, cell: Cell) -> R | Failure:
        with self.place() as cluster:
            self.prepare([cell], cluster)
            return self.measure(cell, cluster)

    def what(self, cell: Cell) -> Hashable:
        return cell.client, cell.mode, cell.interpreter

    def reason(self, cell: Cell) -> str | None:
        answer = self.start(cell, self.spike_job(cell, DESCRIBE, None, None), SECONDS)
        reason = answer.get("failed") or answer.get("unavailable")
        return None if reason is None else str(reason)

    def prepare(self, cells: Sequence[Cell], cluster: Cluster) -> None:
        self.fill(cells[0], self.set_name, self.keys, BINS, cluster)
        if isinstance(cluster, FaultyCluster):
            cluster.send(SETTLED)

    def spike_job(
        self, cell: Cell, action: str, cluster: Cluster | None, plan: SpikePlan | None
    ) -> SpikeJob:
        job: SpikeJob = {
            **self.job(cell, action, cluster),
            "setting": cell.setting,
            "spike": plan,
        }
        job["set"], job["keys"], job["bins"] = self.set_name, self.keys, BINS
        return job

    @abstractmethod
    def measure(self, cell: Cell, cluster: Cluster) -> R | Failure: ...


class CapacityLab(OwnClusters[CapacityResult]):
    """A closed loop for each client, with its default options and nodes that are only limited by
    the machine."""

    seconds: float = 1.0

    def measure(self, cell: Cell, cluster: Cluster) -> CapacityResult | Failure:
        job = self.spike_job(cell, CAPACITY, cluster, None)
        job["concurrency"], job["warmup"], job["duration"] = IN_FLIGHT, 0.3, self.seconds
        return as_capacity(self.start(cell, job, SECONDS))

    def brief(self, result: CapacityResult) -> str:
        text = f"{result['rate']:,.0f} reads/s, {result['quiet'] * 1e6:,.0f} µs alone"
        return f"{text}, {result['errors']:,} errors" if result["errors"] else text


class SpikeLab(OwnClusters[SpikeResult]):
    """One scenario."""

    def __init__(
        self,
        bench: Bench,
        cells: Sequence[Cell],
        keys: int,
        outcomes: Outcomes[Cell, SpikeResult],
        scenario: Scenario,
        study: Study,
    ) -> None:
        super().__init__(bench, cells, keys, outcomes)
        self._scenario, self._study = scenario, study

    def capacity(self, cell: Cell) -> float:
        """Calls per second that count as a load of 1."""
        rate, scenario = self.bench.scenarios.rate, self._scenario
        if rate is None:
            known = self._study.capacities.get((cell.client, cell.mode))
            rate = known["rate"] if known else 0.0
            if scenario.limited and not self.target.hosts:
                rate = min(rate, self.target.nodes / SERVICE_TIME)
        return rate

    def measure(self, cell: Cell, cluster: Cluster) -> SpikeResult | Failure:
        scenario, capacity = self._scenario, self.capacity(cell)
        if not capacity and any(phase.load for phase in scenario.phases):
            return {"failed": "its capacity could not be measured"}
        plan: SpikePlan = {
            **scenario.as_json(),  # type: ignore[typeddict-item]
            "letter": scenario.letter,
            "capacity": capacity,
            "interval": min(INTERVAL, scenario.seconds / 20),
        }
        job = self.spike_job(cell, RUN, cluster, plan)
        job["duration"] = scenario.seconds
        faulty = cluster if isinstance(cluster, FaultyCluster) else None
        if scenario.limited and faulty is not None:
            faulty.limit(faulty.count / capacity)
        before = cluster.rows()
        quiet = self._study.quiet() if faulty is not None else 0.0
        with FaultSchedule(scenario, faulty, quiet) as schedule:
            variables = self.variables(cell)
            worker = python_worker(cell.interpreter)
            answer = run_job(worker, job, variables, SECONDS, schedule.on_report)
        result = as_spike(answer)
        if "failed" in result:
            return result
        if schedule.failed:
            return {"failed": schedule.failed}
        result["events"] = schedule.log
        killed = any(event.action == KILL for one in scenario.phases for event in one.events)
        after = None if killed or before is None else cluster.rows()
        if before is not None and after is not None:
            result["served"] = after - before
        return result

    def _keep(self, cell: Cell, outcome: SpikeResult | Failure) -> str:
        capacity = self.capacity(cell)
        if capacity or not any(phase.load for phase in self._scenario.phases):
            self._study.loads[cell] = capacity
        return super()._keep(cell, outcome)

    def brief(self, result: SpikeResult) -> str:
        during = result["windows"]["during"]
        share = during["good"] / during["due"] if during["due"] else 0.0
        text = f"{share:.1%} of {during['due']:,} good"
        failures = sum(during["errors"].values())
        return f"{text}, {failures:,} failed" if failures else text
