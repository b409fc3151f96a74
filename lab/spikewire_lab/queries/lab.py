"""A comparison of scans from start to end: cluster, filling, rounds."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..build import of_results
from ..clients import OURS, PEERS
from ..clients.base import NODE, SYNC
from ..clients.limits import barred
from ..contract.queries import Outcome, as_scan
from ..plan import SkippedClient
from ..run import environment, node
from ..run.awake import awake
from ..run.compare import CannotRunError
from ..run.launch import python_worker, run_job
from ..run.place import NO_ALTERNATE, Place
from ..run.rounds import Lazy, Rounds, Usable
from ..work import parse_bins, value_pool
from .cells import (
    ARROW,
    CONSUMERS,
    DESCRIBE,
    FILE,
    FILL,
    GETS_MODE,
    GETS_SCANS,
    INDEX_MODE,
    NODE_QUERIES_MODE,
    QUERIES_MODE,
    SCAN,
    SELECTED,
    Scan,
    getters,
    record_bins,
    scans,
)
from .check import range_of_share
from .gets import GetRound, Getter, gets_alone_and_not
from .lines import GetLine, ScanLine, get_lines, scan_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..contract.result import Job
    from ..run.cluster import Cluster
    from ..run.journal import Journal
    from ..run.progress import Progress

SCAN_SECONDS = 600.0
"""Seconds that one process may take for two scans, in addition to the measured time."""


@dataclass(frozen=True, kw_only=True)
class Settings(Place):
    """All settings of the flags."""

    modes: tuple[str, ...]
    clients: tuple[str, ...]
    interpreters: tuple[str, ...]
    records: int
    slow_records: int
    selected: float = SELECTED
    """The percentage of the records that index queries select."""
    sizes: tuple[int, ...]
    duration: float
    warmup: float
    pause: float
    rounds: int
    seed: int
    populate: bool
    gil: bool | None
    client_cpus: tuple[int, ...]
    keep_awake: bool = False
    consumers: tuple[str, ...] = CONSUMERS

    def set_of(self, size: int, records: int) -> str:
        """The set with this number of records of this size."""
        fewer = "" if records == self.records else f"-{records}"
        return f"{self.set_name}-scan-{size}{fewer}"


@dataclass
class Scans:
    """The results; complete only if not interrupted."""

    settings: Settings
    environment: dict[str, object] = field(default_factory=dict[str, object])
    skipped: list[SkippedClient] = field(default_factory=list[SkippedClient])
    scans: dict[Scan, list[Outcome]] = field(default_factory=dict[Scan, list[Outcome]])
    gets: dict[Getter, list[GetRound]] = field(default_factory=dict[Getter, list[GetRound]])
    interrupted: bool = False

    def scan_lines(self) -> list[list[ScanLine]]:
        """One list for each size of records and interpreter; Node.js and index queries are
        separate."""
        groups: dict[tuple[int, str, bool, bool], dict[Scan, list[Outcome]]] = {}
        for scan, rounds in self.scans.items():
            if not rounds:
                continue
            by_index = scan.selected is not None
            kind = (scan.size, scan.interpreter, scan.mode == NODE, by_index)
            groups.setdefault(kind, {})[scan] = rounds
        return [scan_lines(group) for group in groups.values()]

    def get_lines(self) -> list[GetLine]:
        return get_lines({getter: rounds for getter, rounds in self.gets.items() if rounds})

    @property
    def flawed(self) -> bool:
        failures = [line.failures for group in self.scan_lines() for line in group]
        failures += [line.failures for line in self.get_lines()]
        return any(failures)

    def as_json(self) -> dict[str, object]:
        gets = {getter: [asdict(one) for one in rounds] for getter, rounds in self.gets.items()}
        return {
            "schema": 1,
            "kind": "scans",
            "interrupted": self.interrupted,
            "environment": self.environment,
            "settings": self.settings.as_json(),
            "builds": of_results([self.scans, gets]),
            "skipped": [asdict(one) for one in self.skipped],
            "scans": [
                {**line.as_json(), "runs": self.scans[line.scan]}
                for lines in self.scan_lines()
                for line in lines
            ],
            "gets": [{**line.as_json(), "runs": gets[line.getter]} for line in self.get_lines()],
        }


class Lab:
    """Runs the jobs of one comparison."""

    def __init__(
        self,
        settings: Settings,
        scans: Scans,
        progress: Progress,
        journal: Journal | None = None,
    ) -> None:
        """`journal` has what an earlier command has measured."""
        self._settings = settings
        self._scans = scans
        self._progress = progress
        self._rounds = Rounds(settings.rounds, settings.seed, progress, settings.pause, journal)
        self._can_use = Usable(scans.skipped, progress)
        self._node: node.Runner | None = None
        self._ranges: dict[int, list[int]] = {}

    def run(self, command_line: Sequence[str]) -> None:
        scans, rounds = self._scans, self._rounds
        scans.environment = rounds.known_environment()
        groups = self._groups()
        gets = self._getters()
        if not gets and not any(groups):
            raise CannotRunError("none of the clients asked for can be used")
        every = [scan for group in groups for scan in group]
        # Tables keep this order, whichever is measured first.
        scans.scans, scans.gets = {scan: [] for scan in every}, {getter: [] for getter in gets}
        turns: list[Scan | Getter] = [*every, *gets]
        rounds.check(turns)
        rounds.expect(len(turns))
        with ExitStack() as stack:
            # Nothing is started for what an earlier command has measured.
            cluster = Lazy(lambda: self._started(stack, command_line, every, gets))
            rounds.measure(
                turns,
                lambda one: self._measure(one, cluster()),
                self._keep,
                lambda _: cluster(),
            )

    def _started(
        self,
        stack: ExitStack,
        command_line: Sequence[str],
        every: Sequence[Scan],
        gets: Sequence[Getter],
    ) -> Cluster:
        """The cluster with its records."""
        settings = self._settings
        cluster = stack.enter_context(settings.cluster())
        stack.enter_context(awake(settings.keep_awake))
        self._rounds.server_pids = lambda: cluster.pids
        self._scans.environment = self._rounds.environment(
            lambda: environment.describe(cluster, command_line)
        )
        if settings.populate:
            tables = dict.fromkeys(((scan.size, scan.records) for scan in every), False)
            if gets:
                tables.setdefault((settings.sizes[0], settings.records), False)
            indexed = [scan for scan in every if scan.selected is not None]
            tables.update(((scan.size, scan.records), True) for scan in indexed)
            for (size, records), with_index in tables.items():
                self._fill(size, records, cluster, with_index=with_index)
        return cluster

    def _measure(self, one: Scan | Getter, cluster: Cluster) -> Mapping[str, Any]:
        return self._scan(one, cluster) if isinstance(one, Scan) else self._get(one, cluster)

    def _keep(self, one: Scan | Getter, outcome: Any) -> str:
        if isinstance(one, Scan):
            self._scans.scans[one].append(outcome)
            return _brief(outcome)
        gets = GetRound.of_json(outcome)
        self._scans.gets[one].append(gets)
        return gets.brief()

    def _groups(self) -> list[tuple[Scan, ...]]:
        settings = self._settings
        tables: list[tuple[str, bool, float | None]] = []
        if QUERIES_MODE in settings.modes:
            tables += [(interpreter, False, None) for interpreter in settings.interpreters]
        if INDEX_MODE in settings.modes:
            tables += [(python, False, settings.selected) for python in settings.interpreters]
        if NODE_QUERIES_MODE in settings.modes:
            tables.append(("", True, None))
        return [
            tuple(
                scan
                for scan in scans(
                    settings.clients,
                    size,
                    settings.records,
                    settings.slow_records,
                    interpreter,
                    in_node,
                    selected,
                    settings.consumers,
                )
                if self._usable(scan.client, scan.mode, scan.interpreter, _needs(scan))
            )
            for interpreter, in_node, selected in tables
            for size in settings.sizes
        ]

    def _getters(self) -> list[Getter]:
        settings = self._settings
        if GETS_MODE not in settings.modes:
            return []
        return [
            Getter(client, mode, interpreter)
            for interpreter in settings.interpreters
            for client, mode in getters(settings.clients)
            if self._usable(client, mode, interpreter, "")
        ]

    def _usable(self, client: str, mode: str, interpreter: str, needed: str) -> bool:
        named = (client, mode, interpreter)
        return self._can_use((*named, needed), *named, lambda: self._reason(*named, needed))

    def _reason(self, client: str, mode: str, interpreter: str, needed: str) -> str | None:
        """Why this client cannot be used, or None."""
        shut_out = barred(client, self._settings.access)
        if shut_out is not None:
            return shut_out
        if mode == NODE and self._settings.services_alternate:
            return NO_ALTERNATE
        if mode == NODE and self._node is None:
            self._node, missing = node.runner()
            if self._node is None:
                return missing
        job = self._job(client, mode, self._settings.sizes[0], 0, None, DESCRIBE, needed)
        answer = self._start(client, mode, interpreter, job)
        reason = answer.get("failed") or answer.get("unavailable")
        return None if reason is None else str(reason)

    def _fill(self, size: int, records: int, cluster: Cluster, *, with_index: bool) -> None:
        where = self._settings.set_of(size, records)
        self._progress.say(f"writing {records:,} records of {size:,} bytes to {where}")
        job = self._job(OURS, SYNC, size, records, cluster, FILL)
        if with_index:
            job["between"] = self._between(size)
        answer = self._start(OURS, SYNC, "", job)
        if answer.get("records") != records:
            reason = answer.get("failed", answer)
            raise CannotRunError(f"the records could not be written: {reason}")

    def _scan(self, scan: Scan, cluster: Cluster) -> Mapping[str, Any]:
        way = f"{scan.way}/{scan.consumer}"
        job = self._job(scan.client, scan.mode, scan.size, scan.records, cluster, SCAN, way)
        # Checked in the first round only: later rounds return the same.
        job["verify"] = not self._scans.scans[scan]
        if scan.selected is not None:
            job["between"] = self._between(scan.size)
        outcome = as_scan(self._start(scan.client, scan.mode, scan.interpreter, job))
        workers = cluster.workers()
        if "failed" not in outcome and workers is not None:
            outcome["server_threads"] = workers
        return outcome

    def _between(self, size: int) -> list[int]:
        """The range of index queries for records of this size."""
        if size not in self._ranges:
            pool = value_pool(parse_bins(record_bins(size)), self._settings.seed)
            self._ranges[size] = list(range_of_share(pool, self._settings.selected))
        return self._ranges[size]

    def _get(self, getter: Getter, cluster: Cluster) -> Mapping[str, Any]:
        size, records = self._settings.sizes[0], self._settings.records
        getting = self._job(getter.client, getter.mode, size, records, cluster, "measure")
        getting["shape"] = {"kind": "single", "rows": 1, "columns": 0, "way": ""}
        scanning = self._job(OURS, SYNC, size, records, cluster, "")
        scanning["concurrency"] = GETS_SCANS

        def start(job: Job) -> Mapping[str, object]:
            return self._start(getter.client, getter.mode, getter.interpreter, job)

        return asdict(gets_alone_and_not(start, getting, scanning))

    def _start(self, client: str, mode: str, interpreter: str, job: Job) -> Mapping[str, object]:
        if mode == NODE:
            assert self._node is not None
            return self._node.start(job, SCAN_SECONDS)
        variables = dict(PEERS[client].environment.get(mode, {}))
        if self._settings.gil is not None:
            variables["PYTHON_GIL"] = "1" if self._settings.gil else "0"
        return run_job(python_worker(interpreter), job, variables, SCAN_SECONDS)

    def _job(
        self,
        client: str,
        mode: str,
        size: int,
        records: int,
        cluster: Cluster | None,
        action: str,
        way: str = "",
    ) -> Job:
        settings = self._settings
        job: Job = {
            "action": action,
            "client": client,
            "mode": mode,
            "concurrency": 1,
            "shape": {"kind": SCAN, "rows": 1, "columns": 0, "way": way},
            "seeds": [] if cluster is None else list(cluster.seeds),
            "namespace": settings.namespace,
            "set": settings.set_of(size, records),
            "keys": records,
            "bins": record_bins(size),
            "workload": "RU,100",
            "warmup": settings.warmup,
            "duration": settings.duration,
            "sample_every": 1,
            "seed": settings.seed,
            "cpus": list(settings.client_cpus),
            "server_pid": None if cluster is None else cluster.pid,
        }
        settings.reach(job, cluster)
        return job


def _needs(scan: Scan) -> str:
    """A module that not every interpreter with this client has: checked separately."""
    return f"{ARROW}/{FILE}" if (scan.way, scan.consumer) == (ARROW, FILE) else ""


def _brief(outcome: Outcome) -> str:
    """One run in a few words."""
    if "failed" in outcome:
        return f"failed: {outcome['failed']}"
    seconds = outcome["cpu"]["user"] + outcome["cpu"]["system"]
    records, memory = outcome["records"], outcome["memory"]
    return (
        f"{records / outcome['elapsed']:,.0f} records/s, "
        f"{seconds * 1e6 / records:.2f} us CPU per record, "
        f"{(memory['peak'] - memory['start']) / 1e6:+.1f} MB"
    )
