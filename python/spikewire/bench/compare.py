"""A comparison from start to end: cluster, clients, filling, rounds, summary."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, cast

from . import environment, node, rust
from .awake import awake
from .clients import FLOOR, PEERS
from .clients.base import ASYNC, NODE, RUST, SYNC
from .clients.shape import column_bins, column_set
from .cluster import Cluster, EmbeddedCluster, GivenCluster, Seed
from .launch import as_result, python_worker, run_job
from .plan import Absence, Cell, Group, Matrix, Skipped, rotated
from .progress import Progress, brief
from .summary import Line, Round, summarise, with_ratios

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .result import Job, Python, Work

FILLERS = ("aerospike", "spikewire", "aerospike-py", "aerospike-native", "aerospike-sdk")
"""Who writes the records first, in this order of choice: any client must be able to read them."""
FILL_WORKERS = 32


@dataclass(frozen=True)
class Settings:
    """Everything that the flags say."""

    matrix: Matrix
    hosts: tuple[Seed, ...]
    namespace: str
    set_name: str
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
    nodes: int
    server_threads: int
    gil: bool | None
    client_cpus: tuple[int, ...]
    server_cpus: tuple[int, ...]
    keep_awake: bool = False


@dataclass(frozen=True)
class RecordSet:
    """A set, how many records it has, and what bins they have."""

    set_name: str
    keys: int
    bins: str


@dataclass
class Comparison:
    """The results; complete only if not interrupted."""

    kind: str
    settings: Settings
    environment: dict[str, object] = field(default_factory=dict[str, object])
    skipped: list[Skipped] = field(default_factory=list[Skipped])
    groups: list[Group] = field(default_factory=list[Group])
    absent: list[Absence] = field(default_factory=list[Absence])
    rounds: dict[Cell, list[Round]] = field(default_factory=dict[Cell, list[Round]])
    interrupted: bool = False

    def lines(self) -> list[list[Line]]:
        """One list for each group that has been measured at all."""
        measured = (
            [summarise(cell, self.rounds[cell]) for cell in group if self.rounds.get(cell)]
            for group in self.groups
        )
        return [with_ratios(lines) + self._absent(lines[0].cell) for lines in measured if lines]

    def _absent(self, beside: Cell) -> list[Line]:
        """Lines for what clients cannot do, so that no row is missing without a reason."""
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
            "settings": asdict(self.settings),
            "skipped": [asdict(one) for one in self.skipped],
            "cells": [
                {**line.as_json(), "runs": self.rounds.get(line.cell, [])}
                for lines in self.lines()
                for line in lines
            ],
        }


class CannotRunError(Exception):
    """Nothing can be measured, and why."""


class Lab:
    """Runs the jobs of one comparison."""

    def __init__(self, settings: Settings, comparison: Comparison, progress: Progress) -> None:
        self._settings = settings
        self._comparison = comparison
        self._progress = progress
        self._rust: dict[str, list[str]] = {}
        self._node: node.Runner | None = None
        self._reasons: dict[tuple[str, str, str, str], str | None] = {}

    def run(self, command_line: Sequence[str]) -> None:
        with self._cluster() as cluster, awake(self._settings.keep_awake):
            self._comparison.environment = environment.describe(cluster, command_line)
            self._comparison.groups = self._usable_groups()
            self._comparison.absent = list(self._settings.matrix.absent())
            if not self._comparison.groups:
                raise CannotRunError("none of the clients asked for can be used")
            if cluster.seeds and self._settings.populate and self._settings.workload != "I":
                for records in self._record_sets():
                    self._populate(records, cluster)
            self._progress.expect(sum(map(len, self._comparison.groups)) * self._settings.rounds)
            for group in self._comparison.groups:
                self._measure(group, cluster)

    def _cluster(self) -> Cluster:
        settings = self._settings
        if settings.hosts or settings.matrix.clients == (FLOOR,):
            return GivenCluster(settings.hosts)
        return EmbeddedCluster(
            settings.nodes, settings.namespace, settings.server_threads, settings.server_cpus
        )

    def _usable_groups(self) -> list[Group]:
        groups: list[Group] = []
        for group in self._settings.matrix.groups():
            usable = tuple(cell for cell in group if self._usable(cell))
            if usable:
                groups.append(usable)
        return groups

    def _usable(self, cell: Cell) -> bool:
        known = (cell.client, cell.mode, cell.interpreter, _needs(cell))
        if known not in self._reasons:
            reason = self._reason(cell)
            self._reasons[known] = reason
            if reason is not None:
                skipped = Skipped(cell.client, cell.mode, cell.interpreter, reason)
                self._comparison.skipped.append(skipped)
                self._progress.skipped(skipped)
        return self._reasons[known] is None

    def _reason(self, cell: Cell) -> str | None:
        if cell.mode == RUST:
            self._progress.say(f"building {cell.client}")
            self._rust[cell.client], missing = rust.build(cell.client, rust.find_crate())
            return missing
        if cell.mode == NODE and self._node is None:
            self._node, missing = node.runner()
            if self._node is None:
                return missing
        answer = self._start(cell, self._job(cell, "describe", None))
        reason = answer.get("failed") or answer.get("unavailable")
        if reason is not None:
            return str(reason)
        python = cast("Python | None", answer.get("python"))
        if self._settings.gil is False and python and not python["free_threaded"]:
            return f"Python {python['version']} is not free-threaded: it cannot run with --gil off"
        return None

    def _record_sets(self) -> list[RecordSet]:
        """The records that the measured calls are about, each set once."""
        cells = (cell for group in self._comparison.groups for cell in group)
        return list(dict.fromkeys(self._records(cell) for cell in cells))

    def _records(self, cell: Cell) -> RecordSet:
        settings, columns = self._settings, cell.shape.columns
        if not columns:
            return RecordSet(settings.set_name, settings.keys, settings.bins)
        most = max(settings.matrix.sizes.records)
        return RecordSet(column_set(settings.set_name, columns), most, column_bins(columns))

    def _populate(self, records: RecordSet, cluster: Cluster) -> None:
        cell = self._filler()
        self._progress.say(
            f"writing {records.keys:,} records to {records.set_name} with {cell.client}"
        )
        outcome = as_result(self._start(cell, self._job(cell, "populate", cluster, records)))
        if "failed" in outcome or outcome["operations"] != records.keys:
            raise CannotRunError(f"the records could not be written: {brief(cell, outcome)}")

    def _filler(self) -> Cell:
        """The first client that can be used, whether it is compared or not."""
        for interpreter in self._settings.matrix.interpreters:
            for client in FILLERS:
                mode = SYNC if PEERS[client].blocking else ASYNC
                cell = Cell(client, mode, FILL_WORKERS, interpreter)
                known = (client, mode, interpreter, "")
                if known not in self._reasons:
                    self._reasons[known] = self._reason(cell)
                if self._reasons[known] is None:
                    return cell
        raise CannotRunError("no client is installed that could write the records")

    def _measure(self, group: Group, cluster: Cluster) -> None:
        for number in range(self._settings.rounds):
            for cell in rotated(group, number):
                self._progress.starting(cell, number)
                time.sleep(self._settings.pause)
                before = cluster.rows()
                outcome = as_result(self._start(cell, self._job(cell, "measure", cluster)))
                after = cluster.rows()
                if "failed" not in outcome and before is not None and after is not None:
                    outcome["served"] = after - before
                    outcome["server_threads"] = self._settings.server_threads
                self._comparison.rounds.setdefault(cell, []).append(outcome)
                self._progress.finished(cell, number, outcome)

    def _start(self, cell: Cell, job: Job) -> Mapping[str, object]:
        if cell.mode == RUST:
            return run_job(self._rust[cell.client], job)
        if cell.mode == NODE:
            assert self._node is not None
            return self._node.start(job)
        variables = dict(PEERS[cell.client].environment.get(cell.mode, {}))
        if self._settings.gil is not None:
            variables["PYTHON_GIL"] = "1" if self._settings.gil else "0"
        return run_job(python_worker(cell.interpreter), job, variables)

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
        if cell.processes > 1:
            job["processes"] = cell.processes
        if cell.loops:
            job["loops"] = cell.loops
        if cell.work:
            job["work"] = cell.work
        return job


def _needs(cell: Cell) -> str:
    """The module without which the cell's way cannot be gone."""
    if cell.mode in (RUST, NODE):
        return ""
    return PEERS[cell.client].way(cell.shape.kind, cell.shape.way).needs


def compare(
    kind: str, settings: Settings, command_line: Sequence[str], progress: Progress
) -> Comparison:
    """Measure everything; Ctrl-C ends it early with what has been measured so far."""
    comparison = Comparison(kind, settings)
    with progress:
        try:
            Lab(settings, comparison, progress).run(command_line)
        except KeyboardInterrupt:
            comparison.interrupted = True
    return comparison
