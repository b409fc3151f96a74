"""Cells measured round by round, each in a process of its own: the lab of recipes that do not
compare closed loops."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar, cast

from ..clients import OURS, PEERS
from ..clients.base import SYNC
from ..clients.limits import barred
from ..plan import SkippedClient
from ..run import environment
from ..run.awake import awake
from ..run.compare import CannotRunError
from ..run.launch import python_worker, run_job
from ..run.rounds import Lazy, Rounds, Usable

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ..contract.result import Failure, Job
    from ..run.cluster import Cluster
    from .recipe import Bench


class Cell(Protocol):
    """What is measured: a client in a mode under an interpreter, and further fields of
    subclasses."""

    @property
    def client(self) -> str: ...

    @property
    def mode(self) -> str: ...

    @property
    def interpreter(self) -> str: ...

    def __hash__(self) -> int: ...


FILL_WORKERS = 8
FILL_SECONDS = 420.0
"""Seconds for writing the records."""

C = TypeVar("C", bound=Cell)
R = TypeVar("R", bound="Mapping[str, object]")


@dataclass
class Outcomes(Generic[C, R]):
    """The results so far; complete only if not interrupted."""

    environment: dict[str, object] = field(default_factory=dict[str, object])
    skipped: list[SkippedClient] = field(default_factory=list[SkippedClient])
    outcomes: dict[C, list[R | Failure]] = field(default_factory=dict)
    interrupted: bool = False

    def results(self, cell: C) -> list[R]:
        """Results of the processes that succeeded."""
        return [cast("R", one) for one in self.outcomes.get(cell, ()) if not failed(one)]

    def failures(self, cell: C) -> list[str]:
        """Why processes failed, each reason once."""
        reasons = [failed(one) for one in self.outcomes.get(cell, ())]
        return list(dict.fromkeys(reason for reason in reasons if reason))

    def runs(self) -> list[object]:
        """Every process, for the file of raw results."""
        return [{"cell": str(cell), "runs": runs} for cell, runs in self.outcomes.items()]


def failed(outcome: Mapping[str, object]) -> str:
    """Why this run failed; empty if it succeeded."""
    return str(outcome.get("failed", ""))


class InterleavedLab(ABC, Generic[C, R]):
    """Measures cells in rounds."""

    def __init__(
        self, bench: Bench, cells: Sequence[C], rounds: int, outcomes: Outcomes[C, R]
    ) -> None:
        self.bench = bench
        self.target = bench.target
        self._cells = cells
        self._rounds = Rounds(rounds, bench.seed, bench.progress, journal=bench.journal)
        self._outcomes = outcomes
        self._can_use = Usable(outcomes.skipped, bench.progress)

    @abstractmethod
    def what(self, cell: C) -> Hashable:
        """Cells with the same value are either all usable or all unusable."""

    @abstractmethod
    def reason(self, cell: C) -> str | None:
        """Why this cell cannot be measured here, or None."""

    @abstractmethod
    def prepare(self, cells: Sequence[C], cluster: Cluster) -> None:
        """Writes the records of these cells."""

    @abstractmethod
    def measure(self, cell: C, cluster: Cluster) -> R | Failure:
        """Runs one process, or the several processes of one measurement."""

    @abstractmethod
    def brief(self, result: R) -> str:
        """The result in a few words."""

    def run(self, command_line: Sequence[str]) -> None:
        cells = self.usable_cells()
        with ExitStack() as stack:
            # Nothing is started for what an earlier command has measured.
            cluster = Lazy(lambda: self._started(stack, command_line, cells))
            self._rounds.measure(
                cells,
                lambda cell: self.measure(cell, cluster()),
                self._keep,
                lambda _: cluster(),
            )

    def usable_cells(self) -> list[C]:
        """The cells that can be measured, for which results are expected."""
        self._outcomes.environment = self._rounds.known_environment()
        cells = [cell for cell in self._cells if self._usable(cell)]
        if not cells:
            raise CannotRunError("none of the clients asked for can be used")
        # Tables keep this order, whichever is measured first.
        self._outcomes.outcomes = {cell: [] for cell in cells}
        self._rounds.check(cells)
        self._rounds.expect(len(cells))
        return cells

    def _started(
        self, stack: ExitStack, command_line: Sequence[str], cells: Sequence[C]
    ) -> Cluster:
        """The cluster with its records."""
        target = self.target
        cluster = stack.enter_context(target.cluster())
        stack.enter_context(awake(target.keep_awake))
        self._describe(cluster, command_line)
        self.prepare(cells, cluster)
        return cluster

    def _describe(self, cluster: Cluster, command_line: Sequence[str]) -> None:
        self._rounds.server_pids = lambda: cluster.pids
        self._outcomes.environment = self._rounds.environment(
            lambda: environment.describe(cluster, command_line)
        )

    def _keep(self, cell: C, outcome: R | Failure) -> str:
        self._outcomes.outcomes[cell].append(outcome)
        why = failed(outcome)
        return f"failed: {why}" if why else self.brief(cast("R", outcome))

    def _usable(self, cell: C) -> bool:
        named = (cell.client, cell.mode, cell.interpreter)
        shut_out = barred(cell.client, self.target.access)
        return self._can_use(self.what(cell), *named, lambda: shut_out or self.reason(cell))

    def job(self, cell: C, action: str, cluster: Cluster | None) -> Job:
        """The fields that all jobs share."""
        target = self.target
        job: Job = {
            "action": action,
            "client": cell.client,
            "mode": cell.mode,
            "concurrency": 1,
            "shape": {"kind": "single", "rows": 1, "columns": 0, "way": ""},
            "seeds": [] if cluster is None else list(cluster.seeds),
            "namespace": target.namespace,
            "set": target.set_name,
            "keys": 1,
            "bins": "I8",
            "workload": "RU,100",
            "warmup": 0.0,
            "duration": 0.0,
            "sample_every": 1,
            "seed": self.bench.seed,
            "cpus": list(target.client_cpus),
            "server_pid": None if cluster is None else cluster.pid,
        }
        target.reach(job, cluster)
        return job

    def start(self, cell: C, job: Job, seconds: float) -> Mapping[str, object]:
        """Runs one process with the environment variables of its client."""
        return run_job(python_worker(cell.interpreter), job, self.variables(cell), seconds)

    def variables(self, cell: C) -> Mapping[str, str]:
        """The environment variables that its client needs."""
        peer = PEERS.get(cell.client)
        return {} if peer is None else peer.environment.get(cell.mode, {})

    def fill(
        self,
        cell: C,
        set_name: str,
        keys: int,
        bins: str,
        cluster: Cluster,
    ) -> None:
        """Writes the records with our own client; other clients check that they can read them."""
        self.bench.progress.say(f"writing {keys:,} records to {set_name}")
        job = self.job(cell, "populate", cluster)
        job["client"], job["mode"], job["concurrency"] = OURS, SYNC, FILL_WORKERS
        job["set"], job["keys"], job["bins"] = set_name, keys, bins
        answer = run_job(python_worker(""), job, {}, FILL_SECONDS)
        if answer.get("operations") != keys:
            reason = answer.get("failed") or answer.get("first_error")
            raise CannotRunError(f"the records could not be written: {reason}")
