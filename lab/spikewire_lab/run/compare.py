"""A comparison from start to end: cluster, clients, filling, rounds, summary."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..build import of_results
from ..clients import FLOOR, PEERS
from ..clients.base import ASYNC, CRATES, NODE, SYNC
from ..clients.limits import barred
from ..contract.open import CONSTANT
from ..plan import Absence, Cell, Group, Matrix, SkippedClient
from ..series.lines import LineDisplay
from ..table.figures import ERROR_LIMIT
from ..table.line import Line
from ..table.summary import Round, decided, summarise, with_ratios
from ..table.versus import PRECISION
from ..work import parse_workload
from ..work.keys import UNIFORM
from ..work.mix import INSERT, INSERTING, LOSING
from ..work.shape import SINGLE, column_bins, column_set
from ..worker.open.other_languages import scheduled, worked_out
from ..worker.steps import lacking
from . import environment, node, rust
from .awake import awake
from .cluster import Cluster, ExternalCluster, is_local, truncate
from .hlog import keep as keep_log
from .launch import as_result, python_worker, run_job, rust_variables
from .place import NO_ALTERNATE, Place
from .processes import run_processes
from .progress import Progress, brief
from .rounds import AnswerCache, Lazy, Rounds, Usable, until_interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..contract.build import Build
    from ..contract.result import Job, Python, Work
    from .journal import Journal

FILLERS = ("aerospike", "spikewire", "aerospike-py", "aerospike-native", "aerospike-sdk")
"""Clients that may write the records, in order of preference: any client must be able to read
them."""
FILL_WORKERS = 32


@dataclass(frozen=True, kw_only=True)
class Settings(Place):
    """All settings of the flags."""

    matrix: Matrix
    keys: int
    bins: str
    workload: str
    duration: float
    warmup: float
    rounds: int
    sample_every: int
    seed: int
    pause: float
    populate: bool
    gil: bool | None
    client_cpus: tuple[int, ...]
    keep_awake: bool = False
    error_limit: float = ERROR_LIMIT
    """The share of failed calls from which a line counts as flawed."""
    arrivals: str = CONSTANT
    """The arrivals of calls in open loops."""
    rates_from: str = ""
    """The client whose throughput the rates of a sweep are shares of, in words."""
    distribution: str = UNIFORM
    misses: float = 0.0
    max_ops: int | None = None
    """Operations after which a run ends, unless its time is over first."""
    per_process: bool = False
    """Whether tables list each of several processes."""
    lines: bool = False
    """Whether to show each second when it is over."""
    logs: str = ""
    """The folder for HDR interval logs of every run; empty for none."""
    most_rounds: int | None = None
    """The highest number of rounds: they go on until the ratios are precise. None: `rounds`."""
    precision: float = PRECISION
    """How far the ends of a ratio's interval may lie from it when rounds end, as a share of it."""
    truncate: bool = False
    """Whether to empty sets before they are written, and after runs that insert every key; before
    each run if they are not written (`sparse`)."""

    @property
    def sparse(self) -> bool:
        """Whether every run begins with an empty set, so that reads may find no record."""
        return self.truncate and not self.populate and self.workload != INSERTING


@dataclass(frozen=True)
class RecordSet:
    """A set, its number of records, and their bins."""

    set_name: str
    keys: int
    bins: str


@dataclass
class Comparison:
    """The results; complete only if not interrupted."""

    kind: str
    settings: Settings
    environment: dict[str, object] = field(default_factory=dict[str, object])
    skipped: list[SkippedClient] = field(default_factory=list[SkippedClient])
    groups: list[Group] = field(default_factory=list[Group])
    absent: list[Absence] = field(default_factory=list[Absence])
    rounds: dict[Cell, list[Round]] = field(default_factory=dict[Cell, list[Round]])
    interrupted: bool = False

    def lines(self) -> list[list[Line]]:
        """One list for each group with any measurements."""
        measured = (
            [
                summarise(cell, self.rounds[cell], self.settings.error_limit)
                for cell in group
                if self.rounds.get(cell)
            ]
            for group in self.groups
        )
        return [with_ratios(lines) + self._absent(lines[0].cell) for lines in measured if lines]

    def builds(self) -> dict[str, Build]:
        """The builds of our package that were measured, by client."""
        return of_results(list(self.rounds.values()))

    def _absent(self, beside: Cell) -> list[Line]:
        """Lines for what clients do not support, so that no row is missing without a reason."""
        return [
            Line(cell, rounds=0, failures=(), absent=reason)
            for cell, reason in self.absent
            if cell.beside(beside)
        ]

    def as_json(self) -> dict[str, object]:
        return {
            "schema": 1,
            "kind": self.kind,
            "interrupted": self.interrupted,
            "environment": self.environment,
            "settings": self.settings.as_json(),
            "builds": self.builds(),
            "skipped": [asdict(one) for one in self.skipped],
            "cells": [
                {**line.as_json(), "runs": self.rounds.get(line.cell, [])}
                for lines in self.lines()
                for line in lines
            ],
        }


class CannotRunError(Exception):
    """Nothing can be measured; says why."""


class Lab:
    """Runs the jobs of one comparison."""

    def __init__(
        self,
        settings: Settings,
        comparison: Comparison,
        progress: Progress,
        answers: AnswerCache | None = None,
        journal: Journal | None = None,
    ) -> None:
        """`answers` holds those from other comparisons of this command, `journal` what an earlier
        command has measured."""
        self._settings = settings
        self._comparison = comparison
        self._progress = progress
        self._answers = AnswerCache() if answers is None else answers
        self._rust: dict[str, list[str]] = {}
        self._node: node.Runner | None = None
        self._rounds = Rounds(
            settings.rounds,
            settings.seed,
            progress,
            settings.pause,
            journal,
            settings.most_rounds,
        )
        self._can_use = Usable(comparison.skipped, progress)
        self._workload = replace(parse_workload(settings.workload), sparse=settings.sparse)
        self._next_key = settings.keys
        self._runs = 0

    def run(self, command_line: Sequence[str]) -> None:
        comparison, rounds = self._comparison, self._rounds
        comparison.environment = rounds.known_environment()
        comparison.groups = self._usable_groups()
        comparison.absent = list(self._settings.matrix.absent())
        if not comparison.groups:
            raise CannotRunError("none of the clients asked for can be used")
        every = [cell for group in comparison.groups for cell in group]
        rounds.check(every)
        rounds.expect(len(every))
        with ExitStack() as stack:
            # Nothing is started for what an earlier command has measured.
            cluster = Lazy(lambda: self._started(stack, command_line))
            rounds.measure(
                every,
                lambda cell: self._measure(cell, cluster()),
                self._keep,
                lambda cell: self._prepare(cell, cluster()),
                self._undecided,
            )

    def _started(self, stack: ExitStack, command_line: Sequence[str]) -> Cluster:
        """The cluster with its records."""
        cluster = stack.enter_context(self._cluster())
        stack.enter_context(awake(self._settings.keep_awake))
        self._rounds.server_pids = lambda: cluster.pids
        self._comparison.environment = self._rounds.environment(
            lambda: environment.describe(cluster, command_line)
        )
        if cluster.seeds and self._settings.populate and self._settings.workload != "I":
            for records in self._record_sets():
                self._truncate(records, cluster)
                self.populate(records, cluster)
        return cluster

    def _undecided(self) -> set[Cell]:
        """The cells of groups with a ratio that is not precise yet."""
        groups = [
            [line for line in lines if line.absent is None] for lines in self._comparison.lines()
        ]
        return {
            line.cell
            for lines in groups
            if not decided(lines, self._settings.precision)
            for line in lines
        }

    def _cluster(self) -> Cluster:
        settings = self._settings
        return ExternalCluster(()) if settings.matrix.clients == (FLOOR,) else settings.cluster()

    def _usable_groups(self) -> list[Group]:
        groups: list[Group] = []
        for group in self._settings.matrix.groups():
            usable = tuple(cell for cell in group if self._usable(cell))
            if usable:
                groups.append(usable)
        return groups

    def _usable(self, cell: Cell) -> bool:
        named = (cell.client, cell.mode, cell.interpreter)
        alike = (*named, cell.gil, _needs(cell))
        return self._can_use(alike, *named, lambda: self._unable(cell) or self._reason(cell))

    def _unable(self, cell: Cell) -> str | None:
        """Why this client does not support the workload, whether it is installed or not."""
        settings, workload = self._settings, self._workload
        shut_out = barred(cell.client, settings.access)
        if shut_out is not None:
            return shut_out
        if cell.mode in (*CRATES, NODE) and settings.services_alternate:
            return NO_ALTERNATE
        if cell.mode in (*CRATES, NODE) and settings.max_ops is not None:
            return "its worker does not stop after a number of operations"
        if cell.shape.kind != SINGLE:
            return None
        special = settings.misses or settings.distribution != UNIFORM or not workload.plain
        inserting = workload.kind == INSERTING and cell.mode in CRATES
        if cell.mode in (*CRATES, NODE) and (special or inserting):
            return "its worker has whole reads and writes of uniform keys alone"
        if cell.mode in (*CRATES, NODE):
            return None
        if cell.processes > 1 and INSERT in workload.verbs:
            return "several processes cannot know which record is the newest"
        return lacking(PEERS[cell.client], workload, settings.misses)

    def _reason(self, cell: Cell) -> str | None:
        if cell.mode in CRATES:
            self._rust[cell.client], missing = self._answers(cell.client, lambda: self._built(cell))
            return missing
        if cell.mode == NODE and self._node is None:
            self._node, missing = node.runner()
            if self._node is None:
                return missing
        # Without PYTHON_GIL: 0 would keep the GIL off whatever the client asks for, and an
        # interpreter without free threading would not even start.
        question = (cell.client, cell.mode, cell.interpreter, _needs(cell))
        job = self._job(cell, "describe", None)
        answer = self._answers(question, lambda: self._start(cell, job, forced=False))
        reason = answer.get("failed") or answer.get("unavailable")
        if reason is not None:
            return str(reason)
        python = cast("Python | None", answer.get("python"))
        if self._gil(cell) is False and python and not python["free_threaded"]:
            return f"Python {python['version']} is not free-threaded: it cannot run with --gil off"
        if cell.gil is False and python and python["gil"]:
            return "switches the GIL on when it is imported"
        return None

    def _built(self, cell: Cell) -> tuple[list[str], str | None]:
        self._progress.say(f"building {cell.client}")
        return rust.build(cell.client, rust.find_crate())

    def _record_sets(self) -> list[RecordSet]:
        """The sets of records that the measured calls use, each once."""
        cells = (cell for group in self._comparison.groups for cell in group)
        return list(dict.fromkeys(self._records(cell) for cell in cells))

    def _records(self, cell: Cell) -> RecordSet:
        settings, columns = self._settings, cell.shape.columns
        if not columns:
            name = settings.set_name
            if self._workload.kind == INSERTING and self._runs:
                # A set for each run: no client may find what another has written.
                name = f"{name}-{self._runs}"
            return RecordSet(name, settings.keys, settings.bins)
        sizes = settings.matrix.sizes
        most = max(*sizes.records, *sizes.tables)
        return RecordSet(column_set(settings.set_name, columns), most, column_bins(columns))

    def populate(self, records: RecordSet, cluster: Cluster) -> None:
        """Fills it with the first client that can, whether it is compared or not."""
        failures: list[str] = []
        for cell in self._fillers():
            self._progress.say(
                f"writing {records.keys:,} records to {records.set_name} with {cell.client}"
            )
            outcome = as_result(self._start(cell, self._job(cell, "populate", cluster, records)))
            if "failed" not in outcome and outcome["operations"] == records.keys:
                return
            failures.append(brief(cell, outcome))
            self._progress.say(failures[-1])
        reasons = "; ".join(failures) or "no client is installed that could write them"
        raise CannotRunError(f"the records could not be written: {reasons}")

    def _truncate(self, records: RecordSet, cluster: Cluster) -> None:
        """Empties the set, if requested."""
        if self._settings.truncate and cluster.seeds:
            self._progress.say(f"emptying {records.set_name}")
            reason = truncate(cluster, self._settings.namespace, records.set_name)
            if reason is not None:
                raise CannotRunError(f"{records.set_name} could not be emptied: {reason}")

    def _fillers(self) -> Iterator[Cell]:
        """Installed clients that could write the records, in order of preference."""
        for client in FILLERS:
            for interpreter in self._settings.matrix.interpreters:
                mode = SYNC if PEERS[client].blocking else ASYNC
                cell = Cell(client, mode, FILL_WORKERS, interpreter)
                if (barred(client, self._settings.access) or self._reason(cell)) is None:
                    yield cell
                    break

    def _measure(self, cell: Cell, cluster: Cluster) -> Mapping[str, Any]:
        before = cluster.rows()
        outcome = as_result(self._start(cell, self._job(cell, "measure", cluster)))
        after, workers = cluster.rows(), cluster.workers()
        if self._workload.kind == INSERTING:
            self._truncate(self._records(cell), cluster)
        if "failed" not in outcome:
            if before is not None and after is not None:
                outcome["served"] = after - before
            if workers is not None:
                outcome["server_threads"] = workers
            outcome["server_remote"] = not any(is_local(host) for host, _ in cluster.seeds)
            self._next_key = outcome.get("next_key", self._next_key)
        if self._settings.logs and "failed" not in outcome:
            number = len(self._comparison.rounds.get(cell, ())) + 1
            keep_log(Path(self._settings.logs), f"{cell}, round {number}", outcome)
        return outcome

    def _keep(self, cell: Cell, outcome: Round) -> str:
        self._comparison.rounds.setdefault(cell, []).append(outcome)
        return brief(cell, outcome)

    def _gil(self, cell: Cell) -> bool | None:
        """The requested GIL state: of the cell, else of the whole comparison."""
        return self._settings.gil if cell.gil is None else cell.gil

    def _prepare(self, cell: Cell, cluster: Cluster) -> None:
        """Ensures that a workload that removes records finds all of them, and one that inserts
        finds none, nor one on an empty set."""
        self._runs += 1
        if self._settings.sparse:
            self._truncate(self._records(cell), cluster)
        if cluster.seeds and self._settings.populate and self._workload.verbs & LOSING:
            self.populate(self._records(cell), cluster)

    def _start(self, cell: Cell, job: Job, *, forced: bool = True) -> Mapping[str, object]:
        on_report = LineDisplay(cell.processes, self._progress.say) if "lines" in job else None
        if cell.mode in CRATES:
            job = scheduled(job)
            command = self._rust[cell.client]
            answer = run_job(command, job, rust_variables(), on_report=on_report)
            return worked_out(job, rust.completed(cell.client, command, answer))
        if cell.mode == NODE:
            assert self._node is not None
            job = scheduled(job)
            return worked_out(job, self._node.start(job, on_report=on_report))
        variables = dict(PEERS[cell.client].environment.get(cell.mode, {}))
        gil = self._gil(cell)
        if forced and gil is not None:
            variables["PYTHON_GIL"] = "1" if gil else "0"
        if job["action"] == "measure" and cell.processes > 1:
            return run_processes(python_worker(cell.interpreter), job, variables, on_report)
        return run_job(python_worker(cell.interpreter), job, variables, on_report=on_report)

    def _job(
        self, cell: Cell, action: str, cluster: Cluster | None, records: RecordSet | None = None
    ) -> Job:
        settings = self._settings
        records = records or self._records(cell)
        job: Job = {
            "action": action,
            "client": cell.client,
            "mode": cell.mode,
            "concurrency": cell.concurrency,
            "shape": cast("Work", asdict(cell.shape)),
            "seeds": [] if cluster is None else list(cluster.seeds),
            "namespace": settings.namespace,
            "set": records.set_name,
            "keys": records.keys,
            "bins": records.bins,
            "workload": settings.workload,
            "warmup": settings.warmup,
            "duration": settings.duration,
            "sample_every": settings.sample_every,
            "seed": settings.seed,
            "cpus": list(settings.client_cpus),
            "server_pid": None if cluster is None else cluster.pid,
        }
        if cell.shape.kind == SINGLE and action == "measure":
            if settings.distribution != UNIFORM:
                job["distribution"] = settings.distribution
            if settings.max_ops is not None:
                job["max_ops"] = settings.max_ops
            if settings.misses:
                job["misses"] = settings.misses
            if settings.sparse:
                job["sparse"] = True
            if INSERT in self._workload.verbs:
                job["next_key"] = self._next_key
        if action == "measure" and settings.logs:
            job["histograms"] = True
        if action == "measure" and settings.lines:
            job["lines"] = True
        settings.reach(job, cluster)
        if cell.processes > 1:
            job["processes"] = cell.processes
        if cell.loops:
            job["loops"] = cell.loops
        if cell.work:
            job["work"] = cell.work
        if cell.companion:
            job["beside"] = cell.companion
        if cell.rate and action == "measure":
            job["open"] = {"rate": cell.rate, "arrivals": settings.arrivals}
        return job


def _needs(cell: Cell) -> str:
    """The module that the cell's way requires."""
    if cell.mode in (*CRATES, NODE):
        return ""
    return PEERS[cell.client].way(cell.shape.kind, cell.shape.way).needs


def compare(
    kind: str, settings: Settings, command_line: Sequence[str], progress: Progress
) -> Comparison:
    """Measures everything; Ctrl-C ends it early with what has been measured so far."""
    comparison = Comparison(kind, settings)
    with progress:
        until_interrupted(Lab(settings, comparison, progress), comparison, command_line)
    return comparison
